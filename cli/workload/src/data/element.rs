//! Element types by name: OpenCL's scalars and vectors, with their sizes in memory. Structures have no element type;
//! whoever meets one works with bytes.

use crate::nearest::nearest;
use std::fmt;

/// A scalar type of OpenCL C.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the types that OpenCL C has")]
pub enum Scalar {
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
}

impl Scalar {
    const ALL: [(Scalar, &'static str); 11] = [
        (Scalar::Char, "char"),
        (Scalar::UChar, "uchar"),
        (Scalar::Short, "short"),
        (Scalar::UShort, "ushort"),
        (Scalar::Int, "int"),
        (Scalar::UInt, "uint"),
        (Scalar::Long, "long"),
        (Scalar::ULong, "ulong"),
        (Scalar::Half, "half"),
        (Scalar::Float, "float"),
        (Scalar::Double, "double"),
    ];

    /// The size in bytes.
    pub fn size(self) -> usize {
        match self {
            Scalar::Char | Scalar::UChar => 1,
            Scalar::Short | Scalar::UShort | Scalar::Half => 2,
            Scalar::Int | Scalar::UInt | Scalar::Float => 4,
            Scalar::Long | Scalar::ULong | Scalar::Double => 8,
        }
    }

    /// OpenCL C's name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(s, _)| *s == self).map_or("", |(_, name)| name)
    }

    /// A floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Half | Scalar::Float | Scalar::Double)
    }

    /// A signed integer type.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long)
    }

    /// The least and the greatest value of an integer type.
    pub fn range(self) -> (i128, i128) {
        let bits = self.size() * 8;
        if self.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }
}

/// A scalar or a vector of 2, 3, 4, 8 or 16 scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Element {
    /// What one lane is.
    pub scalar: Scalar,
    /// How many lanes.
    pub lanes: u8,
}

impl Element {
    /// A scalar.
    pub const fn scalar(scalar: Scalar) -> Self {
        Self { scalar, lanes: 1 }
    }

    /// The size in bytes: three lanes take the room of four.
    pub fn size(self) -> usize {
        self.scalar.size() * if self.lanes == 3 { 4 } else { usize::from(self.lanes) }
    }

    /// Reads a type name as OpenCL C writes it (`float4`, `unsigned int`), without qualifiers or address space.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim();
        if let Some((scalar, _)) = Scalar::ALL.iter().find(|(_, n)| *n == name) {
            return Some(Self::scalar(*scalar));
        }
        let long = match name {
            "unsigned char" => Some(Scalar::UChar),
            "signed char" => Some(Scalar::Char),
            "unsigned short" => Some(Scalar::UShort),
            "unsigned int" | "unsigned" => Some(Scalar::UInt),
            "unsigned long" => Some(Scalar::ULong),
            _ => None,
        };
        if let Some(scalar) = long {
            return Some(Self::scalar(scalar));
        }
        let digits = name.find(|c: char| c.is_ascii_digit())?;
        let (stem, lanes) = name.split_at(digits);
        let lanes = match lanes {
            "2" => 2,
            "3" => 3,
            "4" => 4,
            "8" => 8,
            "16" => 16,
            _ => return None,
        };
        let (scalar, _) = Scalar::ALL.iter().find(|(_, n)| *n == stem)?;
        Some(Self { scalar: *scalar, lanes })
    }

    /// The type that was meant by a name of none, if it is a slip.
    pub fn meant(name: &str) -> Option<Self> {
        let all = || {
            Scalar::ALL
                .iter()
                .flat_map(|(scalar, _)| [1, 2, 3, 4, 8, 16].map(|lanes| Self { scalar: *scalar, lanes }))
        };
        let names: Vec<String> = all().map(|element| element.to_string()).collect();
        Self::parse(nearest(name, names.iter().map(String::as_str))?)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.scalar.name())?;
        if self.lanes > 1 { write!(f, "{}", self.lanes) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for (scalar, _) in Scalar::ALL {
            for lanes in [1, 2, 3, 4, 8, 16] {
                let element = Element { scalar, lanes };
                assert_eq!(Element::parse(&element.to_string()), Some(element));
            }
        }
    }

    #[test]
    fn sizes_and_odd_names() {
        assert_eq!(Element::parse("float3").map(Element::size), Some(16));
        assert_eq!(Element::parse("unsigned int"), Some(Element::scalar(Scalar::UInt)));
        for wrong in ["", "float5", "float1", "struct S", "4", "bool", "float 4", "floats"] {
            assert_eq!(Element::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn ranges() {
        assert_eq!(Scalar::Char.range(), (-128, 127));
        assert_eq!(Scalar::ULong.range(), (0, i128::from(u64::MAX)));
    }
}
