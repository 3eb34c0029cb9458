//! Types: what each id of a type is in LLVM's words, in memory, and as the library's functions name it.

use std::collections::BTreeMap;
use std::rc::Rc;

use rspirv::dr::Operand;
use rspirv::spirv::{AccessQualifier, Decoration, Dim, Op, StorageClass};

use crate::constants::Constants;
use crate::error::{Result, invalid, malformed, not_supported};
use crate::mangle::Param;
use crate::module::Module;
use crate::text::quoted;
use crate::words::{COMMON_WIDTHS, Instruction};

/// The largest type, in bytes: more than any device has, and little enough for sums of sizes.
const MOST_BYTES: u64 = 1 << 40;
/// How deeply types may be nested, by the specification's universal limits.
const MOST_NESTED: u32 = 255;

/// An image's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) dim: Dim,
    pub(crate) depth: bool,
    pub(crate) arrayed: bool,
    pub(crate) multisampled: bool,
    pub(crate) access: AccessQualifier,
}

/// What a type is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    Void,
    Bool,
    Int(u32),
    Float(u32),
    Vector {
        of: u32,
        lanes: u32,
    },
    Array {
        of: u32,
        length: u64,
    },
    Struct {
        members: Vec<u32>,
        packed: bool,
    },
    Pointer {
        space: u32,
        to: u32,
    },
    Function {
        result: u32,
        params: Vec<u32>,
    },
    Image(Image),
    Sampler,
    /// Known by its name only.
    Opaque,
    /// With the image's type.
    SampledImage(u32),
    Event,
}

/// A type.
#[derive(Debug, Clone)]
pub(crate) struct Type {
    pub(crate) shape: Shape,
    /// In LLVM's words.
    pub(crate) text: Rc<str>,
    /// Bytes in memory; 0 where it is never there.
    pub(crate) size: u64,
    pub(crate) alignment: u64,
    nested: u32,
    /// Of how many values it consists that are no arrays or structures.
    pub(crate) parts: u64,
}

impl Type {
    /// Arrays and structures.
    pub(crate) fn is_aggregate(&self) -> bool {
        matches!(self.shape, Shape::Array { .. } | Shape::Struct { .. })
    }
}

/// All types of a module.
#[derive(Debug, Default)]
pub(crate) struct Types {
    known: BTreeMap<u32, Type>,
    /// Definitions of structures.
    pub(crate) definitions: Vec<(usize, String)>,
    /// What pointers point to that was not defined yet.
    pub(crate) pointer_bytes: u64,
}

/// LLVM's number of an address space.
pub(crate) fn space_of(word: usize, class: StorageClass) -> Result<u32> {
    match class {
        StorageClass::Function | StorageClass::Private | StorageClass::Input => Ok(0),
        StorageClass::CrossWorkgroup => Ok(1),
        StorageClass::UniformConstant => Ok(2),
        StorageClass::Workgroup => Ok(3),
        StorageClass::Generic => Ok(4),
        other => Err(not_supported(word, format!("storage class {other:?}"))),
    }
}

/// A pointer in LLVM's words.
pub(crate) fn pointer_text(space: u32) -> String {
    if space == 0 { "ptr".to_owned() } else { format!("ptr addrspace({space})") }
}

impl Types {
    pub(crate) fn new(bits: u32) -> Self {
        Self { pointer_bytes: u64::from(bits / 8), ..Self::default() }
    }

    /// A type that was defined.
    pub(crate) fn get(&self, word: usize, id: u32) -> Result<&Type> {
        self.known.get(&id).ok_or_else(|| invalid(word, format!("id {id} is no type")))
    }

    /// A type's text.
    pub(crate) fn text(&self, word: usize, id: u32) -> Result<Rc<str>> {
        Ok(self.get(word, id)?.text.clone())
    }

    /// The element of a vector, or the type itself; and the number of lanes.
    pub(crate) fn scalar(&self, word: usize, id: u32) -> Result<(&Type, u32)> {
        let ty = self.get(word, id)?;
        match ty.shape {
            Shape::Vector { of, lanes } => Ok((self.get(word, of)?, lanes)),
            _ => Ok((ty, 1)),
        }
    }

