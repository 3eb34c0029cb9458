//! The types of OpenCL C that random programs have, their layout in memory, and conversions between scalars.
//!
//! A scalar's value is kept in 64 bits: integers are extended by their own signedness, floats are their bits.

use crate::half;

/// A scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "named as in OpenCL C")]
pub enum Scalar {
    Bool,
    Char,
    Uchar,
    Short,
    Ushort,
    Int,
    Uint,
    Long,
    Ulong,
    Half,
    Float,
    Double,
}

use Scalar::{Bool, Char, Double, Float, Half, Int, Long, Short, Uchar, Uint, Ulong, Ushort};

/// All integer types but `bool`.
pub(crate) const INTEGERS: [Scalar; 8] = [Char, Uchar, Short, Ushort, Int, Uint, Long, Ulong];

impl Scalar {
    /// Its name in OpenCL C.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Bool => "bool",
            Char => "char",
            Uchar => "uchar",
            Short => "short",
            Ushort => "ushort",
            Int => "int",
            Uint => "uint",
            Long => "long",
            Ulong => "ulong",
            Half => "half",
            Float => "float",
            Double => "double",
        }
    }

    /// Bytes.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Bool | Char | Uchar => 1,
            Short | Ushort | Half => 2,
            Int | Uint | Float => 4,
            Long | Ulong | Double => 8,
        }
    }

    pub(crate) fn bits(self) -> u32 {
        self.size() as u32 * 8
    }

    /// True for integers with a sign.
    #[must_use]
    pub fn is_signed(self) -> bool {
        matches!(self, Char | Short | Int | Long)
    }

    /// True for `half`, `float` and `double`.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Half | Float | Double)
    }

    pub(crate) fn unsigned(self) -> Self {
        match self {
            Char => Uchar,
            Short | Half => Ushort,
            Int | Float => Uint,
            Long | Double => Ulong,
            other => other,
        }
    }

    pub(crate) fn signed(self) -> Self {
        match self {
            Bool | Uchar | Char => Char,
            Ushort | Short | Half => Short,
            Uint | Int | Float => Int,
            Ulong | Long | Double => Long,
        }
    }

    /// The type of twice the width, for `upsample`.
    pub(crate) fn wider(self) -> Option<Self> {
        match self {
            Char => Some(Short),
            Uchar => Some(Ushort),
            Short => Some(Int),
            Ushort => Some(Uint),
            Int => Some(Long),
            Uint => Some(Ulong),
            _ => None,
        }
    }

    /// What arithmetic makes of it.
    pub(crate) fn promoted(self) -> Self {
        if self < Int { Int } else { self }
    }

    /// The type of an operation on two scalars: the usual arithmetic conversions.
    pub(crate) fn common(self, other: Self) -> Self {
        self.promoted().max(other.promoted())
    }

    /// The least and the greatest integer.
    pub(crate) fn range(self) -> (i128, i128) {
        match self {
            Bool => (0, 1),
            _ if self.is_signed() => (-(1_i128 << (self.bits() - 1)), (1_i128 << (self.bits() - 1)) - 1),
            _ => (0, (1_i128 << self.bits()) - 1),
        }
    }

    /// The integer that the 64 bits stand for.
    pub(crate) fn integer(self, bits: u64) -> i128 {
        if self.is_signed() { i128::from(bits as i64) } else { i128::from(bits) }
    }

    /// The low bits of an integer as a value of this integer type.
    pub(crate) fn wrap(self, value: i128) -> u64 {
        let bits = value as u64;
        match self {
            Bool => u64::from(value != 0),
            Char => i64::from(bits as i8) as u64,
            Short => i64::from(bits as i16) as u64,
            Int => i64::from(bits as i32) as u64,
            Uchar => u64::from(bits as u8),
            Ushort => u64::from(bits as u16),
            Uint => u64::from(bits as u32),
            Long | Ulong | Half | Float | Double => bits,
        }
    }

    /// The value as a double, which holds every float and every integer of up to 32 bits exactly.
    pub(crate) fn real(self, bits: u64) -> f64 {
        match self {
            Half => half::value(bits as u16),
            Float => f64::from(f32::from_bits(bits as u32)),
            Double => f64::from_bits(bits),
            _ => self.integer(bits) as f64,
        }
    }

    /// Reads a value from memory.
    #[must_use]
    pub fn load(self, bytes: &[u8]) -> u64 {
        let mut wide = [0; 8];
        wide[..self.size()].copy_from_slice(&bytes[..self.size()]);
        let bits = u64::from_le_bytes(wide);
        if self.is_float() { bits } else { self.wrap(i128::from(bits)) }
    }

    /// The bytes of a value in memory.
    #[must_use]
    pub fn store(self, bits: u64) -> Vec<u8> {
        bits.to_le_bytes()[..self.size()].to_vec()
    }
}

