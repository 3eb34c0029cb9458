//! `oxcl reduce`: what matters stays, the source is never touched, and the command's status decides.

mod common;

use common::Sandbox;

const KERNEL: &str = "kernel void k(global int *p, int n) {
  // Nothing of this matters but the barrier.
  int a = 1, b = 2;
  for (int i = 0; i < n; i++) {
    if (p[i] > a) {
      p[i] += b;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}
kernel void other(global int *p) {
  p[get_global_id(0)] = 3;
}
";

#[test]
fn what_matters_stays_and_the_source_too() {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", KERNEL);
    let ran = sandbox.run(&["reduce", "k.cl", "--", "grep", "-q", "barrier("]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(sandbox.read("k.cl"), KERNEL.as_bytes());
    let small = String::from_utf8(sandbox.read("k.reduced.cl")).unwrap();
    assert_eq!(small.trim(), "barrier(");
    assert!(ran.out.contains("k.reduced.cl: "), "{}", ran.out);
    assert_eq!(sandbox.files(), ["k.cl", "k.reduced.cl"]);
}

#[test]
fn a_rejection_stays_a_rejection() {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", KERNEL.replace("p[i] += b;", "p[i] += missing;"));
    let oxcl = env!("CARGO_BIN_EXE_oxcl");
    let args = ["reduce", "k.cl", "-o", "small.cl", "--status", "3", "--json", "--", oxcl, "check", "{}"];
    let ran = sandbox.run(&args);
    // `check` counts findings: it ends with 1, so that nothing is to be reduced for 3.
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("there is nothing to reduce"), "{}", ran.err);
    assert_eq!(sandbox.files(), ["k.cl"]);
    let ran = sandbox.run(&["reduce", "k.cl", "-o", "small.cl", "--status", "1", "--", oxcl, "check", "{}"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let small = sandbox.read("small.cl");
    assert!(small.len() < 20, "{}", String::from_utf8_lossy(&small));
}

#[test]
fn what_does_not_end_is_not_kept() {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", "one\ntwo\n");
    let script = sandbox.write("test.sh", "grep -q two \"$1\" || sleep 100\ngrep -q one \"$1\"\n");
    let script = script.display().to_string();
    let ran = sandbox.run(&["reduce", "k.cl", "--timeout", "1", "--", "sh", &script]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let small = String::from_utf8(sandbox.read("k.reduced.cl")).unwrap();
    assert!(small.contains("one") && small.contains("two"), "{small}");
}

#[test]
fn wrong_uses_are_told() {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", KERNEL);
    assert_eq!(sandbox.run(&["reduce", "k.cl"]).code, Some(2));
    assert_eq!(sandbox.run(&["reduce", "none.cl", "--", "true"]).code, Some(6));
    let ran = sandbox.run(&["reduce", "k.cl", "--", "./no-such-command"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("the command stands behind --"), "{}", ran.err);
    let ran = sandbox.run(&["reduce", "k.cl", "-o", "k.cl", "--", "true"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(sandbox.read("k.cl"), KERNEL.as_bytes());
}