    /// The bits of an integer, or of a vector's integers.
    pub(crate) fn int_bits(&self, word: usize, id: u32) -> Result<u32> {
        match self.scalar(word, id)?.0.shape {
            Shape::Int(bits) => Ok(bits),
            Shape::Bool => Ok(1),
            _ => Err(invalid(word, "integers were expected")),
        }
    }

    /// The bits of a floating-point number, or of a vector's.
    pub(crate) fn float_bits(&self, word: usize, id: u32) -> Result<u32> {
        match self.scalar(word, id)?.0.shape {
            Shape::Float(bits) => Ok(bits),
            _ => Err(invalid(word, "floating-point numbers were expected")),
        }
    }

    /// What a pointer is in, and what it points to.
    pub(crate) fn pointee(&self, word: usize, id: u32) -> Result<(u32, u32)> {
        match self.get(word, id)?.shape {
            Shape::Pointer { space, to } => Ok((space, to)),
            _ => Err(invalid(word, "a pointer was expected")),
        }
    }

    /// A value's type as the library's functions name it.
    pub(crate) fn param(&self, word: usize, id: u32, signed: bool) -> Result<Param> {
        let ty = self.get(word, id)?;
        Ok(match &ty.shape {
            Shape::Void => Param::Void,
            Shape::Bool => Param::INT,
            Shape::Int(bits) => Param::Int { bits: *bits, signed },
            Shape::Float(bits) => Param::Float(*bits),
            Shape::Vector { of, lanes } => Param::Vector(Box::new(self.param(word, *of, signed)?), *lanes),
            Shape::Pointer { space, to } => {
                // What a structure is called does not matter to any function of the library.
                let to = self.param(word, *to, signed).unwrap_or(Param::Void);
                Param::pointer(*space, to)
            }
            Shape::Image(image) => Param::Opaque(image_name(*image)),
            Shape::Sampler => Param::Opaque("ocl_sampler".to_owned()),
            Shape::Event => Param::Opaque("ocl_event".to_owned()),
            Shape::Opaque => Param::Void,
            Shape::Array { .. } | Shape::Struct { .. } | Shape::Function { .. } | Shape::SampledImage(_) => {
                return Err(invalid(word, "this type is no parameter of a built-in function"));
            }
        })
    }

