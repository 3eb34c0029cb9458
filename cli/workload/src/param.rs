//! A kernel's parameters as the command line sees them, and the check of a value against one.

use crate::data::element::Element;
use crate::data::file::Format;
use crate::data::image::{self, ImageDataError};
use crate::data::number::NumberError;
use crate::data::{Extent, HostData};
use crate::value::{BufferError, Value};
use oxcl_binary::archive::{AddressQualifier, Arg, ArgKind};
use oxcl_runtime::{ImageDescription, ImageKind, Kernel, Sampler};
use thiserror::Error;

/// One parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name; may be empty in archives that do not record names.
    pub name: String,
    /// Its position, from 0.
    pub position: usize,
    /// Its type as OpenCL C writes it.
    pub type_name: String,
    /// What it takes.
    pub kind: ParameterKind,
}

/// What a parameter takes.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterKind {
    /// A value: a scalar or vector of known type.
    Value(Element),
    /// A value of so many bytes whose type has no name here: a structure.
    Opaque(usize),
    /// A pointer to a buffer, and what it points to where that is a scalar or vector.
    Buffer(Option<Element>),
    /// A pointer to local memory.
    Local(Option<Element>),
    /// An image that a picture or a row of elements can be; depth images have one number a pixel.
    Image(ImageKind, bool),
    /// A sampler.
    Sampler,
    /// An image of another kind, or a pipe.
    Unsupported(&'static str),
}

/// A value that fits its parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Bound {
    /// The value's bytes.
    Value(Vec<u8>),
    /// The initial contents of a buffer.
    Buffer(HostData),
    /// Bytes of local memory.
    Local(usize),
    /// The initial pixels of an image, and what it is.
    Image(HostData, ImageDescription),
    /// A sampler.
    Sampler(Sampler),
}

/// A value that does not fit: names the parameter, its type and what was given, and shows one that fits.
#[derive(Debug, Error)]
#[error("parameter {parameter} has type `{type_name}`: {problem}")]
pub struct BindError {
    /// Name or position.
    pub parameter: String,
    /// The parameter's type.
    pub type_name: String,
    /// What is wrong.
    #[source]
    pub problem: Box<BindProblem>,
    /// A value that would do.
    pub example: String,
}

