//! The table of operations. One row an operation; the order is the order in which `oxcl tta show` lists them.

use super::float::{Format, max, min, ordered, to_i32, to_i64, to_u32, to_u64};
use super::{Access, Atomic, ByteOrder, Control, Device, OpInfo, Semantics};

/// The low 32 bits as an unsigned number.
fn w(x: u64) -> u32 {
    (x & 0xffff_ffff) as u32
}

/// The low 32 bits as a signed number.
fn s(x: u64) -> i32 {
    w(x).cast_signed()
}

/// A signed 32-bit result.
fn r(x: i32) -> u64 {
    u64::from(x.cast_unsigned())
}

/// All 64 bits as a signed number.
fn l(x: u64) -> i64 {
    x.cast_signed()
}

fn f(x: u64) -> f32 {
    f32::of(x)
}

fn d(x: u64) -> f64 {
    f64::of(x)
}

const fn row(name: &'static str, inputs: u16, outputs: u16, semantics: Semantics) -> OpInfo {
    OpInfo { name, inputs, outputs, swap: None, semantics }
}

const fn swapping(info: OpInfo, a: u16, b: u16) -> OpInfo {
    OpInfo { swap: Some((a, b)), ..info }
}

const fn one(name: &'static str, function: fn(u64) -> u64) -> OpInfo {
    row(name, 1, 1, Semantics::Unary(function))
}

const fn two(name: &'static str, function: fn(u64, u64) -> u64) -> OpInfo {
    row(name, 2, 1, Semantics::Binary(function))
}

/// A binary operation that does not care for the order of its inputs.
const fn sym(name: &'static str, function: fn(u64, u64) -> u64) -> OpInfo {
    swapping(two(name, function), 1, 2)
}

const fn three(name: &'static str, function: fn(u64, u64, u64) -> u64) -> OpInfo {
    row(name, 3, 1, Semantics::Ternary(function))
}

const fn access(bytes: u8, words: u8, signed: bool, order: ByteOrder, offset: bool) -> Access {
    Access { bytes, words, signed, order, offset }
}

const LE: ByteOrder = ByteOrder::Little;
const BE: ByteOrder = ByteOrder::Big;

const fn load(name: &'static str, bytes: u8, signed: bool, order: ByteOrder) -> OpInfo {
    row(name, 1, 1, Semantics::Load(access(bytes, 1, signed, order, false)))
}

const fn loads(name: &'static str, bytes: u8, words: u8, signed: bool) -> OpInfo {
    row(name, 1, words as u16, Semantics::Load(access(bytes, words, signed, BE, false)))
}

const fn store(name: &'static str, bytes: u8, order: ByteOrder) -> OpInfo {
    row(name, 2, 0, Semantics::Store(access(bytes, 1, false, order, false)))
}

const fn stores(name: &'static str, bytes: u8, words: u8) -> OpInfo {
    row(name, 1 + words as u16, 0, Semantics::Store(access(bytes, words, false, BE, false)))
}

const fn load_at(name: &'static str, bytes: u8, signed: bool) -> OpInfo {
    swapping(row(name, 2, 1, Semantics::Load(access(bytes, 1, signed, LE, true))), 1, 2)
}

const fn store_at(name: &'static str, bytes: u8) -> OpInfo {
    swapping(row(name, 3, 0, Semantics::Store(access(bytes, 1, false, LE, true))), 1, 2)
}

const fn atomic(name: &'static str, function: fn(u64, u64) -> u64) -> OpInfo {
    row(name, 2, 1, Semantics::Atomic(Atomic::Update(function)))
}

const fn device(name: &'static str, inputs: u16, outputs: u16, device: Device) -> OpInfo {
    row(name, inputs, outputs, Semantics::Device(device))
}

const fn jump(
    name: &'static str,
    inputs: u16,
    links: bool,
    taken: fn(&[u64]) -> bool,
    target: fn(u64, &[u64]) -> u64,
) -> OpInfo {
    row(name, inputs, 0, Semantics::Control(Control { taken, target, links }))
}

fn always(_: &[u64]) -> bool {
    true
}

fn absolute(_: u64, i: &[u64]) -> u64 {
    u64::from(w(i[0]))
}

fn relative(pc: u64, i: &[u64]) -> u64 {
    u64::from(w(pc.wrapping_add(i[0])))
}

