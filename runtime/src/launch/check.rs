//! What is known of a launch before it runs, from the compiler's facts and the launch's sizes: what it touches, and what would
//! be wrong. Nothing here runs or changes anything.

use oxcl_binary::archive::{self, AccessQualifier, ArgKind};
use oxcl_binary::meta::{self, AccessBound, ArgFacts, KernelMeta, PixelPlaces};
use oxcl_driver::Geometry;
use oxcl_scheduler::{Access, Facts, Touch};

use super::error::{LaunchError, OutOfBounds};
use crate::argument::{self, ArgValue};
use crate::bounds;
use crate::buffer::Buffer;
use crate::context::Bounds;
use crate::device::Device;
use crate::image::{Image, ImageRegion};
use crate::program::Kernel;
use crate::shared::SharedMemory;

/// What a kernel does to what an argument points to; none if it leaves it alone. A kernel that writes may write some bytes
/// only.
pub(super) fn argument_access(
    record: &archive::Kernel,
    meta: Option<&KernelMeta>,
    index: usize,
) -> Option<Access> {
    // What is done with an image is in its parameter's declaration.
    if let Some(arg) = record.args.get(index).filter(|arg| arg.kind == ArgKind::Image) {
        return Some(if arg.access == AccessQualifier::ReadOnly { Access::Read } else { Access::ReadWrite });
    }
    match meta.and_then(|meta| meta.args.get(index)).map(|facts| facts.access) {
        Some(meta::Access::None) => None,
        Some(meta::Access::Read) => Some(Access::Read),
        Some(meta::Access::Write | meta::Access::ReadWrite) | None => Some(Access::ReadWrite),
    }
}

/// The buffer of an argument and what the kernel does to it.
pub(super) fn part(
    record: &archive::Kernel,
    meta: Option<&KernelMeta>,
    index: usize,
    argument: &ArgValue<'_>,
) -> Option<(Buffer, Access)> {
    let buffer = match argument {
        ArgValue::Pointer(address) => SharedMemory::at(*address)?.0.buffer().clone(),
        other => Buffer::clone(other.memory()?),
    };
    Some((buffer, argument_access(record, meta, index)?))
}

/// The pixels of an image that a kernel reads and writes, where they are known.
fn places(meta: &KernelMeta, index: usize) -> Option<&[Vec<AccessBound>]> {
    let is_it =
        |pixels: &&PixelPlaces| usize::try_from(pixels.argument).is_ok_and(|argument| argument == index);
    meta.pixels.iter().find(is_it).map(|pixels| &pixels.places[..])
}

/// What a launch reaches of an image.
#[derive(Debug, PartialEq, Eq)]
enum Reached {
    /// Pixels of this region only.
    Region(ImageRegion),
    /// Nothing that the image has.
    Nothing,
    /// Any of them.
    Anything,
}

/// The smallest region of an image of `size` that has all places of a launch in it. Outside of an image nothing is written, and what is read
/// there is the nearest pixel, or the border. `clamps`: it may be read.
fn reached(places: &[Vec<AccessBound>], geometry: &Geometry, size: [u64; 3], clamps: bool) -> Reached {
    if !geometry.has_small_ids() {
        return Reached::Anything;
    }
    let (mut low, mut high) = ([i128::MAX; 3], [i128::MIN; 3]);
    for place in places {
        // A coordinate that is not there is that of the only row, or plane.
        let mut span = [(0, 1); 3];
        for (side, coordinate) in span.iter_mut().zip(place) {
            match bounds::span(coordinate, geometry) {
                // The kernel counts in 32 bits: what leaves them comes back somewhere else.
                Some(found) if found.low >= i32::MIN.into() && found.high <= i32::MAX.into() => {
                    *side = (found.low, found.high);
                }
                _ => return Reached::Anything,
            }
        }
        let inside: [_; 3] = std::array::from_fn(|d| {
            let (size, (from, to)) = (i128::from(size[d]), span[d]);
            if clamps { (from.clamp(0, size - 1), to.clamp(1, size)) } else { (from.max(0), to.min(size)) }
        });
        if inside.iter().any(|(from, to)| from >= to) {
            continue;
        }
        for (d, (from, to)) in inside.into_iter().enumerate() {
            (low[d], high[d]) = (low[d].min(from), high[d].max(to));
        }
    }
    if low > high {
        return Reached::Nothing;
    }
    let number = |number: i128| u64::try_from(number).unwrap_or(0);
    Reached::Region(ImageRegion {
        origin: low.map(number),
        size: std::array::from_fn(|d| number(high[d] - low[d])),
        // Places are kept of reads and writes of the image itself alone.
        level: 0,
    })
}

