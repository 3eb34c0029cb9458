//! Kernels and their arguments.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxcl_runtime::{AccessQualifier, AddressQualifier, ArgKind};

use crate::args::{In, Memory, Out, Text};
use crate::cl;
use crate::device::{self, Device};
use crate::handle::{Handle, Live, Object, Shared, Weak};
use crate::image::image_of;
use crate::launch::Prepared;
use crate::mem::Mem;
use crate::program::Program;
use crate::sampler::Sampler;
use crate::status::{Answer, Status, ensure, refuse};
use crate::types::{Int, Uint};

/// An argument as it was set. Memory objects are not kept alive by being arguments.
#[derive(Clone)]
pub(crate) enum Arg {
    Unset,
    Buffer(Weak<Mem>),
    Null,
    Pointer(usize),
    Local(usize),
    /// Up to 16 bytes, which is what most values have.
    Small([u8; 16], u8),
    Value(Arc<[u8]>),
    Sampler(oxcl_runtime::Sampler),
}

impl PartialEq for Arg {
    fn eq(&self, other: &Arg) -> bool {
        match (self, other) {
            (Arg::Unset, Arg::Unset) | (Arg::Null, Arg::Null) => true,
            (Arg::Buffer(one), Arg::Buffer(other)) => one == other,
            (Arg::Pointer(one), Arg::Pointer(other)) | (Arg::Local(one), Arg::Local(other)) => one == other,
            (Arg::Small(one, length), Arg::Small(other, other_length)) => {
                one == other && length == other_length
            }
            (Arg::Value(one), Arg::Value(other)) => one == other,
            (Arg::Sampler(one), Arg::Sampler(other)) => one == other,
            _ => false,
        }
    }
}

/// A kernel object.
pub(crate) struct Kernel {
    pub(crate) program: Shared<Program>,
    /// For each of the program's devices.
    pub(crate) variants: Vec<Option<oxcl_runtime::Kernel>>,
    /// Of some device: what is the same on all.
    pub(crate) any: oxcl_runtime::Kernel,
    args: Mutex<Vec<Arg>>,
    /// Launches that were made ready already.
    prepared: Mutex<Prepared>,
}

impl Object for Kernel {
    const TAG: u32 = 0x6f78_0008;
    const INVALID: Int = cl::INVALID_KERNEL;

    fn gone(&mut self, _: Handle<Kernel>) {
        // Release pairs with the acquire in `Program::has_kernels`.
        self.program.kernels.fetch_sub(1, Ordering::Release);
    }
}

impl Kernel {
    pub(crate) fn args(&self) -> MutexGuard<'_, Vec<Arg>> {
        self.args.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn prepared(&self) -> MutexGuard<'_, Prepared> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the launches that were made ready: a memory object of one has gone.
    pub(crate) fn forget_launches(&self) {
        let forgotten = std::mem::take(&mut *self.prepared());
        drop(forgotten);
    }

    /// The kernel on a device: CL_INVALID_PROGRAM_EXECUTABLE where the program was not built for it.
    pub(crate) fn on(&self, device: &Live<Device>) -> Answer<&oxcl_runtime::Kernel> {
        let missing = Status(cl::INVALID_PROGRAM_EXECUTABLE);
        let place = device::position(&self.program.devices, device).map_err(|_| missing)?;
        self.variants[place].as_ref().ok_or(missing)
    }
}

fn make(program: &Shared<Program>, name: &str) -> Answer<Shared<Kernel>> {
    let builds = program.finished_builds();
    let find = |built: &oxcl_runtime::Program| built.kernel(name).ok();
    let variants: Vec<Option<oxcl_runtime::Kernel>> =
        builds.iter().map(|build| build.executable.as_ref().and_then(find)).collect();
    // CL_INVALID_PROGRAM_EXECUTABLE if the program was not built (5.9.1).
    ensure(builds.iter().any(|build| build.executable.is_some()), cl::INVALID_PROGRAM_EXECUTABLE)?;
    // CL_INVALID_KERNEL_NAME if it has no such kernel (5.9.1).
    let any = variants.iter().flatten().next().cloned().ok_or(Status(cl::INVALID_KERNEL_NAME))?;
    drop(builds);
    let count = any.record().args.len();
    new(program, variants, any, vec![Arg::Unset; count])
}

fn new(
    program: &Shared<Program>,
    variants: Vec<Option<oxcl_runtime::Kernel>>,
    any: oxcl_runtime::Kernel,
    args: Vec<Arg>,
) -> Answer<Shared<Kernel>> {
    // Relaxed: only the end of the last kernel matters to who builds.
    program.kernels.fetch_add(1, Ordering::Relaxed);
    let (args, prepared) = (Mutex::new(args), Mutex::default());
    Live::begin(Kernel { program: program.clone(), variants, any, args, prepared })
}

