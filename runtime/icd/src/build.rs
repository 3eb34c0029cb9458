//! Building, compiling and linking programs, at once or in the background.

use std::sync::Arc;

use oxcl_runtime::{
    BinaryType, BuildAction, BuildError, BuildFault, BuildRequest, BuildTarget, Built, CompilerService as _,
    MachineText, Quality, Source,
};

use crate::args::{In, Text, list as listed};
use crate::cl;
use crate::compiler;
use crate::context::{self, Context};
use crate::device::{self, Device};
use crate::handle::{Handle, Live, Shared};
use crate::program::{Build, Program, ProgramNotify};
use crate::status::{Answer, Status, ensure};
use crate::types::{Int, Uint, UserData};

/// Which numbers a function uses for what went wrong.
#[derive(Clone, Copy)]
struct Codes {
    failed: Int,
    options: Int,
}

const BUILD: Codes = Codes { failed: cl::BUILD_PROGRAM_FAILURE, options: cl::INVALID_BUILD_OPTIONS };
const COMPILE: Codes = Codes { failed: cl::COMPILE_PROGRAM_FAILURE, options: cl::INVALID_COMPILER_OPTIONS };
const LINK: Codes = Codes { failed: cl::LINK_PROGRAM_FAILURE, options: cl::INVALID_LINKER_OPTIONS };

impl Codes {
    fn of(self, error: &BuildError) -> Int {
        match error.fault {
            BuildFault::Options => self.options,
            BuildFault::Unavailable => cl::COMPILER_NOT_AVAILABLE,
            _ => self.failed,
        }
    }
}

/// The places in the program of the devices asked for; all where none are named.
fn places(program: &Program, count: Uint, devices: In<Handle<Device>>) -> Answer<Vec<usize>> {
    // CL_INVALID_VALUE if there is a count without devices or devices without a count (5.8.2).
    let handles = listed(count, devices).ok_or(Status(cl::INVALID_VALUE))?;
    if handles.is_empty() {
        return Ok((0..program.devices.len()).collect());
    }
    let named = device::listed(handles)?;
    for device in &named {
        // CL_INVALID_DEVICE if a device is not the program's (5.8.2).
        device::position(&program.devices, device)?;
    }
    // What is built for a device runs on its parts (4.3).
    let is_named = |device: &Live<Device>| device::position(&named, device).is_ok();
    let covered = |device: &Shared<Device>| device.lineage().any(is_named);
    Ok((0..program.devices.len()).filter(|place| covered(&program.devices[*place])).collect())
}

/// What the code shall run on.
fn target(devices: &[Shared<Device>]) -> BuildTarget {
    let is = |wanted: &'static str| move |device: &&Shared<Device>| device.whole().info.name == wanted;
    let references = devices.iter().filter(is("ref")).count();
    let processors = devices.iter().filter(|device| device.whole().info.machine.is_some()).count();
    match (references, devices.len() - references - processors) {
        (0, 0) => BuildTarget::Machines,
        (0, _) => BuildTarget::Cpu,
        (_, 0) => BuildTarget::Reference,
        _ => BuildTarget::Both,
    }
}

/// The machines that code is made for, each once.
fn machines(devices: &[Shared<Device>]) -> Vec<Arc<str>> {
    let mut found: Vec<&MachineText> = Vec::new();
    for machine in devices.iter().filter_map(|device| device.whole().info.machine.as_ref()) {
        if found.iter().all(|other| other.digest != machine.digest) {
            found.push(machine);
        }
    }
    found.into_iter().map(|machine| Arc::clone(&machine.text)).collect()
}

/// The beginning of a build: CL_INVALID_OPERATION if there are kernels of the program, or a build is under way (5.8.2).
fn begin(program: &Program, places: &[usize], options: &str) -> Answer {
    ensure(!program.has_kernels() && !program.is_building(), cl::INVALID_OPERATION)?;
    let mut builds = program.builds();
    for place in places {
        builds[*place].status = cl::BUILD_IN_PROGRESS;
        builds[*place].options = options.to_owned();
    }
    Ok(())
}

/// Does what a request asks for: the end of a build is its result in every place.
fn make(program: &Program, places: &[usize], request: BuildRequest, codes: Codes) -> Answer {
    let runs = matches!(request.action, BuildAction::Build | BuildAction::Link);
    let request = BuildRequest { quality: if runs { compiler::quality() } else { Quality::Full }, ..request };
    let result = compiler::service().build(&request);
    end(program, places, result, codes, Some(request))
}

