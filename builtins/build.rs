//! Makes the library's bitcode from the OpenCL C sources under `src/cl`.
//!
//! Each unit goes through clang (no optimisation), LLVM's optimiser, and a pass over the text that makes it neutral:
//! what names a machine or a compiler goes, what a program does not use may be left out by a linker, small functions
//! are always inlined. The result is the same bytes wherever the same LLVM makes it: no path and no time enters.
//!
//! The mathematics is compiled to machine code as well (`build/native.rs`).
//!
//! Out, in `OUT_DIR`: `<unit>.<bits>.bc`, `symbols.<bits>.txt` (sorted, `symbol unit-number` a line) and `units.rs`;
//! `<unit>.<level>.o`, `native.<level>.txt` of the same form (a third word says that the body is rugged), and
//! `native.rs`.

#[path = "build/native.rs"]
mod native;
#[path = "build/operation.rs"]
mod operation;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// One bitcode module: its name, its source under `src/cl`, and the macros it is compiled with.
struct Unit {
    name: String,
    source: &'static str,
    defines: Vec<String>,
}

/// Sources that make one unit each.
const SOURCES: &[&str] = &[
    "async_copy",
    "atomic",
    "basic",
    "bits",
    "clock",
    "collective",
    "common",
    "erf",
    "exp",
    "fence",
    "float_atomic",
    "gamma",
    "generic",
    "geometric",
    "half",
    "half_math",
    "hyperbolic",
    "image_query",
    "image_read_float",
    "image_read_half",
    "image_read_int",
    "image_read_uint",
    "image_write",
    "integer",
    "integer_dot",
    "inverse",
    "log",
    "native_functions",
    "pow",
    "print",
    "ref_workitem",
    "relational",
    "remainder",
    "root",
    "shuffle",
    "sub_group",
    "sub_group_clustered",
    "sub_group_image",
    "sub_group_intel",
    "sub_group_lanes",
    "sub_group_reduce",
    "sub_group_uneven",
    "trig",
    "trigpi",
    "vload",
];

/// The destination type of a unit of conversions: its name, the signed integer type of its size, its bits, and for an
/// integer whether it is signed and its limits.
type Conversion = (&'static str, &'static str, u32, Option<(u32, &'static str, &'static str)>);

const CONVERSIONS: &[Conversion] = &[
    ("char", "char", 8, Some((1, "CHAR_MIN", "CHAR_MAX"))),
    ("uchar", "char", 8, Some((0, "0", "UCHAR_MAX"))),
    ("short", "short", 16, Some((1, "SHRT_MIN", "SHRT_MAX"))),
    ("ushort", "short", 16, Some((0, "0", "USHRT_MAX"))),
    ("int", "int", 32, Some((1, "INT_MIN", "INT_MAX"))),
    ("uint", "int", 32, Some((0, "0", "UINT_MAX"))),
    ("long", "long", 64, Some((1, "LONG_MIN", "LONG_MAX"))),
    ("ulong", "long", 64, Some((0, "0", "ULONG_MAX"))),
    ("half", "short", 16, None),
    ("float", "int", 32, None),
    ("double", "long", 64, None),
];

/// Functions that the library calls and other parts of the compiler provide.
const PROVIDED_ELSEWHERE: &[&str] = &[
    "_Z7barrierj",
    "_Z12get_local_idj",
    "_Z14get_local_sizej",
    "oxcl_collective_memory",
    "oxcl_ref_current_item",
    "_Z19get_local_linear_idv",
    "_Z23get_enqueued_local_sizej",
    "oxcl_sub_group_cell",
    "oxcl_sub_group_lane",
    "oxcl_sub_group_lead",
    "oxcl_sub_group_meet",
    "oxcl_sub_group_number",
    "oxcl_sub_group_size",
];

/// Whether fused multiply-adds, products with powers of two, estimates of reciprocal square roots, arithmetic on half, and coarse
/// estimates are one operation of the machine, and whether images are small: whoever compiles for one, or for such images, says so.
const QUESTIONS: [&str; 6] = [
    "oxcl_has_fma",
    "oxcl_has_ldexp",
    "oxcl_has_rsqrt_estimate",
    "oxcl_has_half",
    "oxcl_has_coarse_rsqrt",
    "oxcl_has_few_pixels",
];

