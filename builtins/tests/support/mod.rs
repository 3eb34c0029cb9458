//! Programs in OpenCL C, compiled against the library as a kernel is and loaded into the test.
//!
//! clang makes IR for `spir64` with its own declarations of the built-in functions, so the names are those that any
//! kernel has; the units of the library that define them are linked in; the result is retargeted to this machine.

#![allow(dead_code, reason = "each test program uses a part of this module")]

pub(crate) mod cases;
pub(crate) mod half_cases;
#[path = "../../build/operation.rs"]
mod operation;
pub(crate) mod random;
pub(crate) mod reference;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libloading::{Library, Symbol};
use oxcl_builtins::{
    AddressBits, HAS_COARSE_RSQRT, HAS_FMA, HAS_HALF, HAS_LDEXP, HAS_RSQRT_ESTIMATE, NativeLevel, Unit,
    units_for,
};
use tempfile::TempDir;

/// A program that was compiled, linked and loaded.
pub(crate) struct Program {
    // Dropped before the folder it was loaded from.
    library: Library,
    _folder: TempDir,
}

/// The directory of LLVM's programs.
pub(crate) fn llvm_bin() -> PathBuf {
    let prefix = std::env::var_os("LLVM_SYS_221_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-22".into());
    Path::new(&prefix).join("bin")
}

/// Runs a program and gives what it printed.
pub(crate) fn run<S: AsRef<OsStr>>(program: &Path, arguments: &[S]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {messages}", program.display());
    String::from_utf8(output.stdout).unwrap()
}

/// What clang is told for a kernel.
pub(crate) fn front_end_arguments(standard: &str, triple: &str) -> Vec<String> {
    ["-x", "cl", "-O1", "-Xclang", "-disable-llvm-passes", "-Xclang", "-fdeclare-opencl-builtins"]
        .into_iter()
        .chain(["-Xclang", "-finclude-default-header", "-emit-llvm"])
        .map(str::to_owned)
        .chain([format!("-cl-std={standard}"), format!("--target={triple}")])
        .collect()
}

impl Program {
    /// Compiles `source` for a processor of this name (`native` for this machine's own).
    pub(crate) fn new(source: &str, processor: &str) -> Self {
        Self::calling(source, processor, None)
    }

    /// The same, in which calls of what `native` has as machine code stay calls.
    pub(crate) fn calling(source: &str, processor: &str, native: Option<&NativeLevel>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let bin = llvm_bin();
        fs::write(path("main.cl"), source).unwrap();
        let mut front_end = front_end_arguments("CL3.0", "spir64-unknown-unknown");
        front_end.extend(["-c".to_owned(), "-o".to_owned(), path("main.bc"), path("main.cl")]);
        run(&bin.join("clang-22"), &front_end);
        let listing =
            run(&bin.join("llvm-nm"), &["--undefined-only", "--format=just-symbols", &path("main.bc")]);
        let mut link = vec!["-S".to_owned(), "-o".to_owned(), path("all.ll"), path("main.bc")];
        let object_of = |symbol: &&str| native?.object_of(symbol);
        let mut objects: Vec<_> = listing.lines().filter_map(|symbol| object_of(&symbol)).collect();
        objects.sort_by_key(|object| object.name);
        objects.dedup();
        let bodies = listing.lines().filter(|symbol| object_of(symbol).is_none());
        let units = units_for(AddressBits::Bits64, bodies);
        let mut add = |unit: &Unit| {
            let file = path(&format!("unit_{}.bc", unit.name));
            fs::write(&file, unit.bitcode).unwrap();
            if !link.contains(&file) {
                link.push(file);
            }
        };
        for unit in &units {
            add(unit);
            if unit.calls_others {
                let called =
                    ["--undefined-only", "--format=just-symbols", &path(&format!("unit_{}.bc", unit.name))];
                let called = run(&bin.join("llvm-nm"), &called);
                units_for(AddressBits::Bits64, called.lines()).into_iter().for_each(&mut add);
            }
        }
        run(&bin.join("llvm-link"), &link);
        let linked = fs::read_to_string(path("all.ll")).unwrap();
        fs::write(path("native.ll"), retargeted(&linked, processor)).unwrap();
        let machine = format!("-march={processor}");
        let (from, to) = (path("native.ll"), path("program.so"));
        let mut code = ["-O1", &machine, "-fPIC", "-shared", "-Wno-override-module", "-o", &to, &from, "-lm"]
            .map(str::to_owned)
            .to_vec();
        for object in objects {
            code.push(path(&format!("{}.o", object.name)));
            fs::write(path(&format!("{}.o", object.name)), object.object).unwrap();
        }
        run(&bin.join("clang-22"), &code);
        // SAFETY: the object was made a moment ago from functions without initialisers.
        let library = unsafe { Library::new(&to) }.unwrap();
        Self { library, _folder: folder }
    }

