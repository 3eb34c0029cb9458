//! How far a value moves when an id, or the round of a loop, grows by one: in numbers, and in what is the same for all.
//!
//! In: a prepared kernel. Out: [`Step`], a sum of constants and of products of values that do not change with the variable,
//! or what stands in the way. For explanations and guesses: wrapping around is left out of account, so that no plan may rest on it.

use crate::turn::turned;
use crate::workitem::{Query, dimension};
use oxcl_ir::cfg::Cfg;
use oxcl_ir::module::Layout;
use oxcl_ir::{Opcode, Value};
use std::collections::HashMap;

/// What grows by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variable<'c> {
    /// The ids of a dimension.
    Id(usize),
    /// The counter of a loop.
    Counter(Value<'c>),
}

/// How far a value moves.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step<'c> {
    /// By this sum.
    By(Sum<'c>),
    /// It goes by memory: by this load.
    Loaded(Value<'c>),
    /// It is no linear function of the variable because of this value.
    NotLinear(Value<'c>),
}

/// `constant + Σ factor · product of values`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Sum<'c> {
    pub(super) constant: i64,
    terms: Vec<(i64, Vec<Value<'c>>)>,
}

impl<'c> Sum<'c> {
    fn constant(constant: i64) -> Self {
        Sum { constant, terms: Vec::new() }
    }

    /// The number, where it is one.
    pub(super) fn as_number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Whether it is so much times one value.
    pub(super) fn is_product_of(&self, factor: i64) -> bool {
        let one = |(own, values): &(i64, Vec<Value<'c>>)| *own == factor && values.len() == 1;
        self.constant == 0 && self.terms.len() == 1 && self.terms.iter().all(one)
    }

    fn plus(mut self, other: &Sum<'c>, sign: i64) -> Self {
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(sign));
        for (factor, values) in &other.terms {
            let factor = factor.wrapping_mul(sign);
            let same = |product: &[Value<'c>]| {
                product.len() == values.len() && values.iter().all(|value| product.contains(value))
            };
            match self.terms.iter_mut().find(|(_, product)| same(product)) {
                Some((own, _)) => *own = own.wrapping_add(factor),
                None => self.terms.push((factor, values.clone())),
            }
        }
        self.terms.retain(|(factor, _)| *factor != 0);
        self
    }

    fn scaled(mut self, factor: i64) -> Self {
        self.constant = self.constant.wrapping_mul(factor);
        self.terms.iter_mut().for_each(|(own, _)| *own = own.wrapping_mul(factor));
        self.terms.retain(|(factor, _)| *factor != 0);
        self
    }

    fn times(self, value: Value<'c>) -> Self {
        if let Some(number) = value.as_int() {
            return self.scaled(number);
        }
        let mut terms: Vec<(i64, Vec<Value<'c>>)> = Vec::new();
        if self.constant != 0 {
            terms.push((self.constant, vec![value]));
        }
        for (factor, mut product) in self.terms {
            product.push(value);
            terms.push((factor, product));
        }
        Sum { constant: 0, terms }
    }

    /// The sum in units of so many bytes, if it has no rest.
    pub(super) fn in_units(&self, bytes: i64) -> Option<Self> {
        let whole = |number: i64| bytes > 0 && number % bytes == 0;
        let fits = whole(self.constant) && self.terms.iter().all(|(factor, _)| whole(*factor));
        fits.then(|| Sum {
            constant: self.constant / bytes,
            terms: self.terms.iter().map(|(factor, values)| (factor / bytes, values.clone())).collect(),
        })
    }

    /// As the source would write it; none where a value has no name there.
    pub(super) fn text(&self, is_turned: bool) -> Option<String> {
        let mut parts = Vec::new();
        for (factor, values) in &self.terms {
            let names: Option<Vec<String>> = values.iter().map(|&value| name(value, is_turned)).collect();
            let product = names?.join(" * ");
            parts.push(if *factor == 1 { product } else { format!("{factor} * {product}") });
        }
        if self.constant != 0 || parts.is_empty() {
            parts.push(self.constant.to_string());
        }
        Some(parts.join(" + "))
    }
}

/// A value's name in the source, as far as it has one.
fn name(value: Value<'_>, is_turned: bool) -> Option<String> {
    let name = |value| name(value, is_turned);
    if value.is_parameter() {
        return Some(value.name()).filter(|name| !name.is_empty());
    }
    if let Some(number) = value.as_int() {
        return Some(number.to_string());
    }
    let dimension = || dimension(value).map(|own| if is_turned { turned(own) } else { own });
    match value.opcode()? {
        Opcode::LLVMSExt | Opcode::LLVMZExt | Opcode::LLVMTrunc | Opcode::LLVMFreeze => {
            name(value.operand(0))
        }
        Opcode::LLVMCall => match Query::of(value)? {
            Query::GlobalSize => Some(format!("get_global_size({})", dimension()?)),
            Query::LocalSize => Some(format!("get_local_size({})", dimension()?)),
            _ => None,
        },
        Opcode::LLVMMul => Some(format!("{} * {}", name(value.operand(0))?, name(value.operand(1))?)),
        Opcode::LLVMAdd => Some(format!("({} + {})", name(value.operand(0))?, name(value.operand(1))?)),
        Opcode::LLVMSub => Some(format!("({} - {})", name(value.operand(0))?, name(value.operand(1))?)),
        _ => None,
    }
}

/// Finds steps of one variable.
pub(super) struct Steps<'a, 'c> {
    cfg: &'a Cfg<'c>,
    layout: Layout<'a>,
    variable: Variable<'c>,
    known: HashMap<Value<'c>, Step<'c>>,
}

impl<'a, 'c> Steps<'a, 'c> {
    pub(super) fn new(cfg: &'a Cfg<'c>, layout: Layout<'a>, variable: Variable<'c>) -> Self {
        Steps { cfg, layout, variable, known: HashMap::new() }
    }

    /// The step of a value; of pointers in bytes.
    pub(super) fn of(&mut self, value: Value<'c>) -> Step<'c> {
        if !value.is_instruction() {
            return Step::By(Sum::default());
        }
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        // A variable of a loop that comes back to itself without a change keeps its step.
        self.known.insert(value, Step::By(Sum::default()));
        let step = self.find(value);
        self.known.insert(value, step.clone());
        step
    }

    fn find(&mut self, value: Value<'c>) -> Step<'c> {
        if self.variable == Variable::Counter(value) {
            return Step::By(Sum::constant(1));
        }
        if let Some(query) = Query::of(value) {
            return self.query(value, query);
        }
        let operand = |number: u32| value.operand(number);
        match value.opcode() {
            Some(Opcode::LLVMPHI) => self.phi(value),
            Some(Opcode::LLVMSExt | Opcode::LLVMZExt | Opcode::LLVMTrunc | Opcode::LLVMFreeze) => {
                self.of(operand(0))
            }
            Some(Opcode::LLVMAdd) => self.sum(operand(0), operand(1), 1),
            Some(Opcode::LLVMOr) if value.is_disjoint_or() => self.sum(operand(0), operand(1), 1),
            Some(Opcode::LLVMSub) => self.sum(operand(0), operand(1), -1),
            Some(Opcode::LLVMMul) => {
                let zero = Step::By(Sum::default());
                match (self.of(operand(0)), self.of(operand(1))) {
                    (Step::By(step), other) if other == zero => Step::By(step.times(operand(1))),
                    (own, Step::By(step)) if own == zero => Step::By(step.times(operand(0))),
                    (Step::By(_), Step::By(_)) => Step::NotLinear(value),
                    (Step::By(_), other) | (other, _) => other,
                }
            }
            Some(Opcode::LLVMShl) => match (self.of(operand(0)), operand(1).as_int()) {
                (Step::By(step), Some(by @ 0..=62)) => Step::By(step.scaled(1 << by)),
                _ => self.unless_constant(value),
            },
            Some(Opcode::LLVMGetElementPtr) => self.address(value),
            Some(Opcode::LLVMLoad) => match self.of(operand(0)) {
                Step::By(step) if step == Sum::default() => Step::By(step),
                _ => Step::Loaded(value),
            },
            _ => self.unless_constant(value),
        }
    }

    fn query(&self, call: Value<'c>, query: Query) -> Step<'c> {
        let Variable::Id(along) = self.variable else { return Step::By(Sum::default()) };
        let here = dimension(call).is_some_and(|asked| usize::try_from(asked) == Ok(along));
        match query {
            Query::GlobalId | Query::LocalId => Step::By(Sum::constant(i64::from(here))),
            Query::GlobalLinearId | Query::LocalLinearId if along == 0 => Step::By(Sum::constant(1)),
            Query::GlobalLinearId | Query::LocalLinearId | Query::SubGroupLane | Query::SubGroupNumber => {
                Step::NotLinear(call)
            }
            _ => Step::By(Sum::default()),
        }
    }

    fn sum(&mut self, left: Value<'c>, right: Value<'c>, sign: i64) -> Step<'c> {
        match (self.of(left), self.of(right)) {
            (Step::By(left), Step::By(right)) => Step::By(left.plus(&right, sign)),
            (Step::By(_), other) | (other, _) => other,
        }
    }

    /// A variable that a loop carries moves as its first value does, as long as rounds add what does not move; another PHI
    /// node as all that is brought to it.
    fn phi(&mut self, phi: Value<'c>) -> Step<'c> {
        let block = phi.block().map_or(0, |block| self.cfg.number(block));
        let is_back = |from: &usize| self.cfg.is_back_edge(*from, block);
        let (mut entering, mut returning) = (Vec::new(), Vec::new());
        for (value, from) in phi.incoming() {
            if is_back(&self.cfg.number(from)) { returning.push(value) } else { entering.push(value) }
        }
        let mut steps = entering.into_iter().map(|value| self.of(value));
        let Some(first) = steps.next() else { return Step::NotLinear(phi) };
        if steps.any(|step| step != first) {
            return Step::NotLinear(phi);
        }
        drop(steps);
        self.known.insert(phi, first.clone());
        for value in returning {
            if self.of(value) != first {
                return Step::NotLinear(phi);
            }
        }
        first
    }

    fn address(&mut self, gep: Value<'c>) -> Step<'c> {
        let mut total = match self.of(gep.operand(0)) {
            Step::By(step) => step,
            other => return other,
        };
        let Some(steps) = gep.gep_steps(self.layout) else { return Step::NotLinear(gep) };
        let operands = gep.operands();
        for (position, bytes) in steps.variable {
            match self.of(operands[position]) {
                Step::By(step) => total = total.plus(&step, bytes),
                other => return other,
            }
        }
        Step::By(total)
    }

    /// What is computed otherwise: it does not move if nothing does that it is computed from.
    fn unless_constant(&mut self, value: Value<'c>) -> Step<'c> {
        let operands = match value.opcode() {
            Some(Opcode::LLVMCall) => value.arguments(),
            _ => value.operands(),
        };
        for operand in operands {
            match self.of(operand) {
                Step::By(step) if step == Sum::default() => {}
                Step::By(_) => return Step::NotLinear(value),
                other => return other,
            }
        }
        Step::By(Sum::default())
    }
}
