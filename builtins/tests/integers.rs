//! The integer functions against their definitions in 128-bit arithmetic, for every type, at every width.

mod support;

use support::random::Random;
use support::{Program, WIDTHS, load, store, vector};

/// One integer type: name, bits, signed, name of the unsigned type of the size.
const TYPES: [(&str, u32, bool, &str); 8] = [
    ("char", 8, true, "uchar"),
    ("uchar", 8, false, "uchar"),
    ("short", 16, true, "ushort"),
    ("ushort", 16, false, "ushort"),
    ("int", 32, true, "uint"),
    ("uint", 32, false, "uint"),
    ("long", 64, true, "ulong"),
    ("ulong", 64, false, "ulong"),
];

#[derive(Clone, Copy)]
struct Type {
    bits: u32,
    signed: bool,
}

impl Type {
    fn min(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }
    fn max(self) -> i128 {
        (1 << (self.bits - u32::from(self.signed))) - 1
    }
    /// The value of a bit pattern.
    fn value(self, pattern: u64) -> i128 {
        let cut = i128::from(pattern) & ((1 << self.bits) - 1);
        if cut > self.max() { cut - (1 << self.bits) } else { cut }
    }
    fn saturate(self, exact: i128) -> i128 {
        exact.clamp(self.min(), self.max())
    }
}

/// The upper half of a product. That of two unsigned 64-bit factors needs all of 128 bits.
fn high_half(ty: Type, x: i128, y: i128) -> i128 {
    match x.checked_mul(y) {
        Some(product) => product >> ty.bits,
        None => ((x.cast_unsigned() * y.cast_unsigned()) >> ty.bits).cast_signed(),
    }
}

