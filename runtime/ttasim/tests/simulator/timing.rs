//! Programs by hand that show one rule of time each, on both engines.

use crate::common::{machine, r, ran};

#[test]
fn arithmetic_and_shared_operands() {
    let m = machine("three_bus");
    let system = ran(
        &m,
        "CODE 0 ;
         5 -> alu.t.add, 7 -> alu.o2, ... ;
         alu.r1 -> r.1, 9 -> alu.t.sub, ... ;          # o2 still holds 7
         alu.r1 -> r.2, ..., ... ;
         r.1 -> mul.t.mul, r.2 -> mul.o2, ... ;
         ..., ..., ... ;
         ..., ..., ... ;
         mul.r1 -> r.3, ..., ... ;                     # latency 3
         :halt r.3;
         mul.r1 -> r.4, ..., ... ;                     # the result stays
        ",
    );
    assert_eq!([r(&system, 1), r(&system, 2), r(&system, 3), r(&system, 4)], [12, 2, 24, 24]);
    assert_eq!(system.cycle(), 8);
    assert_eq!(system.result(0), Some(24));
}

#[test]
fn a_swap_reads_both_registers_before_it_writes() {
    let m = machine("wide_float");
    let system = ran(
        &m,
        "CODE 0 ;
         1 -> a.1, 2 -> a.2, ..., ..., ..., ..., ..., ... ;
         a.1 -> a.2, a.2 -> a.1, ..., ..., ..., ..., ..., ... ;
         a.1 -> b.1, a.2 -> b.2, ..., ..., ..., ..., ..., ... ;",
    );
    let file = |name| m.register_files().find(|(_, f)| f.name == name).expect("it is there").0;
    assert_eq!(system.register(0, file("b"), 1), 2);
    assert_eq!(system.register(0, file("b"), 2), 1);
}

#[test]
fn guards_act_after_their_latency_and_squash_whole_moves() {
    let m = machine("three_bus");
    let system = ran(
        &m,
        "CODE 0 ;
         1 -> pred.0, 10 -> r.1, ... ;
         ?pred.0 1 -> r.2, !pred.0 2 -> r.2, ... ;      # exclusive guards may share a port
         0 -> pred.0, ?pred.0 3 -> r.3, ... ;           # the guard still sees 1
         ?pred.0 4 -> r.3, ..., ... ;                   # and now 0
         5 -> alu.t.add, 6 -> alu.o2, ... ;
         alu.r1 -> r.4, ?pred.0 1 -> alu.t.add, ... ;   # the trigger is squashed: no new result
         alu.r1 -> r.5, ..., ... ;",
    );
    assert_eq!([r(&system, 2), r(&system, 3), r(&system, 4), r(&system, 5)], [1, 3, 11, 11]);
    assert_eq!(system.counts(0).squashed[1], [0, 1]);
}

#[test]
fn jumps_take_effect_after_the_delay_slots() {
    let m = machine("three_bus");
    let system = ran(
        &m,
        "CODE 0 ;
         there -> gcu.pc.jump, 0 -> r.1, ... ;
         1 -> r.1, ..., ... ;
         2 -> r.1, ..., ... ;
         3 -> r.1, ..., ... ;
         4 -> r.1, ..., ... ;                           # never
         there: 1 -> r.2, ..., ... ;",
    );
    assert_eq!((r(&system, 1), r(&system, 2)), (3, 1));
    assert_eq!(system.cycle(), 5);
}

#[test]
fn calls_leave_the_return_address_behind_the_delay_slots() {
    let m = machine("three_bus");
    let system = ran(
        &m,
        "CODE 0 ;
         0 -> r.1, ..., ... ;
         callee -> gcu.pc.call, ..., ... ;
         ... ; ... ; ... ;
         7 -> r.2, ..., ... ;                           # instruction 5: here it comes back
         end -> gcu.pc.jump, ..., ... ;
         ... ; ... ; ... ;
         callee: gcu.ra -> r.3, ..., ... ;
         gcu.ra -> gcu.pc.jump, 1 -> r.1, ... ;
         ... ; ... ; ... ;
         end: ... ;",
    );
    assert_eq!((r(&system, 1), r(&system, 2), r(&system, 3)), (1, 7, 5));
}

#[test]
fn the_return_address_can_be_saved_and_put_back() {
    let m = machine("tiny");
    let system = ran(
        &m,
        "CODE 0 ;
         3 -> gcu.ra ;
         gcu.ra -> r.0 ;
         9 -> gcu.ra ;
         r.0 -> gcu.ra ;
         gcu.ra -> r.1 ;",
    );
    assert_eq!(r(&system, 1), 3);
}

#[test]
fn long_immediates_can_be_read_after_their_latency() {
    let m = machine("three_bus");
    let system = ran(
        &m,
        "CODE 0 ;
         ..., ..., ... [imm.0=-123456] ;
         imm.0 -> r.1, ..., ... [imm.0=77777] ;         # the old value
         imm.0 -> r.2, ..., ... ;",
    );
    assert_eq!(r(&system, 1), u64::from((-123456i32).cast_unsigned()));
    assert_eq!(r(&system, 2), 77777);
}

