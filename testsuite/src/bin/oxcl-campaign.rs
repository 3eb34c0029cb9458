//! `oxcl-campaign`: random programs against the second oracle. `oxcl-campaign help` says how to use it.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

use oxcl_oracle::Case;
use oxcl_testsuite::campaign::{
    Campaign, Configuration, CpuLevel, Failure, Report, Worker, file_test, serve, shrink,
};

const HELP: &str = "\
Random OpenCL C programs, evaluated by the rules of the language, compiled and run in many ways.

  oxcl-campaign run [--seed N] [--count N] [--on cpu,ref,tta,wide,spirv | --on CONFIGURATION,...] [--jobs N]
                    [--cpu x86-64-v3] [--failures DIR] [--shrink TRIES] [--patience SECONDS] [--peer WORD --vendors DIR]
  oxcl-campaign show SEED          the program of a seed as a file test
  oxcl-campaign features COUNT     in how many of the first programs each feature stands

With --cpu the code is for this level, not for this machine: AVX2 is tested where there is AVX-512.
With --peer the programs run as an OpenCL client of the platform that has this word in its version, through the
system's loader; --vendors is OCL_ICD_VENDORS. Ends with 1 if anything failed, with 2 if it is used wrongly.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match carry_out(&arguments) {
        Ok(code) => code,
        Err(message) => {
            say(&format!("oxcl-campaign: {message}"));
            ExitCode::from(2)
        }
    }
}

fn say(line: &str) {
    // Nothing can be done about a closed stream.
    drop(writeln!(std::io::stderr(), "{line}"));
}

fn tell(text: &str) {
    drop(writeln!(std::io::stdout(), "{text}"));
}

fn carry_out(arguments: &[String]) -> Result<ExitCode, String> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.split_first() {
        Some((&"worker", rest)) => {
            serve(rest.first().copied()).map_err(|error| error.to_string())?;
            Ok(ExitCode::SUCCESS)
        }
        Some((&"show", [seed])) => {
            let seed = number(seed)?;
            tell(&file_test(&oxcl_oracle::generate(seed), &format!("Made from seed {seed}.")));
            Ok(ExitCode::SUCCESS)
        }
        Some((&"features", [count])) => {
            tell(&oxcl_oracle::feature_table(1, number(count)?));
            Ok(ExitCode::SUCCESS)
        }
        Some((&"run", rest)) => run(&Options::parse(rest)?),
        Some((&("help" | "--help" | "-h"), _)) => {
            tell(HELP);
            Ok(ExitCode::SUCCESS)
        }
        _ => Err(format!("unknown command\n{HELP}")),
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("'{text}' is not a number"))
}

struct Options {
    seed: u64,
    count: u64,
    on: Vec<String>,
    jobs: usize,
    failures: Option<PathBuf>,
    shrink: u32,
    patience: u64,
    cpu: Option<CpuLevel>,
    peer: Option<String>,
    vendors: Option<PathBuf>,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let mut options = Self {
            seed: 1,
            count: 100,
            on: vec!["cpu".to_owned()],
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            failures: None,
            shrink: 0,
            patience: 60,
            cpu: None,
            peer: None,
            vendors: None,
        };
        for pair in words.chunks(2) {
            let [key, value] = pair else { return Err(format!("'{}' needs a value", pair[0])) };
            match *key {
                "--seed" => options.seed = number(value)?,
                "--count" => options.count = number(value)?,
                "--on" => options.on = value.split(',').map(str::to_owned).collect(),
                "--jobs" => options.jobs = number(value)?.max(1) as usize,
                "--failures" => options.failures = Some(PathBuf::from(value)),
                "--shrink" => options.shrink = number(value)? as u32,
                "--patience" => options.patience = number(value)?,
                "--cpu" => options.cpu = Some(value.parse()?),
                "--peer" => options.peer = Some((*value).to_owned()),
                "--vendors" => options.vendors = Some(PathBuf::from(value)),
                other => return Err(format!("unknown option '{other}'")),
            }
        }
        options.configurations(0)?;
        Ok(options)
    }

    fn configurations(&self, seed: u64) -> Result<Vec<Configuration>, String> {
        if self.peer.is_some() {
            // The client takes the program as a user gives it.
            return Ok(vec![Configuration::of_cpu()[0]]);
        }
        let mut all = Vec::new();
        for word in &self.on {
            match word.as_str() {
                "cpu" => all.extend(Configuration::of_cpu()),
                "ref" => all.extend(Configuration::of_ref()),
                "tta" => all.extend(Configuration::of_tta(seed)),
                "wide" => all.extend(Configuration::of_wide()),
                "spirv" => all.extend(Configuration::of_spirv()),
                other => all.push(other.parse()?),
            }
        }
        Ok(match self.cpu {
            Some(cpu) => all.into_iter().map(|configuration| configuration.for_cpu(cpu)).collect(),
            None => all,
        })
    }

    fn command(&self) -> Result<Vec<String>, String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = vec![own.display().to_string(), "worker".to_owned()];
        command.extend(self.peer.clone());
        Ok(command)
    }
}

