//! `oxcl run` on archives: values in, values out, and every mistake in between. The kernels are made by gcc, so that
//! these tests need no compiler of ours.

mod common;
#[path = "../../runtime/drivers/cpu/tests/support/mod.rs"]
mod support;

use common::{Sandbox, words};
use oxcl_binary::archive::{AddressQualifier, Archive, Arg};
use std::collections::BTreeSet;

/// `scale(global const float *in, global float *out, int k, local float *tile)`: out[i] = in[i] * k.
const SCALE: &str = "
META(scale, 0, 0, 1)
NATIVE(scale) {
    for (u64 g = gx; g < gx + n; g++) for (u64 x = 0; x < ctx->local[0]; x++) {
        u64 i = g * ctx->local[0] + x + ctx->offset[0];
        BUF(float, 1)[i] = BUF(float, 0)[i] * VAL(int, 2);
    }
}
REF(scale) { u64 i = GLOBAL_ID(0); BUF(float, 1)[i] = BUF(float, 0)[i] * VAL(int, 2); }
";

fn floats(name: &str, address: AddressQualifier) -> Arg {
    Arg { type_name: "float*".to_owned(), ..support::pointer(name, address) }
}

fn archive() -> Archive {
    let args = vec![
        floats("in", AddressQualifier::Global),
        floats("out", AddressQualifier::Global),
        support::value("k", "int", 4),
        floats("tile", AddressQualifier::Local),
    ];
    let kernel = support::our_kernel(support::kernel("scale", args), false, SCALE);
    support::our_archive(&support::program_meta(support::baseline()), vec![kernel])
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("scale.poclbin", archive().write().unwrap());
    sandbox
}

const GOOD: &str =
    "run scale.poclbin scale -g 8 -l 4 -a in=range:float:8 -a out=zeros:float:8 -a k=3 -a tile=local:16";

#[test]
fn values_go_in_and_come_out() {
    let sandbox = sandbox();
    for device in ["cpu", "basic", "ref"] {
        let ran =
            sandbox.run(&words(&format!("{GOOD} --device {device} --print 'out[0..4]' --print out[7]")));
        assert_eq!(ran.out, "out[0..4]: 0 3 6 9\nout[7..8]: 21\n", "{ran:?}");
        assert_eq!(ran.code, Some(0));
        assert!(ran.err.starts_with(&format!("scale on {device}: global 8, local 4: ")), "{}", ran.err);
    }
}

#[test]
fn arguments_may_be_named_by_position_and_the_kernel_left_out() {
    let sandbox = sandbox();
    let line =
        "run scale.poclbin -q -g 2 --offset 2 -a 0=1,2,3,4 -a 1=zeros:float:4 -a 2=-2 -a 3=local:4 -p 1";
    let ran = sandbox.run(&words(line));
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("1[0..4]: 0 0 -6 -8\n", ""));
}

#[test]
fn files_are_saved_and_expected() {
    let sandbox = sandbox();
    let ran = sandbox.run(&words(&format!("{GOOD} -s out=o.npy -s out=o.bin -s out=o.png:4x2")));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(sandbox.files(), ["o.bin", "o.npy", "o.png", "scale.poclbin"]);
    assert_eq!(sandbox.read("o.bin").len(), 32);
    let good = sandbox.run(&words(&format!("{GOOD} -e out=@o.npy -e out=@o.bin:float -e out=0,3,6,9")));
    assert_eq!(
        (good.code, good.out.as_str()),
        (Some(0), "out: 8 values agree\nout: 8 values agree\nout: 4 values agree\n")
    );
    let bad = sandbox.run(&words(&format!("{GOOD} -e out=0,3,6,9.5,13")));
    assert_eq!(
        (bad.code, bad.out.as_str()),
        (Some(1), "out: 2 of 5 values differ; the first at element 3: got 9, want 9.5\n")
    );
    let near = sandbox.run(&words(&format!("{GOOD} -e out=0,3,6,9.5,13 --tolerance 0.1")));
    assert_eq!(near.code, Some(0), "{}", near.out);
}

