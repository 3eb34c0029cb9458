//! Plans on the command line: what `--emit plan` prints goes back in by `--plan`, edited or not; `OXCL_WIDTH` and `OXCL_CPU`.
#![cfg(feature = "compiler")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Ran, Sandbox, words};

const SOURCE: &str = "kernel void sum(global const int *a, global int *b, int n) {
  int i = get_global_id(0), s = 0;
  for (int j = 0; j < n; ++j)
    s += a[i * n + j];
  b[i] = s;
}
kernel void lock(global int *l, global int *b) {
  while (atomic_xchg(l, 1))
    ;
  b[get_global_id(0)] += 1;
  atomic_xchg(l, 0);
}
";

const RUN: &str = "run k.cl sum -g 21 -a a=range:int:84 -a b=zeros:int:21 -a n=4 -p b";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", SOURCE);
    sandbox
}

fn run(sandbox: &Sandbox, line: &str) -> Ran {
    sandbox.run(&words(line))
}

fn with_width(sandbox: &Sandbox, width: &str, line: &str) -> Ran {
    sandbox.finished(sandbox.command(&words(line)).env("OXCL_WIDTH", width).output().unwrap())
}

/// The plan of one kernel for a width.
fn plan(sandbox: &Sandbox, width: u32) -> String {
    let ran = run(sandbox, &format!("compile k.cl --kernel sum --width {width} --emit plan"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out
}

/// The first line of a kernel's plan, which says what each W costs.
fn chosen(sandbox: &Sandbox, hint: &str) -> String {
    let source = format!(
        "kernel {hint} void hash(global uint *f) {{
           uint x = f[get_global_id(0)];
           for (int k = 0; k < 16; k++) {{ x ^= x << 13; x ^= x >> 17; x ^= x << 5; }}
           f[get_global_id(0)] = x;
         }}"
    );
    sandbox.write("hinted.cl", &source);
    let ran = run(sandbox, "compile hinted.cl --cpu x86-64-v4 --emit plan");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_hinted_type_counts_where_w_is_chosen() {
    let sandbox = Sandbox::new();
    let none = chosen(&sandbox, "");
    assert!(none.contains("at 32") && !none.contains("at 64"), "{none}");
    for same in ["uint", "float4"] {
        assert_eq!(chosen(&sandbox, &format!("__attribute__((vec_type_hint({same})))")), none);
    }
    // A register has 64 lanes of bytes: that many are tried, and taken where they cost less at all.
    let bytes = chosen(&sandbox, "__attribute__((vec_type_hint(uchar16)))");
    assert!(bytes.contains("at 64"), "{bytes}");
}

/// How many reads of memory there are of a loop that a hint says is to be written out.
fn written_out(sandbox: &Sandbox, hint: &str) -> usize {
    let source = format!(
        "kernel void k(global int *out, global const int *in, int n) {{
           int s = 0;
           {hint}
           for (int i = 0; i < n; i++) s = s * 3 ^ in[s & 255];
           out[get_global_id(0)] = s;
         }}"
    );
    sandbox.write("loop.cl", &source);
    let ran = run(sandbox, "compile loop.cl --cpu x86-64-v4 --width 8 --emit asm -o -");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out.lines().filter(|line| line.trim_start().starts_with("xorl") && line.contains('(')).count()
}

#[test]
fn loops_are_written_out_as_often_as_hinted() {
    let sandbox = Sandbox::new();
    let [one, eight] =
        [1, 8].map(|count| written_out(&sandbox, &format!("__attribute__((opencl_unroll_hint({count})))")));
    // There are several copies of the loop, and one of them is for what is left of the others' rounds.
    assert!(one >= 1 && eight >= 4 * one, "{one} and {eight}");
}

#[test]
fn an_edited_plan_is_followed() {
    let sandbox = sandbox();
    let wanted = run(&sandbox, &format!("{RUN} --width 1")).out;
    assert!(wanted.starts_with("b[0..21]: 6 22 38"), "{wanted}");
    let whole = plan(&sandbox, 8);
    assert!(whole.contains("load: gather, 4 bytes apart") || whole.contains("load: gather"), "{whole}");
    let edited = [
        whole.clone(),
        whole.replace("load: gather", "load: lane by lane"),
        whole.replace("store: consecutive", "store: scatter").replace("width 8", "width 4"),
        "kernel sum: width 16 along rows of a group\n".to_owned(),
        "kernel sum: width 1 along rows of a group\n".to_owned(),
    ];
    for (number, text) in edited.iter().enumerate() {
        sandbox.write("plan.txt", text);
        let shown = run(&sandbox, "compile k.cl --kernel sum --plan plan.txt --emit plan");
        assert!(shown.out.starts_with(text.lines().next().unwrap()), "{number}: {}{}", shown.out, shown.err);
        assert!(shown.out.contains("lane by lane") == text.contains("lane by lane"), "{}", shown.out);
        assert!(shown.out.contains("scatter") == text.contains("scatter"), "{}", shown.out);
        let ran = run(&sandbox, &format!("{RUN} --plan plan.txt"));
        assert_eq!((ran.out, ran.code), (wanted.clone(), Some(0)), "{number}: {}", ran.err);
    }
    // The code is another one.
    let code = |line: &str| {
        assert_eq!(run(&sandbox, line).code, Some(0), "{line}");
        sandbox.read("out.s")
    };
    sandbox.write("plan.txt", &edited[1]);
    let forced = code("compile k.cl --kernel sum --plan plan.txt --emit asm -o out.s");
    sandbox.write("plan.txt", &whole);
    let given_back = code("compile k.cl --kernel sum --plan plan.txt --emit asm -o out.s");
    let plain = code("compile k.cl --kernel sum --width 8 --emit asm -o out.s");
    assert!(given_back == plain, "a plan that is given back makes other code");
    assert!(forced != plain, "an edited plan makes the same code");
}

