//! Compiles the bridge to LLVM's code generator and to lld, and makes the stubs of the C libraries that kernels are
//! linked against.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=bridge");
    println!("cargo:rerun-if-changed=src/externals.txt");
    println!("cargo:rerun-if-changed=../ir/bridge/crash_guard.h");
    println!("cargo:rerun-if-changed=../ir/bridge/guarded.h");
    println!("cargo:rerun-if-changed=../ir/bridge/rare.h");
    println!("cargo:rerun-if-changed=../ir/bridge/targets.h");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let prefix =
        PathBuf::from(env::var_os("LLVM_SYS_221_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-22".into()));
    let lib = prefix.join("lib");

    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .files([
            "bridge/target.cpp",
            "bridge/machine.cpp",
            "bridge/tap.cpp",
            "bridge/tree_rounds.cpp",
            "bridge/whole.cpp",
            "bridge/widen.cpp",
            "bridge/word_gathers.cpp",
            "bridge/wraps.cpp",
            "bridge/divisions.cpp",
            "bridge/far_splats.cpp",
            "bridge/empty_masks.cpp",
            "bridge/compared_cuts.cpp",
            "bridge/operations.cpp",
            "bridge/in_order.cpp",
            "bridge/round_parts.cpp",
            "bridge/spills.cpp",
            "bridge/far.cpp",
            "bridge/first_lanes.cpp",
            "bridge/masks.cpp",
            "bridge/gather_rows.cpp",
            "bridge/places.cpp",
            "bridge/strides.cpp",
            "bridge/lane_masks.cpp",
            "bridge/long_rounds.cpp",
            "bridge/mask_parts.cpp",
            "bridge/uniform_parts.cpp",
            "bridge/narrow_gathers.cpp",
            "bridge/disasm.cpp",
            "bridge/lld.cpp",
            "bridge/spirv.cpp",
        ])
        .include("../ir/bridge")
        .flag("-isystem")
        .flag(prefix.join("include"))
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-fvisibility=hidden")
        .compile("oxcl_codegen_bridge");
    println!("cargo:rustc-link-search=native={}", lib.display());
    println!("cargo:rustc-link-lib=static=lldELF");
    println!("cargo:rustc-link-lib=static=lldCommon");
    // lld can compress sections. libLLVM brings these libraries by their run-time names; their development packages
    // need not be there.
    println!("cargo:rustc-link-lib=dylib:+verbatim=libz.so.1");
    println!("cargo:rustc-link-lib=dylib:+verbatim=libzstd.so.1");
    println!("cargo:rustc-link-lib=dylib=LLVM-22");
    println!("cargo:rustc-link-lib=dylib=stdc++");

    let externals = fs::read_to_string("src/externals.txt")?;
    for library in ["libc.so.6", "libm.so.6"] {
        make_stub(library, &externals)?;
    }
    Ok(())
}

/// A shared object that has the name of `library` and its functions' names, and nothing else: enough to link against,
/// and the same on every machine.
fn make_stub(library: &str, externals: &str) -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let mut assembly = String::from("\t.text\n");
    for line in externals.lines() {
        if let Some(symbol) = line.strip_prefix(library) {
            let symbol = symbol.trim();
            assembly.push_str(&format!("\t.globl {symbol}\n\t.type {symbol},@function\n{symbol}:\n"));
        }
    }
    assembly.push_str("\tret\n\t.section .note.GNU-stack,\"\",@progbits\n");
    let source = out.join(format!("{library}.s"));
    fs::write(&source, assembly)?;
    link_stub(&source, &out.join(format!("{library}.stub")), library)
}

fn link_stub(source: &Path, target: &Path, library: &str) -> Result<(), Box<dyn Error>> {
    let mut command: Command = cc::Build::new().cpp(true).try_get_compiler()?.to_command();
    command.args(["-x", "assembler", "-shared", "-nostdlib", "-Wl,--build-id=none", "-Wl,--hash-style=gnu"]);
    command.arg(format!("-Wl,-soname,{library}")).arg(source).arg("-o").arg(target);
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("cannot make the stub of {library}: {status}").into()) }
}
