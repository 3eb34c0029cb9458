//! Whatever clang declares of OpenCL C, the library defines, under the very names that clang gives the calls.
//!
//! clang's full header lists all built-in functions. For each a caller is written, the callers are compiled as kernels
//! are (where clang declares the functions by itself, or the front end does), and what that leaves undefined is looked up. What the library
//! does not have yet is named below, by type and by name; nothing else may be missing.

mod support;

use std::collections::BTreeSet;
use std::fs;

use oxcl_builtins::{AddressBits, unit_of};
use support::{front_end_arguments, llvm_bin, run};

/// Types of parameters and results that belong to features the library does not have.
const ABSENT_TYPES: [&str; 8] =
    ["msaa", "pipe", "queue", "ndrange", "clk_event", "reserve_id", "intel_sub", "bfloat"];

/// Beginnings of names that belong to extensions the library does not have.
const ABSENT_NAMES: [&str; 14] = [
    "amd_",
    "arm_",
    "clock_read_hilo_sub_group",
    "clock_read_sub_group",
    "create_user_event",
    "get_image_num_samples",
    "intel_convert_",
    "intel_sub_group_avc_",
    "intel_sub_group_block_prefetch_",
    "intel_sub_group_ime_",
    "intel_work_group_",
    "qcom_",
    "work_group_commit",
    "work_group_reserve",
];

/// Functions that are lowered, not defined.
const LOWERED: [&str; 13] = [
    "barrier",
    "get_enqueued_local_size",
    "get_global_id",
    "get_global_linear_id",
    "get_global_offset",
    "get_global_size",
    "get_group_id",
    "get_local_id",
    "get_local_linear_id",
    "get_local_size",
    "get_num_groups",
    "get_work_dim",
    "work_group_barrier",
];

/// A declaration: its name and the types of its parameters.
struct Declaration {
    name: String,
    parameters: Vec<String>,
}

/// The text without `__attribute__((...))`.
fn without_attributes(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("__attribute__((") {
        out.push_str(&rest[..start]);
        let Some(end) = rest[start..].find("))") else { break };
        rest = &rest[start + end + 2..];
    }
    out.push_str(rest);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A parameter without its name, where it has one.
fn parameter_type(parameter: &str) -> String {
    let known_type = |word: &str| {
        let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
        [
            "bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double",
            "half",
        ]
        .contains(&bare)
            || word.ends_with("_t")
            || word.starts_with("atomic_")
            || word.starts_with("memory_")
            || word == "cl_mem_fence_flags"
            || word == "atomic_flag"
            || word == "void"
    };
    let word_start = parameter.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |i| i + 1);
    let last = &parameter[word_start..];
    if last.is_empty() || known_type(last) || word_start == 0 {
        parameter.to_owned()
    } else {
        parameter[..word_start].trim_end().to_owned()
    }
}

/// The declarations in clang's header that the library answers for.
fn declarations(standard: &str, triple: &str) -> Vec<Declaration> {
    let arguments = ["-x", "cl", "-E", "-P", "-cl-no-stdinc", "-include", "opencl-c.h", "/dev/null"];
    let mut all: Vec<String> = vec![format!("-cl-std={standard}"), format!("--target={triple}")];
    all.extend(arguments.map(str::to_owned));
    let text = run(&llvm_bin().join("clang-22"), &all);
    let mut found = Vec::new();
    for statement in text.split(';').filter(|statement| statement.contains("overloadable")) {
        // What precedes on the same line, such as a closing brace, is not part of it.
        let plain = without_attributes(statement.rsplit(['}', '#']).next().unwrap_or(statement));
        let (Some(open), Some(close)) = (plain.find('('), plain.rfind(')')) else { continue };
        let (head, list) = (plain[..open].trim_end(), &plain[open + 1..close]);
        let Some((result, name)) = head.rsplit_once([' ', '*']) else { continue };
        let absent_type = ABSENT_TYPES.iter().any(|ty| list.contains(ty) || result.contains(ty));
        // Nothing can be written to an image that is only read; the header says so of one function by mistake.
        let mistaken = name.starts_with("intel_sub_group_block_write") && list.contains("read_only");
        let absent_name = mistaken || ABSENT_NAMES.iter().any(|start| name.starts_with(start));
        if absent_type || absent_name {
            continue;
        }
        let parameters = match list {
            "" | "void" => Vec::new(),
            list => list.split(',').map(|parameter| parameter_type(parameter.trim())).collect(),
        };
        found.push(Declaration { name: name.to_owned(), parameters });
    }
    found
}

