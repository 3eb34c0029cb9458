//! `oxcl inspect`: what it shows of archives and of the files in them, and what it says of files that are none.

mod common;

use common::{Sandbox, words};
use oxcl_binary::archive::slots::{ANY_SIZE, Code};
use oxcl_binary::archive::{
    AccessQualifier, AddressQualifier, Archive, Arg, ArgKind, BinaryType, File, Kernel, Version,
    WorkGroupMeta,
};
use oxcl_binary::meta::{
    Access, ArgFacts, KernelCode, KernelMeta, Level, PROGRAM_META_PATH, ProgramMeta, SCHEMA,
};

fn arg(name: &str, type_name: &str, kind: ArgKind, address: AddressQualifier, size: u32) -> Arg {
    let (access, type_qualifier) = (AccessQualifier::None, u64::from(address == AddressQualifier::Constant));
    let (name, type_name) = (name.to_owned(), type_name.to_owned());
    Arg { name, type_name, address, access, type_qualifier, kind, size }
}

/// An archive of ours with one kernel, whose code is no code.
fn archive() -> Archive {
    let facts = |access| ArgFacts { access, bounds: Vec::new() };
    let mut kernel = Kernel {
        name: "scale".to_owned(),
        args: vec![
            arg("data", "float*", ArgKind::Pointer, AddressQualifier::Global, 8),
            arg("table", "float*", ArgKind::Pointer, AddressQualifier::Constant, 8),
            arg("factor", "float", ArgKind::Value, AddressQualifier::Private, 4),
        ],
        local_sizes: vec![256, 4],
        reqd_wg_size: [0; 3],
        attributes: String::new(),
        has_arg_metadata: Kernel::ALL_ARG_METADATA,
        work_group: Some(WorkGroupMeta {
            max_size: 4096,
            preferred_multiple: 8,
            local_mem: 260,
            private_mem: 16,
            spill_mem: 0,
        }),
        sub_groups: None,
        reqd_sub_group_size: None,
        files: Vec::new(),
    };
    kernel.add_object(Code::First, ANY_SIZE, b"no code");
    let code = KernelCode {
        cpu: "x86-64-v3".to_owned(),
        width: 8,
        scratch_fixed: 64,
        scratch_per_item: 16,
        specialised: vec![[64, 1, 1]],
    };
    kernel
        .add_meta(&KernelMeta {
            schema: SCHEMA,
            args: vec![facts(Access::ReadWrite), facts(Access::Read), facts(Access::None)],
            opaque: false,
            globals: false,
            printf: true,
            barrier: true,
            any_ids: false,
            any_groups: false,
            columns: false,
            zero_local: false,
            sub_groups: false,
            sub_group_size: 8,
            narrow_sub_group_size: 4,
            required_sub_group_size: 0,
            pixels: Vec::new(),
            code: vec![code],
        })
        .unwrap();
    let program = ProgramMeta {
        schema: SCHEMA,
        compiler: "0.1.0".to_owned(),
        triple: "x86_64-unknown-linux-gnu".to_owned(),
        levels: vec![Level {
            cpu: "x86-64-v3".to_owned(),
            features: vec!["avx2".to_owned(), "fma".to_owned()],
        }],
        has_ref: false,
        cl_std: "CL1.2".to_owned(),
        uniform_work_group_size: false,
        options: "-DN=4".to_owned(),
        variables: None,
        narrow_variables: None,
    };
    Archive {
        version: Version::V12,
        device_id: 0x0123_4567_89ab_cdef,
        flush_denorms: false,
        program_scope_bytes: Some(0),
        binary_type: BinaryType::Executable,
        build_hash: String::new(),
        root: vec![vec![File { path: PROGRAM_META_PATH.to_owned(), data: program.to_json().unwrap() }]],
        kernels: vec![kernel],
    }
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("scale.poclbin", archive().seal().unwrap());
    sandbox
}

#[test]
fn archives_are_shown() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["inspect", "scale.poclbin"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!("archive", ran.out);
    let kernel = sandbox.run(&words("inspect scale.poclbin --kernel scale"));
    assert_eq!(kernel.out, ran.out);
}

#[test]
fn json_has_what_the_text_has() {
    let sandbox = sandbox();
    let ran = sandbox.run(&words("inspect scale.poclbin --json"));
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((json["schema"].as_u64(), json["kind"].as_str()), (Some(1), Some("inspect")));
    let data = &json["data"];
    assert_eq!((data["format"].as_str(), data["version"].as_u64()), (Some("pocl-binary"), Some(12)));
    assert_eq!(data["device_id"], "0x0123456789abcdef");
    assert_eq!(data["facts"]["levels"][0]["cpu"], "x86-64-v3");
    let kernel = &data["kernels"][0];
    assert_eq!(kernel["args"][1]["qualifiers"][0], "const");
    assert_eq!(kernel["facts"]["code"][0]["width"], 8);
    assert_eq!(kernel["files"][0]["path"], "/scale/0-0-0/scale.so");
}

