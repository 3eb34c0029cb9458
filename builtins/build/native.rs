//! Makes machine code of the mathematics, for x86-64's levels.
//!
//! In: the neutral text of a unit. Out: an object that defines its functions by element, on scalars and on vectors of
//! whole registers, and their names. They have the C convention of the level, read and write no memory that anyone else
//! sees, and are hidden: a linker takes what is called and drops the rest. Several objects that hold the same function may meet.

use std::process::Command;

use crate::{QUESTIONS, Tools, operation, run, symbol_in};

/// A level: LLVM's name of it, the bits of its widest registers, and the answers to [`QUESTIONS`].
type Level = (&'static str, u32, [bool; 6]);

pub(crate) const LEVELS: [Level; 3] = [
    ("x86-64-v4", 512, [true, true, true, false, false, false]),
    ("x86-64-v3", 256, [true, false, false, false, true, false]),
    ("x86-64-v2", 128, [false, false, false, false, false, false]),
];

/// Units whose functions are worth a call.
pub(crate) const UNITS: [&str; 12] = [
    "erf",
    "exp",
    "gamma",
    "hyperbolic",
    "inverse",
    "log",
    "native_functions",
    "pow",
    "remainder",
    "root",
    "trig",
    "trigpi",
];

/// What a function must be known not to do, so that calls of it may be moved, widened and dropped. That it returns is not
/// asked for: LLVM cannot tell for the loops over exponents, which end.
const PURE: [&str; 2] = ["nounwind", "memory(none)"];

/// A unit for a level.
pub(crate) struct NativeCode {
    pub(crate) object: Vec<u8>,
    /// The symbols that it defines; with each whether its body keeps LLVM from widening the loops that it is inlined into.
    pub(crate) symbols: Vec<(String, bool)>,
}

/// The machine code of a unit for a level.
pub(crate) fn compile(tools: &Tools, text: &str, level: Level) -> NativeCode {
    let (cpu, register_bits, answers) = level;
    let pure = pure_groups(text);
    let rugged = rugged_functions(text);
    let short = short_functions(text, &rugged);
    let mut out = String::with_capacity(text.len());
    let mut symbols = Vec::new();
    let mut has_operations = false;
    for line in text.lines() {
        if line.starts_with("target datalayout") {
            continue;
        }
        if line.starts_with("target triple") {
            out.push_str("target triple = \"x86_64-unknown-linux-gnu\"\n");
            continue;
        }
        if let Some(attributes) = line.strip_prefix("attributes #").and_then(|rest| rest.strip_suffix(" }")) {
            out.push_str(&format!(
                "attributes #{attributes} \"target-cpu\"=\"{cpu}\" \"prefer-vector-width\"=\"{register_bits}\" }}\n"
            ));
            continue;
        }
        let asked = QUESTIONS.iter().zip(answers).find(|(question, _)| symbol_in(line) == **question);
        if let Some((question, answer)) = asked.filter(|_| line.starts_with("declare ")) {
            out.push_str(&format!(
                "define internal zeroext i1 @{question}() alwaysinline {{ ret i1 {answer} }}\n"
            ));
            continue;
        }
        // Calls of those that the level lacks are behind a no.
        if let Some(body) = operation::body(line) {
            out.push_str(&body);
            has_operations = true;
            continue;
        }
        if line.starts_with("define linkonce_odr hidden ") {
            let symbol = symbol_in(line);
            let is_pure = line.split(' ').any(|word| pure.contains(&word));
            if is_pure && is_of_whole_registers(symbol, register_bits) && !is_short(&short, symbol) {
                symbols.push((symbol.to_owned(), rugged.contains(&symbol)));
            }
        }
        out.push_str(&line.replace("linkonce_odr ", "weak_odr ").replace("spir_func ", ""));
        out.push('\n');
    }
    if has_operations {
        out.push_str(&operation::declarations());
    }
    assert!(!symbols.is_empty(), "a unit of mathematics has no function that is worth a call");
    let processor = format!("-mcpu={cpu}");
    let names: Vec<&str> = symbols.iter().map(|(symbol, _)| symbol.as_str()).collect();
    let keep = format!("-internalize-public-api-list={}", names.join(","));
    let bitcode = run(
        Command::new(&tools.opt)
            .args(["-passes=internalize,globaldce,default<O2>", &keep, &processor])
            .args(["-o", "-"]),
        out.as_bytes(),
    );
    let object = run(
        Command::new(&tools.code_generator)
            .args(["-O2", "-filetype=obj", "-relocation-model=pic", &processor])
            .args(["-function-sections", "-data-sections", "-o", "-"]),
        &bitcode,
    );
    NativeCode { object, symbols }
}

/// The attribute groups of pure functions, as functions name them.
fn pure_groups(text: &str) -> Vec<&str> {
    let groups = text.lines().filter_map(|line| line.strip_prefix("attributes "));
    groups
        .filter(|group| PURE.iter().all(|word| group.contains(word)))
        .filter_map(|group| group.split(' ').next())
        .collect()
}

/// The functions of scalars that are always inlined: too short for a call, unless they are nothing but one.
fn short_functions<'t>(text: &'t str, rugged: &[&str]) -> Vec<&'t str> {
    let short = text.lines().filter(|line| line.contains(" alwaysinline ")).map(symbol_in);
    short.filter(|symbol| !rugged.contains(symbol)).collect()
}

