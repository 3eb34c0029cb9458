//! `oxcl doctor`: a good installation, as files below a folder, in which nothing is found; and the same with one fault
//! planted, as each file of `tests/doctor` says.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::Sandbox;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

/// A fault: what is changed in a good installation, and what is to be found.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    /// The finding's code.
    expect: String,
    /// What its command contains.
    mend: String,
    /// What else follows from the fault.
    #[serde(default)]
    also: Vec<String>,
    /// Files that are taken away.
    #[serde(default)]
    remove: Vec<String>,
    /// Files that are put there; `VERSION` is this version.
    #[serde(default)]
    write: BTreeMap<String, String>,
    /// Libraries of ours that are put there, and their versions.
    #[serde(default)]
    libraries: BTreeMap<String, String>,
    /// Rights.
    #[serde(default)]
    mode: BTreeMap<String, u32>,
    /// Variables; `ROOT` is the folder.
    #[serde(default)]
    environment: BTreeMap<String, String>,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The head of a shared object for x86-64 without sections, and what ours says of its version.
fn library(version: &str) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    // A shared object, for x86-64, of version 1; the sizes of the head and of the tables' rows.
    for (at, value) in [(16, 3), (18, 62), (20, 1), (52, 64), (54, 56), (58, 64)] {
        bytes[at] = value;
    }
    bytes.extend(format!("\0oxcl library version {version}\n").into_bytes());
    bytes
}

const FILES: [(&str, &str); 7] = [
    ("etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n"),
    ("etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n"),
    ("etc/ld.so.conf.d/x86_64-linux-gnu.conf", "# Multiarch support\n/usr/lib/x86_64-linux-gnu\n"),
    ("etc/OpenCL/vendors/other.icd", "libother.so\n"),
    ("etc/OpenCL/vendors/oxcl.icd", "/usr/lib/x86_64-linux-gnu/liboxcl.so.1\n"),
    ("proc/self/cgroup", "0::/\n"),
    (
        "proc/cpuinfo",
        "processor\t: 0\nmodel name\t: A\nflags\t\t: fpu pni ssse3 cx16 sse4_1 sse4_2 popcnt hypervisor lahf_lm\n",
    ),
];

fn good(root: &Path) {
    let put = |path: &str, contents: &[u8]| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    };
    for (path, text) in FILES {
        put(path, text.as_bytes());
    }
    put("usr/lib/x86_64-linux-gnu/libOpenCL.so.1", b"the loader");
    put("usr/lib/x86_64-linux-gnu/libother.so", b"another platform");
    put("usr/lib/x86_64-linux-gnu/liboxcl.so.1", &library(VERSION));
    fs::create_dir_all(root.join("home")).unwrap();
    fs::create_dir_all(root.join("usr/bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_oxcl"), root.join("usr/bin/oxcl")).unwrap();
}

/// Codes and commands of what is found.
fn findings(sandbox: &Sandbox, environment: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let root = sandbox.path().display().to_string();
    let mut command = sandbox.command(&["doctor", "--json", "--root", &root]);
    command.env_clear().env("HOME", sandbox.path().join("home"));
    for (name, value) in environment {
        command.env(name, value.replace("ROOT", &root));
    }
    let ran = sandbox.finished(command.output().unwrap());
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"));
    let found = json["data"]["findings"].as_array().unwrap();
    assert_eq!(ran.code, Some(i32::from(!found.is_empty())), "{}", ran.err);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    found.iter().map(|finding| (text(&finding["code"]), text(&finding["mend"]))).collect()
}

