//! What a runtime without a compiler asks of a program in an intermediate language: whether it is SPIR-V, and which constants
//! of it the host may specialise. Everything else is the compiler's.

use std::collections::HashMap;

mod taken;

pub use taken::{CAPABILITIES, EXTENSIONS, INSTRUCTION_SETS, NON_SEMANTIC, OPENCL_STD};

/// The word that SPIR-V begins with.
const MAGIC: u32 = 0x0723_0203;
/// Words before the first instruction.
const HEADER: usize = 5;

const TYPE_BOOL: u32 = 20;
const TYPE_INT: u32 = 21;
const TYPE_FLOAT: u32 = 22;
const SPEC_CONSTANT_TRUE: u32 = 48;
const SPEC_CONSTANT_FALSE: u32 = 49;
const SPEC_CONSTANT: u32 = 50;
const DECORATE: u32 = 71;
/// The decoration that numbers a constant.
const SPEC_ID: u32 = 1;

/// A constant that the host may specialise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpecConstant {
    /// Its number.
    pub number: u32,
    /// Bytes of its value.
    pub bytes: usize,
}

/// Whether bytes begin as SPIR-V does, in either order.
#[must_use]
pub fn is_spirv(bytes: &[u8]) -> bool {
    let first = bytes.first_chunk::<4>().map(|word| u32::from_le_bytes(*word));
    first.is_some_and(|word| word == MAGIC || word == MAGIC.swap_bytes())
}

/// The constants of a module that the host may specialise; `None` where the bytes are no SPIR-V.
#[must_use]
pub fn spec_constants(module: &[u8]) -> Option<Vec<SpecConstant>> {
    let (words, rest) = module.as_chunks::<4>();
    if !is_spirv(module) || !rest.is_empty() || words.len() < HEADER {
        return None;
    }
    let swapped = u32::from_le_bytes(words[0]) != MAGIC;
    let word = |at: usize| {
        let word = u32::from_le_bytes(*words.get(at)?);
        Some(if swapped { word.swap_bytes() } else { word })
    };
    // By ids: the sizes of types, the numbers of constants.
    let (mut sizes, mut numbers, mut found) = (HashMap::new(), HashMap::new(), Vec::new());
    let mut at = HEADER;
    while let Some(first) = word(at) {
        let (length, op) = ((first >> 16) as usize, first & 0xFFFF);
        if length == 0 || at + length > words.len() {
            return None;
        }
        let operand = |index: usize| if index < length { word(at + index) } else { None };
        match op {
            // OpenCL's truth values are bytes.
            TYPE_BOOL => drop(sizes.insert(operand(1)?, 1)),
            TYPE_INT | TYPE_FLOAT => drop(sizes.insert(operand(1)?, operand(2)? as usize / 8)),
            DECORATE if operand(2)? == SPEC_ID => drop(numbers.insert(operand(1)?, operand(3)?)),
            SPEC_CONSTANT_TRUE | SPEC_CONSTANT_FALSE | SPEC_CONSTANT => {
                let (ty, id) = (operand(1)?, operand(2)?);
                if let (Some(number), Some(bytes)) = (numbers.get(&id), sizes.get(&ty)) {
                    found.push(SpecConstant { number: *number, bytes: *bytes });
                }
            }
            _ => {}
        }
        at += length;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::{MAGIC, SpecConstant, is_spirv, spec_constants};

    fn module() -> Vec<u32> {
        let mut words = vec![MAGIC, 0x0001_0000, 0, 10, 0];
        for instruction in [
            &[71, 5, 1, 7][..],
            &[71, 6, 1, 9],
            &[71, 4, 44, 4],
            &[21, 2, 64, 0],
            &[20, 3],
            &[50, 2, 5, 1, 0],
            &[48, 3, 6],
            &[50, 2, 8, 1, 0],
        ] {
            words.push((instruction.len() as u32) << 16 | instruction[0]);
            words.extend(&instruction[1..]);
        }
        words
    }

    fn bytes(words: &[u32], swapped: bool) -> Vec<u8> {
        words.iter().flat_map(|word| if swapped { word.to_be_bytes() } else { word.to_le_bytes() }).collect()
    }

    #[test]
    fn numbered_constants_are_found_in_either_order_of_bytes() {
        let wanted = [SpecConstant { number: 7, bytes: 8 }, SpecConstant { number: 9, bytes: 1 }];
        for swapped in [false, true] {
            let module = bytes(&module(), swapped);
            assert!(is_spirv(&module));
            assert_eq!(spec_constants(&module).as_deref(), Some(&wanted[..]));
        }
    }

    #[test]
    fn what_is_cut_short_has_none() {
        let whole = bytes(&module(), false);
        assert_eq!(spec_constants(&whole[..whole.len() - 4]), None);
        assert_eq!(spec_constants(&whole[..whole.len() - 1]), None);
        assert_eq!(spec_constants(&whole[..8]), None);
        assert_eq!(spec_constants(b"kernel void k() {}"), None);
    }
}
