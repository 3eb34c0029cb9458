//! `oxcl bench width`: what it prints, and that results are the same at every width.
#![cfg(feature = "compiler")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Sandbox, words};
use serde_json::Value as Json;

#[test]
fn kernels_give_the_same_at_every_width() {
    let sandbox = Sandbox::new();
    // One with barriers in two dimensions, one with gathers and an inner loop, one of 64 bits; all small.
    let ran = sandbox.run(&words("bench width --seed 3 --count 4 --runs 1 --json"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let lines: Vec<Json> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [kernels @ .., summary] = lines.as_slice() else { panic!("{}", ran.out) };
    assert_eq!(kernels.len(), 4);
    for kernel in kernels {
        let seconds = kernel["seconds"].as_array().unwrap();
        assert!(seconds.len() == 4 && seconds.iter().all(|time| time.as_f64().unwrap() > 0.0), "{kernel}");
        assert!(kernel["over_best"].as_f64().unwrap() >= 1.0 && kernel["wrong"] == Json::Array(vec![]));
    }
    assert!(summary["kernels"] == 4 && summary["wrong"] == 0 && summary["worst"].as_f64().unwrap() >= 1.0);
}

#[test]
fn sources_can_be_looked_at() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&words("bench width --seed 7 --count 2 --show"));
    assert!(ran.out.starts_with("// seed 7: divergence") && ran.out.matches("kernel void k(").count() == 2);
    let one = sandbox.run(&words("bench width --seed 8 --count 1 --show"));
    sandbox.write("k.cl", one.out);
    assert_eq!(sandbox.run(&words("compile k.cl --remarks")).code, Some(0));
}