fn plant(name: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/doctor/{name}.toml"));
    let fault: Fault = toml::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let sandbox = Sandbox::new();
    let root = sandbox.path();
    good(root);
    for path in &fault.remove {
        fs::remove_file(root.join(path)).unwrap();
    }
    let put = |path: &str, contents: &[u8]| {
        // What is a link is not written through.
        let _ = fs::remove_file(root.join(path));
        sandbox.write(path, contents);
    };
    for (path, text) in &fault.write {
        put(path, text.replace("VERSION", VERSION).as_bytes());
    }
    for (path, version) in &fault.libraries {
        put(path, &library(version));
    }
    for (path, mode) in &fault.mode {
        fs::set_permissions(root.join(path), fs::Permissions::from_mode(*mode)).unwrap();
    }
    let found = findings(&sandbox, &fault.environment);
    let mend = fault.mend.replace("ROOT", "DIR");
    let hit = found.iter().find(|(code, _)| *code == fault.expect);
    let hit = hit.unwrap_or_else(|| panic!("{} is not found, but {found:?}", fault.expect));
    assert!(hit.1.contains(&mend), "`{mend}` is not in `{}`", hit.1);
    let rest: Vec<&String> =
        found.iter().map(|(code, _)| code).filter(|code| **code != fault.expect).collect();
    assert_eq!(rest, fault.also.iter().collect::<Vec<_>>(), "{found:?}");
}

#[test]
fn nothing_is_found_in_a_good_installation() {
    let sandbox = Sandbox::new();
    good(sandbox.path());
    assert_eq!(findings(&sandbox, &BTreeMap::new()), []);
    let sound = [
        ("OXCL_NUM_THREADS", "2"),
        ("OXCL_CACHE_SIZE", "100"),
        ("OXCL_DEVICES", "cpu basic discrete:1M"),
        ("OCL_ICD_VENDORS", "ROOT/etc/OpenCL/vendors"),
        ("OXCL_IMPROVE", "off"),
        ("OXCL_WIDTH", "8"),
        ("OXCL_CPU", "x86-64-v3"),
        ("OXCL_PLATFORM_NAME", "Some (R) Platform"),
        ("OXCL_PLATFORM_VENDOR", ""),
        ("OXCL_BLESS", "1"),
        ("OXCL_MEMORY", "64"),
        ("OXCL_MPI_WINDOW", "off"),
        ("OXCL_REPRO_DIR", "ROOT/home/failed"),
    ];
    let sound = sound.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    assert_eq!(findings(&sandbox, &sound), []);
}

#[test]
fn people_read_what_is_wrong_and_the_command() {
    let sandbox = Sandbox::new();
    good(sandbox.path());
    fs::remove_file(sandbox.path().join("etc/OpenCL/vendors/oxcl.icd")).unwrap();
    let root = sandbox.path().display().to_string();
    let mut command = sandbox.command(&["doctor", "--root", &root]);
    let ran = sandbox.finished(command.env_clear().env("HOME", "/nowhere/at/all").output().unwrap());
    assert!(ran.out.contains("error: no file in /etc/OpenCL/vendors names oxcl"), "{}", ran.out);
    assert!(ran.out.contains("\n  mend: sudo ") && ran.out.ends_with("\n2 findings\n"), "{}", ran.out);
    let ran = sandbox.run(&["doctor", "--root", "none"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(6), "oxcl: cannot read 'none': not a directory\n"));
}

/// One test for each file.
macro_rules! faults {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            plant(stringify!($name));
        })*

        #[test]
        fn every_file_has_its_test() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/doctor");
            let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
            let names: BTreeSet<String> =
                names.map(|name| name.to_string_lossy().trim_end_matches(".toml").to_owned()).collect();
            assert_eq!(names, BTreeSet::from([$(stringify!($name).to_owned()),*]));
        }
    };
}

faults! {
    cache_damaged cache_is_a_file cache_of_everybody cache_off_and_placed cache_too_large carriage_return
    compiler_of_another_version compiler_of_everybody failed_builds_kept_nowhere few_addresses few_processes
    hidden_by_a_variable library_cut library_gone memory_beyond_the_control_group memory_beyond_the_machine misspelt_variable name_too_long named_compiler_gone no_compiler no_home no_loader no_such_device not_registered
    old_virtual_processor other_library_gone registered_elsewhere registered_twice shadowed_by_an_older_library
    small_control_group value_without_effect window_not_a_size
}