    /// A function of the program.
    ///
    /// # Safety
    /// `F` is a pointer to a function of the C type that the source gives it.
    pub(crate) unsafe fn function<F>(&self, name: &str) -> Symbol<'_, F> {
        // SAFETY: the caller's clause.
        unsafe { self.library.get(name.as_bytes()) }.unwrap()
    }

    /// Whether the program has a function of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        // SAFETY: the symbol is not used.
        unsafe { self.library.get::<*const ()>(name.as_bytes()) }.is_ok()
    }
}

/// Whether a processor of this name has fused multiply-adds, products with powers of two, estimates of reciprocal square roots,
/// arithmetic on half, and coarse estimates of reciprocal square roots.
fn answers(processor: &str) -> [(&'static str, bool); 5] {
    let (fma, avx512) = match processor {
        "native" => (
            std::is_x86_feature_detected!("fma"),
            std::is_x86_feature_detected!("avx512dq") && std::is_x86_feature_detected!("avx512vl"),
        ),
        named => (["x86-64-v3", "x86-64-v4"].contains(&named), named == "x86-64-v4"),
    };
    let half = processor == "native" && std::is_x86_feature_detected!("avx512fp16");
    let coarse = fma && !avx512;
    [
        (HAS_FMA, fma),
        (HAS_LDEXP, avx512),
        (HAS_RSQRT_ESTIMATE, avx512),
        (HAS_HALF, half),
        (HAS_COARSE_RSQRT, coarse),
    ]
}

/// A conversion of 16 floats to halves as the compiler's code generator makes it, where a processor has arithmetic on half: the
/// operation that can write to memory.
fn narrowed_at_once(line: &str) -> Option<String> {
    let (result, value) = line.split_once(" = fptrunc <16 x float> ")?;
    let value = value.strip_suffix(" to <16 x half>").filter(|value| value.starts_with('%'))?;
    let bits = result.replacen('%', "%bits.", 1);
    Some(format!(
        "{bits} = call <16 x i16> @llvm.x86.avx512.mask.vcvtps2ph.512(<16 x float> {value}, i32 4, \
         <16 x i16> zeroinitializer, i16 -1)\n{result} = bitcast <16 x i16> {bits} to <16 x half>\n"
    ))
}

/// The IR for this machine: its triple and layout, the C calling convention, and what it can do.
fn retargeted(text: &str, processor: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut has_operations = false;
    let mut narrows = false;
    let has_half = answers(processor).contains(&(HAS_HALF, true));
    for line in text.lines() {
        if line.starts_with("target datalayout") {
            continue;
        }
        if line.starts_with("target triple") {
            out.push_str("target triple = \"x86_64-unknown-linux-gnu\"\n");
            continue;
        }
        let asked = |(question, _): &(&str, bool)| line.contains(&format!("@{question}("));
        if let Some((question, answer)) =
            answers(processor).into_iter().find(asked).filter(|_| line.starts_with("declare "))
        {
            out.push_str(&format!(
                "define internal zeroext i1 @{question}() alwaysinline {{ ret i1 {answer} }}\n"
            ));
            continue;
        }
        if let Some(body) = operation::body(line) {
            out.push_str(&body);
            has_operations = true;
            continue;
        }
        if let Some(narrowed) = has_half.then(|| narrowed_at_once(line)).flatten() {
            out.push_str(&narrowed);
            narrows = true;
            continue;
        }
        out.push_str(&line.replace("spir_func ", "").replace("spir_kernel ", ""));
        out.push('\n');
    }
    if has_operations {
        out.push_str(&operation::declarations());
    }
    if narrows {
        out.push_str(
            "declare <16 x i16> @llvm.x86.avx512.mask.vcvtps2ph.512(<16 x float>, i32 immarg, <16 x i16>, i16)\n",
        );
    }
    out
}

/// The widths that OpenCL C has vectors of, and 1.
pub(crate) const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];

/// `float4` from `float` and 4.
pub(crate) fn vector(element: &str, width: usize) -> String {
    if width == 1 { element.to_owned() } else { format!("{element}{width}") }
}

/// The expression that reads element `i` and the following of `pointer` as one vector.
pub(crate) fn load(width: usize, pointer: &str) -> String {
    if width == 1 { format!("{pointer}[i]") } else { format!("vload{width}(0, {pointer} + i)") }
}

/// The statement that writes `value` to element `i` and the following of `pointer`.
pub(crate) fn store(width: usize, value: &str, pointer: &str) -> String {
    if width == 1 {
        format!("{pointer}[i] = {value};")
    } else {
        format!("vstore{width}({value}, 0, {pointer} + i);")
    }
}
