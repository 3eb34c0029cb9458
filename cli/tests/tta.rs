//! Transport-triggered machines and their simulation from the command line.

mod common;

use common::{Sandbox, words};
use std::io::Write as _;
use std::process::Stdio;

const MACHINES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../compiler/tta/machines");

/// Adds the numbers in `table` up and says so.
const SUM: &str = "CODE 0 ;
    start: ..., ..., ... [imm.0=table] ;
    imm.0 -> r.1, ..., ... ;
    0 -> r.2, ..., ... ;
    again: r.1 -> lsu.t.ld32, r.1 -> alu.t.add, 4 -> alu.o2 ;
    alu.r1 -> r.1, alu.r1 -> alu.t.ltu, 80 -> alu.o2 ;
    alu.r1 -> pred.0, ..., ... ;
    lsu.r1 -> alu.t.add, r.2 -> alu.o2, ... ;
    ?pred.0 again -> gcu.pc.jump, alu.r1 -> r.2, ... ;
    ..., ..., ... ;
    ..., ..., ... ;
    ..., ..., ... ;
    r.2 -> lsu.o2, 96 -> lsu.t.st32, ... ;
    72 -> io.t.stdout, ..., ... ;
    105 -> io.t.stdout, ..., ... ;
    :halt r.2;
    10 -> io.t.stdout, ..., ... ;
    DATA data 64 ;
    table: DA 4 1 ; DA 4 20 ; DA 4 300 ; DA 4 4000 ;
    DATA data 96 ;
    sum: DA 4 0 ;
";

/// A folder with the program assembled as `sum.ttaimg`.
fn assembled() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("sum.tceasm", SUM);
    let line = format!("tta asm sum.tceasm --machine {MACHINES}/three_bus.adf -o sum.ttaimg");
    let ran = sandbox.run(&words(&line));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.out, "sum.ttaimg: 15 instructions, 20 bytes of data\n");
    sandbox
}

#[test]
fn machines_are_shown_and_drawn() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&words(&format!("tta show {MACHINES}/tiny.adf --svg tiny.svg")));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for line in ["lsu   ld32       3        1:t 2:r1", "programs can be compiled for this machine"] {
        assert!(ran.out.contains(line), "{line}\n{}", ran.out);
    }
    assert!(sandbox.read("tiny.svg").starts_with(b"<svg"));
    let ran = sandbox.run(&words(&format!("--json tta show {MACHINES}/big_endian.adf")));
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["kind"], "tta.machine");
    assert!(json["data"]["obstacles"][0].as_str().unwrap().starts_with("it is big-endian"));
}

