//! What is known of a launch before it runs, from the compiler's facts and the launch's sizes: what it touches, and what would
//! be wrong. Nothing here runs or changes anything.

use oxcl_binary::archive;
use oxcl_binary::meta::{self, AccessBound, ArgFacts, KernelMeta};
use oxcl_driver_cpu::Geometry;
use oxcl_scheduler::{Access, Facts, Touch};

use super::error::{LaunchError, OutOfBounds};
use crate::argument::{self, ArgValue};
use crate::bounds;
use crate::buffer::Buffer;
use crate::program::Kernel;
use crate::shared::SharedMemory;

/// What a kernel does to what an argument points to; none if it leaves it alone. A kernel that writes may write some bytes
/// only.
pub(super) fn argument_access(meta: Option<&KernelMeta>, index: usize) -> Option<Access> {
    match meta.and_then(|meta| meta.args.get(index)).map(|facts| facts.access) {
        Some(meta::Access::None) => None,
        Some(meta::Access::Read) => Some(Access::Read),
        Some(meta::Access::Write | meta::Access::ReadWrite) | None => Some(Access::ReadWrite),
    }
}

/// The buffer of an argument and what the kernel does to it.
pub(super) fn part(
    meta: Option<&KernelMeta>,
    index: usize,
    argument: &ArgValue<'_>,
) -> Option<(Buffer, Access)> {
    let buffer = match argument {
        ArgValue::Buffer(buffer) => Buffer::clone(buffer),
        ArgValue::Pointer(pointer) => SharedMemory::find(*pointer)?.0.buffer().clone(),
        _ => return None,
    };
    Some((buffer, argument_access(meta, index)?))
}

/// What the launch touches, for the order of its queue. Nothing is known of kernels that other compilers made.
pub(super) fn facts(meta: Option<&KernelMeta>, arguments: &[ArgValue<'_>]) -> (Box<[Touch]>, Facts) {
    // Where memory that an argument leads to ends is not known, nor whose it is.
    let mut anywhere = false;
    let touch = |(index, argument): (usize, &ArgValue<'_>)| {
        let shared;
        let buffer = match argument {
            ArgValue::Buffer(buffer) => *buffer,
            ArgValue::Pointer(pointer) => {
                let Some((memory, _)) = SharedMemory::find(*pointer) else {
                    anywhere = true;
                    return None;
                };
                shared = memory;
                shared.buffer()
            }
            _ => return None,
        };
        Some(buffer.touch(0, buffer.size(), argument_access(meta, index)?))
    };
    let touches = arguments.iter().enumerate().filter_map(touch).collect();
    let facts = meta.map_or(Facts::UNKNOWN, |meta| Facts {
        opaque: meta.opaque || anywhere,
        globals: meta.globals,
        printf: meta.printf,
    });
    (touches, facts)
}

/// The local size divides the global one, or the program allows that it does not.
pub(super) fn divides(kernel: &Kernel, global: [u64; 3], local: [u64; 3]) -> Result<(), LaunchError> {
    let Some(dimension) = (0..3).find(|&d| !global[d].is_multiple_of(local[d])) else { return Ok(()) };
    let (global, local) = (global[dimension], local[dimension]);
    let meta = kernel.program().meta();
    if kernel.program().allows_non_uniform() {
        return Ok(());
    }
    // CL_INVALID_WORK_GROUP_SIZE if global_work_size is not evenly divisible by local_work_size (OpenCL 1.2, or
    // -cl-uniform-work-group-size).
    let reason = match meta {
        Some(meta) if meta.uniform_work_group_size => "-cl-uniform-work-group-size".to_owned(),
        Some(meta) => format!("-cl-std={}", meta.cl_std),
        None => "an archive of another compiler".to_owned(),
    };
    Err(LaunchError::DoesNotDivide { dimension, global, local, reason })
}

/// Our compiler's code computes with 32-bit ids where the source does, and relies on their being exact.
pub(super) fn ids(record: &archive::Kernel, geometry: &Geometry) -> Result<(), LaunchError> {
    for (dimension, (size, offset)) in geometry.global.iter().zip(geometry.offset).enumerate() {
        let last = offset.saturating_add(size.saturating_sub(1));
        if last >= 1 << 31 {
            return Err(LaunchError::IdTooLarge { kernel: record.name.clone(), dimension, last });
        }
    }
    Ok(())
}

/// No work-item accesses what lies outside a buffer, as far as the compiler knows.
pub(super) fn bounds(
    record: &archive::Kernel,
    facts: &[ArgFacts],
    arguments: &[ArgValue<'_>],
    geometry: &Geometry,
) -> Result<(), LaunchError> {
    for (index, (facts, argument)) in facts.iter().zip(arguments).enumerate() {
        // Bytes before and from where the argument points to. A pointer may lead into the middle of shared memory.
        let (before, available) = match argument {
            ArgValue::Buffer(buffer) => (0, Some(buffer.size())),
            ArgValue::Null => (0, None),
            ArgValue::Pointer(pointer) => match SharedMemory::find(*pointer) {
                Some((memory, offset)) => (offset, Some(memory.size() - offset)),
                None => continue,
            },
            ArgValue::Local(bytes) => (0, Some(*bytes)),
            ArgValue::Value(_) => continue,
        };
        for bound in &facts.bounds {
            if let Some(mut error) = out_of_bounds(bound, before, available, geometry) {
                error.kernel.clone_from(&record.name);
                error.argument = argument::parameter_name(record, index);
                return Err(LaunchError::OutOfBounds(Box::new(error)));
            }
        }
    }
    Ok(())
}

fn out_of_bounds(
    bound: &AccessBound,
    before: u64,
    available: Option<u64>,
    geometry: &Geometry,
) -> Option<OutOfBounds> {
    let span = bounds::span(bound, geometry)?;
    if span.low >= -i128::from(before) && span.high <= i128::from(available.unwrap_or(0)) {
        return None;
    }
    Some(OutOfBounds {
        kernel: String::new(),
        argument: String::new(),
        needed: u128::try_from(span.high).ok().filter(|_| span.low >= -i128::from(before)),
        lowest: span.low,
        available,
        line: bound.line,
    })
}
