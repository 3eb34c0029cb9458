//! `oxcl compile --remarks`: what it says of each line, and that it is about the plan that is followed.
#![cfg(feature = "compiler")]

mod common;

use common::{Sandbox, words};

const SOURCE: &str = "typedef struct { float x, y; } Pair;
kernel void rows(global const float *a, global const int *list, global float *b, int n, int m) {
  int x = get_global_id(0), y = get_global_id(1);
  float s = 0;
  for (int j = 0; j < m; ++j)
    s += a[x * m + j] * sin(a[j * n + x]);
  b[y * n + x] = s + a[x * n + y] + a[list[x]];
}
kernel void parts(global Pair *p, global int *h, int n) {
  size_t i = get_global_id(0);
  if (p[i].x > 0)
    atomic_inc(&h[i / n]);
  uint v = h[i];
  while (v > 3)
    v -= v / 4;
  p[i].y = v;
}
kernel void lock(global int *l, global int *b) {
  while (atomic_xchg(l, 1))
    ;
  b[get_global_id(0)] += 1;
  atomic_xchg(l, 0);
}
";

fn remarks(line: &str) -> String {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", SOURCE);
    let ran = sandbox.run(&words(line));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out
}

/// Whether one of the lines has all the words, and the next line the help.
fn says(text: &str, begin: &str, end: &str, help: Option<&str>) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().enumerate().any(|(number, line)| {
        let next = lines.get(number + 1).and_then(|next| next.strip_prefix("    help: "));
        let helps = match help {
            Some(help) => next.is_some_and(|next| next.contains(help)),
            None => next.is_none(),
        };
        line.trim_start().starts_with(begin) && line.contains(end) && helps
    })
}

#[test]
fn every_line_is_explained() {
    let text = remarks("compile k.cl --remarks --kernel rows --width 8 --cpu x86-64-v3");
    assert!(text.starts_with("kernel rows: width 8 along pieces of rows of a run of groups\n"), "{text}");
    for (begin, end, help) in [
        ("k.cl:5:3: loop for (int j = 0; j < m; ++j): ", "all lanes together", None),
        (
            "k.cl:6:10: load a[x * m + j]: gather; ",
            " cycles, ",
            Some("index has stride m in x; the rounds of the loop in line 5 are one apart"),
        ),
        ("k.cl:6:29: load a[j * n + x]: consecutive; ", " cycles, ", None),
        ("k.cl:6:25: call sin(a[j * n + x]): vector form of 8 lanes; ", " cycles, ", None),
        ("k.cl:7:3: store b[y * n + x]: consecutive; ", " cycles, ", None),
        (
            "k.cl:7:22: load a[x * n + y]: gather; ",
            " cycles, ",
            Some("index has stride n in x; lanes along y would make it consecutive"),
        ),
        ("k.cl:7:37: load a[list[x]]: gather; ", " cycles, ", Some("the index is loaded in line 7")),
    ] {
        assert!(says(&text, begin, end, help), "{begin} ... {end} ({help:?}) is not in\n{text}");
    }
}

#[test]
fn what_costs_much_is_explained() {
    let text = remarks("compile k.cl --remarks --kernel parts --width 8 --cpu x86-64-v3");
    for (begin, end, help) in [
        (
            "k.cl:11:7: load p[i].x: gather; ",
            " cycles",
            Some("lanes are a few elements apart: consecutive accesses"),
        ),
        (
            "k.cl:11:",
            "lanes go different ways: 1 block behind runs under masks",
            Some("neighbours along x agree on"),
        ),
        (
            "k.cl:12:5: atomic operation atomic_inc(&h[i / n]): lane by lane, under a mask; ",
            "",
            Some("each lane has its turn"),
        ),
        ("k.cl:12:", "division: lane by lane, under a mask; ", Some("no divisions of integer vectors")),
        ("k.cl:15:12: division: vector, by a product, under a mask; ", "", None),
        (
            "k.cl:14:3: loop while (v > 3): until no lane is live",
            " cycles",
            Some("lanes wait for the slowest"),
        ),
        ("k.cl:16:8: store p[i].y: scatter; ", " cycles", Some("index has stride 2 in x")),
    ] {
        assert!(says(&text, begin, end, help), "{begin} ... {end} ({help:?}) is not in\n{text}");
    }
}

#[test]
fn kernels_without_vectors_say_why() {
    let text = remarks("compile k.cl --remarks --kernel lock");
    assert!(text.contains("kernel lock: width 1 along"), "{text}");
    assert!(
        says(&text, "k.cl:19: kernel: cannot vectorise kernel 'lock': a loop may end only when", "", None),
        "{text}"
    );
    // Vectors of the least CPU have no gathers: what they would cost is said.
    let text = remarks("compile k.cl --remarks --kernel parts --cpu x86-64-v2");
    if text.starts_with("kernel parts: width 1 ") {
        assert!(text.contains("\n  one work-item at a time takes least"), "{text}");
    }
    assert!(
        says(&text, "k.cl:16:8: store p[i].y: scatter; ", " cycles", Some("index has stride 2")),
        "{text}"
    );
}

#[test]
fn the_plan_that_is_explained_is_the_one_that_is_followed() {
    for cpu in ["x86-64-v2", "x86-64-v3", "x86-64-v4"] {
        let first = |text: String| {
            let lines = text.lines().filter(|line| line.starts_with("kernel "));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        let explained = first(remarks(&format!("compile k.cl --remarks --cpu {cpu}")));
        let planned = first(remarks(&format!("compile k.cl --emit plan --cpu {cpu}")));
        assert!(explained.len() == 3 && explained == planned, "{explained:?}\n{planned:?}");
    }
}