/// The target of a two-way branch is operand 2.
fn second(_: u64, i: &[u64]) -> u64 {
    u64::from(w(i[1]))
}

fn second_relative(pc: u64, i: &[u64]) -> u64 {
    u64::from(w(pc.wrapping_add(i[1])))
}

/// The target of a compare-and-branch is operand 3.
fn third(_: u64, i: &[u64]) -> u64 {
    u64::from(w(i[2]))
}

fn third_relative(pc: u64, i: &[u64]) -> u64 {
    u64::from(w(pc.wrapping_add(i[2])))
}

fn divide(a: u64, b: u64) -> u64 {
    if w(b) == 0 { r(-1) } else { r(s(a).wrapping_div(s(b))) }
}

fn remainder(a: u64, b: u64) -> u64 {
    if w(b) == 0 { r(s(a)) } else { r(s(a).wrapping_rem(s(b))) }
}

fn divide_unsigned(a: u64, b: u64) -> u64 {
    u64::from(w(a).checked_div(w(b)).unwrap_or(u32::MAX))
}

fn remainder_unsigned(a: u64, b: u64) -> u64 {
    u64::from(w(a).checked_rem(w(b)).unwrap_or(w(a)))
}

fn divide64(a: u64, b: u64) -> u64 {
    if b == 0 { u64::MAX } else { l(a).wrapping_div(l(b)).cast_unsigned() }
}

fn remainder64(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { l(a).wrapping_rem(l(b)).cast_unsigned() }
}

/// A shift amount below `width`, if it is one.
fn amount(x: u64, width: u32) -> Option<u32> {
    let x = w(x);
    (x < width).then_some(x)
}

fn leading_run(value: u64, bit: u64) -> u64 {
    let value = w(value);
    // The position of the first bit from the top that equals the one searched.
    u64::from(if bit & 1 == 1 { value.leading_zeros() } else { value.leading_ones() })
}

fn both(a: u64, b: u64) -> (u64, u64) {
    (u64::from(w(a).wrapping_add(w(b))), u64::from(w(a).wrapping_sub(w(b))))
}

