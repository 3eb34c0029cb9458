//! vload, vstore and the half forms: every type, width, address space that can be named, alignment and rounding mode.

mod support;

use support::Program;
use support::random::Random;

const TYPES: [(&str, usize); 10] = [
    ("char", 1),
    ("uchar", 1),
    ("short", 2),
    ("ushort", 2),
    ("int", 4),
    ("uint", 4),
    ("long", 8),
    ("ulong", 8),
    ("float", 4),
    ("double", 8),
];
const VECTORS: [usize; 5] = [2, 3, 4, 8, 16];
const SPACES: [&str; 3] = ["global", "local", "private"];

#[test]
fn vectors_are_loaded_and_stored_at_element_alignment() {
    let mut source = String::new();
    for (ty, _) in TYPES {
        for width in VECTORS {
            for space in SPACES {
                source.push_str(&format!(
                    "void {ty}_{width}_{space}(ulong i, {space} {ty} *from, {space} {ty} *to) {{ \
                     vstore{width}(vload{width}(i, (const {space} {ty} *)from), i + 1, to); }}\n"
                ));
            }
        }
    }
    let program = Program::new(&source, "native");
    let from: Vec<u8> = (0..1024).map(|index| (index * 7 % 251) as u8).collect();
    for (ty, size) in TYPES {
        for width in VECTORS {
            for space in SPACES {
                let mut to = vec![0xee_u8; 1024];
                // SAFETY: the type that the source gives it.
                let copy = unsafe {
                    program.function::<unsafe extern "C" fn(u64, *const u8, *mut u8)>(&format!(
                        "{ty}_{width}_{space}"
                    ))
                };
                // One element into the memory: aligned to an element, not to a vector.
                let (source, target) = (from[size..].as_ptr(), to[size..].as_mut_ptr());
                // SAFETY: vectors 2 and 3 lie within both arrays.
                unsafe { copy(2, source, target) };
                let vector = size * width;
                let mut expected = vec![0xee_u8; 1024];
                expected[size + 3 * vector..size + 4 * vector]
                    .copy_from_slice(&from[size + 2 * vector..size + 3 * vector]);
                assert_eq!(to, expected, "{ty}{width} in {space} memory");
            }
        }
    }
}

/// The value of a half's bits.
fn half_value(bits: u16) -> f64 {
    let magnitude = f64::from(bits & 0x3ff);
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 31);
    sign * match exponent {
        0 => magnitude * 2_f64.powi(-24),
        31 if magnitude == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + magnitude) * 2_f64.powi(exponent - 25),
    }
}

/// The half that a value rounds to, by looking at all of them in order.
fn half_of(table: &[(f64, u16)], x: f64, mode: &str) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    // `table` is sorted and ends with infinity, which for rounding lies where the next value would.
    let magnitude = x.abs();
    if magnitude.is_infinite() {
        return 0x7c00 | sign;
    }
    let above = table.partition_point(|(value, _)| *value < magnitude);
    if above < table.len() && table[above].0 == magnitude {
        return table[above].1 | sign;
    }
    let last = table.len() - 1;
    let (below, above) = if above > last { (last, last) } else { (above - 1, above) };
    let next = if above == last { 65536.0 } else { table[above].0 };
    let away = match mode {
        "_rtz" => false,
        "_rtp" => sign == 0,
        "_rtn" => sign != 0,
        _ => {
            let (down, up) = (magnitude - table[below].0, next - magnitude);
            up < down || (up == down && table[below].1 & 1 == 1)
        }
    };
    // Beyond the largest finite value there is nothing but infinity to go to.
    let finite_end = table[last - 1].1;
    if below >= last {
        if away || mode.is_empty() || mode == "_rte" { 0x7c00 | sign } else { finite_end | sign }
    } else {
        table[if away { above } else { below }].1 | sign
    }
}

