//! Programs in C on every machine of ours that programs can be compiled for: they run without a hazard and give what C says.

use oxcl_compiler::SourceFile;
use oxcl_compiler::tta::{CRequest, c_machine_ir, compile_c_program, shipped_routines};
use oxcl_tta::compile::{CompileError, Compiled, compile_within};
use oxcl_tta::compose::{Plan, compose, stock};
use oxcl_tta::image::Image;
use oxcl_tta::interpret::{World, lifted, machine_ir as source};
use oxcl_tta::lift::Ability;
use oxcl_tta::machine_ir::parse;
use oxcl_tta::model::{Extension, Machine};
use oxcl_ttasim::{Engine, System};
use std::sync::Arc;

/// Recursion, arguments on the stack, 64-bit arithmetic, division, data, sorting, output.
const PROGRAM: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}
__attribute__((noinline)) int64_t mix(int64_t a, int64_t b) { return a * b + (a >> 3) - a / b + a % 1000003; }
static short table[8] = {5, 3, 9, 1, 7, 2, 8, 6};
static int *place = (int *)&table[2];
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int (*const choice[2])(int, int) = {add, sub};
volatile int one = 1;
int main(void) {
  for (int i = 0; i < 8; i++)
    for (int j = i + 1; j < 8; j++)
      if (table[j] < table[i]) {
        short t = table[i];
        table[i] = table[j];
        table[j] = t;
      }
  unsigned sum = 0;
  for (int i = 0; i < 8; i++) {
    sum = sum * 31 + table[i];
    putchar('0' + table[i]);
  }
  puts("");
  char text[24];
  memset(text, 'x', sizeof text);
  memcpy(text + one, "hello", 5);
  memmove(text + 3, text + one, 6);
  text[one + 9] = 0;
  puts(text);
  int64_t m = mix(1234567890123LL, -17 * one);
  sum += (unsigned)m ^ (unsigned)(m >> 32);
  sum += (unsigned)(fib(7) + many(1, 2, 3, 4, 5, 6, 7, 8, 9, one * 10));
  sum += (unsigned)(*place / 7 + *place % (one * 11) + (unsigned)*place / 9u + (unsigned)(*place << (one * 5)));
  sum = sum * 17 + (unsigned)choice[one](40, 2) + 3u;
  return (int)sum;
}
"#;

/// What a compiler for this computer makes it return and write.
const EXPECTED: (u32, &str) = (3_139_670_770, "12356789\nxhehelloxx\n");

fn run(machine: &Machine, source: &str) -> (u32, String, u64) {
    let sources = vec![SourceFile { name: "program.c".into(), text: source.into() }];
    let request = CRequest { sources, ..CRequest::default() };
    let compiled = compile_c_program(&request, machine).unwrap_or_else(|e| panic!("{e}"));
    let image = Arc::new(compiled.image);
    let faults = oxcl_tta::check::check(machine, &image.program, 1);
    assert!(faults.is_empty(), "{faults:?}");
    let mut system = System::with_own_memories(std::slice::from_ref(&image), Engine::Strict)
        .unwrap_or_else(|e| panic!("{e}"));
    system.run(2_000_000).unwrap_or_else(|fault| panic!("{fault}"));
    assert!(system.ended());
    let output = String::from_utf8_lossy(&system.take_output(0)).into_owned();
    (system.result(0).unwrap_or(0) as u32, output, system.cycle())
}

#[test]
fn a_program_gives_the_same_on_every_machine() {
    for (name, plan) in stock::plans().into_iter().filter(|(n, _)| *n != "big_endian") {
        let (result, output, cycles) = run(&compose(&plan), PROGRAM);
        assert_eq!((result, output.as_str()), EXPECTED, "{name}");
        assert!(cycles > 100, "{name}");
    }
}

/// The machine IR and what lifting makes of it give the same as the whole compiler, each executed for itself.
/// Eleven values that only run time knows, to a function that no other file sees.
const MANY_ARGUMENTS: &str = r#"
volatile int one = 1, kept[11];
__attribute__((noinline)) static int pass(int x) { return kept[0] = x; }
__attribute__((noinline)) static int keep(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k) {
  int first = pass(a + b);
  kept[1] = b, kept[2] = c, kept[3] = d, kept[4] = e, kept[5] = f, kept[6] = g, kept[7] = h, kept[8] = i, kept[9] = j;
  kept[10] = k;
  return first;
}
int main(void) {
  int o = one, sum = keep(o, o + 1, o + 2, o + 3, o + 4, o + 5, o + 6, o + 7, o + 8, o + 9, o + 10);
  for (int i = 0; i < 11; i++)
    sum = sum * 3 + kept[i];
  return sum;
}
"#;

