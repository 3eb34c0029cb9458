//! The line of progress, as a terminal gets it: simulations and benchmarks say how far they are, and nobody else is told.
//! The terminal is that of `script`, which every Debian has.

mod common;

use std::process::{Command, Stdio};

use common::{Ran, Sandbox, words};

const MACHINES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../compiler/tta/machines");

/// Jumps to its own beginning for ever.
const ENDLESS: &str = "CODE 0 ;
    start: start -> gcu.pc.jump, ..., ... ;
    ..., ..., ... ;
    ..., ..., ... ;
    ..., ..., ... ;
";

/// What takes the line away.
const GONE: &str = "\r\x1b[K";

/// A folder with the program as `endless.ttaimg`.
fn endless() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("endless.tceasm", ENDLESS);
    let line = format!("tta asm endless.tceasm --machine {MACHINES}/three_bus.adf -o endless.ttaimg");
    let ran = sandbox.run(&words(&line));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    sandbox
}

/// Runs a command line on a terminal of its own; what that shows is in `out`.
fn on_terminal(sandbox: &Sandbox, line: &str) -> Ran {
    let shell = format!("'{}' {line}", env!("CARGO_BIN_EXE_oxcl"));
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &shell, "/dev/null"]).current_dir(sandbox.path());
    command.stdin(Stdio::null()).env("TERM", "xterm").env("OXCL_CACHE", "off");
    sandbox.finished(command.output().expect("'script' of the package bsdutils"))
}

/// The lines of progress, in their order.
fn shown(ran: &Ran) -> Vec<&str> {
    ran.out.split(GONE).skip(1).map(|text| text.lines().next().unwrap_or("").trim_end()).collect()
}

#[test]
fn simulations_say_how_far_they_are() {
    let sandbox = endless();
    for (words, unit) in [
        ("sim endless.ttaimg --max-cycles 60000000", "million"),
        ("sim endless.ttaimg --max-cycles 1000000 --trace trace.txt", "thousand"),
    ] {
        let ran = on_terminal(&sandbox, words);
        assert_eq!(ran.code, Some(5), "{ran:?}");
        let done: Vec<u64> = shown(&ran)
            .iter()
            .filter_map(|line| line.strip_prefix("simulating, ")?.split_once(' '))
            .map(|(number, rest)| {
                assert!(rest.starts_with(&format!("{unit} cycles done")), "{ran:?}");
                number.parse().unwrap()
            })
            .collect();
        assert!(!done.is_empty() && done.is_sorted(), "{ran:?}");
        // What comes after stands alone.
        let last = ran.out.rsplit(GONE).next().unwrap();
        assert!(last.contains("the programs have not ended after"), "{ran:?}");
        assert!(!last.contains("cycles done"), "{ran:?}");
    }
}

#[test]
fn benchmarks_say_how_many_are_done() {
    let sandbox = Sandbox::new();
    let line = "bench tasks --functions --workers 1 --runs 3 -n 300000 --only in-order --only out-of-order";
    let ran = on_terminal(&sandbox, line);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines = shown(&ran);
    assert!(lines.iter().any(|line| line.starts_with("measuring, benchmarks: ")), "{ran:?}");
    assert!(lines.iter().all(|line| !line.contains("benchmarks: 2 of")), "{ran:?}");
}

#[test]
fn compilations_say_how_much_code_is_made() {
    let sandbox = Sandbox::new();
    // Work enough for the line to come, whose first kernels are done then.
    let kernel = |n: usize| {
        format!(
            "kernel void f{n}(global float *x, int n) {{ float s = 0; size_t i = get_global_id(0);\n\
             for (int j = 0; j < n; j++) s += sin(x[j] * {n}) * pow(x[i], s) + log(fabs(s)) * cbrt(x[j]);\n\
             x[i] = s + tgamma(s); }}\n"
        )
    };
    sandbox.write("many.cl", (0..12).map(kernel).collect::<String>());
    let ran = on_terminal(&sandbox, "compile many.cl -o many.poclbin --cpu x86-64-v3,x86-64-v4");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let parts: Vec<&str> = shown(&ran)
        .iter()
        .filter_map(|line| line.strip_prefix("compiling many.cl, pieces of code: "))
        .filter_map(|line| line.split(',').next())
        .collect();
    assert!(!parts.is_empty() && parts.iter().all(|part| part.ends_with(" of 24")), "{ran:?}");
    assert!(parts.iter().any(|part| !part.starts_with("0 ")), "{ran:?}");
}

#[test]
fn nobody_is_told_who_does_not_look() {
    let sandbox = endless();
    let line = "sim endless.ttaimg --max-cycles 30000000";
    let ran = sandbox.run(&words(line));
    assert!(ran.code == Some(5) && !ran.err.contains("simulating"), "{ran:?}");
    for option in ["--quiet", "--json"] {
        let ran = on_terminal(&sandbox, &format!("{option} {line}"));
        assert!(ran.code == Some(5) && !ran.out.contains("simulating"), "{ran:?}");
    }
}
