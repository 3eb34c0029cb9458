//! What the devices do not have: images, samplers, pipes, queues on the device, intermediate languages. The
//! functions are there, as OpenCL 3.0 demands, and return the errors that it names for absent features. No handle of an
//! image or a sampler exists, so none is valid.

use crate::args::{In, Memory, Out};
use crate::cl;
use crate::context::{self, Context};
use crate::device::Device;
use crate::event::Event;
use crate::handle::{Handle, Object};
use crate::mem::Mem;
use crate::program::{Program, ProgramNotify};
use crate::queue::Queue;
use crate::status::{Answer, ensure, refuse};
use crate::types::{Bitfield, Int, Property, Uint, UserData};

/// A sampler. There is none.
pub(crate) enum Sampler {}

impl Object for Sampler {
    const TAG: u32 = 0x6f78_0009;
    const INVALID: Int = cl::INVALID_SAMPLER;
}

/// CL_INVALID_OPERATION if no device of the context has the feature (5.3.1, 5.4.1, 5.7).
fn not_in<T>(context: Handle<Context>) -> Answer<T> {
    context.get()?;
    refuse(cl::INVALID_OPERATION)
}

/// CL_INVALID_OPERATION if the device of the queue has no images (5.3.3 to 5.3.7).
fn not_on<T>(queue: Handle<Queue>, objects: &[Handle<Mem>]) -> Answer<T> {
    let queue = queue.get()?;
    for object in objects {
        context::same(&queue.context, &object.get()?.context)?;
    }
    refuse(cl::INVALID_OPERATION)
}

/// `clCreateImage`.
pub(crate) fn create_image(
    context: Handle<Context>,
    _: Bitfield,
    _: Memory,
    _: Memory,
    _: Memory,
) -> Answer<Handle<Mem>> {
    not_in(context)
}

/// `clCreateImageWithProperties`.
pub(crate) fn create_image_with_properties(
    context: Handle<Context>,
    _: In<Property>,
    _: Bitfield,
    _: Memory,
    _: Memory,
    _: Memory,
) -> Answer<Handle<Mem>> {
    not_in(context)
}

/// `clCreateImage2D`.
pub(crate) fn create_image_2d(
    context: Handle<Context>,
    _: Bitfield,
    _: Memory,
    _: usize,
    _: usize,
    _: usize,
    _: Memory,
) -> Answer<Handle<Mem>> {
    not_in(context)
}

/// `clCreateImage3D`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn create_image_3d(
    context: Handle<Context>,
    _: Bitfield,
    _: Memory,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: Memory,
) -> Answer<Handle<Mem>> {
    not_in(context)
}

/// `clGetSupportedImageFormats`: there are none.
pub(crate) fn supported_formats(
    context: Handle<Context>,
    _: Bitfield,
    kind: Uint,
    entries: Uint,
    formats: Memory,
    count: Out<Uint>,
) -> Answer {
    context.get()?;
    // CL_INVALID_VALUE if the type is none of an image, or there is a list of no entries (5.3.2).
    let is_image = (cl::MEM_OBJECT_IMAGE2D..=cl::MEM_OBJECT_IMAGE1D_BUFFER).contains(&kind);
    ensure(is_image && (formats.is_null() || entries > 0), cl::INVALID_VALUE)?;
    count.set(0);
    Ok(())
}

/// `clGetImageInfo`: CL_INVALID_MEM_OBJECT for what is no image (5.3.8).
pub(crate) fn image_info(_: Handle<Mem>, _: Uint, _: usize, _: Memory, _: Out<usize>) -> Answer {
    refuse(cl::INVALID_MEM_OBJECT)
}

/// `clCreateSampler`.
pub(crate) fn create_sampler(context: Handle<Context>, _: Uint, _: Uint, _: Uint) -> Answer<Handle<Sampler>> {
    not_in(context)
}

/// `clCreateSamplerWithProperties`.
pub(crate) fn create_sampler_with_properties(
    context: Handle<Context>,
    _: In<Property>,
) -> Answer<Handle<Sampler>> {
    not_in(context)
}

/// `clRetainSampler` and `clReleaseSampler`.
pub(crate) fn sampler(sampler: Handle<Sampler>) -> Answer {
    sampler.get().map(drop)
}

