//! Units linked into programs: calls through the linker, shared routines, objects that point at each other, and refusals.

use crate::common::{machine, system};
use oxcl_binary::unit::{Needs, Unit};
use oxcl_tta::compose::{compose, stock};
use oxcl_tta::image::{Image, digest};
use oxcl_tta::link::{DataBases, DataObject, LinkError};
use oxcl_tta::model::{Machine, SpaceId};
use oxcl_tta::ops::Op;
use oxcl_tta::schedule::mir::{Block, Function, Memory, Node, Operand, Register, SymbolRef, Terminator};
use oxcl_tta::schedule::{Options, schedule};
use oxcl_tta::unit::{Part, UnitLinkError, link_units, pack};
use oxcl_ttasim::Engine;
use std::collections::BTreeMap;
use std::sync::Arc;

fn node(op: Option<&str>, inputs: Vec<Operand>, output: Option<Register>) -> Node {
    Node {
        op: op.and_then(Op::named),
        inputs,
        outputs: output.into_iter().collect(),
        predicate: None,
        memory: None,
    }
}

fn block(nodes: Vec<Node>, terminator: Terminator) -> Block {
    Block { nodes, terminator, weight: 1 }
}

/// The space of the C address space 0 on our machines, and registers 0 to 3 of the first file.
fn parts(machine: &Machine) -> (SpaceId, [Register; 4]) {
    let space = machine.spaces().find(|(_, s)| s.numbers.contains(&0)).expect("a private space").0;
    let file = machine.register_files().next().expect("a file").0;
    (space, [0, 1, 2, 3].map(|index| Register { file, index }))
}

/// `twice(r0)`: r0 + r0, which loads its second summand from the word that `pointer` points at.
fn routine(machine: &Machine, name: &str) -> Unit {
    let (space, [a, b, ..]) = parts(machine);
    let pointer = Operand::Symbol { symbol: 0, addend: 0 };
    let load = |from: Operand| Node {
        memory: Some(Memory::unknown(space, 4)),
        ..node(Some("ld32"), vec![from], Some(b))
    };
    let add = node(Some("add"), vec![Operand::Register(a), Operand::Register(b)], Some(a));
    let back = Terminator::Return { to: Operand::ReturnAddress, reads: vec![a] };
    let function = Function {
        name: name.to_owned(),
        blocks: vec![block(vec![load(pointer), load(Operand::Register(b)), add], back)],
        symbols: vec![SymbolRef { name: "pointer".to_owned(), space: Some(space) }],
        results: Vec::new(),
    };
    let word = DataObject {
        name: "word".to_owned(),
        space,
        align: 4,
        bytes: 1000u32.to_le_bytes().to_vec(),
        size: 4,
        relocations: Vec::new(),
    };
    let pointer = DataObject {
        name: "pointer".to_owned(),
        bytes: vec![0; 4],
        relocations: vec![(0, "word".to_owned(), 0)],
        ..word.clone()
    };
    packed(machine, &function, &[word, pointer])
}

fn packed(machine: &Machine, function: &Function, objects: &[DataObject]) -> Unit {
    let code = schedule(machine, function, &Options::new(machine)).expect("it can be scheduled");
    let part = Part { name: function.name.clone(), symbols: function.symbols.clone(), code };
    let unit = pack(machine, &[part], objects, &[], Needs::default());
    Unit::read(&unit.write()).expect("it reads back")
}

/// Calls every routine once, beginning with 7.
fn start(machine: &Machine, routines: &[&str]) -> Unit {
    let (_, [a, b, ..]) = parts(machine);
    let first = node(None, vec![Operand::Constant(7)], Some(a));
    let mut blocks = vec![block(vec![first], Terminator::Jump(1))];
    for (number, symbol) in (1..).zip(0..u32::try_from(routines.len()).expect("few")) {
        let callee = Operand::Symbol { symbol, addend: 0 };
        let call = Terminator::Call { callee, next: number + 1, reads: vec![a], clobbers: vec![a, b] };
        blocks.push(block(Vec::new(), call));
    }
    blocks.push(block(Vec::new(), Terminator::Halt));
    let symbols = routines.iter().map(|n| SymbolRef { name: (*n).to_owned(), space: None }).collect();
    let function = Function { name: "start".to_owned(), blocks, symbols, results: vec![a] };
    packed(machine, &function, &[])
}

fn linked(machine: &Machine, units: &[&Unit]) -> Result<oxcl_tta::program::Program, UnitLinkError> {
    link_units(machine, &digest(machine), units, &DataBases::new(), &BTreeMap::new(), "start")
}

#[test]
fn calls_reach_routines_and_routines_reach_data_on_every_machine() {
    for (name, plan) in stock::plans().into_iter().filter(|(n, _)| *n != "big_endian") {
        let machine = compose(&plan);
        let routines = ["first", "second", "third"];
        let units: Vec<Unit> = routines.iter().map(|r| routine(&machine, r)).collect();
        let start = start(&machine, &routines);
        // A unit twice is there once.
        let all: Vec<&Unit> = [&start].into_iter().chain(&units).chain(&units).collect();
        let program = linked(&machine, &all).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(program.symbols.len(), 6, "{name}: four functions, two objects");
        let image = Arc::new(Image { machine: machine.clone().into(), program });
        let mut system = system(&image, Engine::Strict);
        system.run(10_000).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert_eq!(system.result(0), Some(3007), "{name}");
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let machine = machine("three_bus");
    let (start, routine_) = (start(&machine, &["first"]), routine(&machine, "first"));
    let error = linked(&machine, &[&start]).expect_err("the routine is missing");
    assert_eq!(error.to_string(), "'first', which 'start' refers to, is not defined");
    let other = Unit { machine: [0; 20], ..routine_.clone() };
    assert!(matches!(linked(&machine, &[&start, &other]), Err(UnitLinkError::OtherMachine { .. })));
    let mut changed = routine_.clone();
    changed.functions[0].instructions.truncate(3);
    changed.functions[0].relocations.clear();
    let twice = linked(&machine, &[&start, &routine_, &changed]);
    assert_eq!(twice, Err(UnitLinkError::Link(LinkError::Twice("first".to_owned()))));
    let mut illegal = routine_.clone();
    let mut moves = illegal.functions[0].instructions.iter_mut().flat_map(|i| &mut i.moves);
    moves.next().expect("there is a move").bus = 99;
    // What the machine cannot execute links, and is refused when it is loaded.
    let program = linked(&machine, &[&start, &illegal]).expect("names and addresses are right");
    let image = Arc::new(Image { machine: machine.clone().into(), program });
    let error = oxcl_ttasim::System::with_own_memories(&[image], Engine::Fast).expect_err("no such bus");
    assert!(error.to_string().contains("bus 99"), "{error}");
    let known = BTreeMap::from([("first".to_owned(), 0x10_0000)]);
    let far = link_units(&machine, &digest(&machine), &[&start], &DataBases::new(), &known, "start");
    assert!(matches!(far, Err(UnitLinkError::Link(LinkError::OutOfReach { limit: 0xf_ffff, .. }))));
}