fn callers(declarations: &[Declaration]) -> String {
    let mut source = String::from("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    for (number, declaration) in declarations.iter().enumerate() {
        let named = |(index, ty): (usize, &String)| format!("{ty} p{index}");
        let parameters: Vec<String> = declaration.parameters.iter().enumerate().map(named).collect();
        let arguments: Vec<String> = (0..parameters.len()).map(|index| format!("p{index}")).collect();
        source.push_str(&format!(
            "void caller{number}({}) {{ (void){}({}); }}\n",
            parameters.join(", "),
            declaration.name,
            arguments.join(", ")
        ));
    }
    source
}

/// The overloads that a standard declares and the library lacks.
fn missing(standard: &str, bits: AddressBits) -> Vec<String> {
    let triple = match bits {
        AddressBits::Bits32 => "spir-unknown-unknown",
        AddressBits::Bits64 => "spir64-unknown-unknown",
    };
    let declarations = declarations(standard, triple);
    assert!(declarations.len() > 8000, "the header was not understood: {}", declarations.len());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("callers.cl");
    fs::write(&file, callers(&declarations)).unwrap();
    let mut arguments = front_end_arguments(standard, triple);
    arguments.extend(["-S", "-o", "-"].map(str::to_owned));
    // What clang does not declare by itself, the front end does.
    for header in ["intel_sub_groups.h", "mipmaps.h"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../compiler/frontend/src/headers");
        arguments.extend(["-include".to_owned(), format!("{folder}/{header}")]);
    }
    arguments.extend(["char", "long"].map(|name| format!("-Dcl_intel_subgroups_{name}")));
    arguments.push(file.display().to_string());
    let text = run(&llvm_bin().join("clang-22"), &arguments);
    let symbols: BTreeSet<&str> = text
        .lines()
        .filter(|line| line.starts_with("declare "))
        .filter_map(|line| line.split_once('@'))
        .filter_map(|(_, rest)| rest.split_once('('))
        .map(|(symbol, _)| symbol)
        .filter(|symbol| !symbol.starts_with("llvm."))
        .collect();
    let lowered: BTreeSet<String> = LOWERED.iter().map(|name| format!("_Z{}{name}", name.len())).collect();
    let is_lowered = |symbol: &str| lowered.iter().any(|start| symbol.starts_with(start.as_str()));
    // Only 64-bit devices have 64-bit atomics, atomic arithmetic on floats, and clocks.
    let wide_atomic = |symbol: &str| {
        let name = symbol.trim_start_matches("_Z").trim_start_matches(|c: char| c.is_ascii_digit());
        let of_long =
            symbol.contains("U7_Atomicl") || symbol.contains("U7_Atomicm") || symbol.contains("U7_Atomicd");
        let old_of_long = name.starts_with("atom_") && (symbol.contains("Vl") || symbol.contains("Vm"));
        let of_half = symbol.contains("U7_AtomicDh");
        let of_float = symbol.contains("U7_Atomicf") && name.starts_with("atomic_fetch");
        let is_clock = name.starts_with("clock_read");
        bits == AddressBits::Bits32 && (of_long || old_of_long || of_half || of_float || is_clock)
    };
    symbols
        .into_iter()
        .filter(|symbol| unit_of(bits, symbol).is_none() && !is_lowered(symbol) && !wide_atomic(symbol))
        .map(str::to_owned)
        .collect()
}

#[test]
fn all_of_opencl_c_3_is_defined() {
    assert_eq!(missing("CL3.0", AddressBits::Bits64), Vec::<String>::new());
}

#[test]
fn all_of_opencl_c_1_2_is_defined() {
    assert_eq!(missing("CL1.2", AddressBits::Bits64), Vec::<String>::new());
}

#[test]
fn all_is_defined_for_32_bit_devices() {
    assert_eq!(missing("CL3.0", AddressBits::Bits32), Vec::<String>::new());
}
