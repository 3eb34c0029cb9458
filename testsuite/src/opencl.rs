//! A minimal OpenCL client for interoperation tests: what it is asked to do ([`Job`]), what it answers ([`Answer`]), and
//! how a test runs it in a process of its own ([`run_in_child`]).
//!
//! A process of its own because an OpenCL implementation reads its environment (`OCL_ICD_VENDORS`, `POCL_CACHE_DIR`)
//! once, when it is loaded, and because one that dies must not take the test with it.

mod api;
mod client;

pub use client::{ClientError, Kept, keep, run};

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What the client is to do: build one program on the first device of a platform, launch kernels of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    /// A word in `CL_PLATFORM_VERSION` of the platform to take, `PoCL` for example.
    pub platform: String,
    /// The program, or nothing to ask for the device only.
    pub program: Option<Program>,
    /// Build options.
    pub options: String,
    /// Launches, one after another on one in-order queue.
    pub launches: Vec<Launch>,
    /// Ask for `CL_PROGRAM_BINARIES` after the launches.
    pub want_binary: bool,
}

/// A program to build.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Program {
    /// OpenCL C.
    Source(String),
    /// An archive.
    Binary(Vec<u8>),
}

/// One launch with buffers of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The kernel's name.
    pub kernel: String,
    /// Global size; its length is the number of dimensions.
    pub global: Vec<usize>,
    /// Local size.
    pub local: Vec<usize>,
    /// Global offset.
    pub offset: Vec<usize>,
    /// The arguments.
    pub args: Vec<Value>,
}

/// The value of an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    /// A buffer with these contents, read back after the launch.
    Buffer(Vec<u8>),
    /// A value, as its bytes.
    Value(Vec<u8>),
    /// This many bytes of local memory.
    Local(usize),
    /// A plane of pixels with these contents, read back after the launch.
    Image {
        /// `cl_channel_order` and `cl_channel_type`.
        format: [u32; 2],
        /// Pixels of a row, and rows.
        size: [usize; 2],
        /// One row behind the other.
        pixels: Vec<u8>,
    },
    /// Whether coordinates are normalised, `cl_addressing_mode` and `cl_filter_mode`.
    Sampler([u32; 3]),
}

/// What came of a [`Job`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// `CL_DEVICE_VERSION`.
    pub device_version: String,
    /// `CL_PLATFORM_VERSION`.
    pub platform_version: String,
    /// What the implementation says of each kernel launched, by first launch.
    pub kernels: Vec<KernelInfo>,
    /// For each launch the contents of its buffers, in argument order.
    pub launches: Vec<Vec<Vec<u8>>>,
    /// `CL_PROGRAM_BINARIES`, if asked for.
    pub binary: Option<Vec<u8>>,
    /// Time that creating and building the program took.
    pub build_time: Duration,
    /// For each launch the time from making the kernel object to the contents of its buffers.
    pub launch_times: Vec<Duration>,
}

/// What an implementation says of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelInfo {
    /// `CL_KERNEL_FUNCTION_NAME`.
    pub name: String,
    /// `CL_KERNEL_ATTRIBUTES`.
    pub attributes: String,
    /// `CL_KERNEL_COMPILE_WORK_GROUP_SIZE`.
    pub reqd_wg_size: [usize; 3],
    /// Name, type name and address qualifier of each argument.
    pub args: Vec<(String, String, u32)>,
}

/// Why a job in a child process has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// The process could not be started or spoken to.
    #[error("the OpenCL client cannot be run: {0}")]
    Run(#[from] std::io::Error),
    /// It ended badly.
    #[error("the OpenCL client ended with {status}: {stderr}")]
    Failed {
        /// How it ended.
        status: std::process::ExitStatus,
        /// What it said.
        stderr: String,
    },
    /// It answered something else.
    #[error("the OpenCL client's answer cannot be read: {0}")]
    Answer(#[from] serde_json::Error),
}

/// Runs a job in a process of its own: `client` is the path of the client program, `environment` what it sees beside
/// the environment of this process.
///
/// # Errors
///
/// The process cannot be run, or has no answer; what it said is in the error.
pub fn run_in_child(client: &Path, environment: &[(&str, &Path)], job: &Job) -> Result<Answer, ChildError> {
    let mut child = Command::new(client)
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let json = serde_json::to_vec(job)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&json)?;
    }
    let output = child.wait_with_output()?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(ChildError::Failed { status: output.status, stderr });
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
