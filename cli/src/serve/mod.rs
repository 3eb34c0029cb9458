//! The compile service's server: jobs in, archives out, one at a time, for one host.
//!
//! In: frames on standard input. Out: frames on standard output; nothing else ever goes there. It ends when the host
//! closes its side or ends, also in the middle of a job unless that is for other processes too ([`orphan`]), after a job
//! that left the compiler in an unknown state, and when it has had nothing to do for a while.

mod fault;
mod identity;
mod job;
mod limits;
mod orphan;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use oxcl_binary::pipe::{FrameError, Hello, Job, Kernels, Kind, read_frame, write_frame};
use oxcl_codegen::{WarmUp, reserve_heap};
use oxcl_compiler::LastProgram;
use oxcl_runtime::Cache;

use crate::error::CliError;
use orphan::Orphan;

pub(crate) use fault::Fault;
pub(crate) use identity::identity;
pub(crate) use job::is_repeatable;
pub(crate) use limits::processor_time;

/// How long a server waits for its first job.
const UNUSED: Duration = Duration::from_secs(6);

/// How long one waits for the next: longer, as its memory is warm. Of several, the one that was used last gets the next
/// job, so that one ends last. Its last job may come some seconds after the program's last launch, and nothing is to be left
/// 15 s after that.
const IDLE: Duration = Duration::from_secs(8);

/// How the server shall run.
#[derive(Debug)]
pub(crate) struct ServeOptions {
    /// The process to end with.
    pub(crate) host: Option<u32>,
    /// Most bytes of memory.
    pub(crate) memory: Option<u64>,
    /// Where results are kept that other processes will want.
    pub(crate) cache: Option<Cache>,
    /// A file of jobs to do for other processes when the host has ended.
    pub(crate) waiting: Option<PathBuf>,
    /// What to do wrong.
    pub(crate) fault: Option<Fault>,
}

/// Serves until the host ends.
pub(crate) fn serve(options: &ServeOptions) -> Result<(), CliError> {
    // A host that has ended has no list any more.
    let waiting = options.waiting.as_ref().and_then(|path| File::open(path).ok());
    let orphan = Arc::new(Orphan::new(options.cache.clone(), waiting));
    limits::die_with(options.host, &orphan);
    if let Some(bytes) = options.memory {
        limits::memory(bytes);
    }
    reserve_heap();
    // Who is asked already has no time for it.
    let warming = (!limits::is_asked()).then(WarmUp::start);
    // Not `Stdin`, which buffers: a job that came together with what was asked before it would lie where nobody who waits for
    // the socket sees it.
    let input = io::stdin().as_fd().try_clone_to_owned();
    let mut input = File::from(input.map_err(|error| CliError::Internal { message: error.to_string() })?);
    let mut output = io::stdout().lock();
    match jobs(&mut input, &mut output, options, warming.as_ref(), &orphan) {
        // Whoever asked has gone; nobody is left to be told.
        Ok(()) | Err(FrameError::Closed | FrameError::Broken(_)) => Ok(()),
        Err(error) => Err(CliError::Internal { message: error.to_string() }),
    }
}

fn jobs(
    input: &mut impl Read,
    output: &mut impl Write,
    options: &ServeOptions,
    warming: Option<&WarmUp>,
    orphan: &Orphan,
) -> Result<(), FrameError> {
    let (identity, files) = identity();
    let hello = Hello { process: std::process::id(), identity, files };
    write_frame(output, Kind::Hello, &hello.encode())?;
    let mut count = 0;
    let mut last = LastProgram::default();
    // The next job's result is for other processes too.
    let mut keeps = false;
    loop {
        // A host that sends a job just now finds nobody, and starts another server for it.
        if limits::is_left_alone(if count == 0 { UNUSED } else { IDLE }) {
            return Ok(());
        }
        let frame = match read_frame(input) {
            Err(FrameError::Closed) => {
                orphan.inherit(&identity, |job| job::run(job, &mut last));
                return Ok(());
            }
            other => other?,
        };
        match frame.kind {
            Kind::Job => {
                count += 1;
                let job = Job::decode(&frame.payload);
                // Before the host hears of it: from then on it may end, and the job is finished all the same.
                if let (true, Ok(job)) = (std::mem::take(&mut keeps), &job) {
                    orphan.begin(job, &identity);
                }
                write_frame(output, Kind::Begun, &[])?;
                if let Some(fault) = options.fault {
                    fault.strike(count, output)?;
                }
                let outcome = match job {
                    Ok(job) => {
                        if let (Some(warming), Kernels::Share { .. }) = (warming, &job.kernels) {
                            warming.give_up();
                        }
                        job::run(&job, &mut last)
                    }
                    Err(error) => Err(job::malformed(&error)),
                };
                let has_written = orphan.end(outcome.as_ref().ok(), |job| job::run(job, &mut last));
                match outcome {
                    Ok(done) => write_frame(output, Kind::Done, &done.encode())?,
                    Err(failed) => {
                        write_frame(output, Kind::Failed, &failed.encode())?;
                        if failed.last {
                            return Ok(());
                        }
                    }
                }
                if let Some(cache) = orphan.cache().filter(|cache| has_written && cache.wants_tidying()) {
                    cache.tidy();
                }
            }
            Kind::Tidy => {
                if let Some(cache) = orphan.cache() {
                    cache.tidy();
                }
            }
            Kind::Keep => keeps = true,
            Kind::StepBack => {
                limits::step_back();
                orphan.has_stepped_back();
            }
            other => return Err(FrameError::Kind(other as u16)),
        }
    }
}
