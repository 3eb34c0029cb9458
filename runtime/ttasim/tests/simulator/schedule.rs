//! Scheduled code against code executed one operation at a time: random functions on our machines and on random ones, in
//! strict mode, so that a hazard is an error as much as a wrong result.

use crate::common::system;
use oxcl_binary::unit::{Needs, Unit};
use oxcl_tta::asm::print;
use oxcl_tta::compose::{compose, stock};
use oxcl_tta::image::Image;
use oxcl_tta::link::DataBases;
use oxcl_tta::model::{FileId, Guard, GuardSource, Machine};
use oxcl_tta::ops::{Op, Semantics};
use oxcl_tta::program::Program;
use oxcl_tta::sample::{self, Random};
use oxcl_tta::schedule::interpret::{Addresses, State, interpret};
use oxcl_tta::schedule::mir::{Block, Function, Node, Operand, Predicate, Register, Terminator};
use oxcl_tta::schedule::{Options, schedule, temporaries};
use oxcl_tta::unit::{Part, link_units, pack};
use oxcl_ttasim::Engine;
use std::collections::BTreeMap;
use std::sync::Arc;

fn block(nodes: Vec<Node>, terminator: Terminator) -> Block {
    Block { nodes, terminator, weight: 1 }
}

/// The program of one function.
fn linked(machine: &Machine, function: &Function, options: &Options) -> (Program, usize) {
    let scheduled = schedule(machine, function, options)
        .unwrap_or_else(|e| panic!("{e}\n{}\n{function:?}", oxcl_tta::adf::write(machine)));
    let eliminated = scheduled.saved.eliminated;
    let part = Part { name: function.name.clone(), symbols: function.symbols.clone(), code: scheduled };
    // By way of an archive's file, as every kernel goes.
    let unit = pack(machine, &[part], &[], &[], Needs::default());
    let unit = Unit::read(&unit.write()).expect("it reads back");
    let program =
        link_units(machine, &unit.machine, &[&unit], &DataBases::new(), &BTreeMap::new(), &function.name);
    (program.expect("it links"), eliminated)
}

/// Makes a random function for a machine.
struct Maker<'a> {
    machine: &'a Machine,
    random: Random,
    words: Vec<Register>,
    bits: Vec<Register>,
    operations: Vec<Op>,
}

impl Maker<'_> {
    fn register(&mut self) -> Register {
        *self.random.choose(&self.words).expect("there are registers")
    }

    fn input(&mut self) -> Operand {
        match self.random.below(6) {
            0 => Operand::Constant((self.random.bits() & 0xff) as u32),
            1 => Operand::Constant((self.random.bits() & 0xffff_ffff) as u32),
            _ => Operand::Register(self.register()),
        }
    }

    fn predicate(&mut self) -> Option<Predicate> {
        if !self.random.once_in(5) {
            return None;
        }
        let register = *self.random.choose(&self.bits)?;
        Some(Predicate { register, inverted: self.random.once_in(2) })
    }

    fn node(&mut self) -> Node {
        let predicate = self.predicate();
        if self.random.once_in(8) {
            let input = self.input();
            return Node {
                op: None,
                inputs: vec![input],
                outputs: vec![self.register()],
                predicate,
                memory: None,
            };
        }
        let op = *self.random.choose(&self.operations).expect("there are operations");
        let info = op.info();
        let mut inputs: Vec<Operand> = (0..info.inputs).map(|_| self.input()).collect();
        if info.is_memory() {
            inputs[0] = Operand::Constant((self.random.below(16) * 4) as u32);
        }
        let compares = ["eq", "gt", "gtu"].contains(&info.name);
        let mut outputs = Vec::new();
        for _ in 0..info.outputs {
            let register =
                if compares { *self.random.choose(&self.bits).expect("bits") } else { self.register() };
            if !outputs.contains(&register) {
                outputs.push(register);
            }
        }
        if outputs.len() < usize::from(info.outputs) {
            return self.node();
        }
        Node { op: Some(op), inputs, outputs, predicate, memory: None }
    }

    fn nodes(&mut self, count: u32) -> Vec<Node> {
        (0..count).map(|_| self.node()).collect()
    }

    /// Straight code, a loop of a few rounds with a branch in it, and straight code.
    fn function(&mut self) -> Function {
        let copy = |to: Register, value: u32| Node {
            op: None,
            inputs: vec![Operand::Constant(value)],
            outputs: vec![to],
            predicate: None,
            memory: None,
        };
        let mut first = Vec::new();
        for register in self.words.clone() {
            first.push(copy(register, (self.random.bits() & 0xffff_ffff) as u32));
        }
        for register in self.bits.clone() {
            first.push(copy(register, (self.random.bits() & 1) as u32));
        }
        let counter = self.words.pop().expect("there are registers");
        let bit = *self.bits.last().expect("there are predicates");
        first.push(copy(counter, self.random.between(1, 4)));
        let step = |op: &str, to: Register, with: u32| Node {
            op: Op::named(op),
            inputs: vec![Operand::Register(counter), Operand::Constant(with)],
            outputs: vec![to],
            predicate: None,
            memory: None,
        };
        let length = self.random.between(1, 12);
        let mut body = self.nodes(length);
        body.push(step("sub", counter, 1));
        let inner = *self.random.choose(&self.bits).expect("bits");
        let mut tail = self.nodes(length / 2);
        tail.push(step("eq", bit, 0));
        let branch = |register, inverted, taken, otherwise| Terminator::Branch {
            predicate: Predicate { register, inverted },
            taken,
            otherwise,
        };
        let side = self.nodes(length / 3);
        let last = self.nodes(length);
        // Each way of leaving a block: to the next one, to another, with both ways elsewhere.
        let blocks = vec![
            block(first, Terminator::Jump(1)),
            block(body, branch(inner, false, 3, 2)),
            block(side, Terminator::Jump(3)),
            block(tail, branch(bit, true, 1, 5)),
            block(Vec::new(), Terminator::Halt),
            block(last, Terminator::Jump(4)),
        ];
        self.words.push(counter);
        let results = self.words.iter().copied().filter(|_| !self.random.once_in(3)).collect();
        Function { name: "start".to_owned(), blocks, symbols: Vec::new(), results }
    }
}

