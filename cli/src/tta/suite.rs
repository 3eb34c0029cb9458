//! The programs that OpenASIP publishes cycle counts for, and where its checkout keeps their sources, expected outputs, counts
//! and machines. Nothing of them is here: a checkout is read when they are measured.

use crate::error::CliError;
use std::fs;
use std::path::{Path, PathBuf};

/// A published program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Benchmark {
    /// Its name in our tables.
    pub(crate) name: &'static str,
    /// Its folder below the checkout.
    folder: &'static str,
    /// The machines, by the names of their files.
    pub(crate) machines: &'static [&'static str],
    /// Whether it counts in the geometric mean.
    pub(crate) counted: bool,
}

/// Where the machines are, below the checkout; headers that programs share are one folder up.
const MACHINES: &str = "openasip/scheduler/testbench/ADF";

const SIX: &[&str] = &[
    "huge",
    "FU_constrained",
    "RF_constrained",
    "ti64x_subset",
    "3_bus_short_immediate_fields_and_reduced_connectivity",
    "2regcopies",
];

const CLUSTERED: &[&str] = &["clustered_mul4"];

const fn counted(name: &'static str, folder: &'static str, machines: &'static [&'static str]) -> Benchmark {
    Benchmark { name, folder, machines, counted: true }
}

const fn reported(name: &'static str, folder: &'static str, machines: &'static [&'static str]) -> Benchmark {
    Benchmark { name, folder, machines, counted: false }
}

/// All programs: first those that count, then those that are only reported.
pub(crate) const BENCHMARKS: &[Benchmark] = &[
    counted(
        "DSPstone adpcm",
        "testsuite/systemtest/bintools/Scheduler/tests/DSPstone/fixed_point/adpcm",
        SIX,
    ),
    counted("CHStone adpcm", "testsuite/systemtest_long/bintools/Scheduler/tests/CHStone/adpcm", CLUSTERED),
    counted("CHStone aes", "testsuite/systemtest_long/bintools/Scheduler/tests/CHStone/aes", CLUSTERED),
    counted(
        "CHStone blowfish",
        "testsuite/systemtest_long/bintools/Scheduler/tests/CHStone/blowfish",
        CLUSTERED,
    ),
    counted("CHStone gsm", "testsuite/systemtest_long/bintools/Scheduler/tests/CHStone/gsm", CLUSTERED),
    counted("CHStone mips", "testsuite/systemtest_long/bintools/Scheduler/tests/CHStone/mips", CLUSTERED),
    counted("CHStone sha", "testsuite/systemtest_long/bintools/Scheduler/tests/CHStone/sha", CLUSTERED),
    reported(
        "DSPstone matrix1",
        "testsuite/systemtest/bintools/Scheduler/tests/DSPstone/fixed_point/matrix/matrix1",
        SIX,
    ),
    reported("FFT", "testsuite/systemtest/bintools/Scheduler/tests/FFT/r4fftditinplace_no_custom_op", SIX),
    reported(
        "FFT with operations",
        "testsuite/systemtest/bintools/Scheduler/tests/FFT/r4fftditinplace_with_custom_ops",
        &["FFT/proc.par_mem_arch.compr"],
    ),
    reported("jpeg", "testsuite/systemtest_long/bintools/Scheduler/tests/jpeg", SIX),
    reported("CHStone jpeg", "testsuite/systemtest_long/bintools/Scheduler/tests/CHStone/jpeg", CLUSTERED),
];

/// What a program must have done when it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expected {
    /// It has written this text.
    Text(String),
    /// These words are in memory, from this symbol on.
    Words(String, Vec<u32>),
    /// It has written these bytes, each as a number on a line.
    Bytes(Vec<u8>),
}

/// A program as it is in a checkout.
#[derive(Debug)]
pub(crate) struct Files {
    /// The sources that link into it.
    pub(crate) sources: Vec<PathBuf>,
    /// Where headers are.
    pub(crate) folders: Vec<PathBuf>,
    /// What it must have done.
    pub(crate) expected: Expected,
    /// The published counts, by the names of machines.
    published: Vec<(String, u64)>,
}

fn read(path: &Path) -> Result<String, CliError> {
    let bytes = fs::read(path).map_err(|source| CliError::Read { path: path.to_owned(), source })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn bad(path: &Path, reason: &str) -> CliError {
    let help = Some("--openasip takes a checkout of OpenASIP with its testsuite folder".to_owned());
    CliError::File { path: path.to_owned(), reason: reason.to_owned(), help }
}

/// The text of a machine's file.
pub(crate) fn machine(checkout: &Path, name: &str) -> Result<(PathBuf, String), CliError> {
    let path = checkout.join(MACHINES).join(format!("{name}.adf"));
    let text = read(&path)?;
    Ok((path, text))
}

impl Benchmark {
    /// Finds the program's files.
    pub(crate) fn files(&self, checkout: &Path) -> Result<Files, CliError> {
        let folder = checkout.join(self.folder);
        let source = folder.join("src");
        let sources = sources(&source)?;
        let shared = checkout.join(MACHINES).parent().map(Path::to_owned);
        let results = folder.join("topresults.csv");
        let published = read(&results)?
            .lines()
            .filter_map(|line| {
                let (machine, rest) = line.split_once(',')?;
                let count = rest.rsplit(',').next()?.trim().parse().ok()?;
                Some((machine.trim_end_matches(".adf").to_owned(), count))
            })
            .collect();
        let folders = std::iter::once(source).chain(shared).collect();
        Ok(Files { sources, folders, expected: expected(&folder)?, published })
    }
}

impl Files {
    /// The published cycles on a machine.
    pub(crate) fn published(&self, machine: &str) -> Option<u64> {
        self.published.iter().find(|(name, _)| name == machine).map(|(_, count)| *count)
    }
}

/// The sources that a program's makefile names, or all C files.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let makefile = folder.join("Makefile");
    let text = if makefile.exists() { read(&makefile)? } else { String::new() };
    let named = text.lines().rev().find_map(|line| line.trim().strip_prefix("SOURCE_FILES="));
    if let Some(named) = named {
        return Ok(named.split_whitespace().map(|name| folder.join(name)).collect());
    }
    let entries =
        fs::read_dir(folder).map_err(|source| CliError::Read { path: folder.to_owned(), source })?;
    let mut all: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "c")).collect();
    all.sort();
    if all.is_empty() { Err(bad(folder, "it holds no program in C")) } else { Ok(all) }
}

fn expected(folder: &Path) -> Result<Expected, CliError> {
    let picture = folder.join("image.bmp");
    if picture.exists() {
        let bytes = fs::read(&picture).map_err(|source| CliError::Read { path: picture, source })?;
        return Ok(Expected::Bytes(bytes));
    }
    let path = folder.join("correct_simulation_output");
    let text = read(&path)?;
    let script = folder.join("simulate.ttasim");
    let script = if script.exists() { read(&script)? } else { String::new() };
    // The last word of a line that examines memory is the symbol that it begins at.
    let examined =
        script.lines().find(|line| line.starts_with("x ")).and_then(|l| l.split_whitespace().last());
    let Some(symbol) = examined else { return Ok(Expected::Text(text.trim_end().to_owned())) };
    let words = text.split_whitespace().map(|word| {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        u32::from_str_radix(digits, 16).map_err(|_| bad(&path, "a word of the expected memory is no number"))
    });
    Ok(Expected::Words(symbol.to_owned(), words.collect::<Result<_, _>>()?))
}