/// What asks for an image's description and for a sampler's bits, for every kind of image.
const OPAQUE: [&str; 2] = ["_Z10oxcl_image", "_Z12oxcl_sampler"];

/// The unit that is kept out of the index: it defines what the work-group pass otherwise lowers.
const REFERENCE_UNIT: &str = "ref_workitem";

/// What the names of operations among the lanes of a sub-group begin with: the compiler decides late what becomes of their calls.
const APART: &str = "oxcl_lanes_";

/// A public function with no more lines of IR than this is inlined everywhere.
const ALWAYS_INLINE_LINES: usize = 24;

fn units() -> Vec<Unit> {
    let mut units: Vec<Unit> =
        SOURCES.iter().map(|&source| Unit { name: source.to_owned(), source, defines: Vec::new() }).collect();
    for &(name, signed, bits, integer) in CONVERSIONS {
        let mut defines = vec![
            format!("DST={name}"),
            format!("DST_SI={signed}"),
            format!("DST_BITS={bits}"),
            format!("DST_FP={}", if integer.is_some() { 0 } else { bits }),
        ];
        if let Some((signedness, min, max)) = integer {
            defines.push(format!("DST_SIGNED={signedness}"));
            defines.push(format!("DST_MIN={min}"));
            defines.push(format!("DST_MAX={max}"));
        }
        units.push(Unit { name: format!("convert_{name}"), source: "convert", defines });
    }
    units
}

/// The programs of one LLVM installation.
struct Tools {
    clang: PathBuf,
    opt: PathBuf,
    assembler: PathBuf,
    code_generator: PathBuf,
}

impl Tools {
    fn find() -> Self {
        println!("cargo::rerun-if-env-changed=LLVM_SYS_221_PREFIX");
        let prefix = env::var_os("LLVM_SYS_221_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-22".into());
        let bin = Path::new(&prefix).join("bin");
        let tools = Tools {
            clang: bin.join("clang-22"),
            opt: bin.join("opt"),
            assembler: bin.join("llvm-as"),
            code_generator: bin.join("llc"),
        };
        for (tool, package) in [
            (&tools.clang, "clang-22"),
            (&tools.opt, "llvm-22"),
            (&tools.assembler, "llvm-22"),
            (&tools.code_generator, "llvm-22"),
        ] {
            assert!(
                tool.exists(),
                "{} is missing: install the package {package}, or set LLVM_SYS_221_PREFIX to an LLVM 22 installation",
                tool.display()
            );
        }
        tools
    }
}

fn run(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let shown = format!("{command:?}");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start {shown}: {error}"));
    let mut stdin = child.stdin.take().expect("the pipe was asked for above");
    let output = std::thread::scope(|scope| {
        // A tool that fails closes its input early; its exit status tells.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output()
    })
    .unwrap_or_else(|error| panic!("{shown}: {error}"));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{shown} failed:\n{messages}");
    output.stdout
}

/// What is made of a unit: its bitcode, the public functions in it, and those of other units that it calls; and the same as
/// machine code, for each level, where there is any.
struct Made {
    bitcode: Vec<u8>,
    symbols: Vec<String>,
    called: Vec<String>,
    native: Vec<native::NativeCode>,
}