#[test]
fn functions_that_nobody_else_sees_get_all_their_arguments() {
    let kept = [3, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    let expected = kept.iter().fold(3, |sum, value| sum * 3 + value);
    for name in ["tiny", "three_bus", "split"] {
        let plan = stock::plans().into_iter().find(|(plan, _)| *plan == name).expect("it is one of ours").1;
        assert_eq!(run(&compose(&plan), MANY_ARGUMENTS).0, expected, "{name}");
    }
}

#[test]
fn both_interpreters_give_the_same() {
    for (name, plan) in stock::plans().into_iter().filter(|(n, _)| *n != "big_endian") {
        let machine = compose(&plan);
        let sources = vec![SourceFile { name: "program.c".into(), text: PROGRAM.into() }];
        let request = CRequest { sources, ..CRequest::default() };
        let (text, _) = c_machine_ir(&request, &machine).unwrap_or_else(|e| panic!("{e}"));
        let modules = [&text, shipped_routines()].map(|t| parse(t).unwrap_or_else(|e| panic!("{e}")));
        let compiled =
            oxcl_tta::compile::compile(&machine, &modules, "main").unwrap_or_else(|e| panic!("{e}"));
        let ability = Ability::of(&machine).unwrap_or_else(|e| panic!("{e}"));
        let world = World::new(&machine, &ability, &modules, &compiled.program);
        let mut first = source::Interpreter::new(world.clone(), &modules);
        let result = first.run("main", 0xf000, 1_000_000);
        let output = String::from_utf8_lossy(first.world.output());
        assert_eq!((result, &*output), (Ok(EXPECTED.0), EXPECTED.1), "{name}, machine IR");
        let mut second = lifted::Interpreter::new(world, &ability, &modules);
        let result = second.run("main", 0xf000, 2_000_000);
        let output = String::from_utf8_lossy(second.world.output());
        assert_eq!((result, &*output), (Ok(EXPECTED.0), EXPECTED.1), "{name}, lifted");
        assert!(first.instructions() < second.operations(), "{name}");
    }
}

/// The end from within a call, memory from the heap, and an operation as a function's last act.
#[test]
fn programs_end_where_they_say() {
    let source = r#"
#include <stdlib.h>
#include <tceops.h>
__attribute__((noinline)) static void say(int c) { _TCE_STDOUT(c + 1); }
__attribute__((noinline)) static void finish(int *sum) {
  say('a');
  if (*sum > 2) exit(*sum);
}
int main(void) {
  int *sum = calloc(4, 2);
  char *other = malloc(100);
  for (int i = 0; i < 9; i++) {
    other[i] = 1;
    sum[0] += other[i];
    finish(sum);
  }
  return 77;
}
"#;
    for (name, plan) in stock::plans().into_iter().filter(|(n, _)| *n != "big_endian") {
        let (result, output, _) = run(&compose(&plan), source);
        assert_eq!((result, output.as_str()), (3, "bbb"), "{name}");
    }
}

/// A machine with short immediates of five bits, so that a short address reaches 31 instructions, compiled for these largest
/// addresses.
fn compiled_within(limits: &[u64]) -> (Machine, Result<Compiled, CompileError>) {
    let (_, plan) = stock::plans().into_iter().find(|(n, _)| *n == "three_bus").expect("it is in stock");
    let machine = compose(&Plan { buses: vec![(Extension::Zero, 5); 3], ..plan });
    let sources = vec![SourceFile { name: "program.c".into(), text: PROGRAM.into() }];
    let request = CRequest { sources, ..CRequest::default() };
    let (text, _) = c_machine_ir(&request, &machine).unwrap_or_else(|e| panic!("{e}"));
    let modules = [&text, shipped_routines()].map(|t| parse(t).unwrap_or_else(|e| panic!("{e}")));
    let compiled = compile_within(&machine, &modules, "main", limits);
    (machine, compiled)
}

/// Jumps, guarded jumps, calls and addresses of functions beyond what a short immediate holds go through long ones.
#[test]
fn what_short_addresses_do_not_reach_long_ones_do() {
    let (_, short) = compiled_within(&[31]);
    let message = short.expect_err("it is longer than 31 instructions").to_string();
    assert!(message.contains("instructions; at most 31 can be reached by jumps"), "{message}");
    let (machine, direct) = compiled_within(&[0xf_ffff]);
    assert_eq!(oxcl_tta::schedule::reaches(&machine), [0xf_ffff], "short ones are no use for any program");
    let (_, second) = compiled_within(&[31, 0xf_ffff]);
    let (direct, second) = (direct.expect("it fits"), second.expect("the second limit does"));
    assert_eq!(direct.program, second.program);
    let image = Arc::new(Image { machine: machine.into(), program: second.program });
    let mut system = System::with_own_memories(std::slice::from_ref(&image), Engine::Strict)
        .unwrap_or_else(|e| panic!("{e}"));
    system.run(2_000_000).unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(system.result(0), Some(u64::from(EXPECTED.0)));
}

/// Machines whose short immediates reach further than the usual program goes are compiled for these first.
#[test]
fn reaches_are_what_immediates_bear() {
    let (_, plan) = stock::plans().into_iter().find(|(n, _)| *n == "three_bus").expect("it is in stock");
    let reaches = |buses: Vec<(Extension, u32)>, long: bool| {
        let long = plan.long.clone().filter(|_| long);
        oxcl_tta::schedule::reaches(&compose(&Plan { buses, long, ..plan.clone() }))
    };
    let (sign, zero) = (Extension::Sign, Extension::Zero);
    assert_eq!(reaches(vec![(zero, 16), (sign, 8), (sign, 8)], true), [0xffff, 0xf_ffff]);
    assert_eq!(reaches(vec![(sign, 16), (zero, 18), (sign, 8)], true), [0x7fff, 0x3_ffff, 0xf_ffff]);
    assert_eq!(reaches(vec![(zero, 32), (sign, 8), (sign, 8)], true), [0xf_ffff]);
    // Nothing else is there.
    assert_eq!(reaches(vec![(sign, 9), (sign, 8), (sign, 8)], false), [0xff]);
}

/// A program that is longer than the memory for instructions is refused, with both lengths.
#[test]
fn a_program_longer_than_the_memory_for_instructions_is_refused() {
    let (_, plan) = stock::plans().into_iter().find(|(n, _)| *n == "three_bus").expect("it is in stock");
    let mut machine = compose(&plan);
    let space = machine.control.space.expect("it has one");
    machine.spaces[space.index()].max_address = 99;
    let source = |text: &str| CRequest {
        sources: vec![SourceFile { name: "program.c".into(), text: text.into() }],
        ..CRequest::default()
    };
    let error = compile_c_program(&source(PROGRAM), &machine).expect_err("it is longer").to_string();
    assert!(error.contains("at most 99 can be reached by jumps"), "{error}");
    // Parts that fit each by itself.
    let one = "int f(int a) { return a";
    let body = (0..16).fold(String::new(), |text, k| format!("{text} * (a + {k}) ^ {k}"));
    let parts = (0..4).fold(String::new(), |text, k| {
        format!("{text} __attribute__((noinline)) {} {body} + {k}; }}\n", one.replace('f', &format!("f{k}")))
    });
    let whole = format!("{parts} volatile int o; int main(void) {{ return f0(o) + f1(o) + f2(o) + f3(o); }}");
    let error = compile_c_program(&source(&whole), &machine).expect_err("it is longer").to_string();
    assert!(error.contains("the memory for instructions, 'instructions', holds 100"), "{error}");
}

#[test]
fn machines_that_cannot_be_compiled_for_say_why() {
    let (_, plan) = stock::plans().into_iter().find(|(n, _)| *n == "big_endian").expect("it is in stock");
    let sources = vec![SourceFile { name: "program.c".into(), text: "int main(void) { return 0; }".into() }];
    let error = compile_c_program(&CRequest { sources, ..CRequest::default() }, &compose(&plan));
    let message = error.expect_err("it is big-endian").to_string();
    assert!(message.contains("little-endian"), "{message}");
}