#[test]
fn a_plan_that_cannot_be_followed_is_refused_with_its_line() {
    let sandbox = sandbox();
    let whole = plan(&sandbox, 8);
    let line = 1 + whole.lines().position(|line| line.contains("load: gather")).unwrap();
    for (text, code, said) in [
        (whole.replace("load: gather", "load: once"), 2, format!("line {line}: '%")),
        (
            whole.replace("load: gather", "load: consecutive"),
            2,
            "the lanes' addresses are not one behind".into(),
        ),
        (
            whole.replace("load: gather", "load: often"),
            4,
            format!("it is no plan: line {line}: 'often' is none of"),
        ),
        (whole.replace("kernel sum", "kernel product"), 2, "there is no kernel 'product'".into()),
        ("kernel lock: width 4 along rows of a group\n".into(), 3, "[OX0306]".into()),
        (String::new(), 4, "there is no kernel in this plan".into()),
    ] {
        sandbox.write("plan.txt", &text);
        let ran = run(&sandbox, "compile k.cl --plan plan.txt -o out");
        assert!(ran.code == Some(code) && ran.err.contains(&said), "{:?} {}\n{text}", ran.code, ran.err);
        assert_eq!(ran.err.contains("[OX0307]"), code == 2 && text.contains("kernel sum"), "{}", ran.err);
    }
    assert!(run(&sandbox, "compile k.cl --plan nowhere.txt -o out").code == Some(6));
    let both = run(&sandbox, "compile k.cl --plan plan.txt --width 4 -o out");
    assert!(both.code == Some(2) && both.err.contains("cannot be used with"), "{}", both.err);
}

#[test]
fn the_environment_says_how_many_work_items_run_at_a_time() {
    let sandbox = sandbox();
    let plans = with_width(&sandbox, "4", "compile k.cl --emit plan");
    assert!(plans.out.contains("kernel sum: width 4 along"), "{}", plans.out);
    assert!(
        plans.out.contains("kernel lock: width 1 along") && plans.out.contains(", declined: "),
        "{}",
        plans.out
    );
    let given = with_width(&sandbox, "4", "compile k.cl --kernel sum --width 8 --emit plan");
    assert!(given.out.contains("kernel sum: width 8 along"), "{}", given.out);
    let one = with_width(&sandbox, "1", "compile k.cl --emit plan");
    assert!(one.out.contains("kernel sum: width 1 along") && one.code == Some(0), "{}{}", one.out, one.err);
    for width in ["1", "2", "16"] {
        let ran = with_width(&sandbox, width, RUN);
        assert_eq!(ran.out, run(&sandbox, RUN).out, "{}", ran.err);
    }
    for wrong in ["3", "128", "x"] {
        let ran = with_width(&sandbox, wrong, RUN);
        assert!(ran.code == Some(2) && ran.err.contains("OXCL_WIDTH is"), "{}", ran.err);
    }
    assert_eq!(with_width(&sandbox, "", RUN).code, Some(0));
}

#[test]
fn the_environment_names_the_cpu() {
    let sandbox = sandbox();
    let with_cpu = |cpu: &str, line: &str| {
        sandbox.finished(sandbox.command(&words(line)).env("OXCL_CPU", cpu).output().unwrap())
    };
    let plan = |cpu: &str, more: &str| with_cpu(cpu, &format!("compile k.cl --emit plan{more}")).out;
    let asked = |cpu: &str| run(&sandbox, &format!("compile k.cl --emit plan --cpu {cpu}")).out;
    assert_eq!(plan("x86-64-v2", ""), asked("x86-64-v2"));
    assert_ne!(plan("x86-64-v2", ""), plan("x86-64-v4", ""));
    assert_eq!(plan("x86-64-v2", " --cpu x86-64-v4"), asked("x86-64-v4"));
    assert_eq!(plan("", ""), run(&sandbox, "compile k.cl --emit plan").out);
    let ran = with_cpu("x86-64-v2", RUN);
    assert_eq!(ran.out, run(&sandbox, RUN).out, "{}", ran.err);
    let wrong = with_cpu("x86-64-v9", RUN);
    assert!(wrong.code != Some(0) && wrong.err.contains("unknown CPU 'x86-64-v9'"), "{}", wrong.err);
}
