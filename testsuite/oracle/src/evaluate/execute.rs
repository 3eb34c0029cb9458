//! Statements, for a set of work-items at a time.
//!
//! The set is a word with one bit for each item of the group. [`Flow`] says which of them go on behind a statement, and
//! which are on their way out of a loop or `switch`; those that returned are in none.

use super::expression::convert_value;
use super::memory::Pointer;
use super::refusal::{Refusal, Why};
use super::value::{Frame, Value};
use super::{MOST_STEPS, Machine, set};
use crate::ast::{Case, Collective, Expr, Init, LoopForm, Stmt, StmtKind};
use crate::types::{Space, Type, field_offset};

/// How often one round of the items of a group may go through a loop.
const MOST_ROUNDS: u32 = 600;

/// The deepest chain of calls.
const DEEPEST: u32 = 12;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flow {
    next: u64,
    breaks: u64,
    continues: u64,
}

/// The items of a set, in order.
pub(super) fn items(mask: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |lane| mask >> lane & 1 == 1)
}

impl<'p> Machine<'p> {
    /// All items of the group.
    pub(super) fn everybody(&self) -> u64 {
        u64::MAX >> (64 - self.group.items)
    }

    /// Runs a function's body.
    pub(super) fn body(&mut self, f: &mut Frame, body: &'p [Stmt], mask: u64) -> Result<(), Refusal> {
        self.block(f, body, mask).map(|_| ())
    }

    fn block(&mut self, f: &mut Frame, body: &'p [Stmt], mask: u64) -> Result<Flow, Refusal> {
        let mut flow = Flow { next: mask, ..Flow::default() };
        for stmt in body {
            if flow.next == 0 {
                break;
            }
            let part = self.stmt(f, stmt, flow.next)?;
            flow.next = part.next;
            flow.breaks |= part.breaks;
            flow.continues |= part.continues;
        }
        for stmt in body {
            if let StmtKind::Declare { variable, .. } = &stmt.kind {
                self.end_of_scope(f, *variable, mask);
            }
        }
        Ok(flow)
    }

    fn end_of_scope(&mut self, f: &Frame, variable: usize, mask: u64) {
        if self.program.functions[f.function].variables[variable].space == Space::Private {
            for lane in items(mask) {
                self.memory.end(f.slot(variable, lane));
            }
        }
    }

