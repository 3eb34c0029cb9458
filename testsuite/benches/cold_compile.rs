//! How long a vector-add takes from source to code, cold: `oxcl compile` as a whole process, its stages by `--time`, and
//! beside it a PoCL (Debian's 3.1 unless `OCL_ICD_VENDORS` says otherwise) that builds and first launches the same
//! source with an empty cache. Rounds alternate; the best of each is what counts, and all are printed.
//!
//! Run: `make build && cargo bench -p oxcl-testsuite --bench cold_compile [-- ROUNDS]`.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use oxcl_testsuite::opencl::{Job, Launch, Program, Value, run_in_child};

const SOURCE: &str = "kernel void vadd(global const float *a, global const float *b, global float *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
";

fn main() {
    let rounds = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(10);
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/oxcl");
    assert!(program.exists(), "{} is missing: run `make build` first", program.display());
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = folder.path().join("vadd.cl");
    std::fs::write(&source, SOURCE).expect("a writable temporary directory");

    let mut start = Vec::new();
    let mut whole = Vec::new();
    let mut stages = Vec::new();
    let mut peer = Vec::new();
    for _ in 0..rounds {
        start.push(timed(&program, &["--version".into()]).0);
        let output = folder.path().join("vadd.poclbin");
        let words: Vec<PathBuf> =
            ["compile".into(), source.clone(), "-o".into(), output, "--no-cache".into(), "--json".into()]
                .to_vec();
        let (wall, stdout) = timed(&program, &words);
        whole.push(wall);
        stages.push(stage_sum(&stdout));
        peer.extend(pocl(folder.path()));
    }
    report("oxcl --version, the start of a process", &start);
    report("oxcl compile, whole process", &whole);
    report("oxcl compile, its stages", &stages);
    report("PoCL, build and first launch", &peer);
    if let (Some(ours), Some(theirs)) = (whole.iter().min(), peer.iter().min()) {
        println!("oxcl's whole process over PoCL's build and first launch: {:.2}", ratio(*ours, *theirs));
    }
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

fn timed(program: &Path, words: &[PathBuf]) -> (Duration, Vec<u8>) {
    let start = Instant::now();
    let output = Command::new(program).args(words).output().expect("oxcl runs");
    let wall = start.elapsed();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (wall, output.stdout)
}

/// The sum of the stages in the JSON that `oxcl compile --json` prints.
fn stage_sum(json: &[u8]) -> Duration {
    let value: serde_json::Value = serde_json::from_slice(json).expect("JSON");
    let stages = value["data"]["stages_ns"].as_object().expect("the stages' times");
    Duration::from_nanos(stages.values().filter_map(serde_json::Value::as_u64).sum())
}

/// Build plus first launch with an empty cache; nothing where no PoCL is installed.
fn pocl(folder: &Path) -> Option<Duration> {
    let cache = tempfile::tempdir_in(folder).ok()?;
    let floats = vec![0; 4096];
    let job = Job {
        platform: "PoCL".to_owned(),
        program: Some(Program::Source(SOURCE.to_owned())),
        // The client asks for the arguments, which PoCL keeps only if told to.
        options: "-cl-kernel-arg-info".to_owned(),
        launches: vec![Launch {
            kernel: "vadd".to_owned(),
            global: vec![1024],
            local: vec![64],
            offset: vec![0],
            args: vec![Value::Buffer(floats.clone()), Value::Buffer(floats.clone()), Value::Buffer(floats)],
        }],
        want_binary: false,
    };
    let client = Path::new(env!("CARGO_BIN_EXE_oxcl-opencl-client"));
    let answer = match run_in_child(client, &[("POCL_CACHE_DIR", cache.path())], &job) {
        Ok(answer) => answer,
        Err(error) => {
            println!("NOT RUN: {error}");
            return None;
        }
    };
    Some(answer.build_time + answer.launch_times.first().copied().unwrap_or_default())
}

fn report(what: &str, times: &[Duration]) {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let show = |time: &Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
    match (sorted.first(), sorted.get(sorted.len() / 2), sorted.last()) {
        (Some(best), Some(median), Some(worst)) => {
            println!("{what}: best {} ms, median {}, worst {}", show(best), show(median), show(worst));
        }
        _ => println!("{what}: NOT RUN"),
    }
}
