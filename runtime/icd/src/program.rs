//! Programs: sources or binaries, and what was built of them for each device.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use oxcl_runtime::{BinaryType, BuildRequest, BuildTarget, Il, SpecConstant, spec_constants};

use crate::args::{In, Memory, Out, Text};
use crate::cl;
use crate::context::Context;
use crate::device::{self, Device};
use crate::handle::{Handle, Live, Object, Shared};
use crate::status::{Answer, Status, ensure, refuse};
use crate::types::{Int, Uint, UserData};

/// What is called when a build is over.
pub(crate) type ProgramNotify = Option<unsafe extern "C" fn(Handle<Program>, UserData)>;

/// What was built for one device.
#[derive(Clone)]
pub(crate) struct Build {
    /// `CL_PROGRAM_BUILD_STATUS`.
    pub(crate) status: Int,
    pub(crate) options: String,
    pub(crate) log: String,
    /// The archive, and what it holds.
    pub(crate) archive: Option<(Arc<[u8]>, BinaryType)>,
    /// The archive as a program that runs.
    pub(crate) executable: Option<oxcl_runtime::Program>,
    /// What the archive was made from, if that was done in a hurry: nobody shall keep such code.
    pub(crate) hurried: Option<Arc<BuildRequest>>,
}

impl Build {
    pub(crate) const NONE: Build = Build {
        status: cl::BUILD_NONE,
        options: String::new(),
        log: String::new(),
        archive: None,
        executable: None,
        hurried: None,
    };
}

/// A program in an intermediate language, and what the application has made of its constants.
pub(crate) struct Language {
    pub(crate) module: Vec<u8>,
    /// The constants that may be specialised.
    known: Vec<SpecConstant>,
    /// Those that are, by their numbers.
    specialised: Mutex<BTreeMap<u32, Vec<u8>>>,
}

impl Language {
    /// What the compiler is asked to compile: a build takes the constants as they are when it begins.
    fn as_it_is(&self) -> Il {
        let specialised = self.specialised.lock().unwrap_or_else(PoisonError::into_inner);
        let constants = specialised.iter().map(|(number, value)| (*number, value.clone())).collect();
        Il { name: "program.spv".to_owned(), bytes: self.module.clone(), constants }
    }
}

/// A program.
pub(crate) struct Program {
    pub(crate) context: Shared<Context>,
    pub(crate) devices: Vec<Shared<Device>>,
    /// None where the program came as binaries, or was linked.
    pub(crate) source: Option<String>,
    /// What the program came as, where that was an intermediate language.
    pub(crate) il: Option<Language>,
    /// One for each device.
    builds: Mutex<Vec<Build>>,
    /// Told when a build is over.
    built: Condvar,
    /// Kernel objects that there are: while there is one, the program is not built again.
    pub(crate) kernels: AtomicUsize,
}

impl Object for Program {
    const TAG: u32 = 0x6f78_0007;
    const INVALID: Int = cl::INVALID_PROGRAM;
}

impl Program {
    pub(crate) fn new(
        context: Shared<Context>,
        devices: Vec<Shared<Device>>,
        source: Option<String>,
        builds: Vec<Build>,
    ) -> Program {
        let (builds, built, kernels) = (Mutex::new(builds), Condvar::new(), AtomicUsize::new(0));
        Program { context, devices, source, il: None, builds, built, kernels }
    }

    /// What the compiler is asked to build; none where the program came as binaries, or was linked.
    pub(crate) fn request(&self, target: BuildTarget) -> Option<BuildRequest> {
        match (&self.source, &self.il) {
            (Some(source), _) => Some(BuildRequest::new("program.cl", source, target)),
            (None, Some(il)) => Some(BuildRequest::of_il(il.as_it_is(), target)),
            (None, None) => None,
        }
    }

    pub(crate) fn builds(&self) -> MutexGuard<'_, Vec<Build>> {
        self.builds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was built, once no build is under way.
    pub(crate) fn finished_builds(&self) -> MutexGuard<'_, Vec<Build>> {
        let mut builds = self.builds();
        while is_building(&builds) {
            builds = self.built.wait(builds).unwrap_or_else(PoisonError::into_inner);
        }
        builds
    }

    /// Wakes those who wait for the end of a build.
    pub(crate) fn tell_built(&self) {
        self.built.notify_all();
    }

    pub(crate) fn has_kernels(&self) -> bool {
        // Acquire pairs with the release of the count when a kernel goes.
        self.kernels.load(Ordering::Acquire) > 0
    }

    /// The first program that runs, whose kernels are those of all. Waits for a build that is under way.
    pub(crate) fn executable(&self) -> Option<oxcl_runtime::Program> {
        self.finished_builds().iter().find_map(|build| build.executable.clone())
    }
}

/// Whether a build is under way.
pub(crate) fn is_building(builds: &[Build]) -> bool {
    builds.iter().any(|build| build.status == cl::BUILD_IN_PROGRESS)
}

/// `clCreateProgramWithSource`.
pub(crate) fn create_with_source(
    context: Handle<Context>,
    count: Uint,
    texts: In<Text>,
    lengths: In<usize>,
) -> Answer<Handle<Program>> {
    let context = context.get()?;
    // CL_INVALID_VALUE if there are no texts, or one of them is NULL (5.8.1).
    ensure(count > 0, cl::INVALID_VALUE)?;
    let texts = texts.take(count as usize).ok_or(Status(cl::INVALID_VALUE))?;
    let lengths = lengths.take(count as usize);
    let mut source = String::new();
    for (index, text) in texts.iter().enumerate() {
        let length = lengths.as_ref().map_or(0, |lengths| lengths[index]);
        source.push_str(&text.get_sized(length).ok_or(Status(cl::INVALID_VALUE))?);
    }
    let devices = context.devices.clone();
    let builds = vec![Build::NONE; devices.len()];
    Ok(Live::begin(Program::new(context, devices, Some(source), builds))?.give())
}

