//! Arithmetic on half for machines that have none: of constants the bridge's operations leave constants, which are held against
//! numbers worked out here.

use oxcl_ir::module::{lower_half, print, run_passes, verify};
use oxcl_ir::{Context, read_module};

/// A half's value.
fn value(half: u16) -> f64 {
    let (sign, exponent, fraction) = (half >> 15, (half >> 10) & 31, f64::from(half & 1023));
    let magnitude = match exponent {
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        0 => fraction * 2_f64.powi(-24),
        _ => (1024.0 + fraction) * 2_f64.powi(i32::from(exponent) - 25),
    };
    if sign == 1 { -magnitude } else { magnitude }
}

/// The nearest half, the even one of two: all are looked at.
fn nearest(number: f64) -> u16 {
    let sign = u16::from(number.is_sign_negative()) << 15;
    // What would follow the largest counts as one more, which is infinity.
    let distance = |half: u16| {
        let at = if half == 0x7c00 { 65536.0 } else { value(half) };
        (number.abs() - at).abs()
    };
    let near =
        (0..=0x7c00_u16).min_by(|a, b| distance(*a).total_cmp(&distance(*b)).then((a & 1).cmp(&(b & 1))));
    sign | if number.abs() >= 65520.0 { 0x7c00 } else { near.unwrap_or_default() }
}

/// What functions without parameters return, after the lowering, which is one constant each.
fn lowered(bodies: &[String], ty: &str, converts: bool) -> Vec<String> {
    let context = Context::create();
    let mut text = String::new();
    for (number, body) in bodies.iter().enumerate() {
        text.push_str(&format!("define {ty} @f{number}() {{\n  %x = {body}\n  ret {ty} %x\n}}\n"));
    }
    let module = read_module(&context, text.as_bytes(), "test").expect("a module");
    lower_half(&module, converts);
    verify(&module).expect("a valid module");
    run_passes(&module, "function(instsimplify)").expect("simplified");
    let printed = print(&module);
    let returned: Vec<String> =
        printed.lines().filter_map(|line| line.trim().strip_prefix("ret ")).map(str::to_owned).collect();
    assert_eq!(returned.len(), bodies.len(), "{printed}");
    returned
}

fn half(bits: u16) -> String {
    format!("0xH{bits:04X}")
}

/// A float as LLVM writes it: the bits of the double that it is.
fn float(number: f32) -> String {
    format!("0x{:016X}", f64::from(number).to_bits())
}

/// Halves of every exponent, and what lies beside them.
fn halves() -> Vec<u16> {
    let mut all: Vec<u16> =
        (0..31_u16).flat_map(|e| [0, 1, 2, 511, 512, 1022, 1023].map(|f| e << 10 | f)).collect();
    all.extend(all.clone().iter().map(|half| half | 0x8000));
    all.extend([0x7c00, 0xfc00]);
    all
}

#[test]
fn halves_become_the_floats_that_they_are() {
    let bodies: Vec<String> = halves().iter().map(|&h| format!("fpext half {} to float", half(h))).collect();
    for (&h, returned) in halves().iter().zip(lowered(&bodies, "float", false)) {
        let wanted = value(h) as f32;
        let read = returned.strip_prefix("float ").expect("a float");
        let got = match read.strip_prefix("0x") {
            Some(bits) => f64::from_bits(u64::from_str_radix(bits, 16).expect("bits")),
            None => read.parse().expect("a number"),
        };
        assert_eq!(got.to_bits(), f64::from(wanted).to_bits(), "{h:#x}: {returned}");
    }
}

/// The floats at, just beside and between neighbouring halves.
fn floats() -> Vec<f32> {
    let mut all = vec![
        0.0,
        1e-10,
        65519.9,
        65520.0,
        65520.1,
        1e6,
        f32::MAX,
        f32::INFINITY,
        2_f32.powi(-25),
        2_f32.powi(-26),
    ];
    for h in halves().into_iter().filter(|h| *h < 0x7bff) {
        let (low, high) = (value(h) as f32, value(h + 1) as f32);
        let middle = (low + high) / 2.0;
        all.extend([low, middle, middle.next_down(), middle.next_up(), low.next_up()]);
    }
    all.extend(all.clone().iter().map(|number| -number));
    all
}

#[test]
fn floats_become_the_nearest_half() {
    let bodies: Vec<String> =
        floats().iter().map(|&number| format!("fptrunc float {} to half", float(number))).collect();
    for (&number, returned) in floats().iter().zip(lowered(&bodies, "half", false)) {
        assert_eq!(returned, format!("half {}", half(nearest(f64::from(number)))), "{number:e}");
    }
}

#[test]
fn what_is_no_number_stays_none() {
    let body = vec![
        "fptrunc float 0x7FF8000020000000 to half".to_owned(),
        "fptrunc float 0xFFF0000020000000 to half".to_owned(),
    ];
    for returned in lowered(&body, "half", false) {
        let bits = u16::from_str_radix(returned.trim_start_matches("half 0xH"), 16).expect("bits");
        assert!(bits & 0x7e00 == 0x7e00, "{returned}");
    }
    let body = vec!["fpext half 0xH7C01 to float".to_owned(), "fpext half 0xHFFFF to float".to_owned()];
    for returned in lowered(&body, "float", false) {
        let bits = u64::from_str_radix(returned.trim_start_matches("float 0x"), 16).expect("bits");
        assert!(f64::from_bits(bits).is_nan(), "{returned}");
    }
}