/// Name, parameters, and the definition; the result is taken modulo the size.
type Definition = (&'static str, usize, fn(Type, i128, i128, i128) -> i128);

const DEFINITIONS: [Definition; 20] = [
    ("abs", 1, |_, x, _, _| x.abs()),
    ("abs_diff", 2, |_, x, y, _| (x - y).abs()),
    ("add_sat", 2, |t, x, y, _| t.saturate(x + y)),
    ("sub_sat", 2, |t, x, y, _| t.saturate(x - y)),
    ("hadd", 2, |_, x, y, _| (x + y) >> 1),
    ("rhadd", 2, |_, x, y, _| (x + y + 1) >> 1),
    ("max", 2, |_, x, y, _| x.max(y)),
    ("min", 2, |_, x, y, _| x.min(y)),
    ("clz", 1, |t, x, _, _| i128::from((x & ((1 << t.bits) - 1)).leading_zeros()) - 128 + i128::from(t.bits)),
    ("ctz", 1, |t, x, _, _| i128::from((x & ((1 << t.bits) - 1)).trailing_zeros().min(t.bits))),
    ("popcount", 1, |t, x, _, _| i128::from((x & ((1 << t.bits) - 1)).count_ones())),
    ("mul_hi", 2, |t, x, y, _| high_half(t, x, y)),
    ("mad_hi", 3, |t, x, y, z| high_half(t, x, y) + z),
    ("mad_sat", 3, |t, x, y, z| t.saturate(x.saturating_mul(y).saturating_add(z))),
    ("rotate", 2, |t, x, y, _| {
        let pattern = x & ((1 << t.bits) - 1);
        let count = y.rem_euclid(i128::from(t.bits));
        (pattern << count) | (pattern >> (i128::from(t.bits) - count))
    }),
    ("clamp", 3, |_, x, y, z| x.max(y.min(z)).min(y.max(z))),
    ("mul24", 2, |_, x, y, _| x * y),
    ("mad24", 3, |_, x, y, z| x * y + z),
    ("bitselect", 3, |_, x, y, z| (x & !z) | (y & z)),
    ("upsample", 2, |t, x, y, _| (x << t.bits) | (y & ((1 << t.bits) - 1))),
];

const COUNT: usize = 48 * 40;

fn result_type(name: &str, ty: (&str, u32, bool, &str)) -> String {
    match name {
        "abs" | "abs_diff" => ty.3.to_owned(),
        "upsample" => {
            let wide = ["short", "int", "long"][(ty.1 / 16) as usize];
            if ty.2 { wide.to_owned() } else { format!("u{wide}") }
        }
        _ => ty.0.to_owned(),
    }
}

fn applies(name: &str, bits: u32) -> bool {
    match name {
        "mul24" | "mad24" => bits == 32,
        "upsample" => bits < 64,
        _ => true,
    }
}

fn function(name: &str, ty: (&str, u32, bool, &str), parameters: usize, width: usize) -> String {
    let element = ty.0;
    let second = if name == "upsample" { ty.3 } else { element };
    let pointers = ["a", "b", "c"];
    let mut values: Vec<String> = (0..parameters).map(|index| load(width, pointers[index])).collect();
    if name == "clamp" {
        // The limits must be in order.
        values[1] = format!("min({}, {})", load(width, "b"), load(width, "c"));
        values[2] = format!("max({}, {})", load(width, "b"), load(width, "c"));
    }
    let result = result_type(name, ty);
    let call = format!("{name}({})", values.join(", "));
    format!(
        "void {name}_{element}_{width}(const global {element} *a, const global {second} *b, const global {element} *c, \
         global {result} *r, ulong count) {{ for (ulong i = 0; i < count; i += {width}) {{ {} }} }}\n",
        store(width, &call, "r")
    )
}

/// The low `bits` of each value, as memory holds them.
fn pack(values: &[u64], bits: u32) -> Vec<u8> {
    let bytes = (bits / 8) as usize;
    values.iter().flat_map(|value| value.to_le_bytes()[..bytes].to_vec()).collect()
}

fn unpack(memory: &[u8], bits: u32) -> Vec<u64> {
    let unpack_one = |chunk: &[u8]| {
        let mut whole = [0; 8];
        whole[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(whole)
    };
    memory.chunks((bits / 8) as usize).map(unpack_one).collect()
}

type Entry = unsafe extern "C" fn(*const u8, *const u8, *const u8, *mut u8, u64);

#[test]
fn integer_functions_are_as_defined() {
    let mut source = String::new();
    for ty in TYPES {
        for (name, parameters, _) in DEFINITIONS {
            for width in WIDTHS {
                if applies(name, ty.1) {
                    source.push_str(&function(name, ty, parameters, width));
                }
            }
        }
    }
    let program = Program::new(&source, "native");
    let mut random = Random::new(1);
    let mut compared = 0;
    for ty in TYPES {
        let kind = Type { bits: ty.1, signed: ty.2 };
        for (name, _, definition) in DEFINITIONS {
            if !applies(name, ty.1) {
                continue;
            }
            let mut operands = [(); 3].map(|()| (0..COUNT).map(|_| random.integer()).collect::<Vec<u64>>());
            if name.ends_with("24") {
                // Only factors of 24 bits have a defined product.
                for value in operands.iter_mut().take(2).flatten() {
                    *value = (*value & 0x7f_ffff).wrapping_sub(if ty.2 { 0x40_0000 } else { 0 });
                }
            }
            let memory = operands.each_ref().map(|values| pack(values, ty.1));
            let result_bits = if name == "upsample" { 2 * ty.1 } else { ty.1 };
            for width in WIDTHS {
                let mut out = vec![0xcc_u8; COUNT * (result_bits / 8) as usize];
                // SAFETY: `Entry` is the type that `function` gives it.
                let entry = unsafe { program.function::<Entry>(&format!("{name}_{}_{width}", ty.0)) };
                let [a, b, c] = memory.each_ref().map(Vec::as_ptr);
                // SAFETY: all four arrays hold COUNT elements of the function's types.
                unsafe { entry(a, b, c, out.as_mut_ptr(), COUNT as u64) };
                for (index, got) in unpack(&out, result_bits).into_iter().enumerate() {
                    let [x, y, z] = operands.each_ref().map(|values| kind.value(values[index]));
                    let expected = definition(kind, x, y, z) as u64 & (u64::MAX >> (64 - result_bits));
                    assert_eq!(
                        got,
                        expected,
                        "{name}({x}, {y}, {z}) of {} at width {width}",
                        vector(ty.0, width)
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 1_000_000);
}
