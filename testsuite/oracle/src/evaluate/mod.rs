//! What a program computes, by the specification of OpenCL C and nothing else.
//!
//! The work-items of a group go through the statements side by side: a set of them is at a statement, and a barrier is met
//! by all or the program is refused. So is whatever has no defined meaning ([`Refusal`]): a program that is not refused
//! must give the same bytes everywhere.

mod arithmetic;
mod check;
mod execute;
mod expression;
mod group;
mod library;
mod memory;
mod place;
mod refusal;
mod sub_group;
mod value;

#[cfg(test)]
mod tests;

pub use refusal::Refusal;
pub(crate) use refusal::Why;

use crate::ast::{Argument, Launch, Program};
use crate::types::{Space, Type, layout};
use memory::{Memory, Pointer, Who};

/// The most work-items of a group.
pub(crate) const MOST_ITEMS: u32 = 64;

/// How many statements all work-items of a program may execute.
const MOST_STEPS: u64 = 400_000;

/// What came of a program.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// For each launch what its buffers hold, in the order of the arguments.
    pub buffers: Vec<Vec<Vec<u8>>>,
    pub(crate) facts: Facts,
}

/// What happened on the way, by the numbers of the nodes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    /// Statements that were executed.
    pub(crate) executed: Vec<bool>,
    /// Conditions that parted the items of a group.
    pub(crate) diverged: Vec<bool>,
    /// Statements that items executed in all.
    pub(crate) steps: u64,
    /// Barriers met.
    pub(crate) barriers: u64,
}

fn set(list: &mut Vec<bool>, at: u32) {
    let at = at as usize;
    if list.len() <= at {
        list.resize(at + 1, false);
    }
    list[at] = true;
}

impl Facts {
    pub(crate) fn has_diverged(&self, node: u32) -> bool {
        self.diverged.get(node as usize).copied().unwrap_or(false)
    }

    pub(crate) fn was_executed(&self, node: u32) -> bool {
        self.executed.get(node as usize).copied().unwrap_or(false)
    }
}

/// A program's refusal, with what happened until then.
#[derive(Debug, Clone)]
pub(crate) struct Failed {
    pub(crate) refusal: Refusal,
    pub(crate) facts: Facts,
}

/// The ids and sizes of a launch.
#[derive(Debug, Clone, Copy)]
struct Shape {
    dimensions: u32,
    global: [u32; 3],
    local: [u32; 3],
    offset: [u32; 3],
}

/// The group that runs.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    id: [u32; 3],
    /// Its own size, which is less than the launch's at the edge.
    size: [u32; 3],
    /// From 1 on.
    serial: u32,
    /// The serial number of its first item.
    first: u32,
    items: u32,
}

struct Machine<'p> {
    program: &'p Program,
    memory: Memory,
    globals: Vec<Pointer>,
    shape: Shape,
    group: Group,
    facts: Facts,
    /// Loops that run, innermost last.
    loops: Vec<u32>,
    depth: u32,
}

/// Evaluates the launches of a program one after another.
///
/// # Errors
/// The program does something that has no defined result.
pub fn evaluate(program: &Program) -> Result<Outcome, Refusal> {
    run(program).map_err(|failed| failed.refusal)
}

pub(crate) fn run(program: &Program) -> Result<Outcome, Box<Failed>> {
    if let Err(refusal) = check::check(program) {
        return Err(Box::new(Failed { refusal, facts: Facts::default() }));
    }
    let shape = Shape { dimensions: 1, global: [1; 3], local: [1; 3], offset: [0; 3] };
    let mut machine = Machine {
        program,
        memory: Memory::default(),
        globals: Vec::new(),
        shape,
        group: Group::default(),
        facts: Facts::default(),
        loops: Vec::new(),
        depth: 0,
    };
    match machine.program() {
        Ok(buffers) => Ok(Outcome { buffers, facts: machine.facts }),
        Err(refusal) => Err(Box::new(Failed { refusal, facts: machine.facts })),
    }
}

/// The sizes of three dimensions; the missing ones are `default`.
fn three(sizes: &[u32], default: u32) -> [u32; 3] {
    std::array::from_fn(|d| sizes.get(d).copied().unwrap_or(default))
}

impl Machine<'_> {
    fn program(&mut self) -> Result<Vec<Vec<Vec<u8>>>, Refusal> {
        for global in &self.program.globals {
            let (size, _) = layout(&global.ty, &self.program.structs);
            let at = self.memory.add(global.space, size);
            let scalar = match &global.ty {
                Type::Array(element, _) => element.element(),
                other => other.element(),
            };
            let scalar = scalar.ok_or(Refusal { node: 0, why: Why::Malformed })?;
            let mut bytes: Vec<u8> = global.values.iter().flat_map(|bits| scalar.store(*bits)).collect();
            bytes.resize(size, 0);
            self.memory.fill(at.object, &bytes);
            self.globals.push(at);
        }
        let program = self.program;
        program.launches.iter().map(|launch| self.launch(launch)).collect()
    }

    fn launch(&mut self, launch: &Launch) -> Result<Vec<Vec<u8>>, Refusal> {
        self.shape = Shape {
            dimensions: launch.global.len() as u32,
            global: three(&launch.global, 1),
            local: three(&launch.local, 1),
            offset: three(&launch.offset, 0),
        };
        self.memory.begin_launch();
        let mut buffers = Vec::new();
        for argument in &launch.arguments {
            if let Argument::Buffer(scalar, values) = argument {
                let bytes: Vec<u8> = values.iter().flat_map(|bits| scalar.store(*bits)).collect();
                let at = self.memory.add(Space::Global, bytes.len());
                self.memory.fill(at.object, &bytes);
                buffers.push(at);
            }
        }
        self.groups(launch, &buffers)?;
        let contents = buffers.iter().map(|at| self.memory.contents(at.object).to_vec()).collect();
        for at in buffers {
            self.memory.release(at.object);
        }
        Ok(contents)
    }

    fn who(&self, lane: u32) -> Who {
        Who { item: self.group.first + lane, group: self.group.serial }
    }
}
