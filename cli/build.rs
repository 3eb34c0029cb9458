//! Puts LLVM and clang into the release program itself, where their static archives are installed.
//!
//! As shared libraries they cost every start of the program 10 ms and more: hundreds of thousands of addresses are
//! relocated in pages that nothing of a compilation touches. The crates that use LLVM ask for the shared libraries by
//! name; here a folder that is searched first gets linker scripts of those names, which name the archives instead.
//! Programs of other profiles are linked far more often than they are started, and keep the shared libraries; so does
//! everything where `OXCL_SHARED_LLVM` is set.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The shared libraries, and what the names of the archives begin with that make them up.
const LIBRARIES: [(&str, &str); 2] = [("libLLVM-22.so", "libLLVM"), ("libclang-cpp.so", "libclang")];

/// Libraries that these archives use, and their archives: each shared library is looked for, mapped and relocated at every start.
const SMALL: [(&str, &str); 4] = [
    ("libstdc++.so", "libstdc++.a"),
    ("libz.so.1", "libz.a"),
    ("libzstd.so.1", "libzstd.a"),
    ("libffi.so", "libffi.a"),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=bridge");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    println!("cargo:rerun-if-env-changed=OXCL_SHARED_LLVM");
    let release = env::var_os("PROFILE").is_some_and(|profile| profile == "release");
    let has_compiler = env::var_os("CARGO_FEATURE_COMPILER").is_some();
    if !release || !has_compiler || env::var_os("OXCL_SHARED_LLVM").is_some() {
        return Ok(());
    }
    let prefix =
        PathBuf::from(env::var_os("LLVM_SYS_221_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-22".into()));
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let mut scripts = Vec::new();
    for (library, begin) in LIBRARIES {
        let archives = archives(&prefix.join("lib"), begin)?;
        if archives.is_empty() {
            // Not installed: the shared libraries do.
            return Ok(());
        }
        scripts.push((library, format!("GROUP ( {} )\n", archives.join(" "))));
    }
    for (library, archive) in SMALL {
        if let Some(path) = static_archive(archive) {
            fs::write(out.join(library), format!("GROUP ( {} )\n", path.display()))?;
        }
    }
    for (library, script) in scripts {
        fs::write(out.join(library), script)?;
    }
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .files(["bridge/no_polly.cpp", "bridge/other_targets.cpp"])
        .flag("-isystem")
        .flag(prefix.join("include"))
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-fvisibility=hidden")
        .compile("oxcl_left_out");
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    println!("cargo:rustc-link-arg-bins=-no-pie");
    Ok(())
}

/// The static archives in a folder whose names begin so, sorted.
fn archives(folder: &Path, begin: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with(begin) && name.ends_with(".a") {
            found.push(path.display().to_string());
        }
    }
    found.sort();
    Ok(found)
}

/// Where the C++ compiler has a static archive, if it has one.
fn static_archive(name: &str) -> Option<PathBuf> {
    let mut compiler = cc::Build::new().cpp(true).try_get_compiler().ok()?.to_command();
    let said = compiler.arg(format!("-print-file-name={name}")).output().ok()?.stdout;
    let path = PathBuf::from(String::from_utf8(said).ok()?.trim());
    path.is_absolute().then_some(path)
}