    fn stmt(&mut self, f: &mut Frame, stmt: &'p Stmt, mask: u64) -> Result<Flow, Refusal> {
        let node = stmt.id;
        let fail = |why| Refusal { node, why };
        let on = Flow { next: mask, ..Flow::default() };
        set(&mut self.facts.executed, node);
        self.facts.steps += u64::from(mask.count_ones());
        if self.facts.steps > MOST_STEPS {
            return Err(Refusal { node: self.loops.last().copied().unwrap_or(node), why: Why::TooLong });
        }
        match &stmt.kind {
            StmtKind::Declare { variable, init } => {
                for lane in items(mask) {
                    self.declare(f, *variable, init, lane, node)?;
                }
                Ok(on)
            }
            StmtKind::Expr(expr) => {
                for lane in items(mask) {
                    self.eval(f, lane, expr)?;
                }
                Ok(on)
            }
            StmtKind::If { condition, then, otherwise } => {
                let yes = self.those_where(f, condition, mask)?;
                self.note_parting(node, yes, mask);
                let mut flow = self.block(f, then, yes)?;
                let other = self.block(f, otherwise, mask & !yes)?;
                flow.next |= other.next;
                flow.breaks |= other.breaks;
                flow.continues |= other.continues;
                Ok(flow)
            }
            StmtKind::Loop { form, init, condition, step, body, .. } => {
                if let Some(init) = init {
                    self.stmt(f, init, mask)?;
                }
                self.loops.push(node);
                let after = self.rounds(f, node, *form, condition.as_ref(), step.as_ref(), body, mask)?;
                self.loops.pop();
                if let Some(StmtKind::Declare { variable, .. }) = init.as_ref().map(|init| &init.kind) {
                    self.end_of_scope(f, *variable, mask);
                }
                Ok(Flow { next: after, ..Flow::default() })
            }
            StmtKind::Switch { value, cases } => self.switch(f, node, value, cases, mask),
            StmtKind::Break => Ok(Flow { breaks: mask, ..Flow::default() }),
            StmtKind::Continue => Ok(Flow { continues: mask, ..Flow::default() }),
            StmtKind::Return(value) => {
                for lane in items(mask) {
                    let result = match value {
                        None => Value::Void,
                        Some(value) => {
                            let found = self.eval(f, lane, value)?;
                            let to = &self.program.functions[f.function].result;
                            convert_value(found, &value.ty, to).map_err(fail)?
                        }
                    };
                    f.results[(lane - f.first) as usize] = Some(result);
                }
                Ok(Flow::default())
            }
            StmtKind::Block(body) => self.block(f, body, mask),
            StmtKind::Barrier { local, global, .. } => {
                self.all_here(mask).map_err(fail)?;
                self.memory.barrier(*local, *global);
                self.facts.barriers += 1;
                Ok(on)
            }
            StmtKind::Call { target, function, arguments } => {
                let mut values = Vec::new();
                for lane in items(mask) {
                    let values_here = arguments.iter().map(|argument| self.eval(f, lane, argument));
                    values.push(values_here.collect::<Result<Vec<_>, _>>()?);
                }
                let results = self.call(*function, arguments, values, f.first, f.lanes, mask, node)?;
                if let Some(target) = target {
                    let callee = &self.program.functions[*function];
                    let to = self.program.functions[f.function].variables[*target].ty.clone();
                    for lane in items(mask) {
                        let result = results[(lane - f.first) as usize].clone().ok_or(fail(Why::NoResult))?;
                        let result = convert_value(result, &callee.result, &to).map_err(fail)?;
                        self.assign(f, *target, &result, lane).map_err(fail)?;
                    }
                }
                Ok(on)
            }
            StmtKind::Collective { target, operation, arguments } => {
                self.all_here(mask).map_err(fail)?;
                self.collective(f, node, *target, *operation, arguments)?;
                Ok(on)
            }
            StmtKind::SubGroup { target, operation, arguments } => {
                self.sub_groups(f, node, *target, *operation, arguments, mask)?;
                Ok(on)
            }
            StmtKind::Copy { to, from, count, stride, meanwhile, .. } => {
                self.all_here(mask).map_err(fail)?;
                let held = self.memory.pending.len();
                self.copy(f, node, [to, from, count], stride.as_ref())?;
                let flow = self.block(f, meanwhile, mask)?;
                // The event is waited for by all, and nobody may leave before.
                self.all_here(flow.next).map_err(fail)?;
                self.memory.pending.truncate(held);
                Ok(on)
            }
        }
    }

    /// Whether a set is the whole group.
    fn all_here(&self, mask: u64) -> Result<(), Why> {
        if mask == self.everybody() { Ok(()) } else { Err(Why::Divergence) }
    }

