//! The side that hands programs to workers: one process each for every thread, made anew when one ends or hangs.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use oxcl_oracle::Case;

use super::engine::Configuration;
use super::trial::{Order, Trial, Verdict};

/// A process that runs programs.
#[derive(Debug)]
pub struct Worker {
    command: Vec<String>,
    environment: Vec<(String, PathBuf)>,
    patience: Duration,
    process: Option<Process>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// What it wrote on its error stream.
    errors: Receiver<String>,
}

impl Process {
    /// The next line. A process that works is given up when it has used so much processor time, which a busy machine
    /// does not change; one that waits, after ten times as long.
    fn answer(&self, patience: Duration) -> Result<String, RecvTimeoutError> {
        let (start, used) = (Instant::now(), self.processor_time());
        loop {
            match self.lines.recv_timeout(Duration::from_secs(1)) {
                Err(RecvTimeoutError::Timeout) => {}
                other => return other,
            }
            let busy = self.processor_time().saturating_sub(used);
            if busy > patience || start.elapsed() > 10 * patience {
                return Err(RecvTimeoutError::Timeout);
            }
        }
    }

    /// What all threads of the process have used; nothing if the system does not say.
    fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        // Behind the name, which may have blanks in it, the twelfth and thirteenth words count hundredths of a second.
        let words = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: u64 = words.skip(11).take(2).filter_map(|word| word.parse::<u64>().ok()).sum();
        Duration::from_millis(10 * ticks)
    }
}

impl Worker {
    /// A worker that is started by this command when it is needed, and given up after so long without a verdict.
    #[must_use]
    pub fn new(command: Vec<String>, environment: Vec<(String, PathBuf)>, patience: Duration) -> Self {
        Self { command, environment, patience, process: None }
    }

    fn start(&self) -> std::io::Result<Process> {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).envs(self.environment.iter().map(|(name, value)| (name, value)));
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let missing = || std::io::Error::other("a stream of the worker is missing");
        let input = child.stdin.take().ok_or_else(missing)?;
        let lines = forward(child.stdout.take().ok_or_else(missing)?);
        let errors = forward(child.stderr.take().ok_or_else(missing)?);
        Ok(Process { child, input, lines, errors })
    }

    /// Runs a trial in each configuration.
    pub fn run(&mut self, trial: &Trial, configurations: &[Configuration]) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        while verdicts.len() < configurations.len() {
            let rest = configurations[verdicts.len()..].to_vec();
            let count = rest.len();
            let order = Order { trial: trial.clone(), configurations: rest };
            match self.order(&order, count, &mut verdicts) {
                Ok(()) => {}
                Err(bad) => {
                    self.stop();
                    verdicts.push(bad);
                }
            }
        }
        verdicts
    }

    fn order(&mut self, order: &Order, count: usize, verdicts: &mut Vec<Verdict>) -> Result<(), Verdict> {
        if self.process.is_none() {
            let process = self.start().map_err(|error| Verdict::Crashed(error.to_string()))?;
            self.process = Some(process);
        }
        let patience = self.patience;
        let Some(process) = &mut self.process else { return Err(Verdict::Crashed("no process".to_owned())) };
        let text = serde_json::to_string(order).map_err(|error| Verdict::Crashed(error.to_string()))?;
        // A worker that ended says so below.
        drop(process.input.write_all(text.as_bytes()).and_then(|()| process.input.write_all(b"\n")));
        drop(process.input.flush());
        for _ in 0..count {
            match process.answer(patience) {
                Ok(line) => {
                    let verdict = serde_json::from_str(&line);
                    verdicts
                        .push(verdict.unwrap_or_else(|error| Verdict::Crashed(format!("{error}: {line}"))));
                }
                Err(RecvTimeoutError::Timeout) => return Err(Verdict::Hung),
                Err(RecvTimeoutError::Disconnected) => {
                    let status = process.child.wait().map_or_else(|e| e.to_string(), |s| s.to_string());
                    let said: Vec<String> = process.errors.iter().take(8).collect();
                    return Err(Verdict::Crashed(format!("{status} {}", said.join(" | "))));
                }
            }
        }
        Ok(())
    }

    fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            // It may have ended by itself.
            drop(process.child.kill());
            drop(process.child.wait());
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The lines of a stream, as they come.
fn forward(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// What to try.
#[derive(Debug, Clone)]
pub struct Campaign {
    /// The first seed.
    pub first: u64,
    /// How many seeds.
    pub count: u64,
    /// Threads, each with a worker.
    pub jobs: usize,
    /// The workers' command.
    pub command: Vec<String>,
    /// What workers see beside the environment of this process.
    pub environment: Vec<(String, PathBuf)>,
    /// How long a pair may take.
    pub patience: Duration,
}

/// A program that failed.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Its seed.
    pub seed: u64,
    /// Where it failed.
    pub configuration: Configuration,
    /// How.
    pub verdict: Verdict,
}

/// What a campaign came to.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Pairs by configuration: those that ran, and those that are not for it.
    pub pairs: BTreeMap<String, (u64, u64)>,
    /// Why programs are not for a configuration: how many, and the first seed.
    pub reasons: BTreeMap<(String, String), (u64, u64)>,
    /// Failures.
    pub failures: Vec<Failure>,
    /// Time of the whole.
    pub time: Duration,
}

impl Report {
    /// Pairs that ran.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.pairs.values().map(|(ran, _)| ran).sum()
    }

    fn count(&mut self, seed: u64, configuration: String, verdict: &Verdict) {
        let counts = self.pairs.entry(configuration.clone()).or_default();
        let Verdict::NotFor(why) = verdict else {
            counts.0 += 1;
            return;
        };
        counts.1 += 1;
        let reason = self.reasons.entry((configuration, why.clone())).or_insert((0, seed));
        *reason = (reason.0 + 1, reason.1.min(seed));
    }
}

impl Campaign {
    /// Runs it. `configurations` says for a seed which ways its program is tried; `seen` hears of every failure at once.
    pub fn run(
        &self,
        configurations: &(dyn Fn(u64) -> Vec<Configuration> + Sync),
        seen: &(dyn Fn(&Case, &Failure) + Sync),
        progress: &(dyn Fn(u64) + Sync),
    ) -> Report {
        let start = Instant::now();
        let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
        let report = Mutex::new(Report::default());
        std::thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(|| {
                    let mut worker =
                        Worker::new(self.command.clone(), self.environment.clone(), self.patience);
                    loop {
                        // Only the number counts: nothing is handed over with it.
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= self.count {
                            return;
                        }
                        let seed = self.first + number;
                        let case = oxcl_oracle::generate(seed);
                        let ways = configurations(seed);
                        let verdicts = worker.run(&Trial::of(&case), &ways);
                        let mut failures = Vec::new();
                        for (configuration, verdict) in ways.iter().zip(verdicts) {
                            if let Ok(mut report) = report.lock() {
                                report.count(seed, configuration.to_string(), &verdict);
                            }
                            if verdict.is_failure() {
                                failures.push(Failure { seed, configuration: *configuration, verdict });
                            }
                        }
                        for failure in failures {
                            seen(&case, &failure);
                            if let Ok(mut report) = report.lock() {
                                report.failures.push(failure);
                            }
                        }
                        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
                    }
                });
            }
        });
        let mut report = report.into_inner().unwrap_or_default();
        report.failures.sort_by_key(|failure| (failure.seed, failure.configuration));
        report.time = start.elapsed();
        report
    }
}
