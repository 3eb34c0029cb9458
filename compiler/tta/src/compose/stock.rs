//! The plans of the machines that the project ships, from tiny to wide. The files under `machines/` are written from
//! these; a test holds the two together.

use super::{FilePlan, LongPlan, Plan, UnitPlan};
use crate::model::Extension::{self, Sign, Zero};

/// The name of each machine file, without its ending, with its plan.
#[must_use]
pub fn plans() -> Vec<(&'static str, Plan)> {
    vec![
        ("tiny", tiny()),
        ("one_bus", one_bus()),
        ("three_bus", three_bus()),
        ("wide_float", wide_float()),
        ("sparse", sparse()),
        ("split", split()),
        ("sixteen_bus", sixteen_bus()),
        ("big_endian", big_endian()),
    ]
}

fn operations(names: &[&str], latency: u32) -> Vec<(String, u32)> {
    names.iter().map(|n| ((*n).to_owned(), latency)).collect()
}

fn unit(name: &str, operations: Vec<(String, u32)>) -> UnitPlan {
    UnitPlan { name: name.to_owned(), operations, exclusive: Vec::new(), space: None }
}

fn file(name: &str, size: u32, reads: u32, writes: u32) -> FilePlan {
    FilePlan { name: name.to_owned(), size, width: 32, reads, writes, guards: false, guard_latency: 0 }
}

fn predicates(size: u32) -> FilePlan {
    FilePlan { width: 1, guards: true, ..file("pred", size, 1, 1) }
}

/// What every machine needs: the operations of a machine that has no more than it must.
const LEAST: &[&str] = &["add", "sub", "eq", "gt", "gtu", "and", "ior", "xor", "shr1_32", "shru1_32"];

/// The arithmetic of an ordinary machine.
const ARITHMETIC: &[&str] = &[
    "add", "sub", "eq", "ne", "gt", "gtu", "ge", "geu", "lt", "ltu", "and", "ior", "xor", "andn", "shl",
    "shr", "shru", "sxqw", "sxhw", "min", "max", "minu", "maxu", "shl1add", "shl2add", "rotl",
];

const LOADS: &[&str] = &["ld8", "ldu8", "ld16", "ldu16", "ld32"];
const STORES: &[&str] = &["st8", "st16", "st32"];
const ATOMICS: &[&str] = &[
    "atom_add32",
    "atom_sub32",
    "atom_and32",
    "atom_ior32",
    "atom_xor32",
    "atom_xchg32",
    "atom_min32",
    "atom_max32",
    "atom_minu32",
    "atom_maxu32",
    "atom_cas32",
];

fn memory_unit(name: &str, space: &str, atomics: bool) -> UnitPlan {
    let mut all = operations(LOADS, 3);
    all.extend(operations(STORES, 1));
    if atomics {
        all.extend(operations(ATOMICS, 3));
    }
    UnitPlan { space: Some(space.to_owned()), ..unit(name, all) }
}

fn output() -> UnitPlan {
    unit("io", operations(&["stdout", "ecc"], 1))
}

fn multiplier(latency: u32) -> UnitPlan {
    unit("mul", operations(&["mul", "mulhi", "mulhiu"], latency))
}

fn one_memory() -> Vec<(String, u64, bool, Vec<u32>)> {
    vec![("data".to_owned(), 0xff_ffff, true, vec![0, 1, 2, 3, 5])]
}

fn base(buses: Vec<(Extension, u32)>) -> Plan {
    Plan {
        buses,
        files: Vec::new(),
        units: Vec::new(),
        spaces: one_memory(),
        long: None,
        delay_slots: 3,
        guard_latency: 1,
        narrow: Vec::new(),
        little_endian: true,
    }
}

/// One bus, five registers, no multiplication, no shift to the left.
fn tiny() -> Plan {
    Plan {
        files: vec![file("r", 5, 1, 1), predicates(2)],
        units: vec![memory_unit("lsu", "data", false), unit("alu", operations(LEAST, 1)), output()],
        ..base(vec![(Zero, 32)])
    }
}

/// One bus and a full set of integer operations; constants of more than nine bits take an instruction of their own.
fn one_bus() -> Plan {
    Plan {
        files: vec![file("r", 16, 1, 1), predicates(2)],
        units: vec![
            memory_unit("lsu", "data", true),
            unit("alu", operations(ARITHMETIC, 1)),
            multiplier(2),
            output(),
        ],
        long: Some(LongPlan { registers: 1, slots: vec![(0, 32)], extension: Zero, latency: 1 }),
        ..base(vec![(Sign, 9)])
    }
}

/// Three buses: an ordinary small machine.
fn three_bus() -> Plan {
    Plan {
        files: vec![file("r", 32, 2, 1), predicates(4)],
        units: vec![
            memory_unit("lsu", "data", true),
            unit("alu", operations(ARITHMETIC, 1)),
            multiplier(3),
            output(),
        ],
        long: Some(LongPlan { registers: 2, slots: vec![(1, 16), (2, 16)], extension: Sign, latency: 1 }),
        ..base(vec![(Sign, 8), (Sign, 8), (Zero, 8)])
    }
}

fn floating_point(name: &str) -> UnitPlan {
    let mut all = operations(&["addf", "subf", "mulf"], 5);
    all.extend(operations(&["cif", "cifu", "cfi", "cfiu"], 4));
    let compare = &["eqf", "nef", "gtf", "gef", "ltf", "lef", "equf", "neuf", "gtuf", "geuf", "ltuf", "leuf"];
    all.extend(operations(compare, 1));
    all.extend(operations(&["absf", "negf"], 1));
    unit(name, all)
}

