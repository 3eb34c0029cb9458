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
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use oxcl_binary::pipe::{Folder, FrameError, Hello, Job, Kernels, Kind, read_frame, write_frame};
use oxcl_codegen::{WarmUp, reserve_heap};
use oxcl_runtime::{Cache, CacheKey};

use crate::error::CliError;
use orphan::{Kept, Orphan};

pub(crate) use fault::Fault;
pub(crate) use identity::identity;
pub(crate) use job::is_repeatable;
pub(crate) use limits::processor_time;

/// How long a server waits for its first job.
const UNUSED: Duration = Duration::from_secs(10);

/// How long one waits for the next: longer, as its memory is warm. Of several, the one that was used last gets the next
/// job, so that one ends last.
const IDLE: Duration = Duration::from_secs(12);

/// How the server shall run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServeOptions {
    /// The process to end with.
    pub(crate) host: Option<u32>,
    /// Most bytes of memory.
    pub(crate) memory: Option<u64>,
    /// What to do wrong.
    pub(crate) fault: Option<Fault>,
}

/// Serves until the host ends.
pub(crate) fn serve(options: &ServeOptions) -> Result<(), CliError> {
    let orphan = Arc::new(Orphan::default());
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
    // Where the next job's result is kept.
    let mut keep: Option<Folder> = None;
    loop {
        // A host that sends a job just now finds nobody, and starts another server for it.
        if limits::is_left_alone(if count == 0 { UNUSED } else { IDLE }) {
            return Ok(());
        }
        let frame = match read_frame(input) {
            Err(FrameError::Closed) => return Ok(()),
            other => other?,
        };
        match frame.kind {
            Kind::Job => {
                count += 1;
                write_frame(output, Kind::Begun, &[])?;
                if let Some(fault) = options.fault {
                    fault.strike(count, output)?;
                }
                let outcome = match Job::decode(&frame.payload) {
                    Ok(job) => {
                        if let Some(folder) = keep.take() {
                            let cache = Cache::at(Path::new(&folder.folder), folder.limit);
                            orphan.begin(Kept { cache, key: CacheKey::of(&job, &identity) });
                        }
                        if let (Some(warming), Kernels::Share { .. }) = (warming, &job.kernels) {
                            warming.give_up();
                        }
                        job::run(&job)
                    }
                    Err(error) => Err(job::malformed(&error)),
                };
                let written = orphan.end(outcome.as_ref().ok());
                match outcome {
                    Ok(done) => write_frame(output, Kind::Done, &done.encode())?,
                    Err(failed) => {
                        write_frame(output, Kind::Failed, &failed.encode())?;
                        if failed.last {
                            return Ok(());
                        }
                    }
                }
                if let Some(cache) = written.filter(Cache::wants_tidying) {
                    cache.tidy();
                }
            }
            Kind::Tidy => {
                if let Ok(folder) = Folder::decode(&frame.payload) {
                    Cache::at(Path::new(&folder.folder), folder.limit).tidy();
                }
            }
            Kind::Keep => keep = Folder::decode(&frame.payload).ok(),
            Kind::StepBack => limits::step_back(),
            other => return Err(FrameError::Kind(other as u16)),
        }
    }
}
