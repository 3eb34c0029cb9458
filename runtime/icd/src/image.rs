//! Making images, of memory of their own, of the application's and of other objects'; the formats that there are, and
//! `clGetImageInfo`.

use oxcl_runtime::{Image, ImageDescription, ImageError, ImageFormat, ImageKind, ImageShape, ImageUse};

use crate::args::{In, Memory, Out};
use crate::buffer::{DEVICE_ACCESS, HOST_ACCESS, HOST_POINTER, check_flags, compatible};
use crate::cl;
use crate::context::Context;
use crate::handle::{Handle, Live, Shared};
use crate::info::Reply;
use crate::mem::Mem;
use crate::shortage;
use crate::status::{Answer, Status, ensure, refuse};
use crate::types::{Bitfield, Property, Uint};

/// `cl_image_format`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Format {
    order: Uint,
    kind: Uint,
}

impl Format {
    fn known(self) -> ImageFormat {
        ImageFormat { channel_order: self.order, channel_type: self.kind }
    }

    fn of(format: ImageFormat) -> Format {
        Format { order: format.channel_order, kind: format.channel_type }
    }
}

/// `cl_image_desc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Description {
    kind: Uint,
    width: usize,
    height: usize,
    depth: usize,
    array_size: usize,
    row_pitch: usize,
    slice_pitch: usize,
    levels: Uint,
    samples: Uint,
    object: Handle<Mem>,
}

/// What an image is addressed by, of its number.
fn kind_of(number: Uint) -> Option<ImageKind> {
    Some(match number {
        cl::MEM_OBJECT_IMAGE1D => ImageKind::Image1d,
        cl::MEM_OBJECT_IMAGE1D_ARRAY => ImageKind::Image1dArray,
        cl::MEM_OBJECT_IMAGE1D_BUFFER => ImageKind::Image1dBuffer,
        cl::MEM_OBJECT_IMAGE2D => ImageKind::Image2d,
        cl::MEM_OBJECT_IMAGE2D_ARRAY => ImageKind::Image2dArray,
        cl::MEM_OBJECT_IMAGE3D => ImageKind::Image3d,
        _ => return None,
    })
}

/// `CL_MEM_TYPE` of an image.
pub(crate) fn number_of(kind: ImageKind) -> Uint {
    match kind {
        ImageKind::Image1d => cl::MEM_OBJECT_IMAGE1D,
        ImageKind::Image1dArray => cl::MEM_OBJECT_IMAGE1D_ARRAY,
        ImageKind::Image1dBuffer => cl::MEM_OBJECT_IMAGE1D_BUFFER,
        ImageKind::Image2d => cl::MEM_OBJECT_IMAGE2D,
        ImageKind::Image2dArray => cl::MEM_OBJECT_IMAGE2D_ARRAY,
        ImageKind::Image3d => cl::MEM_OBJECT_IMAGE3D,
    }
}

/// What kernels may do with an object of these flags.
fn use_of(flags: Bitfield) -> ImageUse {
    if flags & cl::MEM_KERNEL_READ_AND_WRITE != 0 {
        ImageUse::ReadAndWrite
    } else if flags & cl::MEM_READ_ONLY != 0 {
        ImageUse::Read
    } else {
        ImageUse::Write
    }
}

/// CL_INVALID_OPERATION if no device of the context has images (5.3.1).
pub(crate) fn has_images(context: &Context) -> Answer {
    let has = context.devices.iter().any(|device| device.whole().info.has_images);
    ensure(has, cl::INVALID_OPERATION)
}

/// `clCreateImage`.
pub(crate) fn create(
    context: Handle<Context>,
    flags: Bitfield,
    format: In<Format>,
    description: In<Description>,
    host: Memory,
) -> Answer<Handle<Mem>> {
    Ok(Live::begin(make(&context.get()?, flags, format, description, host)?)?.give())
}

/// `clCreateImageWithProperties`.
pub(crate) fn create_with_properties(
    context: Handle<Context>,
    properties: In<Property>,
    flags: Bitfield,
    format: In<Format>,
    description: In<Description>,
    host: Memory,
) -> Answer<Handle<Mem>> {
    let context = context.get()?;
    // CL_INVALID_PROPERTY if a name is not supported (5.3.1): there is none.
    ensure(properties.get().is_none_or(|first| first == 0), cl::INVALID_PROPERTY)?;
    let mut mem = make(&context, flags, format, description, host)?;
    if !properties.is_null() {
        mem.properties = vec![0];
    }
    Ok(Live::begin(mem)?.give())
}