#[test]
fn halves_are_widened_exactly() {
    let mut source = String::new();
    for width in ["", "2", "3", "4", "8", "16"] {
        let vector = if width.is_empty() { "vstore1" } else { "vstore" };
        let store = if width.is_empty() {
            "r[i] = vload_half(i, p);".to_owned()
        } else {
            format!("{vector}{width}(vload_half{width}(i, p), i, r);")
        };
        source.push_str(&format!(
            "void load_{width}(ulong i, const global half *p, global float *r) {{ {store} }}\n"
        ));
    }
    let program = Program::new(&source, "x86-64");
    let halves: Vec<u16> = (0..=u16::MAX).chain(0..48).collect();
    for (name, width) in [("", 1), ("2", 2), ("3", 3), ("4", 4), ("8", 8), ("16", 16)] {
        // SAFETY: the type that the source gives it.
        let load = unsafe {
            program.function::<unsafe extern "C" fn(u64, *const u16, *mut f32)>(&format!("load_{name}"))
        };
        let mut out = vec![0_f32; halves.len()];
        for index in 0..halves.len() / width {
            // SAFETY: vector `index` lies within both arrays.
            unsafe { load(index as u64, halves.as_ptr(), out.as_mut_ptr()) };
        }
        for (bits, got) in halves.iter().zip(&out).take(65536) {
            let expected = half_value(*bits) as f32;
            let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
            assert!(same, "half {bits:#x} at width {width} is {got}, not {expected}");
        }
    }
}

#[test]
fn floats_are_narrowed_to_halves_by_mode() {
    let modes = ["", "_rte", "_rtz", "_rtp", "_rtn"];
    let mut source = String::new();
    for ty in ["float", "double"] {
        for mode in modes {
            for width in ["", "2", "3", "4", "8", "16"] {
                let value = if width.is_empty() { "a[i]".to_owned() } else { format!("vload{width}(i, a)") };
                source.push_str(&format!(
                    "void {ty}{mode}_{width}(ulong i, const global {ty} *a, global half *p) \
                     {{ vstore_half{width}{mode}({value}, i, p); }}\n"
                ));
            }
        }
    }
    let program = Program::new(&source, "x86-64");
    let table: Vec<(f64, u16)> = (0..=0x7c00).map(|bits| (half_value(bits), bits)).collect();
    let mut random = Random::new(3);
    let mut values: Vec<f64> = Vec::new();
    for _ in 0..48 * 100 {
        let (value, bits) = table[random.below(0x7c00) as usize];
        let next = if bits == 0x7bff { 65536.0 } else { table[usize::from(bits) + 1].0 };
        let between = match random.below(4) {
            0 => value,
            1 => (value + next) / 2.0,
            2 => f64::from((((value + next) / 2.0) as f32).next_up()),
            _ => value + (next - value) * random.unit(),
        };
        let any = f64::from(f32::from_bits(random.bits() as u32));
        let chosen = if random.below(8) == 0 && !any.is_nan() { any } else { between };
        values.push(if random.below(2) == 0 { -chosen } else { chosen });
    }
    values[..6].copy_from_slice(&[f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 65520.0, 1e-30]);
    for (ty, single) in [("float", true), ("double", false)] {
        let inputs: Vec<f64> =
            values.iter().map(|&value| if single { f64::from(value as f32) } else { value }).collect();
        let memory: Vec<u8> = inputs
            .iter()
            .flat_map(|&x| if single { (x as f32).to_le_bytes().to_vec() } else { x.to_le_bytes().to_vec() })
            .collect();
        for mode in modes {
            for (name, width) in [("", 1), ("2", 2), ("3", 3), ("4", 4), ("8", 8), ("16", 16)] {
                // SAFETY: the type that the source gives it.
                let narrow = unsafe {
                    program.function::<unsafe extern "C" fn(u64, *const u8, *mut u16)>(&format!(
                        "{ty}{mode}_{name}"
                    ))
                };
                let mut out = vec![0_u16; inputs.len()];
                for index in 0..inputs.len() / width {
                    // SAFETY: vector `index` lies within both arrays.
                    unsafe { narrow(index as u64, memory.as_ptr(), out.as_mut_ptr()) };
                }
                for (&x, &got) in inputs.iter().zip(&out) {
                    let expected = half_of(&table, x, mode);
                    assert_eq!(
                        got, expected,
                        "{ty} {x:e}{mode} at width {width}: {got:#x}, not {expected:#x}"
                    );
                }
            }
        }
    }
}
