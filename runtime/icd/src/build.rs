//! Building, compiling and linking programs, at once or in the background.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use oxcl_runtime::thread::spawn;
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
use crate::program::{Build, Program, ProgramNotify, is_building};
use crate::status::{Answer, Status, ensure};
use crate::types::{Int, Uint, UserData};

/// Stack of a thread that builds and then calls a function of the application.
const STACK: usize = 8 << 20;

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

/// A build that is under way. Whatever way it ends, or does not begin, the program is not left in it.
struct Under {
    program: Shared<Program>,
    /// The places that are built, and what their statuses were before.
    places: Vec<(usize, Int)>,
}

/// The beginning of a build: CL_INVALID_OPERATION if there are kernels of the program, or a build is under way (5.8.2).
fn begin(program: &Shared<Program>, places: &[usize], options: &str) -> Answer<Under> {
    let mut builds = program.builds();
    ensure(!program.has_kernels() && !is_building(&builds), cl::INVALID_OPERATION)?;
    let mut begun = Vec::with_capacity(places.len());
    for place in places {
        let build = &mut builds[*place];
        begun.push((*place, std::mem::replace(&mut build.status, cl::BUILD_IN_PROGRESS)));
        options.clone_into(&mut build.options);
    }
    drop(builds);
    Ok(Under { program: program.clone(), places: begun })
}

impl Under {
    /// The build did not begin: the program is as it was.
    fn take_back(mut self) {
        let mut builds = self.program.builds();
        for (place, before) in self.places.drain(..) {
            builds[place].status = before;
        }
        drop(builds);
        self.program.tell_built();
    }
}

impl Drop for Under {
    /// Places without a result have failed.
    fn drop(&mut self) {
        let mut builds = self.program.builds();
        for (place, _) in &self.places {
            if builds[*place].status == cl::BUILD_IN_PROGRESS {
                builds[*place].status = cl::BUILD_ERROR;
            }
        }
        drop(builds);
        self.program.tell_built();
    }
}

