//! File tests on a processor of another architecture: AArch64, under an emulator of its instructions (QEMU's user mode).
//!
//! In: a file test, a level of AArch64 and W. Out: whether its `run` lines leave the bytes that the first of its devices leaves
//! here, which is the reference executor where it is among them. The code is compiled as `oxcl compile --cpu` does, and what calls it is
//! a small C program, `cross/launch.c`, made by a cross-compiler. So this needs programs that a machine may not have;
//! [`Launcher::build`] says which.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use oxcl_binary::archive::Archive;
use oxcl_binary::archive::slots::{ANY_SIZE, Code};
use oxcl_binary::meta::{PROGRAM_META_PATH, ProgramMeta, ProgramVariables};
use oxcl_compiler::{CompileError, Devices, Emit, FormError, Quality, Request, compile};
use oxcl_runtime::{ArgValue, Device, Program};
use tempfile::TempDir;

use crate::directive::{FileTest, Kind, Run, parse};
use crate::filetest::{self, Contents, Input, Prepared};

/// A level of AArch64 that code is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// Its name, for the compiler.
    pub cpu: &'static str,
    /// A processor that has it and no longer vectors, for the emulator.
    emulated: &'static str,
    /// The length of SVE registers; 0: there are none.
    sve_bits: u64,
}

/// NEON, on a processor that has nothing newer, and SVE in two lengths.
pub const LEVELS: [Level; 3] = [
    Level { cpu: "armv8-a", emulated: "cortex-a53", sve_bits: 0 },
    Level { cpu: "armv8-a+sve256", emulated: "max,sve256=on", sve_bits: 256 },
    Level { cpu: "armv8-a+sve512", emulated: "max,sve512=on", sve_bits: 512 },
];

const COMPILER: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64";
/// Where Debian has the C library for programs of AArch64.
const SYSTEM: &str = "/usr/aarch64-linux-gnu";

/// The program that runs work-group functions.
#[derive(Debug)]
pub struct Launcher {
    folder: TempDir,
    program: PathBuf,
    jobs: AtomicUsize,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All lines leave what they should.
    Same,
    /// The vectoriser declines this W, as the file says that it may.
    Declined,
    /// It has no lines to run.
    NothingToRun,
}

impl Launcher {
    /// Compiles the program.
    ///
    /// # Errors
    /// What is missing, and how to get it.
    pub fn build() -> Result<Self, String> {
        let folder = TempDir::new().map_err(|error| error.to_string())?;
        let program = folder.path().join("launch");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("cross/launch.c");
        let mut compiler = Command::new(COMPILER);
        compiler.args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(&source);
        finish(compiler.args(["-ldl", "-pthread"]))
            .map_err(|error| format!("{error} (packages gcc-aarch64-linux-gnu and libc6-dev-arm64-cross)"))?;
        finish(Command::new(EMULATOR).arg("--version"))
            .map_err(|error| format!("{error} (package qemu-user)"))?;
        Ok(Self { folder, program, jobs: AtomicUsize::new(0) })
    }

    /// Runs a job; gives what it writes.
    fn run(&self, level: Level, job: &[u8]) -> Result<Vec<u8>, String> {
        // Every job has files of its own; nothing else goes by the number.
        let number = self.jobs.fetch_add(1, Ordering::Relaxed);
        let path = |kind: &str| self.folder.path().join(format!("{number}.{kind}"));
        let (input, output) = (path("job"), path("results"));
        fs::write(&input, job).map_err(|error| error.to_string())?;
        let mut emulator = Command::new(EMULATOR);
        emulator.args(["-L", SYSTEM, "-cpu", level.emulated]).arg(&self.program).arg(&input).arg(&output);
        finish(&mut emulator)?;
        fs::read(&output).map_err(|error| error.to_string())
    }
}

/// Runs a program to its end.
fn finish(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{name}: {}: {}", output.status, said.trim()))
}