/// `clGetSamplerInfo`.
pub(crate) fn sampler_info(sampler: Handle<Sampler>, _: Uint, _: usize, _: Memory, _: Out<usize>) -> Answer {
    sampler.get().map(drop)
}

/// `clEnqueueReadImage` and `clEnqueueWriteImage`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn transfer_image(
    queue: Handle<Queue>,
    image: Handle<Mem>,
    _: Uint,
    _: In<usize>,
    _: In<usize>,
    _: usize,
    _: usize,
    _: Memory,
    _: Uint,
    _: In<Handle<Event>>,
    _: Out<Handle<Event>>,
) -> Answer {
    not_on(queue, &[image])
}

/// `clEnqueueCopyImage`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn copy_image(
    queue: Handle<Queue>,
    from: Handle<Mem>,
    to: Handle<Mem>,
    _: In<usize>,
    _: In<usize>,
    _: In<usize>,
    _: Uint,
    _: In<Handle<Event>>,
    _: Out<Handle<Event>>,
) -> Answer {
    not_on(queue, &[from, to])
}

/// `clEnqueueCopyImageToBuffer`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn copy_image_to_buffer(
    queue: Handle<Queue>,
    from: Handle<Mem>,
    to: Handle<Mem>,
    _: In<usize>,
    _: In<usize>,
    _: usize,
    _: Uint,
    _: In<Handle<Event>>,
    _: Out<Handle<Event>>,
) -> Answer {
    not_on(queue, &[from, to])
}

/// `clEnqueueCopyBufferToImage`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn copy_buffer_to_image(
    queue: Handle<Queue>,
    from: Handle<Mem>,
    to: Handle<Mem>,
    _: usize,
    _: In<usize>,
    _: In<usize>,
    _: Uint,
    _: In<Handle<Event>>,
    _: Out<Handle<Event>>,
) -> Answer {
    not_on(queue, &[from, to])
}

/// `clEnqueueFillImage`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn fill_image(
    queue: Handle<Queue>,
    image: Handle<Mem>,
    _: Memory,
    _: In<usize>,
    _: In<usize>,
    _: Uint,
    _: In<Handle<Event>>,
    _: Out<Handle<Event>>,
) -> Answer {
    not_on(queue, &[image])
}

/// `clEnqueueMapImage`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn map_image(
    queue: Handle<Queue>,
    image: Handle<Mem>,
    _: Uint,
    _: Bitfield,
    _: In<usize>,
    _: In<usize>,
    _: Out<usize>,
    _: Out<usize>,
    _: Uint,
    _: In<Handle<Event>>,
    _: Out<Handle<Event>>,
) -> Answer<Memory> {
    not_on(queue, &[image])
}

/// `clCreatePipe`.
pub(crate) fn create_pipe(
    context: Handle<Context>,
    _: Bitfield,
    _: Uint,
    _: Uint,
    _: In<isize>,
) -> Answer<Handle<Mem>> {
    not_in(context)
}

/// `clGetPipeInfo`: CL_INVALID_MEM_OBJECT for what is no pipe (5.4.2).
pub(crate) fn pipe_info(_: Handle<Mem>, _: Uint, _: usize, _: Memory, _: Out<usize>) -> Answer {
    refuse(cl::INVALID_MEM_OBJECT)
}

/// `clSetDefaultDeviceCommandQueue`: CL_INVALID_OPERATION if the device has no queues of its own (5.1).
pub(crate) fn set_default_queue(
    context: Handle<Context>,
    device: Handle<Device>,
    _: Handle<Queue>,
) -> Answer {
    let context = context.get()?;
    ensure(context.has(&*device.get()?), cl::INVALID_DEVICE)?;
    refuse(cl::INVALID_OPERATION)
}

/// `clSetProgramReleaseCallback`: CL_INVALID_OPERATION if no device has constructors at program scope (5.8.4).
pub(crate) fn release_callback(program: Handle<Program>, _: ProgramNotify, _: UserData) -> Answer {
    program.get()?;
    refuse(cl::INVALID_OPERATION)
}

/// `clSetProgramSpecializationConstant`: CL_INVALID_OPERATION if no device takes an intermediate language (5.8.5).
pub(crate) fn specialization_constant(program: Handle<Program>, _: Uint, _: usize, _: Memory) -> Answer {
    program.get()?;
    refuse(cl::INVALID_OPERATION)
}
