//! Compiles the bridge to clang, links libclang-cpp, and embeds clang's OpenCL resource headers.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=bridge");
    println!("cargo:rerun-if-changed=../ir/bridge/crash_guard.h");
    println!("cargo:rerun-if-changed=../ir/bridge/guarded.h");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let prefix =
        PathBuf::from(env::var_os("LLVM_SYS_221_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-22".into()));

    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .files(["bridge/clang.cpp", "bridge/kernels.cpp"])
        .include("../ir/bridge")
        .flag("-isystem")
        .flag(prefix.join("include"))
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-fvisibility=hidden")
        .flag("-Wno-unused-parameter")
        .compile("oxcl_frontend_bridge");
    println!("cargo:rustc-link-search=native={}", prefix.join("lib").display());
    println!("cargo:rustc-link-lib=dylib=clang-cpp");
    println!("cargo:rustc-link-lib=dylib=LLVM-22");

    embed_resource_headers(&resource_include(&prefix)?)
}

/// The `include` folder of clang's resource directory.
fn resource_include(prefix: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let versions = prefix.join("lib/clang");
    let mut found: Vec<PathBuf> = fs::read_dir(&versions)
        .map_err(|e| format!("cannot read {}: {e}; is clang 22 installed?", versions.display()))?
        .filter_map(Result::ok)
        .map(|entry| entry.path().join("include"))
        .filter(|path| path.join("opencl-c-base.h").is_file())
        .collect();
    found.sort();
    found.pop().ok_or_else(|| format!("no opencl-c-base.h below {}", versions.display()).into())
}

/// Writes `resource_headers.rs`: a table of `opencl-c-base.h` and every header it includes.
fn embed_resource_headers(include: &Path) -> Result<(), Box<dyn Error>> {
    let mut waiting = vec!["opencl-c-base.h".to_owned()];
    let mut done = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        let path = include.join(&name);
        println!("cargo:rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        for line in text.lines() {
            let Some(rest) = line.trim_start().strip_prefix('#') else { continue };
            let Some(rest) = rest.trim_start().strip_prefix("include") else { continue };
            let wanted = rest.trim().trim_matches(['"', '<', '>']).to_owned();
            if include.join(&wanted).is_file() && !done.contains(&wanted) {
                waiting.push(wanted);
            }
        }
        done.insert(name);
    }
    let mut table = String::from("&[\n");
    for name in &done {
        writeln!(table, "    ({name:?}, include_str!({:?})),", include.join(name))?;
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    fs::write(out.join("resource_headers.rs"), table)?;
    Ok(())
}