/// The end of a build, of `request` if it was the compiler's: its result in every place.
fn end(
    program: &Program,
    places: &[usize],
    result: Result<Built, BuildError>,
    codes: Codes,
    request: Option<BuildRequest>,
) -> Answer {
    let mut builds = program.builds();
    let outcome = match result {
        Ok(built) => match load(built.archive.into()) {
            Ok(mut loaded) => {
                if let (Some(request), Some(executable)) = (request, &loaded.executable) {
                    if built.quality != Quality::Full {
                        loaded.hurried = Some(Arc::new(request.clone()));
                    }
                    compiler::improve(executable, request, built.quality, built.cached);
                }
                Ok((loaded, built.log))
            }
            Err(status) => {
                let log = "the compiler's answer is no archive that this library can use".to_owned();
                Err((status.0, log))
            }
        },
        Err(error) => Err((codes.of(&error), error.log)),
    };
    for place in places {
        let build = &mut builds[*place];
        match &outcome {
            Ok((loaded, log)) => {
                *build =
                    Build { options: std::mem::take(&mut build.options), log: log.clone(), ..loaded.clone() };
                build.status = cl::BUILD_SUCCESS;
            }
            Err((_, log)) => {
                let options = std::mem::take(&mut build.options);
                *build = Build { status: cl::BUILD_ERROR, options, log: log.clone(), ..Build::NONE };
            }
        }
    }
    outcome.map(drop).map_err(|(code, _)| Status(code))
}

/// Sees to it that the archives of a program hold code in full quality: what an application keeps is used for a long time.
/// Where that cannot be built they stay as they are.
pub(crate) fn complete(program: &Program) {
    loop {
        let wanted = program.builds().iter().find_map(|build| build.hurried.clone());
        let Some(request) = wanted else { return };
        let full = BuildRequest { quality: Quality::Full, ..(*request).clone() };
        let archive = compiler::service().build(&full).ok().map(|built| Arc::<[u8]>::from(built.archive));
        for build in program.builds().iter_mut() {
            if !build.hurried.as_ref().is_some_and(|known| Arc::ptr_eq(known, &request)) {
                continue;
            }
            build.hurried = None;
            let (Some(archive), Some(executable)) = (&archive, &build.executable) else { continue };
            if executable.replace_code(archive).is_ok()
                && let Some((place, _)) = &mut build.archive
            {
                *place = Arc::clone(archive);
            }
        }
    }
}

/// Reads an archive.
fn load(archive: Arc<[u8]>) -> Answer<Build> {
    let kind = oxcl_runtime::binary_type(&archive)?;
    let executable = match kind {
        BinaryType::Executable => Some(oxcl_runtime::Program::from_archive(&archive)?),
        BinaryType::CompiledObject | BinaryType::Library => None,
    };
    Ok(Build { archive: Some((archive, kind)), executable, ..Build::NONE })
}

/// Does the work at once, or in the background where there is a function to call when it is over.
fn run(
    program: &Shared<Program>,
    notify: ProgramNotify,
    data: UserData,
    work: impl FnOnce(&Program) -> Answer + Send + 'static,
) -> Answer {
    let Some(call) = notify else { return work(program) };
    let kept = Arc::clone(program);
    let all = move || {
        // What went wrong is in the program's build status (5.8.2).
        let _ = work(&kept);
        // SAFETY: the application gave the function for this call.
        unsafe { call(kept.handle(), data) };
    };
    let started = std::thread::Builder::new().name("oxcl-build".to_owned()).spawn(all);
    started.map(drop).map_err(|_| Status(cl::OUT_OF_HOST_MEMORY))
}

/// `clBuildProgram`.
pub(crate) fn build(
    program: Handle<Program>,
    count: Uint,
    devices: In<Handle<Device>>,
    options: Text,
    notify: ProgramNotify,
    data: UserData,
) -> Answer {
    let program = program.get()?;
    // CL_INVALID_VALUE if there is data without a function (5.8.2).
    ensure(notify.is_some() || data.is_null(), cl::INVALID_VALUE)?;
    let places = places(&program, count, devices)?;
    let options = options.get().unwrap_or_default();
    let (target, machines) = (target(&program.devices), machines(&program.devices));
    match &program.source {
        Some(source) => {
            begin(&program, &places, &options)?;
            let request =
                BuildRequest { options, machines, ..BuildRequest::new("program.cl", source, target) };
            run(&program, notify, data, move |program| make(program, &places, request, BUILD))
        }
        None => {
            // CL_INVALID_BINARY if the program came as binaries and there is none for a device (5.8.2).
            let have = program.builds().iter().all(|build| build.archive.is_some());
            ensure(have, cl::INVALID_BINARY)?;
            begin(&program, &places, &options)?;
            run(&program, notify, data, move |program| from_binary(program, &places, &options, target))
        }
    }
}