#[test]
fn members_are_shown_and_files_written_out() {
    let sandbox = sandbox();
    let ran = sandbox.run(&words("inspect scale.poclbin --member /scale/oxcl.meta"));
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("\"scratch_per_item\": 16"), "{}", ran.out);
    let ran = sandbox.run(&words("inspect -q scale.poclbin --extract out"));
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_eq!(sandbox.read("out/scale/0-0-0/scale.so"), b"no code");
    assert_eq!(sandbox.read("out/oxcl.meta"), archive().root[0][0].data);
    // What is there already is not touched.
    let ran = sandbox.run(&words("inspect scale.poclbin --extract out"));
    assert_eq!(ran.code, Some(6), "{}", ran.err);
}

#[test]
fn broken_facts_do_not_hide_the_rest() {
    let sandbox = Sandbox::new();
    let mut broken = archive();
    broken.root[0][0].data = b"{\"schema\": 9}".to_vec();
    broken.kernels[0].files[1].data = b"{".to_vec();
    sandbox.write("broken.poclbin", broken.seal().unwrap());
    let ran = sandbox.run(&["inspect", "broken.poclbin"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("facts cannot be used: /oxcl.meta has schema 9, this version reads schema 1"));
    assert!(ran.out.contains("facts         cannot be used: oxcl.meta, line 1"), "{}", ran.out);
    assert!(ran.out.contains("/scale/0-0-0/scale.so"));
}

#[test]
fn elf_files_are_shown() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["inspect", env!("CARGO_BIN_EXE_oxcl")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.starts_with("ELF shared object for "), "{}", &ran.out[..80]);
    for part in ["needs         libc.so.6", "\n.text", "read execute", "note          GNU"] {
        assert!(ran.out.contains(part), "{part}");
    }
}

#[test]
fn bad_files_are_named_with_what_is_wrong() {
    let sandbox = sandbox();
    let whole = sandbox.read("scale.poclbin");
    sandbox.write("cut.poclbin", &whole[..200]);
    sandbox.write("text", "kernel void f() {}");
    sandbox.write("empty", "");
    sandbox.write("broken.so", b"\x7fELFxxxxxxxxxxxxxxxxxxxx");
    let cases = [
        ("cut.poclbin", 4, "in root entry 0: the archive ends inside"),
        ("text", 4, "it is no pocl-binary, ELF file, LLVM bitcode or SPIR-V"),
        ("empty", 4, "it is empty"),
        ("broken.so", 4, "it is a broken ELF file"),
        ("none", 6, "cannot read 'none'"),
        ("scale.poclbin --kernel scales", 2, "did you mean `scale`?"),
        ("scale.poclbin --member /scale/oxcl.mete", 2, "did you mean `/scale/oxcl.meta`?"),
        ("scale.poclbin --member /oxcl.meta --extract x", 2, "--extract is for archives"),
    ];
    for (line, code, message) in cases {
        let ran = sandbox.run(&words(&format!("inspect {line}")));
        assert_eq!(ran.code, Some(code), "{line}: {}", ran.err);
        assert!(ran.out.is_empty() && ran.err.contains(message), "{line}: {}", ran.err);
    }
}

/// Without the compiler nothing looks inside bitcode.
#[cfg(feature = "compiler")]
#[test]
fn broken_bitcode_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("broken.bc", b"BC\xc0\xdexxxxxxxxxxxx");
    let ran = sandbox.run(&["inspect", "broken.bc"]);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    assert!(ran.err.contains("it is no bitcode that LLVM 22 reads"), "{}", ran.err);
}

/// What the compiler made is shown from the inside: constants, symbols, machine code.
#[cfg(feature = "compiler")]
#[test]
fn compiled_code_is_shown_and_listed() {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", "kernel void k(global int *out) { out[get_global_id(0)] = 7; }");
    let ran = sandbox.run(&words("compile k.cl -o k.poclbin"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let object = sandbox.run(&words("inspect k.poclbin --member /k/0-0-0/k.so"));
    for part in ["ELF shared object for x86-64", "kernel        k: ", "_pocl_kernel_k_workgroup", "oxcl_wg_k"]
    {
        assert!(object.out.contains(part), "{part}: {}", object.out);
    }
    let listing = sandbox.run(&words("inspect k.poclbin --kernel k --disasm"));
    assert_eq!(listing.code, Some(0), "{}", listing.err);
    assert!(listing.out.starts_with("/k/0-0-0/k.so\n"), "{}", listing.out);
    assert!(listing.out.contains("\noxcl_wg_k:\n") && listing.out.contains("  ret\n"), "{}", listing.out);
    let json = sandbox.run(&words("inspect k.poclbin --disasm --json"));
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["kind"], "disassembly");
    assert_eq!(json["data"][0]["file"], "/k/0-0-0/k.so");
}

/// A container that has no place for variables is refused when the code is made, not when it fails to run.
#[cfg(feature = "compiler")]
#[test]
fn variables_are_refused_in_version_9() {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", "global int n; kernel void k(global int *x) { x[0] = n++; }");
    let ran = sandbox.run(&words("compile k.cl -cl-std=CL3.0 --pocl-version 3.1 -o k.poclbin"));
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("'n' is one [OX0225]"), "{}", ran.err);
    let ran = sandbox.run(&words("compile k.cl -cl-std=CL3.0 --pocl-version 4 -o k.poclbin"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
