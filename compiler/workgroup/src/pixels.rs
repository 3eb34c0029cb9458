//! Which pixels of its images a kernel reads and writes, as far as that is plain: coordinates that are sums of ids and constants.
//!
//! In: a module with the library's functions still calls, opaque types lowered. Out: for each image that the kernel reads and writes at
//! such coordinates alone, the coordinates of each place in the program. Nothing is said of images that are read by coordinates in
//! floating point, or that the kernel hands to functions of the program that stay calls, or reaches in another way.

use crate::facts::id_of;
use crate::workitem::range_of_small;
use oxcl_binary::meta::{AccessBound, PixelPlaces};
use oxcl_ir::affine::{Affine, Forms};
use oxcl_ir::module::{self as ir_module, Layout};
use oxcl_ir::{Function, IrError, Module, Opcode, Place, TypeKind, Value};

/// How the names of the library's functions begin that read or write a pixel: `write_imagef`, `…i`, `…h` and `…ui`.
const PIXELS: [&str; 4] = ["_Z12write_image", "_Z13write_imageui", "_Z11read_image", "_Z12read_imageui"];

/// The library's functions stay calls, what the front end makes of a kernel that others may call does not.
const PIPELINE: &str = "always-inline,function(sroa,early-cse,instsimplify)";

/// Places that are kept for one image at most; of more nothing is said.
const MOST_PLACES: usize = 16;

fn is_pixel(function: Function<'_>) -> bool {
    PIXELS.iter().any(|start| function.name().starts_with(start))
}

/// Whether a kernel has images.
#[must_use]
pub fn has_images(kernel: Function<'_>) -> bool {
    (0..kernel.parameters().len() as u32).any(|index| kernel.image_parameter(index).is_some())
}

/// Finds what `kernel` of `module` reads and writes. The module is the caller's to throw away.
///
/// # Errors
/// LLVM fails over the module.
pub fn pixels(module: &Module<'_>, kernel: Function<'_>) -> Result<Vec<PixelPlaces>, IrError> {
    for function in Function::all(module) {
        if is_pixel(function) {
            function.remove_attribute(Place::Function, "alwaysinline");
            function.add_attribute(Place::Function, "noinline");
        }
    }
    ir_module::run_passes(module, PIPELINE)?;
    let forms = Forms::of(kernel, Layout::of(module), &id_of, &range_of_small);
    let images = kernel.parameters().into_iter().zip(0_u32..);
    let images = images.filter(|(_, index)| kernel.image_parameter(*index).is_some());
    Ok(images
        .filter_map(|(parameter, argument)| {
            let mut places = Vec::new();
            is_plain(parameter, &forms, &mut places).then_some(PixelPlaces { argument, places })
        })
        .collect())
}

/// Whether all that is done with an image, or an address in its description, is to read and write at plain coordinates and to ask.
fn is_plain<'c>(image: Value<'c>, forms: &Forms<'_, 'c>, places: &mut Vec<Vec<AccessBound>>) -> bool {
    image.users().into_iter().all(|user| match user.opcode() {
        // A size or the like; behind the address of pixels there may be anything.
        Some(Opcode::LLVMLoad) => matches!(user.ty().kind(), TypeKind::Int(_)),
        Some(Opcode::LLVMGetElementPtr) => user.operand(0) == image && is_plain(user, forms, &mut Vec::new()),
        Some(Opcode::LLVMCall) => {
            let arguments = user.arguments();
            if !user.callee().is_some_and(is_pixel) || arguments.first() != Some(&image) {
                return false;
            }
            // Behind the image, or behind a sampler, whose bits are no coordinates.
            let sampler = arguments.get(1).is_some_and(|&at| is_sampler(at));
            let index = if sampler { 2 } else { 1 };
            let is_read = user.ty().kind() != TypeKind::Void;
            // What is there beside the coordinates, and a written colour, names a level of a mipmap: other pixels than the image's own.
            if arguments.len() != if is_read { index + 1 } else { index + 2 } {
                return false;
            }
            let at = arguments.get(index);
            let coordinates = at.and_then(|&at| coordinates(at, user.line(), forms));
            coordinates.is_some_and(|at| {
                if !places.contains(&at) {
                    places.push(at);
                }
                places.len() <= MOST_PLACES
            })
        }
        _ => false,
    })
}

/// Whether an argument of a function for pixels is a sampler's bits, which have a pointer's size; coordinates have 32 bits each.
fn is_sampler(argument: Value<'_>) -> bool {
    argument.ty().kind() == TypeKind::Int(64)
}

/// The forms of coordinates: one, two, or three of a vector of four.
fn coordinates<'c>(at: Value<'c>, line: u32, forms: &Forms<'_, 'c>) -> Option<Vec<AccessBound>> {
    let count = match at.ty().kind() {
        TypeKind::Int(32) => return Some(vec![bound(scalar(at, forms)?, line)]),
        TypeKind::Vector(2) => 2,
        TypeKind::Vector(4) => 3,
        _ => return None,
    };
    (0..count).map(|element| Some(bound(component(at, element, forms)?, line))).collect()
}

/// The form of a number of 32 bits. Where it was cut to these, or sums wrap, the form is what was there before: who uses it looks whether
/// it leaves 32 bits.
fn scalar<'c>(number: Value<'c>, forms: &Forms<'_, 'c>) -> Option<Affine> {
    forms.number(if number.is(Opcode::LLVMTrunc) { number.operand(0) } else { number })
}

/// The form of an element of a vector of such numbers.
fn component<'c>(vector: Value<'c>, element: u32, forms: &Forms<'_, 'c>) -> Option<Affine> {
    if let Some(constant) = vector.constant_element(element) {
        return scalar(constant, forms);
    }
    let of = |operand| component(vector.operand(operand), element, forms);
    match vector.opcode()? {
        Opcode::LLVMInsertElement => {
            let at = vector.operand(2).as_int()?;
            if at == i64::from(element) { scalar(vector.operand(1), forms) } else { of(0) }
        }
        Opcode::LLVMAdd => of(0)?.plus(of(1)?),
        Opcode::LLVMSub => of(0)?.minus(of(1)?),
        Opcode::LLVMShuffleVector => {
            let from = u32::try_from(*vector.shuffle_mask().get(element as usize)?).ok()?;
            let TypeKind::Vector(first) = vector.operand(0).ty().kind() else { return None };
            if from < first {
                component(vector.operand(0), from, forms)
            } else {
                component(vector.operand(1), from - first, forms)
            }
        }
        _ => None,
    }
}

fn bound(form: Affine, line: u32) -> AccessBound {
    let Affine { constant, global, local, group } = form;
    AccessBound { constant, global, local, group, bytes: 1, line }
}
