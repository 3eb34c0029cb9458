//! Samplers.

use oxcl_runtime::{Addressing, Mip, Sampler as Description};

use crate::args::{In, Memory, Out};
use crate::cl;
use crate::context::Context;
use crate::handle::{Handle, Live, Object, Shared};
use crate::image::has_images;
use crate::info::Reply;
use crate::status::{Answer, Status, ensure, refuse};
use crate::types::{Int, Property, Uint};

/// A sampler.
pub(crate) struct Sampler {
    context: Shared<Context>,
    pub(crate) description: Description,
    /// As given, with the 0 at the end; empty where none were.
    properties: Vec<Property>,
}

impl Object for Sampler {
    const TAG: u32 = 0x6f78_0009;
    const INVALID: Int = cl::INVALID_SAMPLER;
}

/// What coordinates outside mean: CL_INVALID_VALUE for a number that says nothing of it (5.7.1).
fn addressing(number: Uint) -> Answer<Addressing> {
    Ok(match number {
        cl::ADDRESS_NONE => Addressing::None,
        cl::ADDRESS_CLAMP_TO_EDGE => Addressing::ClampToEdge,
        cl::ADDRESS_CLAMP => Addressing::Clamp,
        cl::ADDRESS_REPEAT => Addressing::Repeat,
        cl::ADDRESS_MIRRORED_REPEAT => Addressing::MirroredRepeat,
        _ => return refuse(cl::INVALID_VALUE),
    })
}

/// Whether neighbours are interpolated: CL_INVALID_VALUE for a number that is no filter (5.7.1).
fn is_linear(number: Uint) -> Answer<bool> {
    ensure(matches!(number, cl::FILTER_NEAREST | cl::FILTER_LINEAR), cl::INVALID_VALUE)?;
    Ok(number == cl::FILTER_LINEAR)
}

/// The bits of a float: CL_INVALID_VALUE where they are no number (5.7.1).
fn float(bits: Uint) -> Answer<Uint> {
    ensure(!f32::from_bits(bits).is_nan(), cl::INVALID_VALUE)?;
    Ok(bits)
}

fn begin(
    context: Shared<Context>,
    description: Description,
    properties: Vec<Property>,
) -> Answer<Handle<Sampler>> {
    // CL_INVALID_OPERATION if no device of the context has images (5.7.1).
    has_images(&context)?;
    Ok(Live::begin(Sampler { context, description, properties })?.give())
}

/// `clCreateSampler`.
pub(crate) fn create(
    context: Handle<Context>,
    normalised: Uint,
    mode: Uint,
    filter: Uint,
) -> Answer<Handle<Sampler>> {
    let context = context.get()?;
    ensure(normalised <= 1, cl::INVALID_VALUE)?;
    let (addressing, linear) = (addressing(mode)?, is_linear(filter)?);
    begin(context, Description::new(normalised != 0, addressing, linear), Vec::new())
}

/// `clCreateSamplerWithProperties`.
pub(crate) fn create_with_properties(
    context: Handle<Context>,
    properties: In<Property>,
) -> Answer<Handle<Sampler>> {
    let context = context.get()?;
    let mut list = properties.until(64, 2, |name| *name == 0);
    // What is not given: normalised coordinates, the border's colour, the nearest pixel (5.7.1).
    let mut description = Description::new(true, Addressing::Clamp, false);
    for (index, pair) in list.chunks_exact(2).enumerate() {
        let &[name, value] = pair else { continue };
        // CL_INVALID_VALUE if a name is not supported, a value not valid, or a name given twice (5.7.1).
        let again = list.chunks_exact(2).take(index).any(|earlier| earlier[0] == name);
        ensure(!again, cl::INVALID_VALUE)?;
        let value = Uint::try_from(value).map_err(|_| Status(cl::INVALID_VALUE))?;
        match Uint::try_from(name) {
            Ok(cl::SAMPLER_NORMALIZED_COORDS) => {
                ensure(value <= 1, cl::INVALID_VALUE)?;
                description.normalised = value != 0;
            }
            Ok(cl::SAMPLER_ADDRESSING_MODE) => description.addressing = addressing(value)?,
            Ok(cl::SAMPLER_FILTER_MODE) => description.linear = is_linear(value)?,
            // cl_khr_mipmap_image, additions to 5.7. A float is given by its bits.
            Ok(cl::SAMPLER_MIP_FILTER_MODE_KHR) => description.mip.linear = is_linear(value)?,
            Ok(cl::SAMPLER_LOD_MIN_KHR) => description.mip.lowest = float(value)?,
            Ok(cl::SAMPLER_LOD_MAX_KHR) => description.mip.highest = float(value)?,
            _ => return refuse(cl::INVALID_VALUE),
        }
    }
    if !properties.is_null() {
        list.push(0);
    }
    begin(context, description, list)
}

/// `clRetainSampler`.
pub(crate) fn retain(sampler: Handle<Sampler>) -> Answer {
    sampler.retain()
}

/// `clReleaseSampler`.
pub(crate) fn release(sampler: Handle<Sampler>) -> Answer {
    sampler.release()
}

/// `clGetSamplerInfo`.
pub(crate) fn info(
    sampler: Handle<Sampler>,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    let sampler = sampler.get()?;
    let reply = Reply::new(size, value, size_ret);
    let Description { normalised, addressing, linear, mip: Mip { linear: mixes, lowest, highest } } =
        sampler.description;
    let filter = |linear: bool| if linear { cl::FILTER_LINEAR } else { cl::FILTER_NEAREST };
    match name {
        cl::SAMPLER_REFERENCE_COUNT => reply.value(sampler.references()),
        cl::SAMPLER_CONTEXT => reply.value(sampler.context.handle()),
        cl::SAMPLER_NORMALIZED_COORDS => reply.bool(normalised),
        cl::SAMPLER_ADDRESSING_MODE => reply.value(match addressing {
            Addressing::None => cl::ADDRESS_NONE,
            Addressing::ClampToEdge => cl::ADDRESS_CLAMP_TO_EDGE,
            Addressing::Clamp => cl::ADDRESS_CLAMP,
            Addressing::Repeat => cl::ADDRESS_REPEAT,
            Addressing::MirroredRepeat => cl::ADDRESS_MIRRORED_REPEAT,
        }),
        cl::SAMPLER_FILTER_MODE => reply.value(filter(linear)),
        cl::SAMPLER_MIP_FILTER_MODE_KHR => reply.value(filter(mixes)),
        cl::SAMPLER_LOD_MIN_KHR => reply.value(lowest),
        cl::SAMPLER_LOD_MAX_KHR => reply.value(highest),
        cl::SAMPLER_PROPERTIES => reply.slice(&sampler.properties),
        // CL_INVALID_VALUE if param_name is none of the supported values (5.7.3).
        _ => refuse(cl::INVALID_VALUE),
    }
}