fn division() -> UnitPlan {
    let mut all = operations(&["divf"], 15);
    all.extend(operations(&["sqrtf"], 26));
    all.extend(operations(&["div", "divu", "mod", "modu"], 17));
    UnitPlan { exclusive: all.iter().map(|(n, _)| n.clone()).collect(), ..unit("div", all) }
}

/// Eight buses, two arithmetic units, two load-store units, floating point, division.
fn wide_float() -> Plan {
    Plan {
        files: vec![file("a", 32, 2, 2), file("b", 32, 2, 2), predicates(8)],
        units: vec![
            memory_unit("lsu", "data", true),
            memory_unit("lsu2", "data", false),
            unit("alu", operations(ARITHMETIC, 1)),
            unit("alu2", operations(ARITHMETIC, 1)),
            multiplier(3),
            floating_point("fpu"),
            division(),
            output(),
        ],
        long: Some(LongPlan { registers: 4, slots: vec![(6, 16), (7, 16)], extension: Zero, latency: 1 }),
        delay_slots: 2,
        ..base(vec![(Sign, 8); 8])
    }
}

/// Four buses, two register files and few wires: many values need a copy on their way.
fn sparse() -> Plan {
    let narrow = [
        ("a_w1", vec![0, 3]),
        ("a_r1", vec![0, 2]),
        ("b_w1", vec![2]),
        ("b_r1", vec![2, 3]),
        ("pred_w1", vec![1, 2]),
        ("pred_r1", vec![3]),
        ("lsu_t", vec![0, 2]),
        ("lsu_o2", vec![1, 3]),
        ("lsu_r1", vec![0, 2]),
        ("alu_t", vec![1, 2]),
        ("alu_o2", vec![0, 3]),
        ("alu_r1", vec![0, 1, 2]),
        ("mul_t", vec![3]),
        ("mul_o2", vec![1, 2]),
        ("mul_r1", vec![2]),
        ("io_t", vec![0, 3]),
        ("io_r1", vec![0]),
        ("gcu_pc", vec![0, 3]),
        ("gcu_ra_in", vec![3]),
        ("gcu_ra_out", vec![2]),
        ("imm_r1", vec![0, 3]),
    ];
    Plan {
        files: vec![file("a", 12, 1, 1), file("b", 12, 1, 1), predicates(2)],
        units: vec![
            memory_unit("lsu", "data", true),
            unit("alu", operations(ARITHMETIC, 2)),
            multiplier(3),
            output(),
        ],
        long: Some(LongPlan { registers: 1, slots: vec![(1, 16), (2, 16)], extension: Zero, latency: 1 }),
        narrow: narrow.map(|(name, buses)| (name.to_owned(), buses)).into(),
        ..base(vec![(Sign, 6), (Sign, 6), (Zero, 6), (Sign, 6)])
    }
}

/// Three buses and four memories: private, global with constant, local, and the command queue's.
fn split() -> Plan {
    Plan {
        files: vec![file("r", 16, 2, 1), predicates(2)],
        units: vec![
            memory_unit("private", "private", false),
            memory_unit("global", "global", true),
            memory_unit("local", "local", true),
            memory_unit("queue", "queue", false),
            unit("alu", operations(ARITHMETIC, 1)),
            multiplier(4),
            output(),
        ],
        spaces: vec![
            ("private".to_owned(), 0xffff, false, vec![0]),
            ("global".to_owned(), 0xff_ffff, true, vec![1, 2]),
            ("local".to_owned(), 0xffff, false, vec![3]),
            ("queue".to_owned(), 0xffff, false, vec![5]),
        ],
        long: Some(LongPlan { registers: 1, slots: vec![(0, 16), (2, 16)], extension: Zero, latency: 1 }),
        ..base(vec![(Zero, 8), (Sign, 8), (Sign, 8)])
    }
}

/// Sixteen buses, four arithmetic units, four register files.
fn sixteen_bus() -> Plan {
    let arithmetic = (1..=4).map(|k| unit(&format!("alu{k}"), operations(ARITHMETIC, 1)));
    let mut units: Vec<UnitPlan> = arithmetic.collect();
    units.extend([
        memory_unit("lsu", "data", true),
        memory_unit("lsu2", "data", false),
        multiplier(3),
        floating_point("fpu"),
        division(),
        output(),
    ]);
    Plan {
        files: vec![
            file("a", 32, 2, 2),
            file("b", 32, 2, 2),
            file("c", 32, 2, 2),
            file("d", 32, 2, 2),
            predicates(8),
        ],
        units,
        long: Some(LongPlan { registers: 4, slots: vec![(14, 16), (15, 16)], extension: Zero, latency: 1 }),
        ..base(vec![(Sign, 8); 16])
    }
}

/// A small machine that keeps the highest byte of a word at the lowest address: for the simulator and the assembler.
fn big_endian() -> Plan {
    let mut memory = operations(&["ldq", "ldqu", "ldh", "ldhu", "ldw"], 3);
    memory.extend(operations(&["stq", "sth", "stw"], 1));
    Plan {
        files: vec![file("r", 16, 2, 1), predicates(2)],
        units: vec![
            UnitPlan { space: Some("data".to_owned()), ..unit("lsu", memory) },
            unit("alu", operations(ARITHMETIC, 1)),
            output(),
        ],
        little_endian: false,
        ..base(vec![(Sign, 32), (Sign, 8)])
    }
}
