//! What the opcodes of machine IR compute: 32-bit RISC-V with multiplication, bit manipulation and floats in integer
//! registers, as the RISC-V manual says. Nothing here knows the operations of a machine.

/// The result of an opcode on words, or `None` for one that is not known or takes other operands.
pub(super) fn compute(opcode: &str, all: &[u32]) -> Option<u32> {
    Some(match (opcode, all) {
        ("COPY" | "MOVGPR" | "MOVGPRNoX0" | "LI" | "PseudoLLA", [a, ..]) => *a,
        ("PseudoMovAddr", [upper, lower]) => (upper << 12).wrapping_add(*lower),
        ("IMPLICIT_DEF", []) => 0,
        ("INSERT_SUBREG" | "SUBREG_TO_REG", [_, a, _]) | ("SUBREG_TO_REG", [a, _]) => *a,
        ("LUI", [a]) => a << 12,
        ("ADD" | "ADDI", [a, b]) => a.wrapping_add(*b),
        ("SUB", [a, b]) => a.wrapping_sub(*b),
        ("AND" | "ANDI", [a, b]) => a & b,
        ("OR" | "ORI", [a, b]) => a | b,
        ("XOR" | "XORI", [a, b]) => a ^ b,
        ("ANDN", [a, b]) => a & !b,
        ("ORN", [a, b]) => a | !b,
        ("XNOR", [a, b]) => !(a ^ b),
        ("SLL" | "SLLI", [a, b]) => a << (b & 31),
        ("SRL" | "SRLI", [a, b]) => a >> (b & 31),
        ("SRA" | "SRAI", [a, b]) => (a.cast_signed() >> (b & 31)).cast_unsigned(),
        ("ROL", [a, b]) => a.rotate_left(b & 31),
        ("ROR" | "RORI", [a, b]) => a.rotate_right(b & 31),
        ("SLT" | "SLTI", [a, b]) => u32::from(a.cast_signed() < b.cast_signed()),
        ("SLTU" | "SLTIU", [a, b]) => u32::from(a < b),
        ("MIN", [a, b]) => a.cast_signed().min(b.cast_signed()).cast_unsigned(),
        ("MAX", [a, b]) => a.cast_signed().max(b.cast_signed()).cast_unsigned(),
        ("MINU", [a, b]) => *a.min(b),
        ("MAXU", [a, b]) => *a.max(b),
        ("SH1ADD", [a, b]) => (a << 1).wrapping_add(*b),
        ("SH2ADD", [a, b]) => (a << 2).wrapping_add(*b),
        ("SH3ADD", [a, b]) => (a << 3).wrapping_add(*b),
        ("SEXT_B", [a]) => (a.cast_signed() << 24 >> 24).cast_unsigned(),
        ("SEXT_H", [a]) => (a.cast_signed() << 16 >> 16).cast_unsigned(),
        ("ZEXT_H_RV32", [a]) => a & 0xffff,
        ("CLZ", [a]) => a.leading_zeros(),
        ("CTZ", [a]) => a.trailing_zeros(),
        ("CPOP", [a]) => a.count_ones(),
        ("REV8_RV32", [a]) => a.swap_bytes(),
        ("ORC_B", [a]) => u32::from_le_bytes(a.to_le_bytes().map(|byte| if byte == 0 { 0 } else { 0xff })),
        ("MUL", [a, b]) => a.wrapping_mul(*b),
        ("MULH", [a, b]) => high((i64::from(a.cast_signed()) * i64::from(b.cast_signed())).cast_unsigned()),
        ("MULHU", [a, b]) => high(u64::from(*a) * u64::from(*b)),
        ("MULHSU", [a, b]) => high((i64::from(a.cast_signed()) * i64::from(*b)).cast_unsigned()),
        ("DIV", [_, 0]) => u32::MAX,
        ("DIV", [a, b]) => a.cast_signed().wrapping_div(b.cast_signed()).cast_unsigned(),
        ("DIVU", [a, b]) => a.checked_div(*b).unwrap_or(u32::MAX),
        ("REM", [a, 0]) => *a,
        ("REM", [a, b]) => a.cast_signed().wrapping_rem(b.cast_signed()).cast_unsigned(),
        ("REMU", [a, b]) => a.checked_rem(*b).unwrap_or(*a),
        ("Select_GPR_Using_CC_GPR", [a, b, compare, yes, no]) => {
            if holds(*compare, *a, *b)? {
                *yes
            } else {
                *no
            }
        }
        _ => return float(opcode, all),
    })
}

/// Whether two words compare as the number of a condition says.
pub(super) fn holds(compare: u32, a: u32, b: u32) -> Option<bool> {
    Some(match compare {
        0 => a == b,
        1 => a != b,
        2 => a.cast_signed() < b.cast_signed(),
        3 => a.cast_signed() >= b.cast_signed(),
        4 => a < b,
        5 => a >= b,
        _ => return None,
    })
}

/// The number of a conditional branch's condition.
pub(super) fn branch(opcode: &str) -> Option<u32> {
    ["BEQ", "BNE", "BLT", "BGE", "BLTU", "BGEU"].iter().position(|b| *b == opcode).map(|k| k as u32)
}

/// The new value of an atomic update.
pub(super) fn updated(opcode: &str, old: u32, with: u32) -> Option<u32> {
    let name = opcode.strip_prefix("AMO")?;
    let name = name.split("_W").next()?;
    if name == "SWAP" { Some(with) } else { compute(name, &[old, with]) }
}

fn high(product: u64) -> u32 {
    (product >> 32) as u32
}

const SIGN: u32 = 1 << 31;
const NO_NUMBER: u32 = 0x7fc0_0000;

fn bits(x: f32) -> u32 {
    if x.is_nan() { NO_NUMBER } else { x.to_bits() }
}