fn maker(machine: &Machine, seed: u64) -> Maker<'_> {
    let temporary = temporaries(machine);
    let all = |wide: bool| -> Vec<Register> {
        let guarding = |file: FileId| {
            machine.buses.iter().flat_map(|b| &b.guards).any(
                |g| matches!(g, Guard::If { source: GuardSource::Register { file: f, .. }, .. } if *f == file),
            )
        };
        let files =
            machine.register_files().filter(|(id, f)| if wide { f.width >= 32 } else { guarding(*id) });
        files
            .flat_map(|(file, f)| {
                // Register 0 may be wired to zero.
                (u32::from(f.zero_register)..f.size).map(move |index| Register { file, index })
            })
            .filter(|r| !temporary.contains(r))
            .collect()
    };
    // Nodes name no address space yet, so machines with several memories are tested without loads and stores.
    let spaces = machine.units.iter().filter_map(|u| u.space).collect::<std::collections::BTreeSet<_>>();
    let mut operations = Vec::new();
    for operation in machine.units.iter().flat_map(|u| &u.operations) {
        let Some(op) = operation.op else { continue };
        let fine = match op.info().semantics {
            Semantics::Load(access) | Semantics::Store(access) => {
                spaces.len() == 1 && access.words == 1 && !access.offset
            }
            _ => op.info().is_pure(),
        };
        // A narrow operand port cuts what an operation sees; code for such a machine must not depend on what is cut.
        let narrow = machine.units.iter().any(|unit| {
            unit.operations.iter().filter(|o| o.op == Some(op)).any(|o| {
                let ports = o.inputs().into_iter().filter_map(|k| o.port_of(k));
                ports.into_iter().any(|p| unit.ports[usize::from(p)].width < 32)
            })
        });
        if fine && !narrow && !operations.contains(&op) {
            operations.push(op);
        }
    }
    Maker { machine, random: Random::new(seed), words: all(true), bits: all(false), operations }
}