#[test]
fn loads_and_stores_of_every_width() {
    let m = machine("tiny");
    let system = ran(
        &m,
        "CODE 0 ;
         0x8182f3f4 -> lsu.o2 ; 16 -> lsu.t.st32 ;
         16 -> lsu.t.ld8 ; 17 -> lsu.t.ldu8 ; 18 -> lsu.t.ld16 ;
         lsu.r1 -> r.0 ;
         lsu.r1 -> r.1 ;
         lsu.r1 -> r.2 ;
         16 -> lsu.t.ldu16 ; 16 -> lsu.t.ld32 ; ... ;
         lsu.r1 -> r.3 ; lsu.r1 -> r.4 ;
         0x1ff -> lsu.o2 ; 20 -> lsu.t.st8 ; 22 -> lsu.t.st16 ; 20 -> lsu.t.ld32 ; ... ; ... ;
         :halt; lsu.r1 -> r.0 ;
        ",
    );
    assert_eq!(
        [r(&system, 0), r(&system, 1), r(&system, 2), r(&system, 3), r(&system, 4)],
        [0x01ff_00ff, 0xf3, 0xffff_8182, 0xf3f4, 0x8182_f3f4]
    );
}

#[test]
fn big_endian_words_stand_the_other_way_round() {
    let m = machine("big_endian");
    let system = ran(
        &m,
        "CODE 0 ;
         8 -> lsu.t.ldw, ... ;
         8 -> lsu.t.ldhu, ... ;
         8 -> lsu.t.ldq, ... ;
         lsu.r1 -> r.1, ... ;
         lsu.r1 -> r.2, ... ;
         lsu.r1 -> r.3, ... ;
         DATA data 8 ; DA 4 0x81020304 ;",
    );
    assert_eq!([r(&system, 1), r(&system, 2), r(&system, 3)], [0x8102_0304, 0x8102, 0xffff_ff81]);
}

#[test]
fn a_load_sees_the_stores_of_earlier_cycles_only() {
    let m = machine("wide_float");
    let system = ran(
        &m,
        "CODE 0 ;
         8 -> lsu.t.st32, 42 -> lsu.o2, 8 -> lsu2.t.ld32, ..., ..., ..., ..., ... ;
         8 -> lsu2.t.ld32, ..., ..., ..., ..., ..., ..., ... ;
         ... ;
         lsu2.r1 -> a.1, ..., ..., ..., ..., ..., ..., ... ;
         lsu2.r1 -> a.2, ..., ..., ..., ..., ..., ..., ... ;
         DATA data 8 ; DA 4 7 ;",
    );
    let file = m.register_files().next().expect("there is a file").0;
    assert_eq!((system.register(0, file, 1), system.register(0, file, 2)), (7, 42));
}

#[test]
fn floats_take_their_time_and_are_exact() {
    let m = machine("wide_float");
    let rest = ", ..., ..., ..., ..., ..., ..., ...";
    let text = format!(
        "CODE 0 ;
         ...{rest} [imm.0=0x3fc00000] ;
         ...{rest} [imm.1=0x40100000] ;
         imm.1 -> fpu.o2{rest} ;
         imm.0 -> fpu.t.mulf{rest} ;
         ... ; ... ; ... ; ... ;
         fpu.r1 -> a.1{rest} ;
         fpu.r1 -> div.t.sqrtf{rest} ;
         {}
         div.r1 -> a.2{rest} ;",
        "... ;".repeat(25)
    );
    let system = ran(&m, &text);
    let file = m.register_files().next().expect("there is a file").0;
    assert_eq!(system.register(0, file, 1), u64::from(3.375f32.to_bits()));
    assert_eq!(system.register(0, file, 2), u64::from(3.375f32.sqrt().to_bits()));
}

#[test]
fn output_and_cycles() {
    let m = machine("tiny");
    let mut system =
        ran(&m, "CODE 0 ; 72 -> io.t.stdout ; 105 -> io.t.stdout ; 0 -> io.t.ecc ; io.r1 -> r.0 ;");
    assert_eq!(system.take_output(0), b"Hi");
    assert_eq!(r(&system, 0), 2);
}

#[test]
fn a_program_that_does_not_end_stops_at_its_limit() {
    let m = machine("tiny");
    let image = crate::common::image(&m, "CODE 0 ; again: again -> gcu.pc.jump ; ... ; ... ; ... ;");
    for engine in [oxcl_ttasim::Engine::Strict, oxcl_ttasim::Engine::Fast] {
        let mut system = crate::common::system(&image, engine);
        assert_eq!(system.run(1000), Ok(oxcl_ttasim::Stop::Limit));
        assert_eq!(system.cycle(), 1000);
    }
}

#[test]
fn a_whole_program_gives_the_known_checksum() {
    let mut text = String::from(include_str!("../../programs/crc32.tceasm"));
    text.push_str("DATA data 4096 ;\ntable:\n");
    for n in 0..256u32 {
        let word = (0..8).fold(n, |c, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 });
        text.push_str(&format!("DA 4 {word:#x} ;\n"));
    }
    text.push_str("DATA data 8192 ;\nbytes: DA 9 \"123456789\" ;\nbytes_end: DA 1 0 ;\n");
    let system = ran(&machine("three_bus"), &text);
    assert_eq!(system.result(0), Some(0xcbf4_3926));
    assert_eq!(system.cycle(), 5 + 9 * 11 + 2);
}