/// The functions that call others, or have loops: what is not turned into selections.
fn rugged_functions(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut function = "";
    let mut labels: Vec<&str> = Vec::new();
    for line in text.lines() {
        if line.starts_with("define ") {
            function = symbol_in(line);
            labels.clear();
            continue;
        }
        if let Some((label, _)) = line.split_once(':').filter(|_| !line.starts_with([' ', '!'])) {
            labels.push(label);
        }
        let callee = symbol_in(line);
        let is_operation = operation::OPERATIONS.iter().any(|(start, _)| callee.starts_with(start));
        let calls = line.contains(" call ")
            && !callee.starts_with("llvm.")
            && !QUESTIONS.contains(&callee)
            && !is_operation;
        let mut targets = line.split("label %").skip(1).map(|rest| rest.split([',', ' ']).next());
        let goes_back = targets.any(|target| target.is_some_and(|target| labels.contains(&target)));
        if (calls || goes_back) && found.last() != Some(&function) {
            found.push(function);
        }
    }
    found
}

/// Whether a function, or the function of scalars that it is a vector form of, is among `short`.
fn is_short(short: &[&str], symbol: &str) -> bool {
    match symbol.split_once("Dv").map(|(name, vector)| (name, vector.split_once('_'))) {
        Some((name, Some((_, element)))) => short.iter().any(|short| {
            short.strip_prefix(name).is_some_and(|parameters| parameters.get(..1) == element.get(..1))
        }),
        _ => short.contains(&symbol),
    }
}

/// Whether all parameters of a mangled function are scalars, or all are vectors that fill a register of at most
/// `register_bits` with elements of the largest type.
fn is_of_whole_registers(symbol: &str, register_bits: u32) -> bool {
    let Some(rest) = symbol.strip_prefix("_Z") else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let Ok(length) = rest[..digits].parse::<usize>() else { return false };
    let mut parameters = &rest[digits + length..];
    let mut width = None;
    let mut largest = 0;
    while !parameters.is_empty() {
        let vector = parameters.strip_prefix("Dv").and_then(|vector| vector.split_once('_'));
        let (lanes, element) = match vector {
            Some((lanes, element)) => (lanes.parse::<u32>().unwrap_or(0), element),
            None if parameters.starts_with('S') => match parameters.split_once('_') {
                Some((_, rest)) => {
                    parameters = rest;
                    continue;
                }
                None => return false,
            },
            None => (1, parameters),
        };
        let bits = match element.bytes().next() {
            Some(b'f' | b'i' | b'j') => 32,
            Some(b'd' | b'l' | b'm') => 64,
            _ => return false,
        };
        largest = largest.max(bits);
        if *width.get_or_insert(lanes) != lanes {
            return false;
        }
        parameters = &element[1..];
    }
    let bits = width.unwrap_or(0) * largest;
    width == Some(1) || [128, 256, 512].contains(&bits) && bits <= register_bits
}
