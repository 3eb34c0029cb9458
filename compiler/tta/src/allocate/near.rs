//! How far register files are from units: how many further moves it takes to bring a value from where an operation leaves it to a
//! register, and from there to where another wants it. On machines whose buses join everything it is none.

use crate::code::{Function, Input, Value};
use crate::model::{Direction, FileId, Machine, SocketId};
use crate::ops::Op;
use crate::schedule::mir::Register;
use std::collections::BTreeMap;

/// The distances of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Near {
    files: Vec<FileId>,
    /// From results of operations to files, in the order of `files`.
    results: BTreeMap<Op, Vec<u64>>,
    /// From files to operands of operations, counted from 0.
    operands: BTreeMap<(Op, usize), Vec<u64>>,
}

impl Near {
    /// The distances between the files of `words` and the machine's units; `temporaries` are registers on the way.
    pub(super) fn of(machine: &Machine, words: &[Register], temporaries: &[Register]) -> Self {
        let mut files: Vec<FileId> = words.iter().map(|r| r.file).collect();
        files.sort_unstable();
        files.dedup();
        let mut near = Self { files: files.clone(), ..Self::default() };
        if files.len() < 2 {
            return near;
        }
        let sets = |file: FileId, way: Direction| -> u64 {
            let ports = &machine.register_files[file.index()].ports;
            ports.iter().map(|p| buses(machine, p.socket, way)).fold(0, |a, b| a | b)
        };
        let into: Vec<u64> = files.iter().map(|f| sets(*f, Direction::Input)).collect();
        let out: Vec<u64> = files.iter().map(|f| sets(*f, Direction::Output)).collect();
        let between: Vec<(u64, u64)> = temporaries
            .iter()
            .map(|r| (sets(r.file, Direction::Input), sets(r.file, Direction::Output)))
            .collect();
        let distance = |from: u64, to: u64| {
            if from & to != 0 {
                0
            } else if between.iter().any(|(i, o)| from & i != 0 && o & to != 0) {
                1
            } else {
                2
            }
        };
        for unit in &machine.units {
            for operation in &unit.operations {
                let Some(op) = operation.op else { continue };
                let info = op.info();
                let port = |k: u16| operation.port_of(k).map(|p| &unit.ports[usize::from(p)]);
                if let Some(port) = port(info.inputs + 1) {
                    let from = buses(machine, port.output, Direction::Output);
                    let found = into.iter().map(|to| distance(from, *to)).collect();
                    near.results.entry(op).and_modify(|all| least(all, &found)).or_insert(found);
                }
                for k in 1..=info.inputs {
                    let mut to = port(k).map_or(0, |p| buses(machine, p.input, Direction::Input));
                    // Operands that may be exchanged may take either way.
                    if let Some((a, b)) = info.swap
                        && (k == a || k == b)
                    {
                        to |= port(a + b - k).map_or(0, |p| buses(machine, p.input, Direction::Input));
                    }
                    let found = out.iter().map(|from| distance(*from, to)).collect();
                    let key = (op, usize::from(k) - 1);
                    near.operands.entry(key).and_modify(|all| least(all, &found)).or_insert(found);
                }
            }
        }
        near
    }

    /// For each value of a function the further moves that each file would cost it.
    pub(super) fn costs(&self, function: &Function) -> BTreeMap<Value, Vec<u64>> {
        let mut costs: BTreeMap<Value, Vec<u64>> = BTreeMap::new();
        if self.files.len() < 2 {
            return costs;
        }
        let mut add = |value: Value, distances: Option<&Vec<u64>>, weight: u64| {
            let Some(distances) = distances else { return };
            let all = costs.entry(value).or_insert_with(|| vec![0; distances.len()]);
            for (sum, distance) in all.iter_mut().zip(distances) {
                *sum = sum.saturating_add(distance.saturating_mul(weight));
            }
        };
        for block in &function.blocks {
            for node in &block.nodes {
                let Some(op) = node.op else { continue };
                for output in &node.outputs {
                    add(*output, self.results.get(&op), block.weight);
                }
                for (position, input) in node.inputs.iter().enumerate() {
                    if let Input::Value(value) = input {
                        add(*value, self.operands.get(&(op, position)), block.weight);
                    }
                }
            }
        }
        costs
    }

    /// What a register costs a value, of what [`Self::costs`] says of it.
    pub(super) fn cost(&self, costs: Option<&Vec<u64>>, register: Register) -> u64 {
        let position = self.files.iter().position(|f| *f == register.file);
        costs.zip(position).and_then(|(all, at)| all.get(at).copied()).unwrap_or(0)
    }
}

fn least(all: &mut [u64], others: &Vec<u64>) {
    for (a, b) in all.iter_mut().zip(others) {
        *a = (*a).min(*b);
    }
}

/// The buses of a socket of a direction.
fn buses(machine: &Machine, socket: Option<SocketId>, way: Direction) -> u64 {
    let joined = machine.buses().filter(|(bus, _)| bus.0 < 64 && machine.joins(socket, *bus, way));
    joined.map(|(bus, _)| 1_u64 << bus.0).fold(0, |a, b| a | b)
}