#[test]
fn every_run_of_several_begins_with_the_same_data() {
    let sandbox = sandbox();
    let ran = sandbox.run(&words(&format!("{GOOD} --repeat 5 --json --print out[2]")));
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["data"]["values"]["out[2..3]"][0], 6.0);
    assert_eq!(json["data"]["times_ns"].as_array().map(Vec::len), Some(5));
    assert_eq!(json["data"]["local"][0], 4);
    let text = sandbox.run(&words(&format!("{GOOD} --repeat 5")));
    assert!(text.out.starts_with("scale on cpu: global 8, local 4: best "), "{}", text.out);
}

#[test]
fn mistakes_are_named() {
    let sandbox = sandbox();
    sandbox.write("gray.png", b"\x89PNG\r\n\x1a\n");
    sandbox.write(
        "ints.npy",
        b"\x93NUMPY\x01\x00\x36\x00{'descr': '<i4', 'fortran_order': False, 'shape': (8,), }\n",
    );
    sandbox.write("seven.bin", [0; 7]);
    sandbox.write("cut.poclbin", &archive().write().unwrap()[..200]);
    sandbox.write("junk.poclbin", [0xff, 0xfe, 0x00]);
    let base = "run scale.poclbin scale -g 8";
    let rest = "-a out=zeros:float:8 -a k=3 -a tile=local:16";
    let all = "-a in=range:float:8";
    let mut report = String::new();
    for line in [
        "run scale.poclbin scael -g 8".to_owned(),
        "run scale.poclbin scale".to_owned(),
        "run none.poclbin scale -g 8".to_owned(),
        "run cut.poclbin scale -g 8".to_owned(),
        "run junk.poclbin scale -g 8".to_owned(),
        "run scale.poclbin scale -g 8 -DX=1".to_owned(),
        "run scale.poclbin scale other -g 8".to_owned(),
        format!("{base} {rest}"),
        format!("{base} {all}"),
        format!("{base} {all} {rest} -a kk=3"),
        format!("{base} {all} {rest} -a k=4"),
        format!("{base} {all} {rest} -a k"),
        format!("{base} -a in=range:int:8 {rest}"),
        format!("{base} -a in=zeros:float {rest}"),
        format!("{base} -a in=rnage:float:8 {rest}"),
        format!("{base} -a in=1,2,x {rest}"),
        format!("{base} -a in=local:8 {rest}"),
        format!("{base} -a in=@none.npy {rest}"),
        format!("{base} -a in=@ints.npy {rest}"),
        format!("{base} -a in=@gray.png {rest}"),
        format!("{base} -a in=@seven.bin {rest}"),
        format!("{base} {all} -a out=zeros:float:8 -a k=2.5 -a tile=local:16"),
        format!("{base} {all} -a out=zeros:float:8 -a k=3000000000 -a tile=local:16"),
        format!("{base} {all} -a out=zeros:float:8 -a k=1,2 -a tile=local:16"),
        format!("{base} {all} -a out=zeros:float:8 -a k=3 -a tile=zeros:float:4"),
        format!("{base} {all} -a out=zeros:float:8 -a k=3 -a tile=local:15"),
        format!("{base} {all} {rest} --print out[0..9]"),
        format!("{base} {all} {rest} --print out[3..1]"),
        format!("{base} {all} {rest} --print k"),
        format!("{base} {all} {rest} --save out=none/o.npy"),
        format!("{base} {all} {rest} --save out=o.png:3x3"),
        format!("{base} {all} {rest} --expect out=zeros:float:9"),
        format!("{base} {all} {rest} --expect out=zeros:int:8"),
        format!("{base} {all} {rest} --tolerance -1"),
        format!("{base} {all} {rest} -l 3"),
        format!("{base} {all} {rest} -l 2,2"),
        format!("run scale.poclbin scale -g 8192 {all} {rest} -l 8192"),
        format!("{base} {all} -a out=zeros:float:8 -a k=3 -a tile=local:100000000"),
    ] {
        let ran = sandbox.run(&words(&line));
        assert_eq!(ran.out, "", "{line}");
        let line = line.replace(all, "IN").replace(rest, "REST");
        report.push_str(&format!("$ oxcl {line}\n{}exit {}\n\n", ran.err, ran.code.unwrap_or(-1)));
    }
    assert!(!sandbox.files().iter().any(|name| name.starts_with("o.")), "a failed run left a file");
    insta::assert_snapshot!(report);
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let sandbox = sandbox();
    let mut child = sandbox
        .command(&words(&format!("{GOOD} --print out -q")))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

const WORKLOAD: &str = r#"
[programs.p]
binary = "scale.poclbin"
[buffers.x]
range = 8
type = "float"
[buffers.y]
like = "x"
[buffers.z]
like = "x"
[queues.a]
order = "out-of-order"
[queues.b]
device = "basic"
[[commands]]
name = "second"
queue = "b"
kernel = "scale"
global = 8
args = { in = "y", out = "z", k = 2, tile = "local:16" }
after = ["first", "fill"]
bytes = "gx * 8"
[[commands]]
name = "first"
queue = "a"
kernel = "scale"
global = 4
local = 2
args = { in = "x", out = "y", k = 3, tile = "local:16" }
flops = "gx * k"
after = ["fill"]
[[commands]]
name = "fill"
queue = "a"
fill = { buffer = "y", value = 1 }
[[commands]]
queue = "a"
barrier = true
[[commands]]
queue = "a"
copy = { from = "z", to = "x", from_offset = 2, count = 2 }
after = ["second"]
[[outputs]]
buffer = "z"
print = "0..8"
[[outputs]]
buffer = "z"
npy = "out/z.npy"
[[outputs]]
buffer = "x"
print = "0..4"
[[expectations]]
buffer = "z"
values = [0, 6, 12, 18, 2, 2, 2, 2]
[[expectations]]
buffer = "z"
device = "ref"
"#;

#[test]
fn a_workload_runs_in_its_order() {
    let sandbox = sandbox();
    sandbox.write("w.toml", WORKLOAD);
    let ran = sandbox.run(&["run", "w.toml", "-q"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[..2], ["z[0..8]: 0 6 12 18 2 2 2 2", "x[0..4]: 12 18 2 3"]);
    let columns: Vec<Vec<&str>> = lines[2..].iter().map(|l| l.split_whitespace().collect()).collect();
    assert_eq!(columns[0], ["kernel", "size", "local", "time", "GB/s", "GFLOP/s", "checked"]);
    assert_eq!((columns[1][0], columns[1][1], columns[1].last()), ("second", "8", Some(&"yes")));
    assert_eq!((columns[2][0], columns[2][1], columns[2].last()), ("first", "4", Some(&"yes")));
    assert_eq!(sandbox.files(), ["out", "scale.poclbin", "w.toml"]);
    assert_eq!(sandbox.run(&["check", "w.toml"]).code, Some(0));
}

#[test]
fn a_timeline_and_figures_tell_what_a_run_did() {
    let sandbox = sandbox();
    sandbox.write("w.toml", WORKLOAD);
    let ran = sandbox.run(&["run", "w.toml", "--trace", "t.json", "--stats", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let stats: serde_json::Value =
        serde_json::from_str(ran.err.lines().find(|line| line.contains("\"stats\"")).unwrap()).unwrap();
    let work = stats["data"]["work"].as_array().unwrap();
    assert!(work.iter().any(|row| row["work"] == "scale" && row["commands"].as_u64() > Some(1)), "{stats}");
    let trace: serde_json::Value = serde_json::from_slice(&sandbox.read("t.json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let named = |name: &str, phase: &str| events.iter().find(|e| e["name"] == name && e["ph"] == phase);
    let (begin, end) = (named("first", "b").unwrap(), named("first", "e").unwrap());
    assert!(begin["ts"].as_f64() <= end["ts"].as_f64() && begin["id"] == end["id"]);
    assert!(named("first", "X").is_some_and(|e| e["cat"] == "command" && e["pid"] == 1));
    assert!(named("load", "X").is_some_and(|e| e["cat"] == "compile"));
    // The same as a picture: a bar for each command that a worker executed.
    let ran = sandbox.run(&["run", "w.toml", "--trace", "t.svg"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let picture = String::from_utf8(sandbox.read("t.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains(" ms<"), "{picture}");
    assert!(picture.matches("<rect x=").count() >= 2, "{picture}");
    // A run that fails leaves its timeline too.
    let ran = sandbox.run(&["run", "w.toml", "--trace", "no/such/folder.json"]);
    assert_eq!(ran.code, Some(6), "{}", ran.err);
}

const TASKS: &str =
    "bench tasks --workers 2 -n 100 --runs 1 --only in-order --only launch+finish --json --plot plots";

#[test]
fn the_task_benchmarks_give_a_line_for_each_figure() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&words(&format!("{TASKS} --functions")));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lines: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().any(|l| l["bench"] == "in-order" && l["workers"] == 2 && l["speedup"].is_number()));
    assert!(lines.iter().any(|l| l["bench"] == "launch+finish" && l["p99_us"].is_number()));
    assert!(sandbox.read("plots/in-order.svg").starts_with(b"<svg"));
    assert_eq!(sandbox.run(&words("bench tasks --only nothing")).code, Some(2));
    let some =
        sandbox.run(&words("bench tasks --functions --workers 1,3 -n 100 --runs 1 --only in-order --json"));
    let workers = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["workers"].as_u64();
    let mut numbers: Vec<u64> = some.out.lines().filter_map(workers).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers, [1, 3], "{}{}", some.out, some.err);
}

#[test]
fn the_memory_benchmarks_run_with_more_than_fits_and_check_the_bytes() {
    let sandbox = Sandbox::new();
    let parts =
        "bench memory --only migration --only oversubscription --memory 1 --factor 1.5 --factor 4 --runs 1";
    let ran = sandbox.run(&words(&format!("{parts} --json --plot plots")));
    if cfg!(not(feature = "compiler")) {
        assert_eq!(ran.code, Some(2));
        return;
    }
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lines: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let programs: Vec<_> = lines.iter().filter(|line| line["bench"] == "oversubscription").collect();
    assert_eq!(programs.len(), 4);
    for line in programs {
        assert_eq!(line["ok"], true, "{line}");
        assert!(line["seconds"].is_number() && line["bound_seconds"].is_number());
        assert!(line["paged_out"].as_u64() > Some(0), "{line}");
    }
    assert_eq!(lines.iter().filter(|line| line["bench"] == "migration").count(), 3);
    for name in ["oversubscription", "timeline"] {
        assert!(sandbox.read(&format!("plots/memory-{name}.svg")).starts_with(b"<svg"));
    }
    assert_eq!(sandbox.run(&words("bench memory --factor 1000")).code, Some(2));
}

#[test]
fn the_task_benchmarks_run_compiled_kernels_from_an_archive() {
    let sandbox = Sandbox::new();
    if cfg!(feature = "compiler") {
        let ran = sandbox.run(&words("bench tasks --emit-kernels tasks.poclbin"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
        let all = "bench tasks --workers 2 -n 20 --runs 1 --kernels tasks.poclbin";
        let ran = sandbox.run(&words(all));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.out.contains("in-order-par-rw") && ran.out.contains("empty-groups"), "{}", ran.out);
        assert_eq!(sandbox.run(&words(TASKS)).code, Some(0));
    } else {
        let ran = sandbox.run(&words(TASKS));
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains("--kernels"), "{}", ran.err);
    }
    sandbox.write("none.poclbin", b"poclbin\0");
    assert_eq!(sandbox.run(&words("bench tasks --kernels none.poclbin")).code, Some(4));
}

/// All of them, with little to compute for each kernel.
#[test]
fn task_benchmarks_give_right_results_on_simulated_processors() {
    if cfg!(not(feature = "compiler")) {
        return;
    }
    let sandbox = Sandbox::new();
    let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/../compiler/tta/machines/wide_float.adf");
    let all = "bench tasks -n 10 --runs 1 --workers 1 --piece 400";
    let device = format!("ttasim:{machine}");
    let mut line = words(all);
    line.extend(["--device", &device]);
    let ran = sandbox.run(&line);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let names: BTreeSet<&str> = ran.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names.len(), 10, "{}", ran.out);
    assert!(names.contains("both") && names.contains("wg-imbalance"), "{}", ran.out);
}

/// Times of the host would say how long the simulation took; cycles are the same each time.
#[test]
fn runs_on_simulated_processors_report_cycles() {
    if cfg!(not(feature = "compiler")) {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", "kernel void twice(global int *d) { d[get_global_id(0)] *= 2; }");
    let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/../compiler/tta/machines/three_bus.adf");
    let device = format!("ttasim:{machine}");
    let mut line = words("run k.cl twice -g 16 -l 4 -a d=range:int:16 --print d[3]");
    line.extend(["--device", &device]);
    let ran = sandbox.run(&line);
    assert_eq!(ran.out, "d[3..4]: 6\n", "{}", ran.err);
    let said = ran.err.trim_end().rsplit_once(": ").and_then(|(_, time)| time.strip_suffix(" cycles"));
    let cycles: u64 = said.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{}", ran.err));
    assert!(cycles >= 16, "{cycles} cycles for 16 work-items on one load-store unit");
    line.push("--json");
    let json: serde_json::Value = serde_json::from_str(&sandbox.run(&line).out).unwrap();
    assert_eq!(json["data"]["cycles"], cycles);
}

#[test]
fn workloads_answer_in_json_and_by_exit_code() {
    let sandbox = sandbox();
    sandbox.write("w.toml", WORKLOAD.replace("0, 6, 12", "0, 6, 13"));
    let ran = sandbox.run(&["run", "w.toml", "w.toml", "--json", "--repeat", "3", "--device", "ref"]);
    assert_eq!(ran.code, Some(1));
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let first = &json["data"]["workloads"][0];
    assert_eq!(json["data"]["ok"], false);
    assert_eq!(first["expectations"][0]["first"]["want"], "13");
    assert_eq!(first["commands"][0]["device"], "ref");
    assert_eq!(first["commands"][0]["bytes"], 64.0);
    let text = sandbox.run(&["run", "w.toml", "-q"]).out;
    assert!(text.contains("w: z: 1 of 8 values differ; the first at element 2: got 12, want 13\n"), "{text}");
}

#[test]
fn mistakes_in_workloads_are_named() {
    let sandbox = sandbox();
    let mut report = String::new();
    for (from, to) in [
        ("binary = \"scale.poclbin\"", "binary = \"none.poclbin\""),
        ("kernel = \"scale\"", "kernel = \"scala\""),
        ("k = 2", "kk = 2"),
        ("k = 2", "k = 2.5"),
        ("k = 2", "k = \"x\""),
        (", k = 2", ""),
        ("tile = \"local:16\"", "tile = \"x\""),
        ("out = \"z\"", "out = 4"),
        ("like = \"x\"\n[queues.a]", "like = \"x\"\ntype = \"int\"\n[queues.a]"),
        ("value = 1", "value = [1, 2]"),
        ("count = 2", "count = 7"),
        ("print = \"0..8\"", "print = \"0..9\""),
        ("npy = \"out/z.npy\"", "png = \"out/z.png\""),
        ("values = [0, 6, 12, 18, 2, 2, 2, 2]", "values = [1, 2, 3, 4, 5, 6, 7, 8, 9]"),
        ("values = [0, 6, 12, 18, 2, 2, 2, 2]", "npy = \"none.npy\""),
        ("local = 2", "local = 3"),
        ("range = 8", "npy = \"none.npy\""),
        ("global = 8", "gloabl = 8"),
    ] {
        assert!(WORKLOAD.contains(from), "{from}");
        sandbox.write("w.toml", WORKLOAD.replacen(from, to, 1));
        let ran = sandbox.run(&["run", "w.toml"]);
        let from = from.replace('\n', "/");
        let to = to.replace('\n', "/");
        report.push_str(&format!("{from} => {to}\n{}exit {}\n\n", ran.err, ran.code.unwrap_or(-1)));
    }
    insta::assert_snapshot!(report);
    let ran = sandbox.run(&["run", "w.toml", "--global", "8"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.starts_with("oxcl: --global does not go with a workload\n"), "{}", ran.err);
}
