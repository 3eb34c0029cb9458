//! Launching kernels: every check, and the memory of launches that were made ready already.

use std::sync::Arc;

use oxcl_runtime::{ArgValue, Launch, LaunchError, NdRange, QueueError};
use smallvec::SmallVec;

use crate::args::{In, Out};
use crate::cl;
use crate::command::{conclude, publish, wait_list};
use crate::context;
use crate::device::Device;
use crate::event::Event;
use crate::handle::{Handle, Live, Shared};
use crate::kernel::{Arg, Kernel, sizes};
use crate::mem::{self, Kept, Mem};
use crate::queue::Queue;
use crate::report;
use crate::shortage;
use crate::status::{Answer, Status, ensure};
use crate::types::Uint;

/// The objects of a launch of so many arguments need no memory of their own.
const FEW: usize = 8;

/// Launches that a kernel remembers.
const REMEMBERED: usize = 4;

/// The launches of a kernel that were made ready last. A program that launches the same again, with the same arguments,
/// gets the same launch.
#[derive(Default)]
pub(crate) struct Prepared {
    launches: Vec<Remembered>,
    next: usize,
}

struct Remembered {
    args: Vec<Arg>,
    range: NdRange,
    device: usize,
    launch: Arc<Launch>,
}

impl Remembered {
    fn is(&self, args: &[Arg], range: &NdRange, device: usize) -> bool {
        self.device == device && self.range == *range && self.args == args
    }
}

impl Prepared {
    /// The launch, unless a better function may be had by now.
    fn find(&self, args: &[Arg], range: &NdRange, device: usize) -> Option<Arc<Launch>> {
        let known = self.launches.iter().find(|known| known.is(args, range, device))?;
        if known.launch.is_outdated() { None } else { Some(Arc::clone(&known.launch)) }
    }

    /// Remembers a launch in place of the same one or else of the oldest, which is given back to be dropped without the
    /// lock.
    fn put(&mut self, new: Remembered) -> Option<Remembered> {
        let same = |known: &&mut Remembered| known.is(&new.args, &new.range, new.device);
        if let Some(known) = self.launches.iter_mut().find(same) {
            return Some(std::mem::replace(known, new));
        }
        if self.launches.len() < REMEMBERED {
            self.launches.push(new);
            return None;
        }
        let oldest = self.next;
        self.next = (oldest + 1) % REMEMBERED;
        Some(std::mem::replace(&mut self.launches[oldest], new))
    }
}

/// The index space: `None` where it is empty.
fn range(
    dimensions: Uint,
    offset: In<usize>,
    global: In<usize>,
    local: In<usize>,
    device: &Live<Device>,
) -> Answer<Option<NdRange>> {
    // CL_INVALID_WORK_DIMENSION if there are not 1 to 3 dimensions (5.10).
    ensure((1..=3).contains(&dimensions), cl::INVALID_WORK_DIMENSION)?;
    let given = ..dimensions as usize;
    let Some(global) = sizes(dimensions, global) else { return Ok(None) };
    let local = sizes(dimensions, local);
    // CL_INVALID_WORK_ITEM_SIZE if a local size is 0 or more than the device has in its dimension (5.10).
    let most = device.whole().info.max_work_group_size;
    let fits = |local: &[u64; 3]| local[given].iter().all(|size| *size > 0 && *size <= most);
    ensure(local.as_ref().is_none_or(fits), cl::INVALID_WORK_ITEM_SIZE)?;
    // A size of 0 is a launch without work-items (5.10, since OpenCL 2.1).
    if global[given].contains(&0) {
        return Ok(None);
    }
    let mut range = NdRange::new(&global[given])?;
    if let Some(local) = local {
        range = range.with_local(&local[given])?;
    }
    if let Some(offset) = sizes(dimensions, offset) {
        range = range.with_offset(&offset[given])?;
    }
    Ok(Some(range))
}

/// The memory objects of the arguments: CL_INVALID_KERNEL_ARGS if an argument is not set (5.10), or its object is gone.
fn objects(args: &[Arg]) -> Answer<SmallVec<[Option<Shared<Mem>>; FEW]>> {
    let object = |arg: &Arg| match arg {
        Arg::Unset => Err(Status(cl::INVALID_KERNEL_ARGS)),
        Arg::Buffer(object) => object.upgrade().map(Some).ok_or(Status(cl::INVALID_KERNEL_ARGS)),
        _ => Ok(None),
    };
    args.iter().map(object).collect()
}