/// `clCreateImage2D`.
pub(crate) fn create_2d(
    context: Handle<Context>,
    flags: Bitfield,
    format: In<Format>,
    width: usize,
    height: usize,
    row_pitch: usize,
    host: Memory,
) -> Answer<Handle<Mem>> {
    let description = Description { width, height, row_pitch, ..Description::new(cl::MEM_OBJECT_IMAGE2D) };
    create(context, flags, format, In::to(&description), host).map_err(of_old_form)
}

/// `clCreateImage3D`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn create_3d(
    context: Handle<Context>,
    flags: Bitfield,
    format: In<Format>,
    width: usize,
    height: usize,
    depth: usize,
    row_pitch: usize,
    slice_pitch: usize,
    host: Memory,
) -> Answer<Handle<Mem>> {
    let volume = Description::new(cl::MEM_OBJECT_IMAGE3D);
    let description = Description { width, height, depth, row_pitch, slice_pitch, ..volume };
    create(context, flags, format, In::to(&description), host).map_err(of_old_form)
}

/// The old forms have CL_INVALID_IMAGE_SIZE for sizes and pitches of every kind (OpenCL 1.1, 5.3.1).
fn of_old_form(status: Status) -> Status {
    if status.0 == cl::INVALID_IMAGE_DESCRIPTOR { Status(cl::INVALID_IMAGE_SIZE) } else { status }
}

impl Description {
    fn new(kind: Uint) -> Self {
        Self {
            kind,
            width: 0,
            height: 0,
            depth: 0,
            array_size: 1,
            row_pitch: 0,
            slice_pitch: 0,
            levels: 0,
            samples: 0,
            object: Handle::NULL,
        }
    }

    /// The shape: CL_INVALID_IMAGE_DESCRIPTOR where the description is none (5.3.1).
    fn shape(&self, format: ImageFormat) -> Answer<ImageShape> {
        let invalid = cl::INVALID_IMAGE_DESCRIPTOR;
        let kind = kind_of(self.kind).ok_or(Status(invalid))?;
        // Images with several samples are of an extension that is not reported.
        ensure(self.samples == 0, invalid)?;
        let sizes = [self.width, self.height, self.depth];
        let there = sizes.iter().take(kind.dimensions()).all(|size| *size > 0);
        ensure(there && (!kind.is_array() || self.array_size > 0), invalid)?;
        Ok(ImageShape {
            kind,
            format,
            size: sizes.map(|size| size as u64),
            array_size: self.array_size as u64,
            row_pitch: self.row_pitch as u64,
            slice_pitch: if kind.has_slices() { self.slice_pitch as u64 } else { 0 },
            levels: self.levels,
        })
    }
}

/// The errors of an image that is made.
fn refused(error: ImageError) -> Status {
    match error {
        ImageError::Pitch { .. } => Status(cl::INVALID_IMAGE_DESCRIPTOR),
        error => error.into(),
    }
}