/// Makes binaries run: programs are loaded, compiled objects and libraries are linked.
fn from_binary(program: &Program, places: &[usize], options: &str, target: BuildTarget) -> Answer {
    for place in places {
        let archive = program.builds()[*place].archive.clone();
        let Some((archive, kind)) = archive else { continue };
        match kind {
            BinaryType::Executable => {
                let built = Built {
                    archive: archive.to_vec(),
                    log: String::new(),
                    cached: false,
                    quality: Quality::Full,
                };
                end(program, &[*place], Ok(built), BUILD, None)?;
            }
            BinaryType::CompiledObject | BinaryType::Library => {
                let machines = machines(&program.devices);
                let link = BuildRequest::link(BuildAction::Link, vec![archive.to_vec()], target);
                let request = BuildRequest { machines, ..link };
                let request = BuildRequest { options: options.to_owned(), ..request };
                make(program, &[*place], request, BUILD)?;
            }
        }
    }
    Ok(())
}

/// `clCompileProgram`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn compile(
    program: Handle<Program>,
    count: Uint,
    devices: In<Handle<Device>>,
    options: Text,
    headers: Uint,
    programs: In<Handle<Program>>,
    names: In<Text>,
    notify: ProgramNotify,
    data: UserData,
) -> Answer {
    let program = program.get()?;
    // CL_INVALID_VALUE if there is data without a function, or headers without names (5.8.3).
    ensure(notify.is_some() || data.is_null(), cl::INVALID_VALUE)?;
    let included = listed(headers, programs).ok_or(Status(cl::INVALID_VALUE))?;
    let names = listed(headers, names).ok_or(Status(cl::INVALID_VALUE))?;
    let places = places(&program, count, devices)?;
    // CL_INVALID_OPERATION if the program has no source (5.8.3).
    let source = program.source.as_ref().ok_or(Status(cl::INVALID_OPERATION))?;
    let mut sources = Vec::new();
    for (header, name) in included.into_iter().zip(names) {
        let text = header.get()?.source.clone().ok_or(Status(cl::INVALID_VALUE))?;
        let name = name.get().ok_or(Status(cl::INVALID_VALUE))?;
        sources.push(Source { name, text });
    }
    let options = options.get().unwrap_or_default();
    begin(&program, &places, &options)?;
    let request = BuildRequest {
        action: BuildAction::Compile,
        headers: sources,
        options,
        machines: machines(&program.devices),
        ..BuildRequest::new("program.cl", source, target(&program.devices))
    };
    run(&program, notify, data, move |program| make(program, &places, request, COMPILE))
}

/// `clLinkProgram`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn link(
    context: Handle<Context>,
    count: Uint,
    devices: In<Handle<Device>>,
    options: Text,
    inputs: Uint,
    programs: In<Handle<Program>>,
    notify: ProgramNotify,
    data: UserData,
) -> Answer<(Handle<Program>, Int)> {
    let context = context.get()?;
    // CL_INVALID_VALUE if there is data without a function, or nothing to link (5.8.3).
    ensure(notify.is_some() || data.is_null(), cl::INVALID_VALUE)?;
    let programs = listed(inputs, programs).filter(|all| !all.is_empty()).ok_or(Status(cl::INVALID_VALUE))?;
    let handles = listed(count, devices).ok_or(Status(cl::INVALID_VALUE))?;
    // CL_INVALID_DEVICE if a device is not of the context (5.8.3).
    let devices = if handles.is_empty() { context.devices.clone() } else { device::listed(handles)? };
    ensure(devices.iter().all(|device| context.has(device)), cl::INVALID_DEVICE)?;
    let mut archives = Vec::new();
    for handle in programs {
        let program = handle.get()?;
        context::same(&context, &program.context)?;
        let builds = program.builds();
        // CL_INVALID_OPERATION if a program has no compiled object or library for a device (5.8.3).
        let archive = builds.iter().find_map(|build| build.archive.clone());
        let (archive, kind) = archive.ok_or(Status(cl::INVALID_OPERATION))?;
        ensure(kind != BinaryType::Executable, cl::INVALID_OPERATION)?;
        archives.push(archive.to_vec());
    }
    let options = options.get().unwrap_or_default();
    let is_library = options.split_whitespace().any(|word| word == "-create-library");
    let action = if is_library { BuildAction::Library } else { BuildAction::Link };
    let request = BuildRequest {
        options: options.clone(),
        machines: machines(&devices),
        ..BuildRequest::link(action, archives, target(&devices))
    };
    let places: Vec<usize> = (0..devices.len()).collect();
    let builds = vec![Build::NONE; devices.len()];
    let program = Live::new(Program::new(context, devices, None, builds))?;
    begin(&program, &places, &options)?;
    let done = run(&program, notify, data, move |program| make(program, &places, request, LINK));
    match done {
        Ok(()) => Ok((program.give(), cl::SUCCESS)),
        // A link that could begin gives a program, whose build log says why it failed (5.8.3).
        Err(Status(cl::LINK_PROGRAM_FAILURE)) => Ok((program.give(), cl::LINK_PROGRAM_FAILURE)),
        Err(status) => Err(status),
    }
}