/// Opcodes on floats. A rounding mode, which is to the nearest for all but conversions, is passed over.
fn float(opcode: &str, all: &[u32]) -> Option<u32> {
    let f = f32::from_bits;
    Some(match (opcode, all) {
        ("FADD_S_INX", [a, b, ..]) => bits(f(*a) + f(*b)),
        ("FSUB_S_INX", [a, b, ..]) => bits(f(*a) - f(*b)),
        ("FMUL_S_INX", [a, b, ..]) => bits(f(*a) * f(*b)),
        ("FDIV_S_INX", [a, b, ..]) => bits(f(*a) / f(*b)),
        ("FSQRT_S_INX", [a, ..]) => bits(f(*a).sqrt()),
        ("FEQ_S_INX", [a, b]) => u32::from(f(*a) == f(*b)),
        ("FLT_S_INX", [a, b]) => u32::from(f(*a) < f(*b)),
        ("FLE_S_INX", [a, b]) => u32::from(f(*a) <= f(*b)),
        ("FSGNJ_S_INX", [a, b]) => (a & !SIGN) | (b & SIGN),
        ("FSGNJN_S_INX", [a, b]) => (a & !SIGN) | (!b & SIGN),
        ("FSGNJX_S_INX", [a, b]) => a ^ (b & SIGN),
        ("FMIN_S_INX", [a, b]) => extreme(*a, *b, true),
        ("FMAX_S_INX", [a, b]) => extreme(*a, *b, false),
        ("FCVT_S_W_INX", [a, ..]) => bits(a.cast_signed() as f32),
        ("FCVT_S_WU_INX", [a, ..]) => bits(*a as f32),
        ("FCVT_W_S_INX", [a, mode]) => {
            let x = rounded(f(*a), *mode)?;
            if x.is_nan() { i32::MAX.cast_unsigned() } else { (x as i32).cast_unsigned() }
        }
        ("FCVT_WU_S_INX", [a, mode]) => {
            let x = rounded(f(*a), *mode)?;
            if x.is_nan() { u32::MAX } else { x as u32 }
        }
        ("FCLASS_S_INX", [a]) => class(f(*a)),
        ("PseudoFROUND_S_INX", [a, _, mode] | [a, mode]) => {
            // What has no fraction is left as it is, and so is what is no number.
            if f(*a).abs() < 8_388_608.0 {
                (rounded(f(*a), *mode)?.to_bits() & !SIGN) | (a & SIGN)
            } else {
                *a
            }
        }
        _ => return None,
    })
}

fn rounded(x: f32, mode: u32) -> Option<f32> {
    Some(match mode {
        0 | 7 => x.round_ties_even(),
        1 => x.trunc(),
        2 => x.floor(),
        3 => x.ceil(),
        4 => x.round(),
        _ => return None,
    })
}

/// The smaller or larger number; the other one if one is no number; -0 is below +0.
fn extreme(a: u32, b: u32, least: bool) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => NO_NUMBER,
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            let first_below = x < y || (x == y && a & SIGN != 0);
            if first_below == least { a } else { b }
        }
    }
}

fn class(x: f32) -> u32 {
    let negative = x.is_sign_negative();
    let position = match x.classify() {
        std::num::FpCategory::Nan => 8 + (x.to_bits() >> 22 & 1),
        std::num::FpCategory::Infinite => {
            if negative {
                0
            } else {
                7
            }
        }
        std::num::FpCategory::Normal => {
            if negative {
                1
            } else {
                6
            }
        }
        std::num::FpCategory::Subnormal => {
            if negative {
                2
            } else {
                5
            }
        }
        std::num::FpCategory::Zero => {
            if negative {
                3
            } else {
                4
            }
        }
    };
    1 << position
}

#[cfg(test)]
mod tests {
    use super::{compute, holds, updated};

    #[test]
    fn integers_behave_as_the_manual_says() {
        assert_eq!(compute("SLL", &[1, 33]), Some(2));
        assert_eq!(compute("SRAI", &[0x8000_0000, 31]), Some(u32::MAX));
        assert_eq!(compute("DIV", &[0x8000_0000, u32::MAX]), Some(0x8000_0000));
        assert_eq!(compute("DIV", &[7, 0]), Some(u32::MAX));
        assert_eq!(compute("REM", &[7, 0]), Some(7));
        assert_eq!(compute("MULHSU", &[u32::MAX, u32::MAX]), Some(u32::MAX));
        assert_eq!(updated("AMOMIN_W_AQRL", 3, u32::MAX), Some(u32::MAX));
        assert_eq!(updated("AMOSWAP_W", 3, 4), Some(4));
        assert_eq!(holds(4, 1, u32::MAX), Some(true));
        assert_eq!(compute("NOPE", &[1]), None);
    }

    #[test]
    fn floats_behave_as_the_manual_says() {
        let one = 1.0f32.to_bits();
        assert_eq!(compute("FMIN_S_INX", &[0x7fc0_0000, one]), Some(one));
        assert_eq!(compute("FMAX_S_INX", &[0, 0x8000_0000]), Some(0));
        assert_eq!(compute("FMIN_S_INX", &[0, 0x8000_0000]), Some(0x8000_0000));
        assert_eq!(compute("FCVT_W_S_INX", &[2.5f32.to_bits(), 0]), Some(2));
        assert_eq!(compute("FCVT_WU_S_INX", &[(-1.0f32).to_bits(), 1]), Some(0));
        assert_eq!(compute("PseudoFROUND_S_INX", &[(-0.25f32).to_bits(), 0, 0]), Some(0x8000_0000));
        assert_eq!(compute("FCLASS_S_INX", &[0x7fc0_0000]), Some(1 << 9));
    }
}