fn commit() -> String {
    let output = std::process::Command::new("git").args(["rev-parse", "--short", "HEAD"]).output();
    output.map_or_else(|_| "unknown".to_owned(), |o| String::from_utf8_lossy(&o.stdout).trim().to_owned())
}

fn run(options: &Options) -> Result<ExitCode, String> {
    let command = options.command()?;
    let vendors = options.vendors.clone().map(|folder| ("OCL_ICD_VENDORS".to_owned(), folder));
    let campaign = Campaign {
        first: options.seed,
        count: options.count,
        jobs: options.jobs,
        command: command.clone(),
        environment: vendors.into_iter().collect(),
        patience: Duration::from_secs(options.patience),
    };
    if let Some(folder) = &options.failures {
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    }
    // Of each program the first failure is written; the others fail for the same reason as a rule.
    let written = Mutex::new(BTreeMap::<u64, ()>::new());
    let seen = |case: &Case, failure: &Failure| {
        let line = failure.verdict.line();
        say(&format!(
            "seed {} on {}: {}",
            failure.seed,
            failure.configuration,
            line.lines().next().unwrap_or_default()
        ));
        let first = written.lock().is_ok_and(|mut written| written.insert(failure.seed, ()).is_none());
        if let (Some(folder), true) = (&options.failures, first) {
            write_failure(&campaign, folder, options.shrink, case, failure);
        }
    };
    let progress = |done: u64| {
        if done.is_multiple_of(500) {
            say(&format!("{done} of {} programs", options.count));
        }
    };
    let ways = |seed: u64| options.configurations(seed).unwrap_or_default();
    let report = campaign.run(&ways, &seen, &progress);
    tell(&summary(options, &report));
    Ok(if report.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn write_failure(campaign: &Campaign, folder: &Path, tries: u32, case: &Case, failure: &Failure) {
    let mut small = case.clone();
    if tries > 0 {
        let mut worker =
            Worker::new(campaign.command.clone(), campaign.environment.clone(), campaign.patience);
        small = shrink(case, failure.configuration, &failure.verdict, &mut worker, tries);
    }
    let why = failure.verdict.line();
    let why = why.lines().next().unwrap_or_default();
    let origin =
        format!("Found by random programs, seed {}, on {}; {why}", failure.seed, failure.configuration);
    let path = folder.join(format!("seed_{}.cl", failure.seed));
    if let Err(error) = std::fs::write(&path, file_test(&small, &origin)) {
        say(&format!("{}: {error}", path.display()));
    }
}

/// How many reasons are listed why programs are not for a configuration.
const REASONS: usize = 8;

fn summary(options: &Options, report: &Report) -> String {
    let mut text = format!(
        "commit {}, seeds {} to {}: {} pairs in {:.0} s, {} failed",
        commit(),
        options.seed,
        options.seed + options.count - 1,
        report.total(),
        report.time.as_secs_f64(),
        report.failures.len()
    );
    for (configuration, (ran, not_for)) in &report.pairs {
        let failed = report.failures.iter().filter(|f| f.configuration.to_string() == *configuration).count();
        text.push_str(&format!("\n  {configuration}: {ran} ran, {failed} failed, {not_for} not for it"));
        let mut reasons: Vec<_> = report.reasons.iter().filter(|((of, _), _)| of == configuration).collect();
        reasons.sort_by_key(|(_, (count, first))| (std::cmp::Reverse(*count), *first));
        for ((_, why), (count, first)) in reasons.into_iter().take(REASONS) {
            text.push_str(&format!("\n    {count}, the first with seed {first}: {why}"));
        }
    }
    text
}