    /// Takes the definition of a type; false where the instruction is none.
    pub(crate) fn define(&mut self, module: &Module, constants: &Constants, i: &Instruction) -> Result<bool> {
        let word = i.word;
        let (shape, text, size, alignment) = match i.op {
            Op::TypeVoid => (Shape::Void, "void".to_owned(), 0, 1),
            Op::TypeBool => (Shape::Bool, "i1".to_owned(), 1, 1),
            Op::TypeInt => {
                let bits = i.number_at(0)?;
                let is_any_width = module.capabilities.contains("ArbitraryPrecisionIntegersALTERA");
                if !(COMMON_WIDTHS.contains(&bits) || is_any_width && (2..64).contains(&bits)) {
                    return Err(not_supported(word, format!("integers of {bits} bits")));
                }
                let bytes = u64::from(bits.div_ceil(8).next_power_of_two());
                (Shape::Int(bits), format!("i{bits}"), bytes, bytes)
            }
            Op::TypeFloat => {
                let bits = i.number_at(0)?;
                let text = match (bits, i.operands.len()) {
                    (16, 1) => "half",
                    (32, 1) => "float",
                    (64, 1) => "double",
                    _ => return Err(not_supported(word, format!("this format of {bits} bits"))),
                };
                (Shape::Float(bits), text.to_owned(), u64::from(bits / 8), u64::from(bits / 8))
            }
            Op::TypeVector => {
                let (of, lanes) = (i.id_at(0)?, i.number_at(1)?);
                let element = self.get(word, of)?;
                if !matches!(element.shape, Shape::Bool | Shape::Int(_) | Shape::Float(_)) {
                    return Err(invalid(word, "a vector of what is no number"));
                }
                if let Shape::Int(bits) = element.shape
                    && !COMMON_WIDTHS.contains(&bits)
                {
                    return Err(not_supported(word, format!("vectors of integers of {bits} bits")));
                }
                if ![2, 3, 4, 8, 16].contains(&lanes) {
                    return Err(not_supported(word, format!("vectors of {lanes} elements")));
                }
                let size = element.size * u64::from(lanes.next_power_of_two());
                (Shape::Vector { of, lanes }, format!("<{lanes} x {}>", element.text), size, size)
            }
            Op::TypeArray => {
                let of = i.id_at(0)?;
                let element = self.in_memory(word, of)?;
                let length = constants.integer(word, i.id_at(1)?)?;
                let size = length.checked_mul(element.size).filter(|size| *size <= MOST_BYTES);
                let size = size.ok_or_else(|| invalid(word, "an array larger than memory"))?;
                if length == 0 {
                    return Err(invalid(word, "an array of no elements"));
                }
                (
                    Shape::Array { of, length },
                    format!("[{length} x {}]", element.text),
                    size,
                    element.alignment,
                )
            }
            Op::TypeStruct => self.structure(module, i)?,
            Op::TypePointer => {
                let space = space_of(word, i.storage_at(0)?)?;
                let bytes = self.pointer_bytes;
                (Shape::Pointer { space, to: i.id_at(1)? }, pointer_text(space), bytes, bytes)
            }
            Op::TypeForwardPointer => return Ok(true),
            Op::TypeFunction => {
                let (result, params) = (i.id_at(0)?, i.ids_from(1)?);
                self.get(word, result)?;
                for param in &params {
                    if matches!(
                        self.get(word, *param)?.shape,
                        Shape::Void | Shape::Function { .. } | Shape::Opaque
                    ) {
                        return Err(invalid(word, "a parameter of a type that has no values"));
                    }
                }
                (Shape::Function { result, params }, "void".to_owned(), 0, 1)
            }
            Op::TypeImage => self.image(i)?,
            Op::TypeSampler => (
                Shape::Sampler,
                "target(\"spirv.Sampler\")".to_owned(),
                self.pointer_bytes,
                self.pointer_bytes,
            ),
            Op::TypeSampledImage => {
                let image = i.id_at(0)?;
                if !matches!(self.get(word, image)?.shape, Shape::Image(_)) {
                    return Err(invalid(word, "a sampled image of what is no image"));
                }
                (Shape::SampledImage(image), "void".to_owned(), 0, 1)
            }
            Op::TypeOpaque => {
                let name = i.text_at(0)?;
                let text = format!("%{}", quoted(&format!("{name}.{}", i.result()?)));
                self.definitions.push((word, format!("{text} = type opaque")));
                (Shape::Opaque, text, 0, 1)
            }
            Op::TypeEvent => {
                (Shape::Event, "target(\"spirv.Event\")".to_owned(), self.pointer_bytes, self.pointer_bytes)
            }
            _ if i.name.starts_with("Type") => return Err(not_supported(word, format!("Op{}", i.name))),
            _ => return Ok(false),
        };
        let nested = self.nested(&shape)?.unwrap_or(0) + 1;
        if nested > MOST_NESTED {
            return Err(invalid(word, format!("types nested more than {MOST_NESTED} deep")));
        }
        let parts = self.parts(&shape);
        self.known.insert(i.result()?, Type { shape, text: text.into(), size, alignment, nested, parts });
        Ok(true)
    }

    fn parts(&self, shape: &Shape) -> u64 {
        let of = |id: &u32| self.known.get(id).map_or(1, |ty| ty.parts);
        match shape {
            Shape::Array { of: element, length } => of(element).saturating_mul(*length),
            Shape::Struct { members, .. } => members.iter().map(of).fold(0, u64::saturating_add),
            _ => 1,
        }
    }