/// Every operation that we know.
pub(super) static TABLE: &[OpInfo] = &[
    // Integers of 32 bits.
    sym("add", |a, b| u64::from(w(a).wrapping_add(w(b)))),
    two("sub", |a, b| u64::from(w(a).wrapping_sub(w(b)))),
    one("neg", |a| u64::from(w(a).wrapping_neg())),
    one("abs", |a| r(s(a).wrapping_abs())),
    sym("min", |a, b| r(s(a).min(s(b)))),
    sym("max", |a, b| r(s(a).max(s(b)))),
    sym("minu", |a, b| u64::from(w(a).min(w(b)))),
    sym("maxu", |a, b| u64::from(w(a).max(w(b)))),
    sym("mul", |a, b| u64::from(w(a).wrapping_mul(w(b)))),
    sym("mulhi", |a, b| (i64::from(s(a)) * i64::from(s(b))).cast_unsigned() >> 32),
    sym("mulhiu", |a, b| (u64::from(w(a)) * u64::from(w(b))) >> 32),
    two("mulhisu", |a, b| (i64::from(s(a)) * i64::from(w(b))).cast_unsigned() >> 32),
    two("div", divide),
    two("divu", divide_unsigned),
    two("mod", remainder),
    two("modu", remainder_unsigned),
    two("rem", remainder),
    two("remu", remainder_unsigned),
    swapping(three("mac", |a, b, c| u64::from(w(a).wrapping_add(w(b).wrapping_mul(w(c))))), 2, 3),
    row("addsub", 2, 2, Semantics::Pair(both)),
    sym("and", |a, b| u64::from(w(a) & w(b))),
    sym("ior", |a, b| u64::from(w(a) | w(b))),
    sym("xor", |a, b| u64::from(w(a) ^ w(b))),
    one("not", |a| u64::from(!w(a))),
    one("reflect32", |a| u64::from(w(a).reverse_bits())),
    two("andn", |a, b| u64::from(w(a) & !w(b))),
    two("shl", |a, b| amount(b, 32).map_or(0, |n| u64::from(w(a) << n))),
    two("shr", |a, b| amount(b, 32).map_or(0, |n| r(s(a) >> n))),
    two("shru", |a, b| amount(b, 32).map_or(0, |n| u64::from(w(a) >> n))),
    two("rotl", |a, b| u64::from(w(a).rotate_left(w(b) % 32))),
    two("rotr", |a, b| u64::from(w(a).rotate_right(w(b) % 32))),
    one("shl1_32", |a| u64::from(w(a) << 1)),
    one("shl2_32", |a| u64::from(w(a) << 2)),
    one("shl4_32", |a| u64::from(w(a) << 4)),
    one("shl8_32", |a| u64::from(w(a) << 8)),
    one("shl16_32", |a| u64::from(w(a) << 16)),
    one("shr1_32", |a| r(s(a) >> 1)),
    one("shr2_32", |a| r(s(a) >> 2)),
    one("shr4_32", |a| r(s(a) >> 4)),
    one("shr8_32", |a| r(s(a) >> 8)),
    one("shr16_32", |a| r(s(a) >> 16)),
    one("shru1_32", |a| u64::from(w(a) >> 1)),
    one("shru2_32", |a| u64::from(w(a) >> 2)),
    one("shru4_32", |a| u64::from(w(a) >> 4)),
    one("shru8_32", |a| u64::from(w(a) >> 8)),
    one("shru16_32", |a| u64::from(w(a) >> 16)),
    two("shl1add", |a, b| u64::from((w(a) << 1).wrapping_add(w(b)))),
    two("shl2add", |a, b| u64::from((w(a) << 2).wrapping_add(w(b)))),
    one("sxbw", |a| r(-s(a & 1))),
    one("sxqw", |a| r(s(a) << 24 >> 24)),
    one("sxhw", |a| r(s(a) << 16 >> 16)),
    one("truncwh", |a| a & 0xffff),
    two("lmbd", leading_run),
    three("select", |a, b, c| if c & 1 == 1 { a } else { b }),
    sym("eq", |a, b| u64::from(w(a) == w(b))),
    sym("ne", |a, b| u64::from(w(a) != w(b))),
    two("gt", |a, b| u64::from(s(a) > s(b))),
    two("ge", |a, b| u64::from(s(a) >= s(b))),
    two("lt", |a, b| u64::from(s(a) < s(b))),
    two("le", |a, b| u64::from(s(a) <= s(b))),
    two("gtu", |a, b| u64::from(w(a) > w(b))),
    two("geu", |a, b| u64::from(w(a) >= w(b))),
    two("ltu", |a, b| u64::from(w(a) < w(b))),
    two("leu", |a, b| u64::from(w(a) <= w(b))),
    // Integers of 64 bits.
    sym("add64", u64::wrapping_add),
    two("sub64", u64::wrapping_sub),
    one("neg64", u64::wrapping_neg),
    one("abs64", |a| l(a).wrapping_abs().cast_unsigned()),
    sym("min64", |a, b| l(a).min(l(b)).cast_unsigned()),
    sym("max64", |a, b| l(a).max(l(b)).cast_unsigned()),
    sym("minu64", |a, b| a.min(b)),
    sym("maxu64", |a, b| a.max(b)),
    sym("mul64", u64::wrapping_mul),
    two("div64", divide64),
    two("divu64", |a, b| a.checked_div(b).unwrap_or(u64::MAX)),
    two("mod64", remainder64),
    two("modu64", |a, b| a.checked_rem(b).unwrap_or(a)),
    swapping(three("mac64", |a, b, c| a.wrapping_add(b.wrapping_mul(c))), 2, 3),
    sym("and64", |a, b| a & b),
    sym("ior64", |a, b| a | b),
    sym("xor64", |a, b| a ^ b),
    one("not64", |a| !a),
    two("shl64", |a, b| amount(b, 64).map_or(0, |n| a << n)),
    two("shr64", |a, b| amount(b, 64).map_or(0, |n| (l(a) >> n).cast_unsigned())),
    two("shru64", |a, b| amount(b, 64).map_or(0, |n| a >> n)),
    two("rotl64", |a, b| a.rotate_left(w(b) % 64)),
    two("rotr64", |a, b| a.rotate_right(w(b) % 64)),
    two("shl1add64", |a, b| (a << 1).wrapping_add(b)),
    two("shl2add64", |a, b| (a << 2).wrapping_add(b)),
    two("shl3add64", |a, b| (a << 3).wrapping_add(b)),
    one("sxb64", |a| l(a << 63 >> 63).wrapping_neg().cast_unsigned()),
    one("sxq64", |a| (l(a) << 56 >> 56).cast_unsigned()),
    one("sxh64", |a| (l(a) << 48 >> 48).cast_unsigned()),
    one("sxw64", |a| (l(a) << 32 >> 32).cast_unsigned()),
    one("zxw64", |a| u64::from(w(a))),
    three("select64", |a, b, c| if c & 1 == 1 { a } else { b }),
    sym("eq64", |a, b| u64::from(a == b)),
    sym("ne64", |a, b| u64::from(a != b)),
    two("gt64", |a, b| u64::from(l(a) > l(b))),
    two("ge64", |a, b| u64::from(l(a) >= l(b))),
    two("lt64", |a, b| u64::from(l(a) < l(b))),
    two("le64", |a, b| u64::from(l(a) <= l(b))),
    two("gtu64", |a, b| u64::from(a > b)),
    two("geu64", |a, b| u64::from(a >= b)),
    two("ltu64", |a, b| u64::from(a < b)),
    two("leu64", |a, b| u64::from(a <= b)),
    // Floating point of 32 bits. Multiply-add rounds after the product and after the sum.
    sym("addf", |a, b| (f(a) + f(b)).bits()),
    two("subf", |a, b| (f(a) - f(b)).bits()),
    sym("mulf", |a, b| (f(a) * f(b)).bits()),
    two("divf", |a, b| (f(a) / f(b)).bits()),
    one("negf", |a| u64::from(w(a) ^ 0x8000_0000)),
    one("absf", |a| u64::from(w(a) & 0x7fff_ffff)),
    one("sqrtf", |a| f(a).sqrt().bits()),
    two("minf", |a, b| min(f(a), f(b)).bits()),
    two("maxf", |a, b| max(f(a), f(b)).bits()),
    swapping(three("macf", |a, b, c| (f(a) + f32::of((f(b) * f(c)).bits())).bits()), 2, 3),
    swapping(three("msuf", |a, b, c| (f(a) - f32::of((f(b) * f(c)).bits())).bits()), 2, 3),
    sym("eqf", |a, b| u64::from(f(a) == f(b))),
    sym("nef", |a, b| u64::from(ordered(f(a), f(b)) && f(a) != f(b))),
    two("gtf", |a, b| u64::from(f(a) > f(b))),
    two("gef", |a, b| u64::from(f(a) >= f(b))),
    two("ltf", |a, b| u64::from(f(a) < f(b))),
    two("lef", |a, b| u64::from(f(a) <= f(b))),
    sym("equf", |a, b| u64::from(!ordered(f(a), f(b)) || f(a) == f(b))),
    sym("neuf", |a, b| u64::from(f(a) != f(b))),
    two("gtuf", |a, b| u64::from(!ordered(f(a), f(b)) || f(a) > f(b))),
    two("geuf", |a, b| u64::from(!ordered(f(a), f(b)) || f(a) >= f(b))),
    two("ltuf", |a, b| u64::from(!ordered(f(a), f(b)) || f(a) < f(b))),
    two("leuf", |a, b| u64::from(!ordered(f(a), f(b)) || f(a) <= f(b))),
    sym("ordf", |a, b| u64::from(ordered(f(a), f(b)))),
    sym("uordf", |a, b| u64::from(!ordered(f(a), f(b)))),
    one("cfi", |a| to_i32(f(a))),
    one("cfiu", |a| to_u32(f(a))),
    one("cif", |a| (s(a) as f32).bits()),
    one("cifu", |a| (w(a) as f32).bits()),
    // Floating point of 64 bits.
    sym("addd", |a, b| (d(a) + d(b)).bits()),
    two("subd", |a, b| (d(a) - d(b)).bits()),
    sym("muld", |a, b| (d(a) * d(b)).bits()),
    two("divd", |a, b| (d(a) / d(b)).bits()),
    one("negd", |a| a ^ (1 << 63)),
    one("absd", |a| a & !(1 << 63)),
    one("sqrtd", |a| d(a).sqrt().bits()),
    swapping(three("macd", |a, b, c| (d(a) + f64::of((d(b) * d(c)).bits())).bits()), 2, 3),
    swapping(three("msud", |a, b, c| (d(a) - f64::of((d(b) * d(c)).bits())).bits()), 2, 3),
    sym("eqd", |a, b| u64::from(d(a) == d(b))),
    sym("ned", |a, b| u64::from(ordered(d(a), d(b)) && d(a) != d(b))),
    two("gtd", |a, b| u64::from(d(a) > d(b))),
    two("ged", |a, b| u64::from(d(a) >= d(b))),
    two("ltd", |a, b| u64::from(d(a) < d(b))),
    two("led", |a, b| u64::from(d(a) <= d(b))),
    sym("equd", |a, b| u64::from(!ordered(d(a), d(b)) || d(a) == d(b))),
    sym("neud", |a, b| u64::from(d(a) != d(b))),
    two("gtud", |a, b| u64::from(!ordered(d(a), d(b)) || d(a) > d(b))),
    two("geud", |a, b| u64::from(!ordered(d(a), d(b)) || d(a) >= d(b))),
    two("ltud", |a, b| u64::from(!ordered(d(a), d(b)) || d(a) < d(b))),
    two("leud", |a, b| u64::from(!ordered(d(a), d(b)) || d(a) <= d(b))),
    sym("ordd", |a, b| u64::from(ordered(d(a), d(b)))),
    sym("uordd", |a, b| u64::from(!ordered(d(a), d(b)))),
    one("cfd", |a| f64::from(f(a)).bits()),
    one("cdf", |a| (d(a) as f32).bits()),
    one("cdl", |a| to_i64(d(a))),
    one("cdlu", |a| to_u64(d(a))),
    one("cld", |a| (l(a) as f64).bits()),
    one("cldu", |a| (a as f64).bits()),
    // Memory, lowest byte first.
    load("ld8", 1, true, LE),
    load("ldu8", 1, false, LE),
    load("ld16", 2, true, LE),
    load("ldu16", 2, false, LE),
    load("ld32", 4, true, LE),
    load("ldu32", 4, false, LE),
    load("ld64", 8, false, LE),
    store("st8", 1, LE),
    store("st16", 2, LE),
    store("st32", 4, LE),
    store("st64", 8, LE),
    load_at("ald8", 1, true),
    load_at("aldu8", 1, false),
    load_at("ald16", 2, true),
    load_at("aldu16", 2, false),
    load_at("ald32", 4, true),
    store_at("ast8", 1),
    store_at("ast16", 2),
    store_at("ast32", 4),
    // Memory, highest byte first.
    load("ldq", 1, true, BE),
    load("ldqu", 1, false, BE),
    load("ldh", 2, true, BE),
    load("ldhu", 2, false, BE),
    load("ldw", 4, true, BE),
    load("ldd", 8, false, BE),
    store("stq", 1, BE),
    store("sth", 2, BE),
    store("stw", 4, BE),
    store("std", 8, BE),
    loads("ldw2", 4, 2, true),
    loads("ldw4", 4, 4, true),
    loads("ldw8", 4, 8, true),
    loads("ldh2", 2, 2, true),
    loads("ldh4", 2, 4, true),
    loads("ldh8", 2, 8, true),
    loads("ldhu2", 2, 2, false),
    loads("ldhu4", 2, 4, false),
    loads("ldhu8", 2, 8, false),
    loads("ldq2", 1, 2, true),
    loads("ldq4", 1, 4, true),
    loads("ldq8", 1, 8, true),
    loads("ldqu2", 1, 2, false),
    loads("ldqu4", 1, 4, false),
    loads("ldqu8", 1, 8, false),
    stores("stw2", 4, 2),
    stores("stw4", 4, 4),
    stores("stw8", 4, 8),
    stores("sth2", 2, 2),
    stores("sth4", 2, 4),
    stores("sth8", 2, 8),
    stores("stq2", 1, 2),
    stores("stq4", 1, 4),
    stores("stq8", 1, 8),
    // Our own: a read and a write of a 32-bit word, lowest byte first, that no other core comes between. Operand 1 is the
    // address, operand 2 the value (for the exchange with comparison: what is expected, then the value), the result the
    // old word.
    atomic("atom_add32", |old, x| u64::from(w(old).wrapping_add(w(x)))),
    atomic("atom_sub32", |old, x| u64::from(w(old).wrapping_sub(w(x)))),
    atomic("atom_and32", |old, x| old & x),
    atomic("atom_ior32", |old, x| old | x),
    atomic("atom_xor32", |old, x| old ^ x),
    atomic("atom_xchg32", |_, x| x),
    atomic("atom_min32", |old, x| r(s(old).min(s(x)))),
    atomic("atom_max32", |old, x| r(s(old).max(s(x)))),
    atomic("atom_minu32", |old, x| u64::from(w(old).min(w(x)))),
    atomic("atom_maxu32", |old, x| u64::from(w(old).max(w(x)))),
    row("atom_cas32", 3, 1, Semantics::Atomic(Atomic::CompareExchange)),
    // Control. Addresses are positions of instructions; relative ones count from the instruction that triggers.
    jump("jump", 1, false, always, absolute),
    jump("jumpr", 1, false, always, relative),
    jump("call", 1, true, always, absolute),
    jump("callr", 1, true, always, relative),
    jump("calla", 2, true, always, |_, i| u64::from(w(i[0].wrapping_add(i[1])))),
    row("apc", 1, 1, Semantics::ProgramCounter),
    jump("bz", 2, false, |i| w(i[0]) == 0, second),
    jump("bnz", 2, false, |i| w(i[0]) != 0, second),
    jump("bz1", 2, false, |i| i[0] & 1 == 0, second),
    jump("bnz1", 2, false, |i| i[0] & 1 == 1, second),
    jump("bzr", 2, false, |i| w(i[0]) == 0, second_relative),
    jump("bnzr", 2, false, |i| w(i[0]) != 0, second_relative),
    jump("beq", 3, false, |i| w(i[0]) == w(i[1]), third),
    jump("bne", 3, false, |i| w(i[0]) != w(i[1]), third),
    jump("bgt", 3, false, |i| s(i[0]) > s(i[1]), third),
    jump("bge", 3, false, |i| s(i[0]) >= s(i[1]), third),
    jump("blt", 3, false, |i| s(i[0]) < s(i[1]), third),
    jump("ble", 3, false, |i| s(i[0]) <= s(i[1]), third),
    jump("bgtu", 3, false, |i| w(i[0]) > w(i[1]), third),
    jump("bgeu", 3, false, |i| w(i[0]) >= w(i[1]), third),
    jump("bltu", 3, false, |i| w(i[0]) < w(i[1]), third),
    jump("bleu", 3, false, |i| w(i[0]) <= w(i[1]), third),
    jump("beqr", 3, false, |i| w(i[0]) == w(i[1]), third_relative),
    jump("bner", 3, false, |i| w(i[0]) != w(i[1]), third_relative),
    jump("bgtr", 3, false, |i| s(i[0]) > s(i[1]), third_relative),
    jump("bger", 3, false, |i| s(i[0]) >= s(i[1]), third_relative),
    jump("bltr", 3, false, |i| s(i[0]) < s(i[1]), third_relative),
    jump("bler", 3, false, |i| s(i[0]) <= s(i[1]), third_relative),
    jump("bgtur", 3, false, |i| w(i[0]) > w(i[1]), third_relative),
    jump("bgeur", 3, false, |i| w(i[0]) >= w(i[1]), third_relative),
    jump("bltur", 3, false, |i| w(i[0]) < w(i[1]), third_relative),
    jump("bleur", 3, false, |i| w(i[0]) <= w(i[1]), third_relative),
    // Outside the core.
    device("stdout", 1, 0, Device::WriteByte),
    device("outputdata", 1, 0, Device::WriteNumber),
    device("print_int", 1, 0, Device::WriteNumber),
    device("stream_out", 1, 0, Device::WriteByte),
    device("stream_in", 1, 1, Device::ReadByte),
    device("stream_in_status", 1, 1, Device::InputStatus),
    device("stream_out_status", 1, 1, Device::OutputStatus),
    device("ecc", 1, 1, Device::Cycles),
    device("lcc", 1, 1, Device::Stalls),
    device("rtc", 1, 1, Device::Clock),
    device("rtimer", 1, 1, Device::Timer),
    device("leds", 1, 0, Device::Ignore),
    device("sleep", 1, 0, Device::Ignore),
];
