//! NumPy's `.npy` files, versions 1 to 3: one array of integers or floats. Reading accepts either byte order and
//! rejects what has no OpenCL type; writing makes version 1.0, little-endian, C order.

use super::HostData;
use super::element::{Element, Scalar};
use thiserror::Error;

/// An array as the file holds it, in C order and little-endian.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// What the elements are.
    pub scalar: Scalar,
    /// The extent of each dimension.
    pub shape: Vec<usize>,
    /// The elements.
    pub bytes: Vec<u8>,
}

/// Why a file is no array that we can use.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the line above a variant says what it is about")]
pub enum NpyError {
    /// The magic bytes are missing.
    #[error("it does not begin with the bytes of a .npy file")]
    Magic,
    /// A version from the future.
    #[error(".npy version {major}.{minor} is unknown (1 to 3 are read)")]
    Version { major: u8, minor: u8 },
    /// The file ends early.
    #[error("it ends after {have} bytes where {need} are needed")]
    Truncated { have: usize, need: usize },
    /// The file goes on after the array.
    #[error("{extra} bytes follow the array")]
    Trailing { extra: usize },
    /// The header is no dictionary of the three keys.
    #[error("its header lacks a valid '{key}' entry")]
    Header { key: &'static str },
    /// An element type that OpenCL C does not have.
    #[error(
        "its element type '{descr}' has no OpenCL type (integers of 1 to 8 bytes and floats of 2, 4 and 8 have)"
    )]
    ElementType { descr: String },
    /// Column-major order.
    #[error("it is in Fortran order; save it with numpy.ascontiguousarray")]
    FortranOrder,
    /// More elements than memory can hold.
    #[error("its shape needs more bytes than a 64-bit number counts")]
    TooLarge,
}

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Reads a file's contents.
pub fn read(file: &[u8]) -> Result<Array, NpyError> {
    let field = |from: usize, length: usize| {
        let need = from.saturating_add(length);
        file.get(from..need).ok_or(NpyError::Truncated { have: file.len(), need })
    };
    if field(0, 6)? != MAGIC {
        return Err(NpyError::Magic);
    }
    let version = field(6, 2)?;
    let (header_at, header_length) = match version {
        [1, _] => (10, field(8, 2)?.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b))),
        [2 | 3, _] => (12, field(8, 4)?.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b))),
        other => return Err(NpyError::Version { major: other[0], minor: other[1] }),
    };
    let header = String::from_utf8_lossy(field(header_at, header_length)?);
    let descr = quoted(after_key(&header, "descr")?).ok_or(NpyError::Header { key: "descr" })?;
    let (scalar, swap) = element_type(descr)?;
    let shape = shape(after_key(&header, "shape")?).ok_or(NpyError::Header { key: "shape" })?;
    let order = after_key(&header, "fortran_order")?;
    let fortran = if order.starts_with("True") {
        true
    } else if order.starts_with("False") {
        false
    } else {
        return Err(NpyError::Header { key: "fortran_order" });
    };
    // In one dimension both orders are the same.
    if fortran && shape.iter().filter(|n| **n > 1).count() > 1 {
        return Err(NpyError::FortranOrder);
    }
    let size =
        shape.iter().try_fold(scalar.size(), |n, extent| n.checked_mul(*extent)).ok_or(NpyError::TooLarge)?;
    let data_at = header_at + header_length;
    let mut bytes = field(data_at, size)?.to_vec();
    if file.len() > data_at + size {
        return Err(NpyError::Trailing { extra: file.len() - data_at - size });
    }
    if swap {
        bytes.chunks_exact_mut(scalar.size()).for_each(<[u8]>::reverse);
    }
    Ok(Array { scalar, shape, bytes })
}

/// What follows `'key':` in the header's dictionary.
fn after_key<'a>(header: &'a str, key: &'static str) -> Result<&'a str, NpyError> {
    let missing = NpyError::Header { key };
    let mut rest = header;
    while let Some(at) = rest.find(key) {
        let before = rest[..at].chars().next_back();
        let after = &rest[at + key.len()..];
        if let Some(quote @ ('\'' | '"')) = before
            && let Some(value) = after.strip_prefix(quote)
        {
            return value.trim_start().strip_prefix(':').map(str::trim_start).ok_or(missing);
        }
        rest = after;
    }
    Err(missing)
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split(quote).next()
}

fn shape(text: &str) -> Option<Vec<usize>> {
    let (inside, _) = text.strip_prefix('(')?.split_once(')')?;
    inside.split(',').map(str::trim).filter(|n| !n.is_empty()).map(|n| n.parse().ok()).collect()
}

fn element_type(descr: &str) -> Result<(Scalar, bool), NpyError> {
    let unknown = || NpyError::ElementType { descr: descr.to_owned() };
    let (order, kind) = descr.split_at_checked(1).ok_or_else(unknown)?;
    let scalar = match kind {
        "i1" => Scalar::Char,
        "u1" | "b1" => Scalar::UChar,
        "i2" => Scalar::Short,
        "u2" => Scalar::UShort,
        "i4" => Scalar::Int,
        "u4" => Scalar::UInt,
        "i8" => Scalar::Long,
        "u8" => Scalar::ULong,
        "f2" => Scalar::Half,
        "f4" => Scalar::Float,
        "f8" => Scalar::Double,
        _ => return Err(unknown()),
    };
    match order {
        "<" | "|" | "=" => Ok((scalar, false)),
        ">" => Ok((scalar, true)),
        _ => Err(unknown()),
    }
}

