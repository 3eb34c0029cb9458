//! Every hazard and every fault ends a strict run with its cycle, its instruction and its unit.

use crate::common::{fault, machine};
use oxcl_ttasim::Engine;

fn message(text: &str) -> String {
    fault(&machine("three_bus"), text).to_string()
}

#[test]
fn reads_of_what_was_never_written() {
    assert_eq!(
        message("CODE 0 ; ... ; here: r.3 -> r.1, ..., ... ;"),
        "core 0, cycle 1, instruction 1 (here): 'r.3' is read before anything is written to it"
    );
    assert_eq!(
        message("CODE 0 ; 1 -> mul.t.mul, 2 -> mul.o2, ... ; ... ; mul.r1 -> r.1, ..., ... ;"),
        "core 0, cycle 2, instruction 2: port 'mul.r1' is read before its first result"
    );
    assert_eq!(
        message("CODE 0 ; 1 -> alu.t.add, ..., ... ;"),
        "core 0, cycle 0, instruction 0: unit 'alu' starts 'add', but its operand port 'o2' holds nothing"
    );
    assert_eq!(
        message("CODE 0 ; ?pred.2 1 -> r.1, ..., ... ;"),
        "core 0, cycle 0, instruction 0: 'pred.2' is read before anything is written to it"
    );
}

#[test]
fn results_that_collide() {
    // A load of latency 3 and one of the operations of latency 1 of the same unit would need one port: the multiplier has
    // one latency, so the load-store unit's atomic operation and load are used, which are equal, and the arithmetic of the
    // floating-point unit, which is not.
    let text = "CODE 0 ;
        1 -> fpu.t.addf, 2 -> fpu.o2, ..., ..., ..., ..., ..., ... ;
        ... ; ... ; ... ;
        go: 1 -> fpu.t.absf, ..., ..., ..., ..., ..., ..., ... ;";
    let found = fault(&machine("wide_float"), text).to_string();
    assert_eq!(
        found,
        "core 0, cycle 4, instruction 4 (go): two results reach port 'fpu.r1' in one cycle; the second is of 'absf'"
    );
}

#[test]
fn resources_that_are_still_in_use() {
    let text = "CODE 0 ;
        1 -> div.t.div, 2 -> div.o2, ..., ..., ..., ..., ..., ... ;
        1 -> div.t.divf, ..., ..., ..., ..., ..., ..., ... ;";
    let found = fault(&machine("wide_float"), text).to_string();
    assert_eq!(
        found,
        "core 0, cycle 1, instruction 1: unit 'div' starts 'divf' while its resource 'busy' is still in use"
    );
}

#[test]
fn guards_that_act_too_early() {
    let mut plan = oxcl_tta::compose::stock::plans()[2].1.clone();
    plan.guard_latency = 2;
    let slow = oxcl_tta::compose::compose(&plan);
    let text = "CODE 0 ; 1 -> pred.0, ..., ... ; ?pred.0 1 -> r.1, ..., ... ;";
    assert_eq!(
        fault(&slow, text).to_string(),
        "core 0, cycle 1, instruction 1: the guard on 'pred.0' acts before the value written 1 cycles ago has reached it"
    );
    let later = "CODE 0 ; 1 -> pred.0, ..., ... ; ... ; ?pred.0 1 -> r.1, ..., ... ;";
    assert_eq!(crate::common::r(&crate::common::ran(&slow, later), 1), 1);
}

#[test]
fn jumps_in_delay_slots_and_out_of_the_program() {
    assert_eq!(
        message("CODE 0 ; 5 -> gcu.pc.jump, ..., ... ; 5 -> gcu.pc.jump, ..., ... ; ... ;"),
        "core 0, cycle 1, instruction 1: a jump in the delay slots of another"
    );
    let text = "CODE 0 ; 50 -> gcu.pc.jump, ..., ... ; ... ; ... ; ... ;";
    let expected = "core 0, cycle 3, instruction 3: a jump to instruction 50, but the program has 4";
    assert_eq!(message(text), expected);
    let mut fast = crate::common::system(&crate::common::image(&machine("three_bus"), text), Engine::Fast);
    assert_eq!(fast.run(100).map_err(|f| f.to_string()), Err(expected.to_owned()));
}

#[test]
fn memory_faults_are_the_same_in_both_engines() {
    let cases = [
        ("CODE 0 ; 6 -> lsu.t.ld32 ;", "unit 'lsu' accesses 4 bytes at 0x6 of 'data', which is not aligned"),
        ("CODE 0 ; 0xfffffff0 -> lsu.t.ld32 ;", "unit 'lsu' accesses 4 bytes at 0xfffffff0, outside 'data'"),
        (
            "CODE 0 ; 1 -> lsu.o2 ; 3 -> lsu.t.st16 ;",
            "unit 'lsu' accesses 2 bytes at 0x3 of 'data', which is not aligned",
        ),
    ];
    for (text, expected) in cases {
        for engine in [Engine::Strict, Engine::Fast] {
            let mut system = crate::common::system(&crate::common::image(&machine("tiny"), text), engine);
            let fault = system.run(100).expect_err("there is a fault");
            assert_eq!(fault.kind.to_string(), expected);
            assert!(!fault.kind.is_hazard());
        }
    }
}

#[test]
fn a_read_of_another_result_than_the_program_says() {
    let text = "CODE 0 ;
        1 -> alu.t.add, 2 -> alu.o2, ... ;
        1 -> alu.t.sub, ..., ... ;
        alu.r1 -> r.1 {from 0}, ..., ... ;";
    assert_eq!(
        message(text),
        "core 0, cycle 2, instruction 2: the move reads the result of instruction 1 from 'alu.r1', not of instruction 0"
    );
}

#[test]
fn results_that_nobody_reads_are_counted_not_refused() {
    let text =
        "CODE 0 ; 1 -> alu.t.add, 2 -> alu.o2, ... ; 1 -> alu.t.sub, ..., ... ; alu.r1 -> r.1, ..., ... ;";
    let system = crate::common::ran(&machine("three_bus"), text);
    assert_eq!(system.counts(0).unread, Some(1));
}

#[test]
fn programs_that_cannot_be_simulated_are_refused() {
    let m = machine("tiny");
    let text = oxcl_tta::adf::write(&m).replace("<name>xor</name>", "<name>sbox</name>");
    let odd = oxcl_tta::adf::read(&text).expect("it loads").machine;
    let image = crate::common::image(&odd, "CODE 0 ; 1 -> alu.t.sbox ;");
    for engine in [Engine::Strict, Engine::Fast] {
        let refused = oxcl_ttasim::System::with_own_memories(std::slice::from_ref(&image), engine);
        assert_eq!(
            refused.map(|_| ()).map_err(|e| e.to_string()),
            Err("instruction 0 uses 'sbox' of unit 'alu', which has no known meaning".to_owned())
        );
    }
}