/// `clCreateProgramWithBinary`.
pub(crate) fn create_with_binary(
    context: Handle<Context>,
    count: Uint,
    devices: In<Handle<Device>>,
    lengths: In<usize>,
    binaries: In<Memory>,
    status: Out<Int>,
) -> Answer<Handle<Program>> {
    let context = context.get()?;
    // CL_INVALID_VALUE if a list is NULL or empty, or a binary is (5.8.1).
    let wanted = |list: Option<_>| list.ok_or(Status(cl::INVALID_VALUE));
    ensure(count > 0, cl::INVALID_VALUE)?;
    let handles = devices.take(count as usize).ok_or(Status(cl::INVALID_VALUE))?;
    let lengths = lengths.take(count as usize).ok_or(Status(cl::INVALID_VALUE))?;
    let binaries: Vec<Memory> = wanted(binaries.take(count as usize))?;
    // CL_INVALID_DEVICE if a device is not of the context (5.8.1).
    let devices = device::listed(handles)?;
    ensure(devices.len() == count as usize, cl::INVALID_DEVICE)?;
    ensure(devices.iter().all(|device| context.has(device)), cl::INVALID_DEVICE)?;
    let mut builds = Vec::new();
    let mut worst = Ok(());
    for (index, ((binary, length), device)) in binaries.iter().zip(lengths).zip(&devices).enumerate() {
        let bytes = if length == 0 { None } else { binary.copy(length) };
        let loaded = bytes.ok_or(Status(cl::INVALID_VALUE)).and_then(|bytes| {
            // CL_INVALID_BINARY if a binary is not valid for its device (5.8.1).
            let kind = oxcl_runtime::binary_type_for(&bytes, &device.whole().info);
            let kind = kind.map_err(|_| Status(cl::INVALID_BINARY))?;
            Ok(Build { archive: Some((bytes.into(), kind)), ..Build::NONE })
        });
        status.set_at(index, loaded.as_ref().map_or_else(|status| status.0, |_| cl::SUCCESS));
        match loaded {
            Ok(build) => builds.push(build),
            Err(status) => worst = worst.and(Err(status)),
        }
    }
    worst?;
    Ok(Live::begin(Program::new(context, devices, None, builds))?.give())
}

/// `clCreateProgramWithBuiltInKernels`.
pub(crate) fn create_with_built_in(
    context: Handle<Context>,
    count: Uint,
    devices: In<Handle<Device>>,
    names: Text,
) -> Answer<Handle<Program>> {
    context.get()?;
    // CL_INVALID_VALUE if there are no devices or no names; no name is known, so none is right (5.8.1).
    ensure(count > 0 && !devices.is_null() && !names.is_null(), cl::INVALID_VALUE)?;
    for handle in devices.take(count as usize).unwrap_or_default() {
        handle.get()?;
    }
    refuse(cl::INVALID_VALUE)
}

/// `clCreateProgramWithIL`.
pub(crate) fn create_with_il(context: Handle<Context>, il: Memory, length: usize) -> Answer<Handle<Program>> {
    let context = context.get()?;
    // CL_INVALID_VALUE if there is no module, or it is not well-formed (5.8.1). What is wrong in its instructions is for the
    // build to say.
    let module = if length == 0 { None } else { il.copy(length) };
    let module = module.ok_or(Status(cl::INVALID_VALUE))?;
    let known = spec_constants(&module).ok_or(Status(cl::INVALID_VALUE))?;
    let il = Some(Language { module, known, specialised: Mutex::new(BTreeMap::new()) });
    let devices = context.devices.clone();
    let builds = vec![Build::NONE; devices.len()];
    Ok(Live::begin(Program { il, ..Program::new(context, devices, None, builds) })?.give())
}

/// `clSetProgramSpecializationConstant`.
pub(crate) fn specialise(program: Handle<Program>, id: Uint, size: usize, value: Memory) -> Answer {
    let program = program.get()?;
    // CL_INVALID_PROGRAM if the program did not come in an intermediate language (5.8.5).
    let il = program.il.as_ref().ok_or(Status(cl::INVALID_PROGRAM))?;
    // CL_INVALID_SPEC_ID if the module has no such constant (5.8.5).
    let constant = il.known.iter().find(|constant| constant.number == id);
    let constant = constant.ok_or(Status(cl::INVALID_SPEC_ID))?;
    // CL_INVALID_VALUE if the size is not the constant's, or there is no value (5.8.5).
    ensure(size == constant.bytes, cl::INVALID_VALUE)?;
    let value = value.copy(size).ok_or(Status(cl::INVALID_VALUE))?;
    il.specialised.lock().unwrap_or_else(PoisonError::into_inner).insert(id, value);
    Ok(())
}

/// `clRetainProgram`.
pub(crate) fn retain(program: Handle<Program>) -> Answer {
    program.retain()
}

/// `clReleaseProgram`.
pub(crate) fn release(program: Handle<Program>) -> Answer {
    program.release()
}