/// Makes a launch ready, or finds one that was.
fn prepare(
    queue: &Queue,
    kernel: &Shared<Kernel>,
    args: &[Arg],
    objects: &[Option<Shared<Mem>>],
    range: &NdRange,
) -> Answer<Arc<Launch>> {
    let device = queue.device.whole().index;
    if let Some(launch) = kernel.prepared().find(args, range, device) {
        return Ok(launch);
    }
    for object in objects.iter().flatten() {
        context::same(&queue.context, &object.context)?;
    }
    let values: Vec<ArgValue<'_>> = args
        .iter()
        .zip(objects)
        .map(|(arg, object)| match (arg, object) {
            (_, Some(object)) => match &object.image {
                Some(image) => image.argument(),
                None => ArgValue::Buffer(&object.buffer),
            },
            (Arg::Sampler(sampler), _) => ArgValue::Sampler(*sampler),
            (Arg::Pointer(address), _) => ArgValue::Pointer(*address as u64),
            (Arg::Local(size), _) => ArgValue::Local(*size as u64),
            (Arg::Small(bytes, length), _) => ArgValue::Value(&bytes[..usize::from(*length)]),
            (Arg::Value(bytes), _) => ArgValue::Value(bytes),
            _ => ArgValue::Null,
        })
        .collect();
    let on_device = kernel.on(&queue.device)?;
    let launch =
        queue.runtime.device().prepare(on_device, range, &values).inspect_err(|error| match error {
            LaunchError::OutOfBounds(access) => report::tell_beyond(&queue.context, access, false),
            LaunchError::Queue(error) => shortage::refused(&queue.context, error),
            _ => {}
        })?;
    for access in launch.beyond() {
        report::tell_beyond(&queue.context, access, true);
    }
    let launch = Arc::new(launch);
    launch.print_to(queue.context.printer());
    for object in objects.iter().flatten() {
        object.remembered_by(kernel);
    }
    if args.iter().any(|arg| matches!(arg, Arg::Pointer(_))) {
        queue.context.shared_with(kernel);
    }
    let new = Remembered { args: args.to_vec(), range: *range, device, launch: Arc::clone(&launch) };
    let old = kernel.prepared().put(new);
    drop(old);
    Ok(launch)
}

/// `clEnqueueNDRangeKernel`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn nd_range(
    queue: Handle<Queue>,
    kernel: Handle<Kernel>,
    dimensions: Uint,
    offset: In<usize>,
    global: In<usize>,
    local: In<usize>,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let command = cl::COMMAND_NDRANGE_KERNEL;
    launch_as(command, queue, kernel, dimensions, [offset, global, local], waits, list, event)
}

/// A launch under either of its names.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
fn launch_as(
    command: Uint,
    queue: Handle<Queue>,
    kernel: Handle<Kernel>,
    dimensions: Uint,
    [offset, global, local]: [In<usize>; 3],
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    // CL_INVALID_COMMAND_QUEUE, CL_INVALID_KERNEL if either is not valid; CL_INVALID_CONTEXT if they are of different
    // contexts; CL_INVALID_PROGRAM_EXECUTABLE if the program was not built for the device (5.10).
    let (queue, kernel) = (queue.get()?, kernel.get()?);
    context::same(&queue.context, &kernel.program.context)?;
    kernel.on(&queue.device)?;
    let range = range(dimensions, offset, global, local, &queue.device)?;
    let args = kernel.args();
    let objects = objects(&args)?;
    let waits = wait_list(&queue.context, waits, list)?;
    let Some(range) = range else {
        // No work-items: the command is complete once those that it waits for are (5.10).
        return conclude(&queue, command, false, queue.runtime.hold(&[], false, &waits), event);
    };
    let launch = prepare(&queue, &kernel, &args, &objects, &range)?;
    drop(args);
    let awaited = objects.iter().flatten().any(|object| mem::is_awaited(object));
    let refused = |error: &QueueError| shortage::refused(&queue.context, error);
    if event.is_null() && !awaited && !report::watches(&queue) {
        queue.runtime.launch_silently(&launch, &waits).inspect_err(refused)?;
        objects.iter().flatten().for_each(|object| mem::keep_all(object, &queue.runtime));
        return Ok(());
    }
    let kept = Kept::prepare(objects.iter().flatten())?;
    let enqueued = queue.runtime.launch(&launch, &waits).inspect_err(refused)?;
    report::watch(&queue, &enqueued);
    kept.until(&enqueued, objects.iter().flatten());
    publish(&queue, command, enqueued, event)
}

/// `clEnqueueTask`: one work-item.
pub(crate) fn task(
    queue: Handle<Queue>,
    kernel: Handle<Kernel>,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let one = In::to(&1);
    launch_as(cl::COMMAND_TASK, queue, kernel, 1, [In::NULL, one, one], waits, list, event)
}

/// `clGetKernelSuggestedLocalWorkSize`, of the extension's name as well.
pub(crate) fn suggested_local_size(
    queue: Handle<Queue>,
    kernel: Handle<Kernel>,
    dimensions: Uint,
    offset: In<usize>,
    global: In<usize>,
    local: Out<usize>,
) -> Answer {
    let (queue, kernel) = (queue.get()?, kernel.get()?);
    context::same(&queue.context, &kernel.program.context)?;
    let on_device = kernel.on(&queue.device)?;
    // CL_INVALID_GLOBAL_WORK_SIZE if the global size is NULL or 0 in a dimension; CL_INVALID_VALUE if there is no place
    // for the answer.
    let range = range(dimensions, offset, global, In::NULL, &queue.device)?;
    let range = range.ok_or(Status(cl::INVALID_GLOBAL_WORK_SIZE))?;
    ensure(!local.is_null(), cl::INVALID_VALUE)?;
    // CL_INVALID_KERNEL_ARGS if an argument is not set.
    objects(&kernel.args())?;
    let size = queue.runtime.device().local_size_for(on_device, &range)?;
    for (index, size) in size.iter().take(dimensions as usize).enumerate() {
        local.set_at(index, *size as usize);
    }
    Ok(())
}
