//! `oxcl run` makes code for the local sizes of its launches where kernels' sub-groups gain by it, and only there.

mod common;

use common::{Ran, Sandbox, words};

const SOURCE: &str = "
kernel void sums(global const int *in, global int *out) {
  out[get_global_linear_id()] = sub_group_scan_inclusive_add(in[get_global_linear_id()]);
}
kernel void alone(global const int *in, global int *out) { out[get_global_id(0)] = in[get_global_id(0)] + 1; }
";

const WORKLOAD: &str = r#"
[programs.p]
source = "k.cl"
options = "-cl-std=CL3.0"

[buffers.in]
type = "int"
range = 64

[buffers.out]
type = "int"
zeros = 64

[[commands]]
kernel = "sums"
global = 64
local = LOCAL
args = { in = "in", out = "out" }

[[commands]]
kernel = "alone"
global = 64
local = 2
args = { in = "in", out = "in" }

[[outputs]]
buffer = "out"
print = "0..64"
"#;

const SAID: &str = "compiling for local sizes ";

fn run(sandbox: &Sandbox, file: &str, rest: &str) -> Ran {
    let ran = sandbox.run(&words(&format!(
        "run {file} {rest} -a in=range:int:64 -a out=zeros:int:64 --print out -v --no-cache"
    )));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran
}

#[test]
fn kernels_with_sub_groups_get_code_for_the_local_size() {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", SOURCE);
    let compiled = sandbox.run(&words("compile k.cl -o k.poclbin -- -cl-std=CL3.0"));
    assert_eq!(compiled.code, Some(0), "{}", compiled.err);
    let build = "--build-option=-cl-std=CL3.0";
    for (sizes, is_for) in [
        ("-g 64 -l 32", Some("32x1x1")),
        ("-g 64 -l 12", Some("12x1x1")),
        ("-g 32,2 -l 32,2", Some("32x2x1")),
        // Rows are no whole sub-groups.
        ("-g 2,32 -l 2,16", None),
        ("-g 64", None),
    ] {
        let ran = run(&sandbox, "k.cl", &format!("sums {sizes} {build}"));
        let said = ran.err.split(SAID).nth(1).and_then(|rest| rest.split(':').next());
        assert_eq!(said, is_for, "{sizes}: {}", ran.err);
        let all = run(&sandbox, "k.poclbin", &format!("sums {sizes}"));
        assert!(!all.err.contains(SAID), "{}", all.err);
        assert_eq!(ran.out, all.out, "{sizes}");
    }
    // Nothing to gain, or somebody has said what to do.
    for rest in ["alone -g 64 -l 32", "sums -g 64 -l 32 --width 1", "sums -g 64 -l 32 --device ref"] {
        let ran = run(&sandbox, "k.cl", &format!("{rest} {build}"));
        assert!(!ran.err.contains(SAID), "{rest}: {}", ran.err);
    }
}

#[test]
fn kernels_of_workloads_do_too() {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", SOURCE);
    for (local, is_for) in [("16", true), ("[2, 2]", false)] {
        let text = WORKLOAD.replace("LOCAL", local);
        let text = if is_for { text } else { text.replacen("global = 64", "global = [2, 32]", 1) };
        sandbox.write("w.toml", text);
        let ran = sandbox.run(&words("run w.toml -v --no-cache"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.out.starts_with("out[0..64]: 0 1 3 "), "{}", ran.out);
        assert_eq!(ran.err.contains("compiling for local sizes 16x1x1: "), is_for, "{}", ran.err);
    }
}