fn compile(tools: &Tools, unit: &Unit, bits: u32, sources: &Path) -> Made {
    let triple = if bits == 64 { "spir64-unknown-unknown" } else { "spir-unknown-unknown" };
    let mut clang = Command::new(&tools.clang);
    clang
        .current_dir(sources)
        .args(["-x", "cl", "-cl-std=CL3.0", "-cl-no-stdinc", "-O1", "-Xclang", "-disable-llvm-passes"])
        .arg(format!("--target={triple}"))
        .args(["-ffp-contract=off", "-fno-strict-aliasing", "-fno-ident", "-fwrapv"])
        .args(["-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-psabi"])
        // Conditions of scalars are combined as those of vectors are.
        .arg("-Wno-bitwise-instead-of-logical")
        .args(["-include", "opencl-c-base.h", "-include", "base.h"])
        // Work-items meet in none of the mathematics, whatever it calls.
        .args(native::UNITS.contains(&unit.source).then_some("-fno-convergent-functions"))
        .args(unit.defines.iter().map(|define| format!("-D{define}")))
        .args(["-S", "-emit-llvm", "-o", "-"])
        .arg(format!("{}.cl", unit.source));
    let raw = run(&mut clang, &[]);
    let optimised = run(Command::new(&tools.opt).args(["-S", "-passes=default<O2>", "-o", "-"]), &raw);
    let text = String::from_utf8(optimised).expect("LLVM writes its text in UTF-8");
    let (text, symbols, called) = neutral(&text);
    let bitcode = run(Command::new(&tools.assembler).args(["-o", "-"]), text.as_bytes());
    let native = if bits == 64 && native::UNITS.contains(&unit.name.as_str()) {
        native::LEVELS.iter().map(|level| native::compile(tools, &text, *level)).collect()
    } else {
        Vec::new()
    };
    Made { bitcode, symbols, called, native }
}

/// The text without what names a machine or a compiler, every public function mergeable, hidden and dropped when
/// unused; the names of the public functions, and of those that other units define.
fn neutral(text: &str) -> (String, Vec<String>, Vec<String>) {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::with_capacity(text.len());
    let mut symbols = Vec::new();
    let mut called = Vec::new();
    for (number, &line) in lines.iter().enumerate() {
        let named_metadata = line.starts_with('!') && !line[1..].starts_with(|c: char| c.is_ascii_digit());
        if named_metadata || line.starts_with(';') || line.starts_with("source_filename") {
            continue;
        }
        if line.starts_with("attributes #") {
            out.push_str(&without_string_attributes(line));
        } else if let Some(rest) = line.strip_prefix("define ").filter(|rest| !rest.starts_with("internal "))
        {
            let rest = rest.trim_start_matches("dso_local ");
            let body = lines[number..].iter().position(|line| *line == "}").unwrap_or(usize::MAX);
            out.push_str("define linkonce_odr hidden ");
            if body <= ALWAYS_INLINE_LINES && !symbol_in(rest).starts_with(APART) {
                out.push_str(rest.trim_end_matches('{'));
                out.push_str("alwaysinline {");
            } else {
                out.push_str(rest);
            }
            symbols.push(symbol_in(rest).to_owned());
        } else {
            if line.starts_with("declare ") {
                let name = symbol_in(line);
                let is_later = name.starts_with("llvm.")
                    || operation::OPERATIONS.iter().any(|(start, _)| name.starts_with(start))
                    || OPAQUE.iter().any(|start| name.starts_with(start))
                    || PROVIDED_ELSEWHERE.contains(&name)
                    || QUESTIONS.contains(&name);
                called.extend((!is_later).then(|| name.to_owned()));
            }
            out.push_str(line);
        }
        out.push('\n');
    }
    (out, symbols, called)
}

/// The first `@name` of a line.
fn symbol_in(line: &str) -> &str {
    let name = line.split_once('@').map_or("", |(_, rest)| rest);
    &name[..name.find('(').unwrap_or(name.len())]
}