#[test]
fn sums_and_products_are_rounded_once() {
    let pairs = [
        (0x3c00_u16, 0x1000_u16),
        (0x3c01, 0x1000),
        (0x7bff, 0x7bff),
        (0x0001, 0x0001),
        (0x0400, 0x8001),
        (0x3555, 0x4248),
    ];
    for (name, work) in
        [("fadd", (|a, b| a + b) as fn(f64, f64) -> f64), ("fsub", |a, b| a - b), ("fmul", |a, b| a * b)]
    {
        let bodies: Vec<String> =
            pairs.iter().map(|(a, b)| format!("{name} half {}, {}", half(*a), half(*b))).collect();
        for ((a, b), returned) in pairs.iter().zip(lowered(&bodies, "half", false)) {
            assert_eq!(
                returned,
                format!("half {}", half(nearest(work(value(*a), value(*b))))),
                "{name} {a:#x} {b:#x}"
            );
        }
    }
}

#[test]
fn every_operation_is_found_and_keeps_its_users() {
    let context = Context::create();
    let text = "define i1 @k(half %a, half %b, double %d, ptr %p) {
  %sum = fadd half %a, %b
  %back = fneg half %sum
  %small = fptrunc double %d to half
  %less = fcmp olt half %back, %small
  %whole = fptosi half %sum to i32
  %floor = call half @llvm.floor.f16(half %sum)
  store half %floor, ptr %p
  store half %small, ptr %p
  store i32 %whole, ptr %p
  ret i1 %less
}
declare half @llvm.floor.f16(half)
";
    let module = read_module(&context, text.as_bytes(), "test").expect("a module");
    lower_half(&module, false);
    verify(&module).expect("a valid module");
    let printed = print(&module);
    for left in [
        "fadd half",
        "fneg half",
        "to half\n  %less",
        "fcmp olt half",
        "fptosi half",
        "call half @llvm.floor",
        "fptrunc float",
        "fpext half",
    ] {
        assert!(!printed.contains(left), "{left}: {printed}");
    }
    assert!(printed.contains("ret i1 %less"), "{printed}");
    // Where the machine converts, only what it cannot round by itself is changed.
    let module = read_module(&context, text.as_bytes(), "test").expect("a module");
    lower_half(&module, true);
    verify(&module).expect("a valid module");
    let printed = print(&module);
    for left in
        ["fadd half", "fneg half", "fcmp olt half", "fptosi half", "call half @llvm.floor", "fptrunc float"]
    {
        assert!(printed.contains(left), "{left}: {printed}");
    }
    assert!(!printed.contains("fptrunc double %d to half"), "{printed}");
}

/// A finite half in parts of 2^-24.
fn parts(half: u16) -> i128 {
    (value(half) * 2_f64.powi(24)) as i128
}

/// The nearest half to a number of 2^-48, the even one of two.
fn nearest_of_parts(number: i128, is_negative: bool) -> u16 {
    let sign = u16::from(is_negative) << 15;
    let at = |half: u16| if half == 0x7c00 { 65536_i128 << 48 } else { parts(half) << 24 };
    let distance = |half: u16| (number.abs() - at(half)).abs();
    let near = (0..=0x7c00_u16).min_by_key(|&half| (distance(half), half & 1));
    sign | if number.abs() >= 65520_i128 << 48 { 0x7c00 } else { near.unwrap_or_default() }
}

/// Where the machine converts, LLVM would round a fused product and sum by a function of a library.
#[test]
fn fused_products_and_sums_are_rounded_once() {
    // A product between two halves and something far below it; numbers at both ends; what cancels.
    let mut triples = vec![
        [0x3c01, 0x3c01, 0x0001],
        [0x3c01, 0x3c01, 0x8001],
        [0x3c20, 0x3c20, 0x8001],
        [0x7800, 0x3c01, 0x0001],
        [0x77ff, 0x3bff, 0x8001],
        [0x0001, 0x0001, 0x7bff],
        [0x0001, 0x8001, 0x7800],
        [0x7bff, 0x7bff, 0x0000],
        [0x3c00, 0x3c01, 0xbc01],
        [0x0400, 0x3800, 0x0001],
    ];
    let all = halves();
    let finite: Vec<u16> = all.into_iter().filter(|half| half & 0x7c00 != 0x7c00).collect();
    let pick = |number: usize| finite[number % finite.len()];
    triples.extend((0..150).map(|n| [pick(n * 101 + 7), pick(n * 57 + 3), pick(n * 13)]));
    let body = |&[x, y, z]: &[u16; 3]| {
        format!("call half @llvm.fma.f16(half {}, half {}, half {})", half(x), half(y), half(z))
    };
    let bodies: Vec<String> = triples.iter().map(body).collect();
    for (&[x, y, z], returned) in triples.iter().zip(lowered(&bodies, "half", true)) {
        let product = parts(x) * parts(y);
        let exact = product + (parts(z) << 24);
        // What cancels is positive; of two zeros of one sign that sign is left.
        let are_negative = (x ^ y) >> 15 == 1 && z >> 15 == 1;
        let is_negative = if exact == 0 { product == 0 && are_negative } else { exact < 0 };
        let wanted = nearest_of_parts(exact, is_negative);
        assert_eq!(returned, format!("half {}", half(wanted)), "{x:#x} {y:#x} {z:#x}");
    }
}