/// What is wrong with a value.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the line above a variant says what it is about")]
pub enum BindProblem {
    /// Too few or too many numbers.
    #[error("it takes {want}, and {have} were given")]
    Count { want: String, have: usize },
    /// A buffer for a value.
    #[error("it is passed by value, and a buffer was given")]
    BufferForValue,
    /// A local size for anything else.
    #[error("it is not in local memory, and a local size was given")]
    LocalSize,
    /// Anything else for a local pointer.
    #[error("it points to local memory, which takes a size and no contents")]
    LocalContents,
    /// A local size that is not a whole number of elements.
    #[error("{bytes} bytes of local memory are no whole number of {size}-byte elements")]
    LocalRagged { bytes: usize, size: usize },
    /// Another element type.
    #[error("it takes elements of type {want}, and elements of type {have} were given")]
    ElementType { want: Element, have: Element },
    /// The elements do not make whole vectors.
    #[error("{bytes} bytes are no whole number of {want} elements")]
    Ragged { bytes: usize, want: Element },
    /// The bytes of a structure.
    #[error("it has {want} bytes, and {have} were given")]
    Size { want: usize, have: usize },
    /// A structure from numbers.
    #[error("it is a structure of {want} bytes, which numbers do not describe")]
    Structure { want: usize },
    /// A buffer of nothing.
    #[error("the buffer is empty")]
    EmptyBuffer,
    /// Anything else for an image.
    #[error("it takes an image, and something else was given")]
    NoImage,
    /// Anything else for a sampler.
    #[error("it takes a sampler, and something else was given")]
    NoSampler,
    /// An image or a sampler for anything else.
    #[error("it takes no {what}")]
    NotOpaque { what: &'static str },
    /// Data that is no image.
    #[error(transparent)]
    Image(#[from] ImageDataError),
    /// An image of a rare kind and the like.
    #[error("{what} parameters cannot be set from the command line")]
    Unsupported { what: &'static str },
    /// A number that does not fit.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// A file or list that makes no buffer.
    #[error(transparent)]
    Buffer(#[from] BufferError),
}

impl Parameter {
    /// The parameters of a kernel.
    #[must_use]
    pub fn of(kernel: &Kernel) -> Vec<Self> {
        kernel.record().args.iter().enumerate().map(|(position, arg)| Self::new(position, arg)).collect()
    }

    /// A parameter as an archive records it.
    pub fn new(position: usize, arg: &Arg) -> Self {
        let pointee = || Element::parse(bare(&arg.type_name));
        let kind = match (arg.kind, arg.address) {
            (ArgKind::Pointer, AddressQualifier::Local) => ParameterKind::Local(pointee()),
            (ArgKind::Pointer, _) => ParameterKind::Buffer(pointee()),
            (ArgKind::Image, _) => match image::kind_of(&arg.type_name) {
                Some((kind, is_depth)) => ParameterKind::Image(kind, is_depth),
                None => ParameterKind::Unsupported("image array and volume"),
            },
            (ArgKind::Sampler, _) => ParameterKind::Sampler,
            (ArgKind::Pipe, _) => ParameterKind::Unsupported("pipe"),
            (ArgKind::Value, _) => match Element::parse(&arg.type_name) {
                Some(element) if element.size() == arg.size as usize => ParameterKind::Value(element),
                _ => ParameterKind::Opaque(arg.size as usize),
            },
        };
        Self { name: arg.name.clone(), position, type_name: arg.type_name.clone(), kind }
    }

    /// How messages call it.
    pub fn label(&self) -> String {
        if self.name.is_empty() { self.position.to_string() } else { format!("`{}`", self.name) }
    }

    /// Its name, or its position where it has none.
    pub fn name_or_position(&self) -> String {
        if self.name.is_empty() { self.position.to_string() } else { self.name.clone() }
    }

    /// A value that fits.
    pub fn example(&self) -> String {
        match &self.kind {
            ParameterKind::Value(element) => {
                let one = if element.scalar.is_float() { "1.5" } else { "3" };
                vec![one; usize::from(element.lanes)].join(",")
            }
            ParameterKind::Opaque(size) => format!("hex:{}", "00".repeat((*size).min(16))),
            ParameterKind::Buffer(element) => match element {
                Some(element) => format!("zeros:{element}:1024"),
                None => "@data.bin".to_owned(),
            },
            ParameterKind::Local(element) => format!("local:{}", 64 * element.map_or(4, Element::size)),
            ParameterKind::Image(ImageKind::Image2d, _) => "image:photo.png".to_owned(),
            ParameterKind::Image(..) => "zeros:float4:1024".to_owned(),
            ParameterKind::Sampler => "sampler:clamp_to_edge+linear".to_owned(),
            ParameterKind::Unsupported(_) => String::new(),
        }
    }

    /// Why a value does not fit.
    pub fn error(&self, problem: BindProblem) -> BindError {
        BindError {
            parameter: self.label(),
            type_name: self.type_name.clone(),
            problem: Box::new(problem),
            example: self.example(),
        }
    }

    /// Checks whether a buffer that exists already can be the argument.
    pub fn accepts(&self, data: Extent) -> Result<(), BindError> {
        match &self.kind {
            ParameterKind::Buffer(Some(want)) => fits(data, *want).map_err(|problem| self.error(problem)),
            ParameterKind::Buffer(None) => Ok(()),
            ParameterKind::Local(_) => Err(self.error(BindProblem::LocalContents)),
            ParameterKind::Image(kind, is_depth) => {
                let described = image::describe(data, *kind, *is_depth);
                described.map(drop).map_err(|problem| self.error(problem.into()))
            }
            ParameterKind::Sampler => Err(self.error(BindProblem::NoSampler)),
            ParameterKind::Unsupported(what) => Err(self.error(BindProblem::Unsupported { what })),
            ParameterKind::Value(_) | ParameterKind::Opaque(_) => {
                Err(self.error(BindProblem::BufferForValue))
            }
        }
    }

    /// Checks a value and gives it the parameter's type.
    pub fn bind(&self, value: &Value) -> Result<Bound, BindError> {
        self.bind_or(value).map_err(|problem| self.error(problem))
    }

    fn bind_or(&self, value: &Value) -> Result<Bound, BindProblem> {
        match (&self.kind, value) {
            (ParameterKind::Unsupported(what), _) => Err(BindProblem::Unsupported { what }),
            (ParameterKind::Image(kind, is_depth), value) => {
                // A picture's file is enough.
                let pixels = match value {
                    Value::File(source) if source.format == Format::Png && source.element.is_none() => {
                        source.load(Some(image::PIXEL)).map_err(BufferError::from)?
                    }
                    value => value.data(None)?.ok_or(BindProblem::NoImage)?,
                };
                let description = image::describe(pixels.extent(), *kind, *is_depth)?;
                Ok(Bound::Image(pixels, description))
            }
            (ParameterKind::Sampler, Value::Sampler(sampler)) => Ok(Bound::Sampler(*sampler)),
            (ParameterKind::Sampler, _) => Err(BindProblem::NoSampler),
            (_, Value::Sampler(_)) => Err(BindProblem::NotOpaque { what: "sampler" }),
            (_, Value::Blank(..) | Value::Picture(..))
                if !matches!(self.kind, ParameterKind::Buffer(_) | ParameterKind::Opaque(_)) =>
            {
                Err(BindProblem::NotOpaque { what: "image" })
            }
            (ParameterKind::Local(element), Value::Local(bytes)) => {
                let size = element.map_or(1, Element::size);
                if *bytes == 0 || !bytes.is_multiple_of(size) {
                    return Err(BindProblem::LocalRagged { bytes: *bytes, size });
                }
                Ok(Bound::Local(*bytes))
            }
            (ParameterKind::Local(_), _) => Err(BindProblem::LocalContents),
            (_, Value::Local(_)) => Err(BindProblem::LocalSize),
            (ParameterKind::Value(element), Value::Numbers(numbers)) => {
                if numbers.len() != usize::from(element.lanes) {
                    let want = match element.lanes {
                        1 => "one number".to_owned(),
                        lanes => format!("{lanes} numbers"),
                    };
                    return Err(BindProblem::Count { want, have: numbers.len() });
                }
                let mut bytes = Vec::with_capacity(element.size());
                for number in numbers {
                    number.encode(element.scalar, &mut bytes)?;
                }
                bytes.resize(element.size(), 0);
                Ok(Bound::Value(bytes))
            }
            (ParameterKind::Value(element), Value::Hex(bytes)) => sized(bytes.clone(), element.size()),
            (ParameterKind::Opaque(size), Value::Hex(bytes)) => sized(bytes.clone(), *size),
            (ParameterKind::Opaque(size), Value::Numbers(_)) => Err(BindProblem::Structure { want: *size }),
            (ParameterKind::Opaque(size), Value::File(_)) => {
                let bytes = value.data(Some(BYTE))?.map(|d| d.bytes).unwrap_or_default();
                sized(bytes, *size)
            }
            (ParameterKind::Value(_) | ParameterKind::Opaque(_), _) => Err(BindProblem::BufferForValue),
            (ParameterKind::Buffer(want), _) => {
                // A structure's buffer takes raw bytes; arrays and lists keep the type that they have.
                let raw =
                    matches!(value, Value::File(source) if source.format == crate::data::file::Format::Raw);
                let wanted = want.or(if raw { Some(BYTE) } else { None });
                let mut data = value.data(wanted)?.ok_or(BindProblem::LocalSize)?;
                if let Some(want) = want {
                    fits(data.extent(), *want)?;
                    data.element = *want;
                }
                if data.bytes.is_empty() {
                    return Err(BindProblem::EmptyBuffer);
                }
                Ok(Bound::Buffer(data))
            }
        }
    }
}

/// What buffers of structures are made of.
pub const BYTE: Element = Element::scalar(crate::data::element::Scalar::UChar);

fn sized(bytes: Vec<u8>, want: usize) -> Result<Bound, BindProblem> {
    if bytes.len() == want {
        Ok(Bound::Value(bytes))
    } else {
        Err(BindProblem::Size { want, have: bytes.len() })
    }
}

/// Whether elements can be regrouped into the lanes that are wanted: they are of the same scalar type, and vectors of
/// three, which have padding, regroup with nothing else.
fn fits(data: Extent, want: Element) -> Result<(), BindProblem> {
    let have = data.element;
    if have != want && (have.scalar != want.scalar || have.lanes == 3 || want.lanes == 3) {
        return Err(BindProblem::ElementType { want, have });
    }
    let bytes = data.bytes;
    if bytes.is_multiple_of(want.size()) { Ok(()) } else { Err(BindProblem::Ragged { bytes, want }) }
}

/// A type name without what may stand around it: `const float *` points to `float`.
fn bare(type_name: &str) -> &str {
    let mut name = type_name.trim().trim_end_matches(['*', ' ']);
    while let Some(rest) = [
        "const ",
        "volatile ",
        "restrict ",
        "__global ",
        "__constant ",
        "__local ",
        "global ",
        "constant ",
        "local ",
    ]
    .iter()
    .find_map(|word| name.strip_prefix(word))
    {
        name = rest.trim_start();
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxcl_binary::archive::AccessQualifier;

    fn parameter(type_name: &str, address: AddressQualifier, size: u32) -> Parameter {
        let kind = if type_name.ends_with('*') { ArgKind::Pointer } else { ArgKind::Value };
        let arg = Arg {
            name: "p".into(),
            type_name: type_name.into(),
            address,
            access: AccessQualifier::None,
            type_qualifier: 0,
            kind,
            size,
        };
        Parameter::new(0, &arg)
    }

    fn bind(parameter: &Parameter, text: &str) -> Result<Bound, String> {
        let value = Value::parse(text).map_err(|e| e.to_string())?;
        parameter.bind(&value).map_err(|e| format!("{e}; {}", e.example))
    }

    #[test]
    fn values() {
        let int = parameter("int", AddressQualifier::Private, 4);
        assert_eq!(bind(&int, "-1"), Ok(Bound::Value(vec![255; 4])));
        assert_eq!(
            bind(&int, "2.5"),
            Err("parameter `p` has type `int`: `2.5` is not an integer, and the type is int; 3".into())
        );
        assert_eq!(
            bind(&int, "1,2"),
            Err("parameter `p` has type `int`: it takes one number, and 2 were given; 3".into())
        );
        assert_eq!(
            bind(&int, "zeros:int:1"),
            Err("parameter `p` has type `int`: it is passed by value, and a buffer was given; 3".into())
        );
        let float3 = parameter("float3", AddressQualifier::Private, 16);
        assert!(matches!(bind(&float3, "1,2,3"), Ok(Bound::Value(bytes)) if bytes.len() == 16));
        assert_eq!(
            bind(&float3, "1,2,3,4"),
            Err("parameter `p` has type `float3`: it takes 3 numbers, and 4 were given; 1.5,1.5,1.5".into())
        );
    }

    #[test]
    fn structures_take_bytes() {
        let pair = parameter("struct pair", AddressQualifier::Private, 4);
        assert_eq!(bind(&pair, "hex:01020304"), Ok(Bound::Value(vec![1, 2, 3, 4])));
        assert!(
            bind(&pair, "hex:0102")
                .is_err_and(|e| e.contains("it has 4 bytes, and 2 were given; hex:00000000"))
        );
        assert!(bind(&pair, "7").is_err_and(|e| e.contains("structure of 4 bytes")));
    }

    #[test]
    fn buffers() {
        let floats = parameter("float*", AddressQualifier::Global, 8);
        assert!(matches!(bind(&floats, "1,2,3"), Ok(Bound::Buffer(d)) if d.len() == 3));
        assert!(matches!(bind(&floats, "zeros:float4:3"), Ok(Bound::Buffer(d)) if d.len() == 12));
        assert_eq!(
            bind(&floats, "range:int:8"),
            Err("parameter `p` has type `float*`: it takes elements of type float, and elements of type int were given; \
                 zeros:float:1024".into())
        );
        assert!(bind(&floats, "zeros:float:0").is_err_and(|e| e.contains("empty")));
        assert!(bind(&floats, "local:4").is_err_and(|e| e.contains("not in local memory")));
        let vectors = parameter("const float4 *", AddressQualifier::Constant, 8);
        assert!(matches!(bind(&vectors, "zeros:float:8"), Ok(Bound::Buffer(d)) if d.len() == 2));
        assert!(
            bind(&vectors, "zeros:float:7")
                .is_err_and(|e| e.contains("28 bytes are no whole number of float4"))
        );
    }

    #[test]
    fn local_memory_takes_a_size() {
        let local = parameter("float*", AddressQualifier::Local, 8);
        assert_eq!(bind(&local, "local:256"), Ok(Bound::Local(256)));
        assert!(bind(&local, "local:255").is_err_and(|e| e.ends_with("local:256")));
        assert!(bind(&local, "zeros:float:4").is_err_and(|e| e.contains("takes a size and no contents")));
    }
}