/// An attribute group without `"key"="value"` attributes: they name processors and conventions of code generation.
fn without_string_attributes(line: &str) -> String {
    let mut out = String::new();
    for word in line.split(' ') {
        if word.starts_with('"') {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let sources = manifest.join("src/cl");
    println!("cargo::rerun-if-changed=src/cl");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let tools = Tools::find();

    let mut units = units();
    units.sort_by(|a, b| a.name.cmp(&b.name));
    let jobs: Vec<(usize, u32)> =
        (0..units.len()).flat_map(|unit| [64, 32].map(|bits| (unit, bits))).collect();
    let next = Mutex::new(jobs.iter());
    let made = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let job = next.lock().expect("no worker panics with the lock").next().copied();
                    let Some((unit, bits)) = job else { break };
                    let result = compile(&tools, &units[unit], bits, &sources);
                    made.lock().expect("no worker panics with the lock").insert((bits, unit), result);
                }
            });
        }
    });
    let made = made.into_inner().expect("no worker panics with the lock");

    let mut code = String::new();
    for bits in [32, 64] {
        let mut index = Vec::new();
        code.push_str(&format!("static UNITS_{bits}: &[Unit] = &[\n"));
        for (number, unit) in units.iter().enumerate() {
            let Made { bitcode, symbols, called, .. } = &made[&(bits, number)];
            let file = format!("{}.{bits}.bc", unit.name);
            fs::write(out.join(&file), bitcode).expect("OUT_DIR can be written");
            code.push_str(&format!(
                "    Unit {{ name: \"{}\", bitcode: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{file}\")), calls_others: {} }},\n",
                unit.name,
                !called.is_empty()
            ));
            if unit.name != REFERENCE_UNIT {
                index.extend(symbols.iter().map(|symbol| format!("{symbol} {number}\n")));
            }
        }
        code.push_str("];\n");
        check_calls(bits, &units, &made);
        write_index(&out.join(format!("symbols.{bits}.txt")), index);
    }
    fs::write(out.join("units.rs"), code).expect("OUT_DIR can be written");
    write_native(&out, &units, &made);
}

/// Whoever links a unit that calls others links these after it: they must exist, and call no further ones.
fn check_calls(bits: u32, units: &[Unit], made: &BTreeMap<(u32, usize), Made>) {
    let all = |number: usize| &made[&(bits, number)];
    let complete = (0..units.len()).filter(|number| all(*number).called.is_empty());
    let defined: BTreeSet<&str> =
        complete.flat_map(|number| &all(number).symbols).map(String::as_str).collect();
    for (number, unit) in units.iter().enumerate() {
        for symbol in &all(number).called {
            let is_defined = defined.contains(symbol.as_str());
            assert!(is_defined, "unit {} calls {symbol}, which no complete unit defines", unit.name);
        }
    }
}

/// Writes the index of symbols, sorted.
fn write_index(path: &Path, mut index: Vec<String>) {
    index.sort();
    let twice = index.windows(2).find(|pair| pair[0].split(' ').next() == pair[1].split(' ').next());
    assert!(twice.is_none(), "a function is defined by two units: {twice:?}");
    fs::write(path, index.concat()).expect("OUT_DIR can be written");
}

/// Writes the machine code and its indices.
fn write_native(out: &Path, units: &[Unit], made: &BTreeMap<(u32, usize), Made>) {
    let mut code = String::from("static LEVELS: &[NativeLevel] = &[\n");
    for (level, (cpu, register_bits, _)) in native::LEVELS.iter().enumerate() {
        let mut index = Vec::new();
        let mut objects = String::new();
        let with_code = units.iter().enumerate().filter(|(unit, _)| !made[&(64, *unit)].native.is_empty());
        for (number, (unit, Unit { name, .. })) in with_code.enumerate() {
            let native::NativeCode { object, symbols } = &made[&(64, unit)].native[level];
            let file = format!("{name}.{cpu}.o");
            fs::write(out.join(&file), object).expect("OUT_DIR can be written");
            objects.push_str(&format!(
                "        NativeObject {{ name: \"{name}\", object: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{file}\")) }},\n"
            ));
            let line = |(symbol, rugged): &(String, bool)| {
                format!("{symbol} {number}{}\n", if *rugged { " rugged" } else { "" })
            };
            index.extend(symbols.iter().map(line));
        }
        write_index(&out.join(format!("native.{cpu}.txt")), index);
        code.push_str(&format!(
            "    NativeLevel {{\n        cpu: \"{cpu}\",\n        register_bits: {register_bits},\n        \
             index: include_str!(concat!(env!(\"OUT_DIR\"), \"/native.{cpu}.txt\")),\n        objects: &[\n{objects}        ],\n    }},\n"
        ));
    }
    code.push_str("];\n");
    fs::write(out.join("native.rs"), code).expect("OUT_DIR can be written");
}
