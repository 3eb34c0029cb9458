//! Archives for tests of devices, made without a compiler of any language: the kernels' operations are written down, and scheduled.
#![allow(dead_code, reason = "each test program uses its part of it")]

use oxcl_binary::archive::{Archive, BinaryType, File, Kernel, Version};
use oxcl_binary::unit::{Needs, Unit, kernel_path, routine_path};
use oxcl_tta::compose::{compose, stock};
use oxcl_tta::device_main;
use oxcl_tta::image::digest;
use oxcl_tta::model::{Guard, GuardSource, Machine, SpaceId};
use oxcl_tta::ops::Op;
use oxcl_tta::schedule::mir::{
    Block, Function, Memory, Node, Operand, Predicate, Register, SymbolRef, Terminator,
};
use oxcl_tta::schedule::{Options, schedule, temporaries};
use oxcl_tta::unit::{Part, pack};

/// A machine of ours.
pub(crate) fn machine(name: &str) -> Machine {
    let plans = stock::plans();
    compose(&plans.iter().find(|(n, _)| *n == name).expect("the machine is in stock").1)
}

fn global(machine: &Machine) -> SpaceId {
    machine.spaces().find(|(_, s)| s.numbers.contains(&1)).expect("there is global memory").0
}

/// `out[i] = in[i] + k` for i below n, with the arguments in, out, n, k; after the first group a call does the same again.
fn kernel(machine: &Machine, name: &str) -> Unit {
    let space = global(machine);
    let busy = temporaries(machine);
    let words: Vec<Register> = machine
        .register_files()
        .filter(|(_, f)| f.width >= 32)
        .flat_map(|(file, f)| (0..f.size).map(move |index| Register { file, index }))
        .filter(|r| !busy.contains(r))
        .collect();
    let bit = machine.buses.iter().flat_map(|b| &b.guards).find_map(|g| match *g {
        Guard::If { source: GuardSource::Register { file, index }, .. } => Some(Register { file, index }),
        _ => None,
    });
    let bit = bit.expect("there are guards");
    let node = |op: &str, inputs: Vec<Operand>, output: Option<Register>| {
        let memory = op.contains("32").then(|| Memory::unknown(space, 4));
        let outputs = output.into_iter().collect();
        Node { op: Op::named(op), inputs, outputs, predicate: None, memory }
    };
    let r = |k: usize| Operand::Register(words[k]);
    let argument = Operand::Symbol { symbol: 0, addend: 0 };
    let mut first = Vec::new();
    for k in 0..4u32 {
        let to = words[k as usize];
        first.push(node("ld32", vec![argument], Some(to)));
        first.push(node("add", vec![Operand::Register(to), Operand::Constant(4 * k)], Some(to)));
        for _ in 0..2 {
            first.push(node("ld32", vec![Operand::Register(to)], Some(to)));
        }
    }
    let step = |k: usize, op: &str, by: u32| node(op, vec![r(k), Operand::Constant(by)], Some(words[k]));
    let body = vec![
        node("ld32", vec![r(0)], Some(words[4])),
        node("add", vec![r(4), r(3)], Some(words[4])),
        node("st32", vec![r(1), r(4)], None),
        step(0, "add", 4),
        step(1, "add", 4),
        step(2, "sub", 1),
        node("eq", vec![r(2), Operand::Constant(0)], Some(bit)),
    ];
    let predicate = Predicate { register: bit, inverted: false };
    let block = |nodes, terminator| Block { nodes, terminator, weight: 1 };
    let function = Function {
        name: format!("oxcl_start_{name}"),
        blocks: vec![
            block(first, Terminator::Jump(1)),
            block(body, Terminator::Branch { predicate, taken: 2, otherwise: 1 }),
            block(Vec::new(), Terminator::Return { to: Operand::ReturnAddress, reads: Vec::new() }),
        ],
        symbols: vec![SymbolRef { name: "oxcl_launch".to_owned(), space: Some(space) }],
        results: Vec::new(),
    };
    let code = schedule(machine, &function, &Options::new(machine)).expect("it can be scheduled");
    let part = Part { name: function.name.clone(), symbols: function.symbols, code };
    pack(machine, &[part], &[], &[], Needs { width: 1, ..Needs::default() })
}

pub(crate) fn archive(machine: &Machine, names: &[&str]) -> Archive {
    let record = |name: &&str| Kernel {
        name: (*name).to_owned(),
        args: Vec::new(),
        local_sizes: Vec::new(),
        reqd_wg_size: [0; 3],
        attributes: String::new(),
        has_arg_metadata: Kernel::ALL_ARG_METADATA,
        work_group: None,
        sub_groups: None,
        reqd_sub_group_size: None,
        files: vec![File { path: kernel_path(name, &digest(machine)), data: kernel(machine, name).write() }],
    };
    Archive {
        version: Version::V12,
        device_id: 0,
        flush_denorms: false,
        program_scope_bytes: None,
        binary_type: BinaryType::Executable,
        build_hash: format!("AB/{}", "C".repeat(37)),
        root: vec![vec![File {
            path: routine_path(&digest(machine), device_main::NAME),
            data: device_main::unit(machine).expect("there is a device program").write(),
        }]],
        kernels: names.iter().map(record).collect(),
    }
}