/// Runs the lines of the file at `path`.
///
/// # Errors
/// What differs, ready to be printed; a file that is not compiled.
pub fn check(path: &Path, launcher: &Launcher, level: Level, width: Option<u32>) -> Result<Outcome, String> {
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    let test = parse(&text).map_err(|e| e.to_string())?;
    if test.fails_with.is_some() || !test.kinds.contains(&Kind::Run) {
        return Ok(Outcome::NothingToRun);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // Where products and sums become one operation is each target's own affair.
    let input = Input { name, text: filetest::not_contracted(&text), test: &test };
    let request = input.request()?;
    let archive = match archive(&request, level, width) {
        Ok(archive) => archive,
        Err(CompileError::Kernel { error: FormError::CannotVectorise { .. }, .. })
            if width.is_some() && test.widths != crate::directive::Widths::All =>
        {
            return Ok(Outcome::Declined);
        }
        Err(error) => return Err(input.rendered(&error)),
    };
    let judge = Request { devices: Devices { cpu: true, reference: true }, width: Some(1), ..request };
    let judge = compile(&judge, Emit::Archive, None).map_err(|error| input.rendered(&error))?;
    let judge = Program::from_archive(&judge.bytes).map_err(|error| error.to_string())?;
    let device = judging_device(&test)?;

    let archive = Archive::read(&archive).map_err(|error| error.to_string())?;
    let mut job = Job::of_program(level, &archive, test.runs.len())?;
    let mut wanted: Vec<Contents> = Vec::new();
    for run in &test.runs {
        let at = |message: String| format!("line {}: {message}", run.line);
        let run = with_local_size(run, &archive).map_err(at)?;
        job.add_launch(launcher, &archive, &run).map_err(at)?;
        wanted.push(filetest::execute(&judge, &device, &run).map_err(at)?.0);
    }
    let results = launcher.run(level, &job.bytes)?;
    let mut rest = Results(&results);
    let mut printed = Vec::new();
    for (run, wanted) in test.runs.iter().zip(&wanted) {
        let at = |message: String| format!("line {}: {message}", run.line);
        let mut got: Contents = Vec::new();
        for (name, scalar, bytes) in wanted {
            got.push((name.clone(), *scalar, rest.take(bytes.len())?.to_vec()));
        }
        printed.extend(rest.printed()?);
        filetest::expectations(run, &got, test.ulp).map_err(at)?;
        input.same(wanted, &got).map_err(at)?;
    }
    if !rest.0.is_empty() {
        return Err("there are too many results".to_owned());
    }
    input.prints(&String::from_utf8_lossy(&printed)).map(|()| Outcome::Same)
}

/// What `launch.c` has written and nobody has taken yet.
struct Results<'r>(&'r [u8]);

impl<'r> Results<'r> {
    fn take(&mut self, bytes: usize) -> Result<&'r [u8], String> {
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or("there are too few results")?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, String> {
        let bytes = self.take(8)?.try_into().map_err(|_| "a number has eight bytes".to_owned())?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn data(&mut self) -> Result<&'r [u8], String> {
        let size = self.number()?;
        self.take(usize::try_from(size).unwrap_or(usize::MAX))
    }

    /// The text that a launch prints.
    fn printed(&mut self) -> Result<Vec<u8>, String> {
        let records = self.data()?;
        let mut formats = BTreeMap::new();
        for _ in 0..self.number()? {
            formats.insert(self.number()?, self.data()?);
        }
        Ok(oxcl_driver::print::text(records, &|at| formats.get(&at).map(|text| Cow::Borrowed(*text))))
    }
}

/// The archive for a level.
fn archive(request: &Request<'_>, level: Level, width: Option<u32>) -> Result<Vec<u8>, CompileError> {
    let request = Request {
        devices: Devices { cpu: true, reference: false },
        cpus: vec![level.cpu.to_owned()],
        quality: Quality::Full,
        width,
        strict: true,
        ..request.clone()
    };
    Ok(compile(&request, Emit::Archive, None)?.bytes)
}

fn judging_device(test: &FileTest) -> Result<Device, String> {
    let is_ref = test.targets.iter().any(|target| target == "ref");
    Device::by_name(if is_ref { "ref" } else { "basic" }).map_err(|error| error.to_string())
}

/// The line with a local size: the one that the kernel requires, or one that divides the global size.
fn with_local_size(run: &Run, archive: &Archive) -> Result<Run, String> {
    let record = archive.kernels.iter().find(|kernel| kernel.name == run.kernel);
    let record = record.ok_or_else(|| format!("there is no kernel '{}'", run.kernel))?;
    let mut run = run.clone();
    if run.local.is_none() {
        let mut local = vec![1; run.global.len()];
        if record.reqd_wg_size == [0; 3] {
            local[0] = (1..=64).rev().find(|size| run.global[0].is_multiple_of(*size)).unwrap_or(1);
        } else {
            local.copy_from_slice(&record.reqd_wg_size[..run.global.len()]);
        }
        run.local = Some(local);
    }
    Ok(run)
}