/// The `.npy` file of a buffer: one dimension, a second of the lanes for vectors, and a picture's rows and columns
/// before those.
pub fn write(data: &HostData) -> Vec<u8> {
    let kind = match data.element.scalar {
        Scalar::Char => "|i1",
        Scalar::UChar => "|u1",
        Scalar::Short => "<i2",
        Scalar::UShort => "<u2",
        Scalar::Int => "<i4",
        Scalar::UInt => "<u4",
        Scalar::Long => "<i8",
        Scalar::ULong => "<u8",
        Scalar::Half => "<f2",
        Scalar::Float => "<f4",
        Scalar::Double => "<f8",
    };
    let mut extents = match data.picture {
        Some((width, height)) if width as usize * height as usize == data.len() => {
            vec![height as usize, width as usize]
        }
        _ => vec![data.len()],
    };
    if data.element.lanes > 1 {
        extents.push(usize::from(data.element.lanes));
    }
    let shape = match extents.as_slice() {
        [only] => format!("({only},)"),
        several => format!("({})", several.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // The array begins at a multiple of 64 bytes, and the header ends with a newline.
    let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
    while header.len() + 1 < padded {
        header.push(' ');
    }
    header.push('\n');
    let mut file = MAGIC.to_vec();
    file.extend_from_slice(&[1, 0]);
    // The longest header has three extents of 20 digits: far below 65536 bytes.
    file.extend_from_slice(&(header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    for lane in data.lanes() {
        file.extend_from_slice(lane);
    }
    file
}

impl Array {
    /// The array as elements of `lanes` lanes; `None` where the numbers do not divide evenly.
    pub fn into_data(self, lanes: u8) -> Option<HostData> {
        let element = Element { scalar: self.scalar, lanes };
        let packed = self.scalar.size() * usize::from(lanes);
        if !self.bytes.len().is_multiple_of(packed) {
            return None;
        }
        let bytes = if lanes == 3 {
            let padding = vec![0; self.scalar.size()];
            self.bytes.chunks_exact(packed).flat_map(|e| e.iter().chain(&padding).copied()).collect()
        } else {
            self.bytes
        };
        Some(HostData::new(element, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::super::generate;
    use super::*;

    #[test]
    fn what_is_written_reads_back() -> Result<(), NpyError> {
        for lanes in [1, 2, 3, 4, 8, 16] {
            for scalar in [Scalar::Char, Scalar::Half, Scalar::Float, Scalar::ULong] {
                let data = generate::random(Element { scalar, lanes }, 5, 1);
                let file = write(&data);
                assert!(
                    !file.is_empty()
                        && (file.len() - data.lanes().count() * scalar.size()).is_multiple_of(64)
                );
                let array = read(&file)?;
                let shape = if lanes == 1 { vec![5] } else { vec![5, usize::from(lanes)] };
                assert_eq!((array.scalar, array.shape.clone()), (scalar, shape));
                assert_eq!(array.into_data(lanes), Some(data));
            }
        }
        Ok(())
    }

    #[test]
    fn every_truncation_is_an_error() {
        let file = write(&generate::range(Element::scalar(Scalar::Int), 7));
        for end in 0..file.len() {
            assert!(read(&file[..end]).is_err(), "{end}");
        }
        let mut longer = file.clone();
        longer.push(0);
        assert_eq!(read(&longer), Err(NpyError::Trailing { extra: 1 }));
    }

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        file.extend_from_slice(&[1, 0]);
        file.extend_from_slice(&(header.len() as u16).to_le_bytes());
        file.extend_from_slice(header.as_bytes());
        file.extend_from_slice(data);
        file
    }

    #[test]
    fn foreign_headers() {
        let big = file("{'descr': '>u2', 'fortran_order': False, 'shape': (2,), }\n", &[1, 2, 3, 4]);
        assert_eq!(read(&big).map(|a| a.bytes), Ok(vec![2, 1, 4, 3]));
        let scalar = file("{\"shape\":(), \"descr\":\"<f4\", \"fortran_order\":False}", &[0; 4]);
        assert_eq!(read(&scalar).map(|a| a.shape), Ok(vec![]));
        let fortran = file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", &[0; 16]);
        assert_eq!(read(&fortran), Err(NpyError::FortranOrder));
        let complex = file("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", &[0; 8]);
        assert_eq!(read(&complex), Err(NpyError::ElementType { descr: "<c8".into() }));
        let structured = file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", &[0; 4]);
        assert_eq!(read(&structured), Err(NpyError::Header { key: "descr" }));
        let huge = file("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", &[]);
        assert_eq!(read(&huge), Err(NpyError::TooLarge));
        assert_eq!(read(b"\x89PNG\r\n\x1a\n"), Err(NpyError::Magic));
    }
}