/// Does what a request asks for: the end of a build is its result in every place.
fn make(program: &Program, places: &[usize], mut request: BuildRequest, codes: Codes) -> Answer {
    for option in program.context.build_options() {
        request.options.push(' ');
        request.options.push_str(option);
    }
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
        Ok(built) => match load(built.archive.as_slice().into()) {
            Ok(mut loaded) => {
                if let (Some(request), Some(executable)) = (request, &loaded.executable) {
                    if built.quality != Quality::Full {
                        loaded.hurried = Some(Arc::new(request.clone()));
                    }
                    compiler::improve(executable, request, &built);
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
    under: Under,
    work: impl FnOnce(&Program) -> Answer + Send + 'static,
) -> Answer {
    let Some(call) = notify else {
        let done = work(program);
        drop(under);
        return done;
    };
    let kept = program.clone();
    // Reaches the thread only if there is one.
    let under = Arc::new(Mutex::new(Some(under)));
    let theirs = Arc::clone(&under);
    let all = move || {
        let under = theirs.lock().unwrap_or_else(PoisonError::into_inner).take();
        // What went wrong is in the program's build status (5.8.2); a defect of ours leaves it failed.
        let _ = catch_unwind(AssertUnwindSafe(|| work(&kept)));
        // The build is over when the function is called.
        drop(under);
        // SAFETY: the application gave the function for this call.
        unsafe { call(kept.handle(), data) };
    };
    spawn("oxcl-build", STACK, all).map(drop).map_err(|_| {
        let under = under.lock().unwrap_or_else(PoisonError::into_inner).take();
        under.into_iter().for_each(Under::take_back);
        Status(cl::OUT_OF_HOST_MEMORY)
    })
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
    match program.request(target) {
        Some(request) => {
            let under = begin(&program, &places, &options)?;
            let request = BuildRequest { options, machines, ..request };
            run(&program, notify, data, under, move |program| make(program, &places, request, BUILD))
        }
        None => {
            // CL_INVALID_BINARY if the program came as binaries and there is none for a device (5.8.2).
            let have = program.builds().iter().all(|build| build.archive.is_some());
            ensure(have, cl::INVALID_BINARY)?;
            let under = begin(&program, &places, &options)?;
            run(&program, notify, data, under, move |program| from_binary(program, &places, &options, target))
        }
    }
}

/// What an executable program lacks that the context's memory asks for, in words.
fn missing_option(program: &Program, archive: &[u8]) -> Option<String> {
    let mut wanted = program.context.build_options().peekable();
    // Mostly there is none, and the archive need not be read for it.
    wanted.peek()?;
    let built = oxcl_runtime::Program::from_archive(archive).ok();
    let options = built.as_ref().and_then(|built| built.meta()).map_or("", |meta| &meta.options);
    let missing = wanted.find(|option| options.split(' ').all(|word| word != *option))?;
    Some(format!(
        "the binary was built without {missing}, which this context asks for (CL_CONTEXT_MEMORY_INITIALIZE_KHR): build the \
         program from its source in a context with the same properties"
    ))
}

/// Makes binaries run: programs are loaded, compiled objects and libraries are linked.
fn from_binary(program: &Program, places: &[usize], options: &str, target: BuildTarget) -> Answer {
    for place in places {
        let archive = program.builds()[*place].archive.clone();
        let Some((archive, kind)) = archive else { continue };
        match kind {
            BinaryType::Executable => {
                if let Some(missing) = missing_option(program, &archive) {
                    let error = BuildError {
                        fault: BuildFault::Request,
                        message: missing.clone(),
                        log: missing,
                        repro: None,
                    };
                    end(program, &[*place], Err(error), BUILD, None)?;
                    continue;
                }
                // It was built some time, and so may have been what is made of it while it runs.
                let built = Built {
                    archive: archive.to_vec(),
                    log: String::new(),
                    cached: true,
                    quality: Quality::Full,
                    processor: Duration::ZERO,
                };
                let request = oxcl_runtime::has_module(&archive)
                    .then(|| BuildRequest::link(BuildAction::Link, vec![archive.to_vec()], target));
                end(program, &[*place], Ok(built), BUILD, request)?;
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
    // CL_INVALID_OPERATION if the program has no source and no intermediate language (5.8.3).
    let request = program.request(target(&program.devices)).ok_or(Status(cl::INVALID_OPERATION))?;
    let mut sources = Vec::new();
    for (header, name) in included.into_iter().zip(names) {
        let text = header.get()?.source.clone().ok_or(Status(cl::INVALID_VALUE))?;
        let name = name.get().ok_or(Status(cl::INVALID_VALUE))?;
        sources.push(Source { name, text });
    }
    let options = options.get().unwrap_or_default();
    let under = begin(&program, &places, &options)?;
    let request = BuildRequest {
        action: BuildAction::Compile,
        headers: sources,
        options,
        machines: machines(&program.devices),
        ..request
    };
    run(&program, notify, data, under, move |program| make(program, &places, request, COMPILE))
}

/// Places of devices, and the objects that are linked for them.
type Alike = (Vec<usize>, Vec<Arc<[u8]>>);

/// Devices that are linked from the same objects, by their places in the list, and these objects.
///
/// CL_INVALID_OPERATION if a device has a compiled object or library of some of the programs and not of others, or of none
/// any device; devices that have none are not linked for (5.8.3).
fn alike(devices: &[Shared<Device>], programs: &[Shared<Program>]) -> Answer<Vec<Alike>> {
    let mut found: Vec<Alike> = Vec::new();
    for (place, device) in devices.iter().enumerate() {
        let object = |program: &Shared<Program>| {
            let has = |known: &Shared<Device>| {
                device.lineage().any(|device| std::ptr::eq(device, &raw const **known))
            };
            let at = program.devices.iter().position(has)?;
            let (archive, kind) = program.finished_builds()[at].archive.clone()?;
            (kind != BinaryType::Executable).then_some(archive)
        };
        let objects: Vec<_> = programs.iter().filter_map(object).collect();
        if objects.is_empty() {
            continue;
        }
        ensure(objects.len() == programs.len(), cl::INVALID_OPERATION)?;
        let same = |(_, others): &&mut Alike| {
            others.iter().zip(&objects).all(|(other, object)| Arc::ptr_eq(other, object))
        };
        match found.iter_mut().find(same) {
            Some((places, _)) => places.push(place),
            None => found.push((vec![place], objects)),
        }
    }
    ensure(!found.is_empty(), cl::INVALID_OPERATION)?;
    Ok(found)
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
    let mut all: Vec<Shared<Program>> = Vec::with_capacity(programs.len());
    for handle in programs {
        let program = handle.get()?;
        context::same(&context, &program.context)?;
        all.push(program);
    }
    let options = options.get().unwrap_or_default();
    let is_library = options.split_whitespace().any(|word| word == "-create-library");
    let action = if is_library { BuildAction::Library } else { BuildAction::Link };
    let links: Vec<(Vec<usize>, BuildRequest)> = alike(&devices, &all)?
        .into_iter()
        .map(|(places, archives)| {
            let devices: Vec<_> = places.iter().map(|place| devices[*place].clone()).collect();
            let archives = archives.iter().map(|archive| archive.to_vec()).collect();
            let link = BuildRequest::link(action, archives, target(&devices));
            (places, BuildRequest { options: options.clone(), machines: machines(&devices), ..link })
        })
        .collect();
    let places: Vec<usize> = links.iter().flat_map(|(places, _)| places.iter().copied()).collect();
    let builds = vec![Build::NONE; devices.len()];
    let program = Live::begin(Program::new(context, devices, None, builds))?;
    let under = begin(&program, &places, &options)?;
    let done = run(&program, notify, data, under, move |program| {
        let link = |(places, request): (Vec<usize>, _)| make(program, &places, request, LINK);
        // Each is tried: what failed for some devices is in their build logs.
        links.into_iter().map(link).fold(Ok(()), Answer::and)
    });
    match done {
        Ok(()) => Ok((program.give(), cl::SUCCESS)),
        // A link that could begin gives a program, whose build log says why it failed (5.8.3).
        Err(Status(cl::LINK_PROGRAM_FAILURE)) => Ok((program.give(), cl::LINK_PROGRAM_FAILURE)),
        Err(status) => Err(status),
    }
}
