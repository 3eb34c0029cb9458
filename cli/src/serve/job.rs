//! One job: from the message to a request of the compiler's, and from what comes of it to an answer.

use std::env;
use std::time::Duration;

use oxcl_binary::archive::Version;
use oxcl_binary::pipe::{Action, Dependency, Done, FailKind, Failed, Il, Job, Seen, WireError};
use oxcl_compiler::{
    BuildOptions, Colour, CompileError, Devices, Diagnostics, Emit, Fault, IlFile, LastProgram, OptionError,
    Request, SourceFile, VirtualHeader, compile_again, render,
};

use super::limits;

/// The options are not understood.
const BAD_OPTIONS: &str = "OX0701";
/// The request makes no sense.
const BAD_REQUEST: &str = "OX0702";
/// The message is no job.
const BAD_JOB: &str = "OX0703";

/// Does a job; `last` is of the job before.
pub(super) fn run(job: &Job, last: &mut LastProgram) -> Result<Done, Failed> {
    let begun = limits::processor_time();
    if !job.directory.is_empty() {
        // Where the host's folder is not there any more, relative paths lead nowhere; absolute ones still do.
        let _ = env::set_current_dir(&job.directory);
    }
    let mut request = request(job)?;
    let emit = match job.action {
        Action::Build | Action::Compile => {
            request.options = BuildOptions::parse(&job.options).map_err(bad_options)?;
            let one = job.action == Action::Compile;
            let count = job.sources.len() + job.il.len();
            check(count > 0 && (!one || count == 1), "there is not one source")?;
            check(job.inputs.is_empty(), "there is nothing to link to a source")?;
            if one { Emit::CompiledObject } else { Emit::Archive }
        }
        Action::Link | Action::Library => {
            let (options, library) = BuildOptions::parse_link(&job.options).map_err(bad_options)?;
            request.options = options;
            check(job.sources.is_empty() && job.il.is_empty(), "sources are compiled, not linked")?;
            check(!job.inputs.is_empty(), "there is nothing to link")?;
            if library || job.action == Action::Library { Emit::Library } else { Emit::Archive }
        }
    };
    match compile_again(&request, emit, None, last) {
        Ok(compiled) => Ok(Done {
            archive: compiled.bytes,
            log: shown(&compiled.diagnostics),
            kernels: compiled.kernels,
            repeatable: is_repeatable(job, &compiled.dependencies),
            quality: compiled.quality,
            dependencies: compiled.dependencies,
            processor: micros(limits::processor_time().saturating_sub(begun)),
        }),
        Err(error) => Err(refused(&error)),
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The parts of a request that all actions have.
fn request(job: &Job) -> Result<Request<'_>, Failed> {
    let sources = job.sources.iter();
    let sources = sources.map(|source| SourceFile { name: source.name.clone(), text: source.text.clone() });
    let mut request = Request::new(sources.collect());
    request.il = job.il.iter().map(il).collect();
    request.objects.clone_from(&job.inputs);
    request.headers = job.headers.iter().map(|h| VirtualHeader { name: &h.name, text: &h.text }).collect();
    request.devices = Devices { cpu: job.cpu, reference: job.reference };
    request.cpus.clone_from(&job.cpus);
    request.local_sizes.clone_from(&job.local_sizes);
    request.known.clone_from(&job.known);
    request.kernels.clone_from(&job.kernels);
    request.quality = job.quality;
    request.preferred_width = (job.width != 0).then_some(job.width);
    for text in &job.machines {
        let machine = oxcl_tta::adf::read(text);
        let refused = |error| format!("the description of a processor is wrong: {error} [{BAD_REQUEST}]");
        let machine = machine.map_err(|error| failed(FailKind::Request, refused(error)))?;
        request.machines.push(machine.machine);
    }
    if job.version != 0 {
        let version = Version::from_number(job.version);
        check(version.is_some(), "the container version is not known")?;
        request.version = version;
    }
    Ok(request)
}

fn il(il: &Il) -> IlFile {
    IlFile { name: il.name.clone(), bytes: il.bytes.clone(), constants: il.constants.clone() }
}

fn check(holds: bool, otherwise: &str) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(failed(FailKind::Request, format!("{otherwise} [{BAD_REQUEST}]"))) }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
fn bad_options(error: OptionError) -> Failed {
    failed(FailKind::Options, format!("{error} [{BAD_OPTIONS}]"))
}

/// Whether the same job gives the same code at another time: not if the source may ask for the time.
pub(crate) fn is_repeatable(job: &Job, read: &[Dependency]) -> bool {
    const CLOCKS: [&str; 3] = ["__DATE__", "__TIME__", "__TIMESTAMP__"];
    let asks = |text: &str| CLOCKS.iter().any(|clock| text.contains(clock));
    let mut texts = job.sources.iter().chain(&job.headers);
    let included = |one: &Dependency| {
        matches!(one.seen, Seen::File(_))
            && std::fs::read(&one.path).map_or(true, |bytes| asks(&String::from_utf8_lossy(&bytes)))
    };
    !asks(&job.options) && !texts.any(|text| asks(&text.text)) && !read.iter().any(included)
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
    Failed { kind, message, log, last: kind == FailKind::Internal || oxcl_ir::has_llvm_failed() }
}