fn make(
    context: &Shared<Context>,
    flags: Bitfield,
    format: In<Format>,
    description: In<Description>,
    host: Memory,
) -> Answer<Mem> {
    check_flags(flags, DEVICE_ACCESS | HOST_ACCESS | HOST_POINTER | cl::MEM_KERNEL_READ_AND_WRITE)?;
    // CL_INVALID_OPERATION comes last in the specification's list, but nothing else can be said of an image then (5.3.1).
    has_images(context)?;
    // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if there is no format or it has values that are none; CL_INVALID_IMAGE_DESCRIPTOR if there
    // is no description (5.3.1).
    let format = format.get().ok_or(Status(cl::INVALID_IMAGE_FORMAT_DESCRIPTOR))?.known();
    let description = description.get().ok_or(Status(cl::INVALID_IMAGE_DESCRIPTOR))?;
    ensure(format.element_size().is_some(), cl::INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
    let orders = oxcl_runtime::order::R..=oxcl_runtime::order::ABGR;
    ensure(orders.contains(&format.channel_order), cl::INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
    let shape = description.shape(format)?;
    let parent = if description.object.is_null() { None } else { Some(description.object.get()?) };
    // An image over a buffer is what the buffer is, where it does not say otherwise (5.3.1).
    let inherited = |parent: &Live<Mem>, mask: Bitfield| {
        if flags & mask == 0 { parent.flags & mask } else { flags & mask }
    };
    let known = match &parent {
        Some(parent) => {
            let device = inherited(parent, DEVICE_ACCESS | cl::MEM_KERNEL_READ_AND_WRITE);
            device | inherited(parent, HOST_ACCESS) | (parent.flags & HOST_POINTER)
        }
        None => flags,
    };
    let known = if known & (DEVICE_ACCESS | cl::MEM_KERNEL_READ_AND_WRITE) == 0 {
        known | cl::MEM_READ_WRITE
    } else {
        known
    };
    // CL_IMAGE_FORMAT_NOT_SUPPORTED if no device has the format for what the flags ask (5.3.1).
    ensure(format.is_supported(shape.kind, use_of(known)), cl::IMAGE_FORMAT_NOT_SUPPORTED)?;
    let has_mipmap = shape.levels > 1;
    let Some(parent) = parent else {
        // CL_INVALID_HOST_PTR if there is memory of the application's, or is to be, for an image with a mipmap
        // (cl_khr_mipmap_image, additions to 5.3).
        let of_host = flags & (cl::MEM_USE_HOST_PTR | cl::MEM_COPY_HOST_PTR) != 0 || !host.is_null();
        ensure(!has_mipmap || !of_host, cl::INVALID_HOST_PTR)?;
        // CL_INVALID_IMAGE_DESCRIPTOR if an image of a buffer's content has none (5.3.1).
        ensure(shape.kind != ImageKind::Image1dBuffer, cl::INVALID_IMAGE_DESCRIPTOR)?;
        let image = alone(context, flags, &shape, host)?;
        let place = if flags & cl::MEM_USE_HOST_PTR != 0 { host } else { Memory::NULL };
        return Ok(Mem::of_image(context.clone(), known, place, image));
    };
    crate::context::same(context, &parent.context)?;
    // CL_INVALID_HOST_PTR if there is memory of the application's and another object's too (5.3.1).
    ensure(host.is_null(), cl::INVALID_HOST_PTR)?;
    // CL_INVALID_VALUE if the flags ask for what the other object's do not allow (5.3.1).
    ensure(flags & HOST_POINTER == 0 && compatible(parent.flags, flags), cl::INVALID_VALUE)?;
    let image = match (&parent.image, shape.kind) {
        // A mipmap has memory of its own: CL_INVALID_IMAGE_DESCRIPTOR.
        (None, _) if has_mipmap => return refuse(cl::INVALID_IMAGE_DESCRIPTOR),
        (None, ImageKind::Image1dBuffer | ImageKind::Image2d) => {
            Image::in_buffer(&parent.buffer, &shape).map_err(refused)?
        }
        // The same pixels with another order: CL_INVALID_IMAGE_FORMAT_DESCRIPTOR unless type and channels are the same,
        // CL_INVALID_IMAGE_DESCRIPTOR unless the sizes are (5.3.1).
        (Some(whole), ImageKind::Image2d) => {
            let ImageDescription { kind, size, format: old, levels, .. } = *whole.description();
            let same = kind == ImageKind::Image2d
                && size[..2] == shape.size[..2]
                && levels.max(1) == shape.levels.max(1);
            ensure(same, cl::INVALID_IMAGE_DESCRIPTOR)?;
            let fits = old.channel_type == format.channel_type && old.channels() == format.channels();
            ensure(fits, cl::INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
            whole.with_format(format).map_err(refused)?
        }
        // CL_INVALID_IMAGE_DESCRIPTOR if the object is none that such an image can be made of (5.3.1).
        _ => return refuse(cl::INVALID_IMAGE_DESCRIPTOR),
    };
    let mut mem = Mem::of_image(context.clone(), known, parent.host, image);
    mem.parent = Some((parent, 0));
    Ok(mem)
}

/// An image that no other object has the memory of.
fn alone(context: &Shared<Context>, flags: Bitfield, shape: &ImageShape, host: Memory) -> Answer<Image> {
    // CL_INVALID_HOST_PTR if the flags ask for the application's memory and there is none, or the other way round (5.3.1).
    let wants_host = flags & (cl::MEM_USE_HOST_PTR | cl::MEM_COPY_HOST_PTR) != 0;
    ensure(wants_host != host.is_null(), cl::INVALID_HOST_PTR)?;
    if !wants_host {
        // CL_INVALID_IMAGE_DESCRIPTOR if there are pitches of no memory (5.3.1).
        ensure(shape.row_pitch == 0 && shape.slice_pitch == 0, cl::INVALID_IMAGE_DESCRIPTOR)?;
        return Image::new(shape).map_err(refused);
    }
    // As it is in the application's memory.
    let given = Image::new(shape).map_err(refused)?;
    let bytes = usize::try_from(given.buffer().size()).map_err(|_| Status(cl::INVALID_IMAGE_SIZE))?;
    let span = host.span(bytes).ok_or(Status(cl::INVALID_HOST_PTR))?;
    if flags & cl::MEM_USE_HOST_PTR != 0 {
        // SAFETY: the application keeps the memory until the image and its commands are gone (5.3.1).
        return unsafe { Image::over(span, shape) }.map_err(refused);
    }
    let image = Image::new(&ImageShape { row_pitch: 0, slice_pitch: 0, ..*shape }).map_err(refused)?;
    let pitches = image.pitches();
    let [width, rows, slices] = image.whole().size;
    let length = (width * image.description().element_size) as usize;
    let is_packed = given.buffer().size() == image.buffer().size();
    let copy = |from: u64, to: u64, length: usize| {
        let start = span.pointer().wrapping_add(from as usize);
        // SAFETY: the application promises the rows of the image, for the length of this call.
        let row = unsafe { std::slice::from_raw_parts(start, length) };
        image.buffer().write(to, row).map_err(|error| shortage::refused_buffer(context, error))
    };
    if is_packed {
        copy(0, 0, bytes)?;
        return Ok(image);
    }
    let from = given.pitches();
    for slice in 0..slices {
        for row in 0..rows {
            let at = |[rows, slices]: [u64; 2]| slice * slices + row * rows;
            copy(at(from), at(pitches), length)?;
        }
    }
    Ok(image)
}

/// `clGetSupportedImageFormats`.
pub(crate) fn supported_formats(
    context: Handle<Context>,
    flags: Bitfield,
    kind: Uint,
    entries: Uint,
    formats: Out<Format>,
    count: Out<Uint>,
) -> Answer {
    let context = context.get()?;
    check_flags(flags, DEVICE_ACCESS | HOST_ACCESS | HOST_POINTER | cl::MEM_KERNEL_READ_AND_WRITE)?;
    // CL_INVALID_VALUE if the type is none of an image, or there is a list of no entries (5.3.2).
    let kind = kind_of(kind).ok_or(Status(cl::INVALID_VALUE))?;
    ensure(formats.is_null() || entries > 0, cl::INVALID_VALUE)?;
    let all: Vec<ImageFormat> = match has_images(&context) {
        Ok(()) => ImageFormat::all(kind, use_of(flags)).collect(),
        Err(_) => Vec::new(),
    };
    for (index, format) in all.iter().take(entries as usize).enumerate() {
        formats.set_at(index, Format::of(*format));
    }
    count.set(all.len() as Uint);
    Ok(())
}

/// The image of a memory object: CL_INVALID_MEM_OBJECT if it is none (5.3.3 to 5.3.8).
pub(crate) fn image_of(object: &Live<Mem>) -> Answer<&Image> {
    object.image.as_ref().ok_or(Status(cl::INVALID_MEM_OBJECT))
}

/// `clGetImageInfo`.
pub(crate) fn info(
    object: Handle<Mem>,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    let mem = object.get()?;
    let image = image_of(&mem)?.description();
    let reply = Reply::new(size, value, size_ret);
    let dimensions = image.kind.dimensions();
    // What the image does not have is 0 (5.3.8).
    let extent = |d: usize| if d < dimensions { image.size[d] as usize } else { 0 };
    let has_slices = image.kind.has_slices();
    match name {
        cl::IMAGE_FORMAT => reply.slice(&[image.format.channel_order, image.format.channel_type]),
        cl::IMAGE_ELEMENT_SIZE => reply.value(image.element_size as usize),
        cl::IMAGE_ROW_PITCH => reply.value(image.row_pitch as usize),
        cl::IMAGE_SLICE_PITCH => reply.value(if has_slices { image.slice_pitch as usize } else { 0 }),
        cl::IMAGE_WIDTH => reply.value(extent(0)),
        cl::IMAGE_HEIGHT => reply.value(extent(1)),
        cl::IMAGE_DEPTH => reply.value(extent(2)),
        cl::IMAGE_ARRAY_SIZE => {
            reply.value(if image.kind.is_array() { image.array_size as usize } else { 0 })
        }
        cl::IMAGE_BUFFER => {
            let buffer = mem.parent.as_ref().filter(|(parent, _)| parent.image.is_none());
            reply.value(buffer.map_or(Handle::NULL, |(parent, _)| parent.handle()))
        }
        cl::IMAGE_NUM_MIP_LEVELS => reply.value(image.levels),
        cl::IMAGE_NUM_SAMPLES => reply.value(0_u32),
        // CL_INVALID_VALUE if param_name is none of the supported values (5.3.8).
        _ => refuse(cl::INVALID_VALUE),
    }
}