/// `clCreateKernel`.
pub(crate) fn create(program: Handle<Program>, name: Text) -> Answer<Handle<Kernel>> {
    let program = program.get()?;
    // CL_INVALID_VALUE if the name is NULL (5.9.1).
    let name = name.get().ok_or(Status(cl::INVALID_VALUE))?;
    Ok(make(&program, &name)?.give())
}

/// `clCreateKernelsInProgram`.
pub(crate) fn create_all(
    program: Handle<Program>,
    entries: Uint,
    kernels: Out<Handle<Kernel>>,
    count: Out<Uint>,
) -> Answer {
    let program = program.get()?;
    // CL_INVALID_PROGRAM_EXECUTABLE if the program was not built (5.9.1).
    let built = program.executable().ok_or(Status(cl::INVALID_PROGRAM_EXECUTABLE))?;
    let names: Vec<&str> = built.kernel_names().collect();
    // CL_INVALID_VALUE if there is a list that is too short (5.9.1).
    ensure(kernels.is_null() || entries as usize >= names.len(), cl::INVALID_VALUE)?;
    if !kernels.is_null() {
        let mut made = Vec::with_capacity(names.len());
        for name in &names {
            made.push(make(&program, name)?);
        }
        for (index, kernel) in made.into_iter().enumerate() {
            kernels.set_at(index, kernel.give());
        }
    }
    count.set(names.len() as Uint);
    Ok(())
}

/// `clCloneKernel`: with the arguments as they are now.
pub(crate) fn duplicate(kernel: Handle<Kernel>) -> Answer<Handle<Kernel>> {
    let kernel = kernel.get()?;
    let args = kernel.args().clone();
    Ok(new(&kernel.program, kernel.variants.clone(), kernel.any.clone(), args)?.give())
}

/// `clRetainKernel`.
pub(crate) fn retain(kernel: Handle<Kernel>) -> Answer {
    kernel.retain()
}

/// `clReleaseKernel`.
pub(crate) fn release(kernel: Handle<Kernel>) -> Answer {
    kernel.release()
}

/// `clSetKernelArg`.
pub(crate) fn set_arg(kernel: Handle<Kernel>, index: Uint, size: usize, value: Memory) -> Answer {
    let kernel = kernel.get()?;
    // CL_INVALID_ARG_INDEX if there is no such parameter (5.9.2).
    let parameter = kernel.any.record().args.get(index as usize).ok_or(Status(cl::INVALID_ARG_INDEX))?;
    let arg = match parameter.kind {
        ArgKind::Pointer if parameter.address == AddressQualifier::Local => {
            // CL_INVALID_ARG_VALUE if local memory is given a value (5.9.2). Since OpenCL 3.1 it may be of no size: no
            // work-item touches it then, and it is a byte somewhere.
            ensure(value.is_null(), cl::INVALID_ARG_VALUE)?;
            Arg::Local(size.max(1))
        }
        ArgKind::Pointer => {
            // CL_INVALID_ARG_SIZE if a memory object has not the size of a handle (5.9.2).
            ensure(size == size_of::<usize>(), cl::INVALID_ARG_SIZE)?;
            match value.read::<Handle<Mem>>() {
                None => Arg::Null,
                Some(handle) if handle.is_null() => Arg::Null,
                Some(handle) => {
                    // CL_INVALID_MEM_OBJECT if the handle is none, or no buffer's (5.9.2).
                    let object = handle.get()?;
                    ensure(object.image.is_none(), cl::INVALID_MEM_OBJECT)?;
                    Arg::Buffer(object.downgrade())
                }
            }
        }
        ArgKind::Value => {
            // CL_INVALID_ARG_VALUE if there is no value, CL_INVALID_ARG_SIZE if it has another size (5.9.2). Archives
            // of other compilers may not know the size: 0.
            ensure(!value.is_null(), cl::INVALID_ARG_VALUE)?;
            ensure(parameter.size == 0 || size == parameter.size as usize, cl::INVALID_ARG_SIZE)?;
            let bytes = value.copy(size).ok_or(Status(cl::INVALID_ARG_VALUE))?;
            let mut small = [0; 16];
            match small.get_mut(..size) {
                Some(place) => {
                    place.copy_from_slice(&bytes);
                    Arg::Small(small, size as u8)
                }
                None => Arg::Value(bytes.into()),
            }
        }
        ArgKind::Image => {
            // CL_INVALID_ARG_SIZE if a memory object has not the size of a handle, CL_INVALID_MEM_OBJECT if the handle is none, or
            // no image's (5.9.2).
            ensure(size == size_of::<usize>(), cl::INVALID_ARG_SIZE)?;
            let handle = value.read::<Handle<Mem>>().ok_or(Status(cl::INVALID_ARG_VALUE))?;
            let object = handle.get()?;
            let image = image_of(&object)?;
            // CL_INVALID_ARG_VALUE if the image is of another kind, or may not be used as the kernel does (5.9.2).
            let (reads, writes) = match parameter.access {
                // Archives of other compilers may not say.
                AccessQualifier::None => (false, false),
                AccessQualifier::ReadOnly => (true, false),
                AccessQualifier::WriteOnly => (false, true),
                AccessQualifier::ReadWrite => (true, true),
            };
            let unfit =
                if reads { cl::MEM_WRITE_ONLY } else { 0 } | if writes { cl::MEM_READ_ONLY } else { 0 };
            let may = object.flags & unfit == 0;
            ensure(may && image.fits(&parameter.type_name), cl::INVALID_ARG_VALUE)?;
            Arg::Buffer(object.downgrade())
        }
        ArgKind::Sampler => {
            // CL_INVALID_ARG_SIZE if a sampler has not the size of a handle, CL_INVALID_SAMPLER if the handle is none, or there is none (5.9.2).
            ensure(size == size_of::<usize>(), cl::INVALID_ARG_SIZE)?;
            let handle = value.read::<Handle<Sampler>>().ok_or(Status(cl::INVALID_SAMPLER))?;
            Arg::Sampler(handle.get()?.description)
        }
        // Pipes are absent, so no handle of one is valid (5.9.2).
        ArgKind::Pipe => return refuse(cl::INVALID_MEM_OBJECT),
    };
    kernel.args()[index as usize] = arg;
    Ok(())
}

