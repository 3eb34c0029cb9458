//! Launches group by group, and what a group does together.

use super::memory::{Pointer, Range};
use super::refusal::{Refusal, Why};
use super::sub_group::combined;
use super::value::{Frame, Value};
use super::{Group, MOST_ITEMS, Machine};
use crate::ast::{Argument, Collective, Launch};
use crate::types::{Scalar, Space};

/// What each item gets of the values of all.
pub(super) fn combine(operation: Collective, scalar: Scalar, values: &[u64]) -> Result<Vec<u64>, Why> {
    let truths = || values.iter().map(|bits| *bits != 0);
    let all = |result: u64| Ok(vec![result; values.len()]);
    match operation {
        Collective::All => all(u64::from(truths().all(|truth| truth))),
        Collective::Any => all(u64::from(truths().any(|truth| truth))),
        Collective::Broadcast => Err(Why::Malformed),
        Collective::Combined(extent, by) => combined(extent, by, scalar, values),
    }
}

impl<'p> Machine<'p> {
    pub(super) fn groups(&mut self, launch: &Launch, buffers: &[Pointer]) -> Result<(), Refusal> {
        let malformed = Refusal { node: 0, why: Why::Malformed };
        let shape = self.shape;
        if shape.local.iter().product::<u32>() > MOST_ITEMS || shape.local.contains(&0) {
            return Err(malformed);
        }
        let counts: [u32; 3] = std::array::from_fn(|d| shape.global[d].div_ceil(shape.local[d]));
        let (mut serial, mut first) = (1, 1);
        for number in 0..counts.iter().product::<u32>() {
            let id = [number % counts[0], number / counts[0] % counts[1], number / (counts[0] * counts[1])];
            let size = std::array::from_fn(|d| shape.local[d].min(shape.global[d] - id[d] * shape.local[d]));
            let items = size.iter().product();
            self.group = Group { id, size, serial, first, items };
            self.memory.begin_group();
            self.kernel(launch, buffers)?;
            serial += 1;
            first += items;
        }
        Ok(())
    }

    /// Runs the kernel for one group. Its variables in local memory are one object for all items.
    fn kernel(&mut self, launch: &Launch, buffers: &[Pointer]) -> Result<(), Refusal> {
        let malformed = Refusal { node: 0, why: Why::Malformed };
        let program = self.program;
        let kernel = program.functions.get(launch.kernel).ok_or(malformed)?;
        let items = self.group.items;
        let mut slots = Vec::new();
        let mut own = Vec::new();
        for variable in &kernel.variables {
            let size = self.size_of(&variable.ty) as usize;
            if variable.space == Space::Local {
                let at = self.memory.add(Space::Local, size);
                own.push(at.object);
                slots.extend(std::iter::repeat_n(at.object, items as usize));
                continue;
            }
            for _ in 0..items {
                let at = self.memory.add(Space::Private, size);
                self.memory.end(at.object);
                own.push(at.object);
                slots.push(at.object);
            }
        }
        let mut frame = Frame {
            function: launch.kernel,
            first: 0,
            lanes: items,
            slots,
            results: vec![None; items as usize],
        };
        let mut buffers = buffers.iter();
        for (parameter, argument) in launch.arguments.iter().enumerate() {
            let value = match argument {
                Argument::Buffer(..) => Value::Pointer(*buffers.next().ok_or(malformed)?),
                Argument::Local(bytes) => {
                    let at = self.memory.add(Space::Local, *bytes as usize);
                    own.push(at.object);
                    Value::Pointer(at)
                }
                Argument::Value(_, values) => Value::of_lanes(values.clone()),
            };
            for lane in 0..items {
                let object = frame.slot(parameter, lane);
                self.memory.renew(object);
                let (at, ty) = (self.memory.base(object), &kernel.variables[parameter].ty);
                self.store(at, ty, &value, lane).map_err(|why| Refusal { node: 0, why })?;
            }
        }
        let everybody = self.everybody();
        self.body(&mut frame, &kernel.body, everybody)?;
        for object in own {
            self.memory.release(object);
        }
        Ok(())
    }

    /// Copies elements: from every `step`th where the target is local memory, else to every `step`th.
    pub(super) fn copy_elements(
        &mut self,
        to: Pointer,
        from: Pointer,
        many: u64,
        step: u64,
        target: Space,
        size: u32,
    ) -> Result<(), Why> {
        let (to_step, from_step) = if target == Space::Local { (1, step) } else { (step, 1) };
        let who = self.who(0);
        for index in 0..i128::from(many) {
            let to = self.advance(to, index * i128::from(to_step), size, size)?;
            let from = self.advance(from, index * i128::from(from_step), size, size)?;
            self.memory.copy(to, from, size, who)?;
        }
        for index in 0..i128::from(many) {
            let at = self.advance(to, index * i128::from(to_step), size, size)?;
            self.memory.hold(Range { at, bytes: size, written: true });
            let at = self.advance(from, index * i128::from(from_step), size, size)?;
            self.memory.hold(Range { at, bytes: size, written: false });
        }
        Ok(())
    }
}