/// What `launch.c` reads.
struct Job {
    bytes: Vec<u8>,
}

impl Job {
    /// The beginning: what holds for all launches.
    fn of_program(level: Level, archive: &Archive, launches: usize) -> Result<Self, String> {
        let mut job = Self { bytes: Vec::new() };
        let meta = archive.root.iter().flatten().find(|file| file.path == PROGRAM_META_PATH);
        let meta = meta.ok_or("the archive has no facts")?;
        let meta = ProgramMeta::from_json(&meta.data).map_err(|error| error.to_string())?;
        job.number(level.sve_bits);
        job.number(u64::from(archive.flush_denorms));
        let variables = meta.variables.unwrap_or_default();
        // Addresses are put in where they are known.
        let pointers = variables.pointers.clone();
        let plain = ProgramVariables { pointers: Vec::new(), ..variables };
        let image = plain.image(0).ok_or("the facts about variables contradict each other")?;
        job.data(&image);
        job.number(pointers.len() as u64);
        for pointer in pointers {
            job.number(pointer.offset);
            job.number(pointer.target);
        }
        job.number(launches as u64);
        Ok(job)
    }

    fn number(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    fn data(&mut self, data: &[u8]) {
        self.number(data.len() as u64);
        self.bytes.extend(data);
    }

    fn add_launch(&mut self, launcher: &Launcher, archive: &Archive, run: &Run) -> Result<(), String> {
        let record = archive.kernels.iter().find(|kernel| kernel.name == run.kernel);
        let record = record.ok_or("there is no such kernel")?;
        let object = record.object(Code::First, ANY_SIZE).ok_or("there is no code for any local size")?;
        // One number for each object; nothing else goes by it.
        let number = launcher.jobs.fetch_add(1, Ordering::Relaxed);
        let path = launcher.folder.path().join(format!("{number}.so"));
        fs::write(&path, &object.data).map_err(|error| error.to_string())?;
        self.data(path.as_os_str().as_encoded_bytes());
        self.data(run.kernel.as_bytes());
        let local = run.local.clone().unwrap_or_default();
        let of = |sizes: &[u64], d: usize, default: u64| sizes.get(d).copied().unwrap_or(default);
        self.number(run.global.len() as u64);
        for d in 0..3 {
            self.number(of(&run.global, d, 1).div_ceil(of(&local, d, 1)));
        }
        for (sizes, default) in [(&run.offset, 0), (&local, 1), (&run.global, 1)] {
            for d in 0..3 {
                self.number(of(sizes, d, default));
            }
        }
        let facts = record.meta().map_err(|error| error.to_string())?;
        self.number(facts.is_some_and(|facts| facts.zero_local).into());
        let arguments = filetest::arguments(&record.args, run)?;
        self.number(arguments.len() as u64);
        self.number(record.local_sizes.len() as u64);
        for (.., argument) in &arguments {
            self.argument(argument);
        }
        for bytes in &record.local_sizes {
            self.number(*bytes);
        }
        Ok(())
    }

    fn argument(&mut self, argument: &Prepared) {
        // The kinds of `launch.c`.
        let (buffer, value, local, null, image) = (0, 1, 2, 3, 4);
        match argument.value() {
            ArgValue::Buffer(contents) => {
                self.number(buffer);
                self.data(&contents.to_vec());
            }
            ArgValue::Value(bytes) => {
                self.number(value);
                self.data(bytes);
            }
            ArgValue::Sampler(sampler) => {
                self.number(value);
                self.data(&sampler.bits());
            }
            ArgValue::Local(bytes) => {
                self.number(local);
                self.number(bytes);
            }
            ArgValue::Null | ArgValue::Pointer(_) => self.number(null),
            ArgValue::Image(contents, description) => {
                self.number(image);
                self.data(&contents.to_vec());
                self.number(description.level_count().into());
                for data in description.data(std::ptr::null_mut()) {
                    // How far from the first pixel on the level's are; the program makes an address of it.
                    self.number(data.data.addr() as u64);
                    let words = [
                        [data.width, data.height, data.depth],
                        [data.array_size, data.row_pitch, data.slice_pitch],
                        [data.levels, data.samples, data.order],
                        [data.channel_type, data.channels, data.element_size],
                    ];
                    self.bytes.extend(words.concat().into_iter().flat_map(u32::to_le_bytes));
                }
            }
        }
    }
}