/// `clSetKernelArgSVMPointer` and `clSetKernelArgMemPointerINTEL`: any address, as system memory is shared.
pub(crate) fn set_arg_pointer(kernel: Handle<Kernel>, index: Uint, pointer: Memory) -> Answer {
    let kernel = kernel.get()?;
    shares_memory(&kernel)?;
    set_address(&kernel, index, pointer.address(), cl::INVALID_ARG_VALUE)
}

/// CL_INVALID_OPERATION if no device of the kernel's context has shared virtual memory (5.9.2).
fn shares_memory(kernel: &Kernel) -> Answer {
    ensure(kernel.program.context.shares_memory(), cl::INVALID_OPERATION)
}

/// `clSetKernelArgDevicePointerEXT`.
pub(crate) fn set_arg_device_pointer(kernel: Handle<Kernel>, index: Uint, pointer: u64) -> Answer {
    let kernel = kernel.get()?;
    let address = usize::try_from(pointer).map_err(|_| Status(cl::INVALID_ARG_VALUE))?;
    // CL_INVALID_ARG_INDEX also if the parameter is no pointer to global memory (cl_ext_buffer_device_address).
    set_address(&kernel, index, address, cl::INVALID_ARG_INDEX)
}

fn set_address(kernel: &Kernel, index: Uint, address: usize, no_pointer: Int) -> Answer {
    // CL_INVALID_ARG_INDEX if there is no such parameter, CL_INVALID_ARG_VALUE if it is no pointer to global or
    // constant memory (5.9.2).
    let parameter = kernel.any.record().args.get(index as usize).ok_or(Status(cl::INVALID_ARG_INDEX))?;
    let takes = parameter.kind == ArgKind::Pointer && parameter.address != AddressQualifier::Local;
    ensure(takes, no_pointer)?;
    kernel.args()[index as usize] = if address == 0 { Arg::Null } else { Arg::Pointer(address) };
    Ok(())
}

/// `clSetKernelExecInfo`: kernels reach all memory of the process anyway, so it is enough to check what is given.
pub(crate) fn set_exec_info(kernel: Handle<Kernel>, name: Uint, size: usize, value: Memory) -> Answer {
    let kernel = kernel.get()?;
    // CL_INVALID_VALUE if the size is not that of a list, or there is none; an empty one takes back what was given (5.9.2).
    let is_list = value.is_null() == (size == 0) && size.is_multiple_of(size_of::<usize>());
    match name {
        cl::KERNEL_EXEC_INFO_DEVICE_PTRS_EXT => ensure(is_list, cl::INVALID_VALUE),
        cl::KERNEL_EXEC_INFO_SVM_PTRS | cl::KERNEL_EXEC_INFO_USM_PTRS_INTEL => {
            shares_memory(&kernel)?;
            ensure(is_list, cl::INVALID_VALUE)
        }
        cl::KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM
        | cl::KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL
        | cl::KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL
        | cl::KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => {
            shares_memory(&kernel)?;
            ensure(!value.is_null() && size == size_of::<Uint>(), cl::INVALID_VALUE)
        }
        // CL_INVALID_VALUE if param_name is not valid (5.9.2).
        _ => refuse(cl::INVALID_VALUE),
    }
}

/// Sizes in up to three dimensions, and 0 for the others; none where they are not given.
pub(crate) fn sizes(dimensions: Uint, sizes: In<usize>) -> Option<[u64; 3]> {
    Some(sizes.few(dimensions as usize, 0)?.map(|size| size as u64))
}