    fn those_where(&mut self, f: &Frame, condition: &Expr, mask: u64) -> Result<u64, Refusal> {
        let mut yes = 0;
        for lane in items(mask) {
            yes |= u64::from(self.truth(f, lane, condition)?) << lane;
        }
        Ok(yes)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a loop")]
    fn rounds(
        &mut self,
        f: &mut Frame,
        node: u32,
        form: LoopForm,
        condition: Option<&'p Expr>,
        step: Option<&'p Expr>,
        body: &'p [Stmt],
        mask: u64,
    ) -> Result<u64, Refusal> {
        let (mut active, mut left) = (mask, 0);
        let mut round = 0;
        loop {
            if form != LoopForm::Do
                && let Some(condition) = condition
            {
                let yes = self.those_where(f, condition, active)?;
                self.note_parting(node, yes, active);
                left |= active & !yes;
                active = yes;
            }
            if active == 0 {
                return Ok(left);
            }
            round += 1;
            if round > MOST_ROUNDS {
                return Err(Refusal { node, why: Why::TooLong });
            }
            let flow = self.block(f, body, active)?;
            left |= flow.breaks;
            active = flow.next | flow.continues;
            if let Some(step) = step {
                for lane in items(active) {
                    self.eval(f, lane, step)?;
                }
            }
            if let (LoopForm::Do, Some(condition)) = (form, condition) {
                let yes = self.those_where(f, condition, active)?;
                self.note_parting(node, yes, active);
                left |= active & !yes;
                active = yes;
            }
        }
    }

    fn switch(
        &mut self,
        f: &mut Frame,
        node: u32,
        value: &'p Expr,
        cases: &'p [Case],
        mask: u64,
    ) -> Result<Flow, Refusal> {
        let fail = |why| Refusal { node, why };
        let scalar = value.ty.scalar().filter(|scalar| !scalar.is_float()).ok_or(fail(Why::Malformed))?;
        let scalar = scalar.promoted();
        let mut entries = vec![0_u64; cases.len()];
        let mut nowhere = 0;
        for lane in items(mask) {
            let bits = self.eval(f, lane, value)?;
            let bits = convert_value(bits, &value.ty, &Type::Scalar(scalar)).and_then(|v| v.scalar());
            let wanted = scalar.integer(bits.map_err(fail)?);
            let matches = |label: &Option<i64>| {
                label.is_some_and(|label| scalar.integer(scalar.wrap(i128::from(label))) == wanted)
            };
            let found = cases.iter().position(|case| case.labels.iter().any(matches));
            let found = found.or_else(|| cases.iter().position(|case| case.labels.contains(&None)));
            match found {
                Some(case) => entries[case] |= 1 << lane,
                None => nowhere |= 1 << lane,
            }
        }
        for entry in &entries {
            self.note_parting(node, *entry, mask);
        }
        let mut flow = Flow { next: nowhere, ..Flow::default() };
        let mut through = 0;
        for (case, entry) in cases.iter().zip(entries) {
            let part = self.block(f, &case.body, through | entry)?;
            through = part.next;
            flow.next |= part.breaks;
            flow.continues |= part.continues;
        }
        flow.next |= through;
        Ok(flow)
    }

    fn declare(
        &mut self,
        f: &Frame,
        variable: usize,
        init: &'p Init,
        lane: u32,
        node: u32,
    ) -> Result<(), Refusal> {
        let fail = |why| Refusal { node, why };
        let declared = &self.program.functions[f.function].variables[variable];
        if declared.space != Space::Private {
            return Ok(());
        }
        let object = f.slot(variable, lane);
        // The initialiser is evaluated in the scope of the name, but does not use it.
        let ty = &declared.ty;
        match init {
            Init::None => self.memory.renew(object),
            Init::Value(value) => {
                let found = self.eval(f, lane, value)?;
                let found = convert_value(found, &value.ty, ty).map_err(fail)?;
                self.memory.renew(object);
                self.assign(f, variable, &found, lane).map_err(fail)?;
            }
            Init::List(values) => {
                let mut found = Vec::new();
                for value in values {
                    found.push(self.eval(f, lane, value)?);
                }
                self.memory.renew(object);
                self.memory.fill(object, &vec![0; self.size_of(ty) as usize]);
                for (index, (value, from)) in found.into_iter().zip(values).enumerate() {
                    let (offset, to) = match ty {
                        Type::Array(element, _) => (index * self.size_of(element) as usize, &**element),
                        Type::Struct(number) => {
                            let structure = &self.program.structs[*number];
                            let (_, to) = structure.fields.get(index).ok_or(fail(Why::Malformed))?;
                            (field_offset(structure, index, &self.program.structs), to)
                        }
                        _ => return Err(fail(Why::Malformed)),
                    };
                    let value = convert_value(value, &from.ty, to).map_err(fail)?;
                    let at = Pointer { offset: offset as u32, ..self.memory.base(object) };
                    self.store(at, to, &value, lane).map_err(fail)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn assign(&mut self, f: &Frame, variable: usize, value: &Value, lane: u32) -> Result<(), Why> {
        let ty = &self.program.functions[f.function].variables[variable].ty;
        let at = self.memory.base(f.slot(variable, lane));
        self.store(at, ty, value, lane)
    }

    /// Calls a function for the items of `mask`, which are among `lanes` items from `first` on; `values` has the
    /// arguments of each.
    #[expect(clippy::too_many_arguments, reason = "a call of a set of items")]
    pub(super) fn call(
        &mut self,
        function: usize,
        arguments: &[Expr],
        values: Vec<Vec<Value>>,
        first: u32,
        lanes: u32,
        mask: u64,
        node: u32,
    ) -> Result<Vec<Option<Value>>, Refusal> {
        let fail = |why| Refusal { node, why };
        if self.depth >= DEEPEST {
            return Err(fail(Why::TooLong));
        }
        let callee = &self.program.functions[function];
        let mut slots = Vec::with_capacity(callee.variables.len() * lanes as usize);
        for variable in &callee.variables {
            let size = self.size_of(&variable.ty) as usize;
            for _ in 0..lanes {
                let at = self.memory.add(Space::Private, size);
                self.memory.end(at.object);
                slots.push(at.object);
            }
        }
        let mut frame = Frame { function, first, lanes, slots, results: vec![None; lanes as usize] };
        for (lane, values) in items(mask).zip(values) {
            self.no_alias(function, &values).map_err(fail)?;
            for (parameter, (value, argument)) in values.into_iter().zip(arguments).enumerate() {
                let variable = &callee.variables[parameter];
                let value = convert_value(value, &argument.ty, &variable.ty).map_err(fail)?;
                self.memory.renew(frame.slot(parameter, lane));
                self.assign(&frame, parameter, &value, lane).map_err(fail)?;
            }
        }
        self.depth += 1;
        self.body(&mut frame, &callee.body, mask)?;
        self.depth -= 1;
        for slot in &frame.slots {
            self.memory.release(*slot);
        }
        if callee.result != Type::Void {
            for lane in items(mask) {
                if frame.results[(lane - first) as usize].is_none() {
                    return Err(fail(Why::NoResult));
                }
            }
        }
        Ok(frame.results)
    }

    /// A pointer that is `restrict` leads to an object that no other argument leads to.
    fn no_alias(&self, function: usize, values: &[Value]) -> Result<(), Why> {
        let variables = &self.program.functions[function].variables;
        for (index, value) in values.iter().enumerate().filter(|(index, _)| variables[*index].restrict) {
            let Value::Pointer(at) = value else { continue };
            let meets = |(other, value): (usize, &Value)| {
                other != index && matches!(value, Value::Pointer(p) if p.object == at.object)
            };
            if values.iter().enumerate().any(meets) {
                return Err(Why::Alias);
            }
        }
        Ok(())
    }

    fn collective(
        &mut self,
        f: &Frame,
        node: u32,
        target: usize,
        operation: Collective,
        arguments: &'p [Expr],
    ) -> Result<(), Refusal> {
        let fail = |why| Refusal { node, why };
        let everybody = self.everybody();
        let first = arguments.first().ok_or(fail(Why::Malformed))?;
        let scalar = first.ty.scalar().ok_or(fail(Why::Malformed))?;
        let mut values = Vec::new();
        let mut from = None;
        for lane in items(everybody) {
            values.push(self.eval(f, lane, first)?.scalar().map_err(fail)?);
            let mut ids = Vec::new();
            for id in &arguments[1..] {
                ids.push(self.eval(f, lane, id)?.scalar().map_err(fail)? as u32);
            }
            if *from.get_or_insert_with(|| ids.clone()) != ids {
                return Err(fail(Why::NotUniform));
            }
        }
        let ids = from.unwrap_or_default();
        let results = if operation == Collective::Broadcast {
            let size = self.group.size;
            let (mut lane, mut stride) = (0, 1);
            for (d, id) in ids.iter().enumerate() {
                if *id >= size[d] {
                    return Err(fail(Why::Range));
                }
                lane += id * stride;
                stride *= size[d];
            }
            vec![values[lane as usize]; values.len()]
        } else {
            super::group::combine(operation, scalar, &values).map_err(fail)?
        };
        let is_truth = matches!(operation, Collective::All | Collective::Any);
        let from = if is_truth { Type::INT } else { Type::Scalar(scalar) };
        let to = self.program.functions[f.function].variables[target].ty.clone();
        for (lane, bits) in items(everybody).zip(results) {
            let value = convert_value(Value::Scalar(bits), &from, &to).map_err(fail)?;
            self.assign(f, target, &value, lane).map_err(fail)?;
        }
        Ok(())
    }

    /// Begins a copy by the group.
    fn copy(
        &mut self,
        f: &Frame,
        node: u32,
        [to, from, count]: [&'p Expr; 3],
        stride: Option<&'p Expr>,
    ) -> Result<(), Refusal> {
        let fail = |why| Refusal { node, why };
        let mut agreed: Option<(Pointer, Pointer, u64, u64)> = None;
        for lane in items(self.everybody()) {
            let target = self.eval(f, lane, to)?.pointer().map_err(fail)?;
            let source = self.eval(f, lane, from)?.pointer().map_err(fail)?;
            let many = self.eval(f, lane, count)?.scalar().map_err(fail)?;
            let step = match stride {
                Some(stride) => self.eval(f, lane, stride)?.scalar().map_err(fail)?,
                None => 1,
            };
            let mine = (target, source, many, step);
            if *agreed.get_or_insert(mine) != mine {
                return Err(fail(Why::NotUniform));
            }
        }
        let (target, source, many, step) = agreed.ok_or(fail(Why::Malformed))?;
        let Type::Pointer(space, element) = &to.ty else { return Err(fail(Why::Malformed)) };
        if many > 256 || step == 0 || step > 64 {
            return Err(fail(Why::Range));
        }
        self.copy_elements(target, source, many, step, *space, self.size_of(element)).map_err(fail)
    }
}
