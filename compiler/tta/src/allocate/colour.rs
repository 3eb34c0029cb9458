//! Colouring: a register for each value, so that no two that live together share one.
//!
//! Values with few neighbours are set aside first, for they find a register whatever the others take; then the cheapest ones
//! to keep in memory, in the hope that they find one all the same.

use super::Convention;
use super::graph::Graph;
use crate::code::{Class, FIXED, Function, Value};
use crate::schedule::mir::Register;
use std::collections::{BTreeMap, BTreeSet};

/// What became of the values.
#[derive(Debug)]
pub(super) struct Coloured {
    /// Their registers.
    pub(super) registers: BTreeMap<Value, Register>,
    /// Those that found none.
    pub(super) spilled: BTreeSet<Value>,
}

/// Colours a function. Values of `temporary` are between an operation and memory and cannot be spilled.
pub(super) fn colour(
    function: &Function,
    convention: &Convention,
    graph: &Graph,
    temporary: &BTreeSet<Value>,
) -> Coloured {
    let count = function.classes.len();
    let used = |v: Value| graph.costs[v.0 as usize] > 0;
    let pool = |v: Value| match function.classes[v.0 as usize] {
        Class::Word => convention.words.as_slice(),
        Class::Bit => convention.bits.as_slice(),
    };
    let values = || (FIXED..count as u32).map(Value).filter(|v| used(*v));
    let mut degree: Vec<usize> = graph.neighbours.iter().map(Vec::len).collect();
    let room = |v: Value| {
        let all = pool(v);
        all.len() - graph.forbidden[v.0 as usize].iter().filter(|r| all.contains(r)).count().min(all.len())
    };
    let rooms: Vec<usize> =
        (0..count as u32).map(|v| if used(Value(v)) { room(Value(v)) } else { 0 }).collect();
    let mut left: BTreeSet<Value> = values().collect();
    let mut easy: Vec<Value> = values().filter(|v| degree[v.0 as usize] < rooms[v.0 as usize]).collect();
    let mut order = Vec::with_capacity(left.len());
    loop {
        let next = loop {
            match easy.pop() {
                Some(v) if left.contains(&v) => break Some(v),
                Some(_) => {}
                None => break None,
            }
        };
        let next = next.or_else(|| {
            let price = |v: &Value| {
                let cost = graph.costs[v.0 as usize].saturating_mul(1 << 10);
                if temporary.contains(v) { u64::MAX } else { cost / (degree[v.0 as usize] as u64 + 1) }
            };
            left.iter().copied().min_by_key(price)
        });
        let Some(next) = next else { break };
        left.remove(&next);
        order.push(next);
        for neighbour in &graph.neighbours[next.0 as usize] {
            let at = neighbour.0 as usize;
            degree[at] = degree[at].saturating_sub(1);
            if degree[at] + 1 == rooms[at] && left.contains(neighbour) {
                easy.push(*neighbour);
            }
        }
    }
    let mut registers: BTreeMap<Value, Register> =
        (0..FIXED).map(Value).filter_map(|v| convention.argument(v).map(|register| (v, register))).collect();
    let mut spilled = BTreeSet::new();
    let costs = convention.near.costs(function);
    let mut turns = [0_usize; 2];
    for value in order.into_iter().rev() {
        let at = value.0 as usize;
        let mut taken = graph.forbidden[at].clone();
        taken.extend(graph.neighbours[at].iter().filter_map(|n| registers.get(n).copied()));
        let all = pool(value);
        let hint = graph.copies[at].iter().filter_map(|c| registers.get(c).copied());
        let mut hint = hint.filter(|r| !taken.contains(r) && all.contains(r));
        // In turn, so that what is written next is seldom what was read last.
        let turn = &mut turns[usize::from(function.classes[at] == Class::Bit)];
        let far = |register: Register| convention.near.cost(costs.get(&value), register);
        let next = |from: usize| {
            let places = (0..all.len()).map(|k| (from + k) % all.len());
            places.into_iter().filter(|k| !taken.contains(&all[*k])).min_by_key(|k| far(all[*k]))
        };
        let found = hint.next().or_else(|| {
            let place = next(*turn % all.len().max(1))?;
            *turn = place + 1;
            Some(all[place])
        });
        match found {
            Some(register) => {
                registers.insert(value, register);
            }
            None => {
                spilled.insert(value);
            }
        }
    }
    Coloured { registers, spilled }
}