#[test]
fn mistakes_in_machines_have_their_place() {
    let sandbox = Sandbox::new();
    let text = std::fs::read_to_string(format!("{MACHINES}/tiny.adf")).unwrap();
    sandbox.write("odd.adf", text.replacen("<bus>B0</bus>", "<bus>B7</bus>", 1));
    let ran = sandbox.run(&["tta", "show", "odd.adf"]);
    assert_eq!(ran.code, Some(4));
    assert!(
        ran.err.contains("cannot use 'odd.adf': line 51, column 7: there is no bus named 'B7'"),
        "{ran:?}"
    );
    sandbox.write("idle.adf", text.replacen("<triggers/>", "", 1));
    let ran = sandbox.run(&["tta", "show", "idle.adf"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("error: unit 'lsu': 0 of its ports trigger operations; exactly one must"));
}

#[test]
fn programs_are_assembled_run_and_disassembled() {
    let sandbox = assembled();
    for engine in ["strict", "fast"] {
        let ran =
            sandbox.run(&words(&format!("sim sum.ttaimg --engine {engine} --dump sum:1 --dump data+64:4")));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(ran.out, "Hi\nsum: 0x000010e1\ndata+64: 0x00000001 0x00000014 0x0000012c 0x00000fa0\n");
    }
    let ran = sandbox.run(&words("tta disasm sum.ttaimg --machine again.adf"));
    sandbox.write("again.tceasm", &ran.out);
    let ran = sandbox.run(&words("tta asm again.tceasm --machine again.adf -o again.ttaimg"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(sandbox.read("sum.ttaimg"), sandbox.read("again.ttaimg"));
}

#[test]
fn reports_pictures_and_traces() {
    let sandbox = assembled();
    let ran = sandbox.run(&words("sim sum.ttaimg --stats --heat heat.svg --heat heat.png --trace trace.txt"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("cycles              39"), "{}", ran.out);
    assert!(ran.out.contains("again   3            36      92.3 %"), "{}", ran.out);
    assert!(sandbox.read("heat.svg").starts_with(b"<svg"));
    assert!(sandbox.read("heat.png").starts_with(b"\x89PNG"));
    let trace = String::from_utf8(sandbox.read("trace.txt")).unwrap();
    assert_eq!(trace.lines().count(), 39);
    let line = "       3 0      3  0x40 0x40 0x4  | r.1 -> lsu.t.ld32, r.1 -> alu.t.add, 4 -> alu.o2";
    assert_eq!(trace.lines().nth(3), Some(line));
    let ran = sandbox.run(&words("--json sim sum.ttaimg"));
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["data"]["cycles"], 39);
    assert_eq!(json["data"]["stdout"], "Hi\n");
    assert_eq!(json["data"]["cores"][0]["result"], 4321);
}

#[test]
fn expectations_limits_and_faults_have_their_exit_codes() {
    let sandbox = assembled();
    sandbox.write("good.txt", "Hi\n");
    sandbox.write("bad.txt", "Ho\n");
    assert_eq!(sandbox.run(&words("sim sum.ttaimg --expect-stdout good.txt")).code, Some(0));
    assert_eq!(sandbox.run(&words("sim sum.ttaimg --expect-stdout bad.txt")).code, Some(1));
    let ran = sandbox.run(&words("sim sum.ttaimg --max-cycles 20"));
    assert_eq!(ran.code, Some(5));
    assert!(ran.err.contains("the programs have not ended after 20 cycles; core 0 is at instruction"));
    assert_eq!(sandbox.run(&words("sim sum.ttaimg --dump nothing:1")).code, Some(2));
    sandbox.write("notes.txt", "no image");
    let ran = sandbox.run(&words("sim notes.txt"));
    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("this is not a TTA program image"), "{ran:?}");
    sandbox.write("hazard.tceasm", "CODE 0 ; ..., ..., ... ; alu.r1 -> r.1, ..., ... ;");
    let line = format!("tta asm hazard.tceasm --machine {MACHINES}/three_bus.adf -o hazard.ttaimg");
    assert_eq!(sandbox.run(&words(&line)).code, Some(0));
    let ran = sandbox.run(&words("sim hazard.ttaimg"));
    assert_eq!(ran.code, Some(5));
    let message = "core 0, cycle 1, instruction 1: port 'alu.r1' is read before its first result";
    assert!(ran.err.contains(message), "{ran:?}");
    sandbox.write("wrong.tceasm", "CODE 0 ;\n 1000 -> r.1, ..., ... ;");
    let line = format!("tta asm wrong.tceasm --machine {MACHINES}/three_bus.adf -o wrong.ttaimg");
    let ran = sandbox.run(&words(&line));
    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("line 2: 0x3e8 does not fit the 8-bit immediates of bus 'B0'"), "{ran:?}");
}

/// What the debugger answers to commands.
fn debug(sandbox: &Sandbox, commands: &str) -> String {
    let mut child = sandbox
        .command(&words("sim sum.ttaimg --debug"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    let ran = sandbox.finished(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.out
}

#[test]
fn the_debugger_takes_commands() {
    let sandbox = assembled();
    let commands = "break again; run; print r.1; watch sum\ntrace; run; print sum; nonsense; quit\n";
    let out = debug(&sandbox, commands);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "breakpoint at instruction 3");
    assert_eq!(lines[1], "breakpoint at instruction 3");
    assert_eq!(
        lines[2],
        "cycle 3, core 0, instruction 3 again+0: r.1 -> lsu.t.ld32, r.1 -> alu.t.add, 4 -> alu.o2"
    );
    assert_eq!(lines[3], "r.1 = 0x40 (64)");
    assert_eq!(lines[4], "watching sum");
    assert!(lines[5].contains("0x40 0x40 0x4"), "{}", lines[5]);
    assert!(out.contains("there is no command 'nonsense'; 'help' lists them"));
}

#[test]
fn the_debugger_steps_and_shows_registers_and_buses() {
    let sandbox = assembled();
    let out = debug(&sandbox, "step; where; step 3; regs; trace 2; core 1; core 0; step 100; step\n");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "cycle 1, core 0, instruction 1 start+1: imm.0 -> r.1, ..., ...");
    assert_eq!(lines[0], lines[1], "stepping says where it has come to");
    assert!(lines[2].starts_with("cycle 4, core 0, instruction 4 again+1: alu.r1 -> r.1"), "{out}");
    assert_eq!(lines[3], "r.1=0x40", "the first address is there, the sum still 0");
    // Each line of a trace: cycle, core, instruction, and what the three buses carried.
    assert!(lines[4].starts_with("       4 0      4  0x44 0x44 0x50"), "{out}");
    assert!(lines[5].starts_with("       5 0      5  "), "{out}");
    assert_eq!(lines[6], "there is no core '1'");
    assert!(lines[7].starts_with("cycle 6, core 0"), "{out}");
    assert!(out.contains("the programs have ended\n") && out.ends_with("ended\n"), "{out}");
}

#[test]
fn the_debugger_breaks_at_labels_and_watches_registers_and_memory() {
    let sandbox = assembled();
    let out = debug(
        &sandbox,
        "watch r.2; watch sum; run; print r.2; run; run; break again+2; run; break nowhere; watch r.77\n",
    );
    assert!(out.contains("watching r.2\nwatching sum\n"), "{out}");
    assert!(out.contains("r.2 changed from 0x0 to 0x1\n"), "{out}");
    assert!(out.contains("r.2 = 0x1 (1)\n"), "{out}");
    assert!(out.contains("r.2 changed from 0x1 to 0x15\n"), "{out}");
    assert!(out.contains("r.2 changed from 0x15 to 0x141\n"), "{out}");
    assert!(out.contains("breakpoint at instruction 5\nbreakpoint at instruction 5\n"), "{out}");
    assert!(out.contains("there is no instruction 'nowhere'\nthere is no place 'r.77'\n"), "{out}");
    let out = debug(&sandbox, "watch sum; run; run\n");
    assert!(out.contains("sum changed from 0x0 to 0x10e1\n"), "{out}");
}

#[test]
fn several_images_are_several_cores() {
    let sandbox = assembled();
    let ran = sandbox.run(&words("sim sum.ttaimg sum.ttaimg --engine fast --stats"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("core 1\nrun\n"), "{}", ran.out);
}

/// Random kernels on random machines, 200 in all: every execution of each gives what the language says.
fn fuzz(seed: u64) {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&words(&format!("bench fuzz-tta --pairs 50 --seed {seed}")));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.starts_with(&format!("50 pairs from seed {seed} ")), "{ran:?}");
}

/// A pair whose machine adds slowly, so that the only place left for saving a return address was behind the call that
/// replaces it.
#[test]
fn a_return_address_is_saved_before_the_call_that_replaces_it() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&words("bench fuzz-tta --pairs 1 --seed 30019486"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn random_kernels_on_random_machines_1() {
    fuzz(1);
}

#[test]
fn random_kernels_on_random_machines_2() {
    fuzz(1_000_001);
}

#[test]
fn random_kernels_on_random_machines_3() {
    fuzz(2_000_001);
}

#[test]
fn random_kernels_on_random_machines_4() {
    fuzz(3_000_001);
}
