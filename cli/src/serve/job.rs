//! One job: from the message to a request of the compiler's, and from what comes of it to an answer.

use std::env;

use oxcl_binary::archive::Version;
use oxcl_binary::pipe::{Action, Done, FailKind, Failed, Job, Kernels, WireError};
use oxcl_compiler::{
    BuildOptions, Colour, CompileError, Devices, Diagnostics, Emit, Fault, Request, SourceFile,
    VirtualHeader, compile, render,
};

/// The options are not understood.
const BAD_OPTIONS: &str = "OX0701";
/// The request makes no sense.
const BAD_REQUEST: &str = "OX0702";
/// The message is no job.
const BAD_JOB: &str = "OX0703";

/// Does a job.
pub(super) fn run(job: &Job) -> Result<Done, Failed> {
    if !job.directory.is_empty() {
        // Where the host's folder is not there any more, relative paths lead nowhere; absolute ones still do.
        let _ = env::set_current_dir(&job.directory);
    }
    if job.action != Action::Build || job.kernels != Kernels::All {
        return Err(failed(
            FailKind::Request,
            format!("only whole programs can be built yet [{BAD_REQUEST}]"),
        ));
    }
    let mut request = Request::new(
        job.sources
            .iter()
            .map(|source| SourceFile { name: source.name.clone(), text: source.text.clone() })
            .collect(),
    );
    request.headers = job.headers.iter().map(|h| VirtualHeader { name: &h.name, text: &h.text }).collect();
    request.options = BuildOptions::parse(&job.options)
        .map_err(|error| failed(FailKind::Options, format!("{error} [{BAD_OPTIONS}]")))?;
    request.devices = Devices { cpu: job.cpu, reference: job.reference };
    request.cpus.clone_from(&job.cpus);
    request.local_sizes.clone_from(&job.local_sizes);
    if job.version != 0 {
        let version = Version::from_number(job.version).ok_or_else(|| {
            failed(
                FailKind::Request,
                format!("container version {} is not known [{BAD_REQUEST}]", job.version),
            )
        })?;
        request.version = Some(version);
    }
    match compile(&request, Emit::Archive, None) {
        Ok(compiled) => Ok(Done {
            archive: compiled.bytes,
            log: shown(&compiled.diagnostics),
            kernels: compiled.kernels,
            dependencies: Vec::new(),
            repeatable: false,
        }),
        Err(error) => Err(refused(&error)),
    }
}

/// A message that is no job.
pub(super) fn malformed(error: &WireError) -> Failed {
    failed(FailKind::Internal, format!("the job cannot be read: {error} [{BAD_JOB}]"))
}

fn failed(kind: FailKind, message: String) -> Failed {
    Failed { kind, log: message.clone(), message, last: false }
}

fn shown(diagnostics: &Diagnostics) -> String {
    if diagnostics.is_empty() { String::new() } else { render(diagnostics, Colour::Never) }
}

fn refused(error: &CompileError) -> Failed {
    let place = error.line().map(|line| format!("line {line}: ")).unwrap_or_default();
    let message = format!("{place}{error} [{}]", error.code());
    let mut log = error.diagnostics().map(shown).unwrap_or_default();
    if log.is_empty() {
        log.clone_from(&message);
        if let Some(advice) = error.advice() {
            log.push_str(&format!("\nhelp: {advice}"));
        }
    }
    let kind = match error.fault() {
        Fault::Source => FailKind::Source,
        Fault::Request => FailKind::Request,
        Fault::Internal => FailKind::Internal,
    };
    // After a failure inside clang, LLVM or lld nothing in this process can be relied on.
    Failed { kind, message, log, last: kind == FailKind::Internal }
}
