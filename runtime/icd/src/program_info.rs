//! `clGetProgramInfo` and `clGetProgramBuildInfo`.

use oxcl_runtime::BinaryType;

use crate::args::{Memory, Out};
use crate::build;
use crate::cl;
use crate::device::{self, Device};
use crate::handle::Handle;
use crate::info::Reply;
use crate::program::Program;
use crate::status::{Answer, Status, ensure, refuse};
use crate::types::Uint;

/// `clGetProgramInfo`.
pub(crate) fn get(
    program: Handle<Program>,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    let program = program.get()?;
    let reply = Reply::new(size, value, size_ret);
    match name {
        cl::PROGRAM_REFERENCE_COUNT => reply.value(program.references()),
        cl::PROGRAM_CONTEXT => reply.value(program.context.handle()),
        cl::PROGRAM_NUM_DEVICES => reply.value(program.devices.len() as Uint),
        cl::PROGRAM_DEVICES => {
            let handles: Vec<_> = program.devices.iter().map(|device| device.handle()).collect();
            reply.slice(&handles)
        }
        cl::PROGRAM_SOURCE => reply.text(program.source.as_deref().unwrap_or("")),
        cl::PROGRAM_IL => reply.bytes(program.il.as_ref().map_or(&[], |il| il.module.as_slice())),
        cl::PROGRAM_BINARY_SIZES => {
            build::complete(&program);
            let length = |archive: &Option<(std::sync::Arc<[u8]>, BinaryType)>| {
                archive.as_ref().map_or(0, |(archive, _)| archive.len())
            };
            let sizes: Vec<usize> = program.builds().iter().map(|build| length(&build.archive)).collect();
            reply.slice(&sizes)
        }
        cl::PROGRAM_BINARIES => {
            build::complete(&program);
            binaries(&program, size, value, size_ret)
        }
        cl::PROGRAM_NUM_KERNELS | cl::PROGRAM_KERNEL_NAMES => {
            // CL_INVALID_PROGRAM_EXECUTABLE if the program was not built for any device (5.8.7).
            let built = program.executable().ok_or(Status(cl::INVALID_PROGRAM_EXECUTABLE))?;
            let names: Vec<&str> = built.kernel_names().collect();
            if name == cl::PROGRAM_NUM_KERNELS {
                reply.value(names.len())
            } else {
                reply.text(&names.join(";"))
            }
        }
        cl::PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | cl::PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => reply.bool(false),
        // CL_INVALID_VALUE if param_name is none of the supported values (5.8.7).
        _ => refuse(cl::INVALID_VALUE),
    }
}

/// The archives, to the places that the application lists; NULL is a place that it does not want.
fn binaries(program: &Program, size: usize, value: Memory, size_ret: Out<usize>) -> Answer {
    let builds = program.builds();
    let needed = builds.len() * size_of::<usize>();
    // CL_INVALID_VALUE if there is a place for the list and it is too small (5.8.7).
    ensure(value.is_null() || size >= needed, cl::INVALID_VALUE)?;
    for (index, build) in builds.iter().enumerate() {
        let entry = Memory(value.0.wrapping_byte_add(index * size_of::<usize>()));
        let place = if value.is_null() { None } else { entry.read::<Memory>() };
        if let (Some(place), Some((archive, _))) = (place, &build.archive) {
            place.write(archive);
        }
    }
    size_ret.set(needed);
    Ok(())
}

/// `clGetProgramBuildInfo`.
pub(crate) fn get_build(
    program: Handle<Program>,
    device: Handle<Device>,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    let program = program.get()?;
    // CL_INVALID_DEVICE if the device is not one of the program's (5.8.7).
    let place = device::position(&program.devices, &*device.get()?)?;
    let builds = program.builds();
    let build = &builds[place];
    let reply = Reply::new(size, value, size_ret);
    match name {
        cl::PROGRAM_BUILD_STATUS => reply.value(build.status),
        cl::PROGRAM_BUILD_OPTIONS => reply.text(&build.options),
        cl::PROGRAM_BUILD_LOG => reply.text(&build.log),
        cl::PROGRAM_BINARY_TYPE => reply.value(match build.archive.as_ref().map(|(_, kind)| kind) {
            None => cl::PROGRAM_BINARY_TYPE_NONE,
            Some(BinaryType::CompiledObject) => cl::PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
            Some(BinaryType::Library) => cl::PROGRAM_BINARY_TYPE_LIBRARY,
            Some(BinaryType::Executable) => cl::PROGRAM_BINARY_TYPE_EXECUTABLE,
        }),
        cl::PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
            let bytes = build.executable.as_ref().map_or(0, oxcl_runtime::Program::variable_bytes);
            reply.value(bytes as usize)
        }
        // CL_INVALID_VALUE if param_name is none of the supported values (5.8.7).
        _ => refuse(cl::INVALID_VALUE),
    }
}
