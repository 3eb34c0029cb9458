//! `oxcl serve`: the compiler for a program that has none in it. It takes jobs from standard input and answers on
//! standard output, until its host ends.

use std::path::PathBuf;

use oxcl_runtime::Cache;

use crate::error::CliError;
use crate::exit::Outcome;
use crate::serve::{self, Fault, ServeOptions};
use clap::Args;

/// Compile for another program, over standard input and output
#[derive(Debug, Args)]
#[command(
    after_help = "The OpenCL library starts this by itself. A job that was kept after a failure runs again with:\n  \
    oxcl serve < job > answer"
)]
pub(crate) struct ServeArgs {
    /// End when this process does
    #[arg(long, value_name = "PROCESS")]
    host: Option<u32>,
    /// Use at most so much memory
    #[arg(long, value_name = "BYTES")]
    memory: Option<u64>,
    /// Keep results that other processes will want in this cache
    #[arg(long, value_name = "DIR", hide = true)]
    cache: Option<PathBuf>,
    /// The most that the cache may have
    #[arg(long, value_name = "BYTES", hide = true, requires = "cache")]
    cache_limit: Option<u64>,
    /// Do what is listed in this file when the host has ended
    #[arg(long, value_name = "FILE", hide = true, requires = "cache")]
    waiting: Option<PathBuf>,
    /// Fail on purpose, for tests: KIND or KIND@JOB
    #[arg(long, value_name = "KIND", hide = true)]
    fault: Option<Fault>,
}

/// Serves until the host ends.
pub(crate) fn run(args: &ServeArgs) -> Result<Outcome, CliError> {
    let ServeArgs { host, memory, fault, .. } = *args;
    let cache = args.cache.as_ref().map(|folder| Cache::at(folder, args.cache_limit.unwrap_or(u64::MAX)));
    let options = ServeOptions { host, memory, cache, waiting: args.waiting.clone(), fault };
    serve::serve(&options).map(|()| Outcome::Ok)
}