    fn nested(&self, shape: &Shape) -> Result<Option<u32>> {
        let of = |id: &u32| self.known.get(id).map_or(0, |ty| ty.nested);
        Ok(match shape {
            Shape::Array { of: element, .. } => Some(of(element)),
            Shape::Struct { members, .. } => members.iter().map(of).max(),
            _ => None,
        })
    }

    /// A type that values in memory have.
    pub(crate) fn in_memory(&self, word: usize, id: u32) -> Result<&Type> {
        let ty = self.get(word, id)?;
        match ty.shape {
            Shape::Void | Shape::Function { .. } | Shape::SampledImage(_) | Shape::Opaque => {
                Err(invalid(word, "a type that nothing in memory has"))
            }
            _ => Ok(ty),
        }
    }

    fn structure(&mut self, module: &Module, i: &Instruction) -> Result<(Shape, String, u64, u64)> {
        let (word, id) = (i.word, i.result()?);
        let packed = module.has(id, Decoration::CPacked);
        let members = i.ids_from(0)?;
        let (mut size, mut alignment, mut texts) = (0_u64, 1, Vec::new());
        for member in &members {
            let ty = self.in_memory(word, *member)?;
            let own = if packed { 1 } else { ty.alignment };
            size = size.next_multiple_of(own) + ty.size;
            alignment = alignment.max(own);
            texts.push(ty.text.to_string());
            if size > MOST_BYTES {
                return Err(invalid(word, "a structure larger than memory"));
            }
        }
        // Structures may have the same name: the id tells them apart.
        let name = module.name(id).unwrap_or("struct");
        let text = format!("%{}", quoted(&format!("{name}.{id}")));
        let (open, close) = if packed { ("<{", "}>") } else { ("{", "}") };
        self.definitions.push((word, format!("{text} = type {open} {} {close}", texts.join(", "))));
        Ok((Shape::Struct { members, packed }, text, size.next_multiple_of(alignment), alignment))
    }

    fn image(&self, i: &Instruction) -> Result<(Shape, String, u64, u64)> {
        let [_, Operand::Dim(dim), rest @ ..] = i.operands.as_slice() else {
            return Err(malformed(i.word, "a dimension was expected"));
        };
        let number = |index: usize| i.number_at(index + 2);
        let (depth, arrayed, multisampled) = (number(0)? == 1, number(1)? == 1, number(2)? == 1);
        let access = match rest.get(5) {
            Some(Operand::AccessQualifier(access)) => *access,
            _ => AccessQualifier::ReadOnly,
        };
        if !matches!(dim, Dim::Dim1D | Dim::Dim2D | Dim::Dim3D | Dim::DimBuffer) || multisampled {
            return Err(not_supported(i.word, format!("an image of dimension {dim:?}")));
        }
        let image = Image { dim: *dim, depth, arrayed, multisampled, access };
        let text = format!(
            "target(\"spirv.Image\", void, {}, {}, {}, 0, 0, 0, {})",
            *dim as u32,
            u32::from(depth),
            u32::from(arrayed),
            access as u32
        );
        Ok((Shape::Image(image), text, self.pointer_bytes, self.pointer_bytes))
    }
}

/// The type of an image in OpenCL C, without its access.
pub(crate) fn image_type_name(image: Image) -> &'static str {
    match (image.dim, image.arrayed, image.depth) {
        (Dim::Dim1D, false, _) => "image1d",
        (Dim::Dim1D, true, _) => "image1d_array",
        (Dim::DimBuffer, ..) => "image1d_buffer",
        (Dim::Dim2D, false, false) => "image2d",
        (Dim::Dim2D, true, false) => "image2d_array",
        (Dim::Dim2D, false, true) => "image2d_depth",
        (Dim::Dim2D, true, true) => "image2d_array_depth",
        _ => "image3d",
    }
}

/// The type of an image as names of functions have it.
pub(crate) fn image_name(image: Image) -> String {
    let access = match image.access {
        AccessQualifier::WriteOnly => "wo",
        AccessQualifier::ReadWrite => "rw",
        _ => "ro",
    };
    format!("ocl_{}_{access}", image_type_name(image))
}