/// What the launch touches, for the order of its queue. Nothing is known of kernels that other compilers made.
pub(super) fn facts(
    record: &archive::Kernel,
    meta: Option<&KernelMeta>,
    arguments: &[ArgValue<'_>],
    geometry: &Geometry,
) -> (Box<[Touch]>, Facts) {
    // Where memory that an argument leads to ends is not known, nor whose it is.
    let mut anywhere = false;
    let touch = |(index, argument): (usize, &ArgValue<'_>)| {
        let shared;
        let buffer = match argument {
            ArgValue::Pointer(address) => {
                let Some((memory, _)) = SharedMemory::at(*address) else {
                    anywhere = true;
                    return None;
                };
                shared = memory;
                shared.buffer()
            }
            other => *other.memory()?,
        };
        let access = argument_access(record, meta, index)?;
        if let ArgValue::Image(buffer, description) = argument
            && let Some(pixels) = meta.and_then(|meta| places(meta, index))
        {
            let image = Image::given(buffer, description);
            let clamps = record.args.get(index).is_none_or(|arg| arg.access != AccessQualifier::WriteOnly);
            return Some(match reached(pixels, geometry, image.whole().size, clamps) {
                Reached::Region(region) => image.touch(&region, access),
                Reached::Nothing => return None,
                Reached::Anything => buffer.touch(0, buffer.size(), access),
            });
        }
        Some(buffer.touch(0, buffer.size(), access))
    };
    let touches = arguments.iter().enumerate().filter_map(touch).collect();
    let facts = meta.map_or(Facts::UNKNOWN, |meta| Facts {
        opaque: meta.opaque || anywhere,
        globals: meta.globals,
        printf: meta.printf,
    });
    (touches, facts)
}

/// The device has images, where the kernel is given some.
pub(super) fn images(
    device: &Device,
    record: &archive::Kernel,
    arguments: &[ArgValue<'_>],
) -> Result<(), LaunchError> {
    let needs = |argument: &ArgValue<'_>| matches!(argument, ArgValue::Image(..) | ArgValue::Sampler(_));
    match arguments.iter().position(needs) {
        // CL_INVALID_OPERATION if the device does not support images.
        Some(index) if !device.info().has_images => Err(LaunchError::NoImages {
            kernel: record.name.clone(),
            argument: argument::parameter_name(record, index),
            device: device.info().name.clone(),
        }),
        _ => Ok(()),
    }
}

/// Addresses mean something in the host's address space only.
pub(super) fn addresses(
    device: &Device,
    record: &archive::Kernel,
    arguments: &[ArgValue<'_>],
) -> Result<(), LaunchError> {
    let is_address = |argument: &ArgValue<'_>| matches!(argument, ArgValue::Pointer(_));
    match arguments.iter().position(is_address) {
        Some(index) if device.own_memory().is_some() => Err(LaunchError::NotShared {
            kernel: record.name.clone(),
            argument: argument::parameter_name(record, index),
            device: device.info().name.clone(),
        }),
        _ => Ok(()),
    }
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

/// Code that rests on global ids below 2^31 is not launched with others: that of 32-bit devices and of earlier versions of our
/// compiler, and what was made in a hurry where nothing better can be had.
pub(super) fn ids(device: &Device, kernel: &Kernel, geometry: &Geometry) -> Result<(), LaunchError> {
    let bits = if device.info().address_bits == 64 && kernel.serves_any_ids() { 63 } else { 31 };
    for (dimension, (size, offset)) in geometry.global.iter().zip(geometry.offset).enumerate() {
        let last = offset.saturating_add(size.saturating_sub(1));
        if last >= 1 << bits {
            return Err(LaunchError::IdTooLarge { kernel: kernel.name().to_owned(), dimension, last, bits });
        }
    }
    Ok(())
}

/// Memory that an argument leads to, in bytes before and behind where it points.
struct Reach {
    /// What kernels may access.
    own: [u64; 2],
    /// What belongs to the same memory.
    whole: [u64; 2],
    /// Bytes from where it points on; none: it is the null pointer.
    available: Option<u64>,
}

impl Reach {
    /// A buffer, or a part of one: what is before and behind it, where it is in the host's address space.
    fn of_buffer(buffer: &Buffer, own_memory: bool) -> Self {
        let own = [0, buffer.size()];
        let padded = buffer.storage().padded().saturating_sub(buffer.origin());
        let whole = if own_memory { own } else { [buffer.origin(), padded] };
        Self { own, whole, available: Some(buffer.size()) }
    }

    /// An address in shared memory, all of which kernels may access from there.
    fn of_shared(memory: &SharedMemory, offset: u64, own_memory: bool) -> Self {
        let left = memory.size() - offset;
        let padded = memory.buffer().storage().padded().saturating_sub(offset);
        let own = [offset, left];
        let whole = if own_memory { own } else { [offset, padded] };
        Self { own, whole, available: Some(left) }
    }

    /// Bytes that nothing is behind that would not be another one's.
    fn of(available: Option<u64>) -> Self {
        let own = [0, available.unwrap_or(0)];
        Self { own, whole: own, available }
    }
}

/// Work-items that access what lies outside a buffer, as far as the compiler knows: at most one access for each argument.
/// None where nobody wants to know.
pub(super) fn bounds(
    device: &Device,
    record: &archive::Kernel,
    facts: &[ArgFacts],
    arguments: &[ArgValue<'_>],
    geometry: &Geometry,
) -> Result<Vec<OutOfBounds>, LaunchError> {
    let policy = device.context().bounds();
    let mut beyond: Vec<OutOfBounds> = Vec::new();
    if policy == Bounds::Ignore {
        return Ok(beyond);
    }
    let own_memory = device.own_memory().is_some();
    for (index, (facts, argument)) in facts.iter().zip(arguments).enumerate() {
        let reach = match argument {
            ArgValue::Buffer(buffer) => Reach::of_buffer(buffer, own_memory),
            ArgValue::Null => Reach::of(None),
            ArgValue::Pointer(address) => match SharedMemory::at(*address) {
                Some((memory, offset)) => Reach::of_shared(&memory, offset, own_memory),
                None => continue,
            },
            ArgValue::Local(bytes) => Reach::of(Some(*bytes)),
            ArgValue::Value(_) | ArgValue::Image(..) | ArgValue::Sampler(_) => continue,
        };
        let mut told = false;
        for bound in &facts.bounds {
            let Some(span) = bounds::span(bound, geometry) else { continue };
            let within = |[before, behind]: [u64; 2]| {
                span.low >= -i128::from(before) && span.high <= i128::from(behind)
            };
            if within(reach.own) {
                continue;
            }
            let out = OutOfBounds {
                kernel: record.name.clone(),
                argument: argument::parameter_name(record, index),
                needed: u128::try_from(span.high).ok().filter(|_| span.low >= -i128::from(reach.own[0])),
                lowest: span.low,
                available: reach.available,
                line: bound.line,
            };
            if policy == Bounds::Refuse || !within(reach.whole) {
                return Err(LaunchError::OutOfBounds(Box::new(out)));
            }
            if !std::mem::replace(&mut told, true) {
                beyond.push(out);
            }
        }
    }
    Ok(beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coordinate(constant: i64, global: [i64; 3]) -> AccessBound {
        AccessBound { constant, global, local: [0; 3], group: [0; 3], bytes: 1, line: 1 }
    }

    /// 16 by 8 work-items from (32, 4) on.
    fn geometry() -> Geometry {
        Geometry { work_dim: 2, groups: [4, 8, 1], local: [4, 1, 1], global: [16, 8, 1], offset: [32, 4, 0] }
    }

    fn region(origin: [u64; 3], size: [u64; 3]) -> Reached {
        Reached::Region(ImageRegion { origin, size, level: 0 })
    }

    #[test]
    fn what_is_touched_of_an_image_is_the_smallest_region_around_it() {
        let (x, y) = (coordinate(0, [1, 0, 0]), coordinate(0, [0, 1, 0]));
        let size = [40, 100, 7];
        let reached = |places: &[Vec<AccessBound>]| reached(places, &geometry(), size, false);
        // Beyond the right edge nothing is written.
        assert_eq!(reached(&[vec![x.clone(), y.clone()]]), region([32, 4, 0], [8, 8, 1]));
        // Another write, to the left and further down, in the fourth plane.
        let other = vec![coordinate(-33, [1, 0, 0]), coordinate(20, [0, 2, 0]), coordinate(3, [0; 3])];
        assert_eq!(reached(std::slice::from_ref(&other)), region([0, 28, 3], [15, 15, 1]));
        assert_eq!(reached(&[vec![x.clone(), y.clone()], other]), region([0, 4, 0], [40, 39, 4]));
        assert_eq!(reached(&[vec![coordinate(40, [1, 0, 0]), y.clone()]]), Reached::Nothing);
        assert_eq!(reached(&[]), Reached::Nothing);
        // Where it is read there is always a pixel.
        let right = vec![coordinate(40, [1, 0, 0]), y.clone()];
        assert_eq!(super::reached(&[right], &geometry(), size, true), region([39, 4, 0], [1, 8, 1]));
        // A number that leaves 32 bits is another one to the kernel.
        let wraps = vec![coordinate(i64::from(i32::MAX), [1, 0, 0]), y.clone()];
        assert_eq!(reached(&[vec![x.clone(), y], wraps]), Reached::Anything);
        let large = Geometry { offset: [1 << 31, 0, 0], ..geometry() };
        assert_eq!(super::reached(&[vec![x]], &large, size, false), Reached::Anything);
    }
}