/// Where an object lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the address spaces of OpenCL C")]
pub enum Space {
    Private,
    Local,
    Global,
    Constant,
    /// Of pointers only: where they lead to is known when the program runs.
    Generic,
}

impl Space {
    /// The qualifier with a blank behind it; nothing for private memory and for pointers that may lead anywhere.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Self::Private | Self::Generic => "",
            Self::Local => "local ",
            Self::Global => "global ",
            Self::Constant => "constant ",
        }
    }
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    Void,
    /// A scalar.
    Scalar(Scalar),
    /// So many of a scalar.
    Vector(Scalar, u8),
    /// A structure of the program, by number.
    Struct(usize),
    /// An array.
    Array(Box<Type>, u32),
    /// A pointer into an address space.
    Pointer(Space, Box<Type>),
}

impl Type {
    pub(crate) const INT: Self = Self::Scalar(Int);
    pub(crate) const UINT: Self = Self::Scalar(Uint);

    pub(crate) fn scalar(&self) -> Option<Scalar> {
        if let Self::Scalar(scalar) = self { Some(*scalar) } else { None }
    }

    /// The scalar that a scalar or vector is made of.
    pub(crate) fn element(&self) -> Option<Scalar> {
        match self {
            Self::Scalar(scalar) | Self::Vector(scalar, _) => Some(*scalar),
            _ => None,
        }
    }

    /// How many scalars a scalar or vector has.
    pub(crate) fn lanes(&self) -> usize {
        if let Self::Vector(_, lanes) = self { usize::from(*lanes) } else { 1 }
    }

    /// The same number of another scalar.
    pub(crate) fn with_element(&self, scalar: Scalar) -> Self {
        match self {
            Self::Vector(_, lanes) => Self::Vector(scalar, *lanes),
            _ => Self::Scalar(scalar),
        }
    }

    pub(crate) fn pointer(self, space: Space) -> Self {
        Self::Pointer(space, Box::new(self))
    }
}

/// A structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Name and type of each member.
    pub fields: Vec<(String, Type)>,
}

/// Bytes and alignment of a type. A pointer has eight: no program looks at its bytes.
pub(crate) fn layout(ty: &Type, structs: &[Struct]) -> (usize, usize) {
    match ty {
        Type::Void => (0, 1),
        Type::Scalar(scalar) => (scalar.size(), scalar.size()),
        Type::Vector(scalar, lanes) => {
            let lanes = if *lanes == 3 { 4 } else { usize::from(*lanes) };
            (scalar.size() * lanes, scalar.size() * lanes)
        }
        Type::Pointer(..) => (8, 8),
        Type::Array(element, count) => {
            let (size, align) = layout(element, structs);
            (size * *count as usize, align)
        }
        Type::Struct(number) => {
            let (mut size, mut align) = (0_usize, 1);
            for (_, field) in &structs[*number].fields {
                let (bytes, alignment) = layout(field, structs);
                size = size.next_multiple_of(alignment) + bytes;
                align = align.max(alignment);
            }
            (size.next_multiple_of(align), align)
        }
    }
}

/// Where a member begins.
pub(crate) fn field_offset(structure: &Struct, field: usize, structs: &[Struct]) -> usize {
    let mut at = 0_usize;
    for (index, (_, ty)) in structure.fields.iter().enumerate() {
        let (bytes, alignment) = layout(ty, structs);
        at = at.next_multiple_of(alignment);
        if index == field {
            return at;
        }
        at += bytes;
    }
    at
}
