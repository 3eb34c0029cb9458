//! Compiles the C++ bridge to LLVM. LLVM itself is linked by inkwell; the prefix is the environment's
//! `LLVM_SYS_221_PREFIX`.

use std::{env, path::PathBuf, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=bridge");
    println!("cargo::rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let config = env::var_os("LLVM_SYS_221_PREFIX").map_or_else(
        || PathBuf::from("llvm-config-22"),
        |prefix| PathBuf::from(prefix).join("bin/llvm-config"),
    );
    let output = Command::new(&config).arg("--includedir").output();
    let include = match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        _ => panic!(
            "cannot run {}: install llvm-22-dev or set LLVM_SYS_221_PREFIX to LLVM 22's prefix",
            config.display()
        ),
    };
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .file("bridge/atomics.cpp")
        .file("bridge/bridge.cpp")
        .file("bridge/check.cpp")
        .file("bridge/copies.cpp")
        .file("bridge/floors.cpp")
        .file("bridge/guarded_barriers.cpp")
        .file("bridge/half.cpp")
        .file("bridge/handles.cpp")
        .file("bridge/known_arguments.cpp")
        .file("bridge/opaque_types.cpp")
        .file("bridge/passes.cpp")
        .file("bridge/reading.cpp")
        .file("bridge/scopes.cpp")
        .file("bridge/sync_dependence.cpp")
        .file("bridge/uniformity.cpp")
        .file("bridge/held.cpp")
        .file("bridge/targets.cpp")
        .file("bridge/walks.cpp")
        .file("bridge/zeroed.cpp")
        .include(include)
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag_if_supported("-Wno-unused-parameter")
        .flag_if_supported("-Wno-comment")
        .flag_if_supported("-Wno-deprecated-declarations")
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .compile("oxcl_ir_bridge");
}