/// Schedules, runs and compares; gives the cycles.
pub(crate) fn compare(machine: &Machine, seed: u64) -> Option<u64> {
    let mut maker = maker(machine, seed);
    let function = maker.function();
    let mut expected = State::default();
    let functions = std::slice::from_ref(&function);
    interpret(maker.machine, functions, &Addresses::new(), &mut expected, 10_000).ok()?;
    let (program, _) = linked(machine, &function, &Options::new(machine));
    let image = Arc::new(Image { machine: machine.clone().into(), program });
    let text = || print(machine, &image.program);
    let faults = oxcl_tta::check::check(machine, &image.program, 1);
    assert!(faults.is_empty(), "seed {seed}: {faults:?}\n{}", text());
    let mut system = system(&image, Engine::Strict);
    if let Err(fault) = system.run(100_000) {
        panic!("seed {seed}: {fault}\n{}\n{function:?}", text());
    }
    assert!(system.ended(), "seed {seed}: it does not end\n{}", text());
    for register in &function.results {
        let value = system.register(0, register.file, register.index);
        let name = format!("{}.{}", machine.register_files[register.file.index()].name, register.index);
        let wanted = expected.registers.get(register).copied().unwrap_or(0);
        assert_eq!(value, wanted, "seed {seed}: {name}\n{}\n{function:?}", text());
    }
    let spaces = machine.units.iter().find_map(|u| u.space);
    for ((_, address), byte) in &expected.memory {
        let Some(space) = spaces else { break };
        let mut found = [0];
        system.memory(0, space).read(*address, &mut found).expect("it is inside");
        assert_eq!(found[0], *byte, "seed {seed}: byte {address:#x}\n{}", text());
    }
    Some(system.cycle())
}

#[test]
fn schedules_compute_what_the_code_says_on_our_machines() {
    for (name, plan) in stock::plans().into_iter().filter(|(n, _)| *n != "big_endian") {
        let machine = compose(&plan);
        for seed in 0..10 {
            assert!(compare(&machine, seed).is_some_and(|c| c > 0), "{name}");
        }
    }
}

#[test]
fn schedules_compute_what_the_code_says_on_random_machines() {
    for seed in 0..200 {
        let machine = compose(&sample::plan(&mut Random::new(seed)));
        compare(&machine, seed);
    }
}

/// A chain in which every operation needs the result of the one before, and half of them the same second operand.
#[test]
fn bypassing_and_sharing_save_cycles_and_registers() {
    let machine = compose(&stock::plans()[2].1);
    let file = machine.register_files().next().expect("there is a file").0;
    let register = |index| Register { file, index };
    let node = |name: &str, from: u32, with: Operand, to: u32| Node {
        op: Op::named(name),
        inputs: vec![Operand::Register(register(from)), with],
        outputs: vec![register(to)],
        predicate: None,
        memory: None,
    };
    let copy = |value, to| Node {
        op: None,
        inputs: vec![Operand::Constant(value)],
        outputs: vec![register(to)],
        predicate: None,
        memory: None,
    };
    let mut nodes = vec![copy(3, 0), copy(5, 1)];
    for step in 0..20 {
        let name = ["add", "xor", "sub", "ior"][step as usize % 4];
        nodes.push(node(name, step % 2 * 2, Operand::Register(register(1)), (step + 1) % 2 * 2));
    }
    let blocks = vec![block(nodes, Terminator::Halt)];
    let function =
        Function { name: "start".to_owned(), blocks, symbols: Vec::new(), results: vec![register(0)] };
    let mut expected = State::default();
    let functions = std::slice::from_ref(&function);
    interpret(&machine, functions, &Addresses::new(), &mut expected, 1000).expect("it ends");
    let run = |on| {
        let options = Options { bypass: on, share_operands: on, ..Options::new(&machine) };
        let (program, eliminated) = linked(&machine, &function, &options);
        let image = Arc::new(Image { machine: machine.clone().into(), program });
        let mut system = system(&image, Engine::Strict);
        system.run(1000).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(system.result(0), expected.registers.get(&register(0)).copied());
        (system.cycle(), eliminated)
    };
    let ((with, eliminated), (without, _)) = (run(true), run(false));
    assert!(with < 26 && eliminated == 19, "{with} cycles, {eliminated} results without a register");
    assert!(without > 40, "{without} cycles");
}

/// No block is shorter than its bound, whatever the machine and whatever is switched off.
#[test]
fn schedules_respect_their_bound() {
    let ours = stock::plans().into_iter().filter(|(n, _)| *n != "big_endian").map(|(_, plan)| compose(&plan));
    let random = (0..40).map(|seed| compose(&sample::plan(&mut Random::new(seed ^ 0xb0_0000))));
    for (number, machine) in (0..).zip(ours.chain(random)) {
        for seed in 0..2 {
            let function = maker(&machine, seed << 16 | number).function();
            let all = Options::new(&machine);
            let plain = Options { share_operands: false, ..Options::new(&machine) };
            for options in [all, plain] {
                let scheduled = schedule(&machine, &function, &options).expect("it can be scheduled");
                for block in &scheduled.blocks {
                    assert!(block.length >= block.bound, "machine {number}, seed {seed}: {block:?}");
                }
            }
        }
    }
}
