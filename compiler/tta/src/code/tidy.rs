//! Removal of what is not needed: copies within a block whose source can be read instead, operations without readers,
//! blocks that nobody reaches; and the estimate of how often blocks run.

use super::{Block, FIXED, Function, Input, Node, STACK_POINTER, Terminator, Value};
use std::collections::BTreeMap;

/// Sets of values, one bit each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    words: Vec<u64>,
}

impl Values {
    /// The empty set of `count` possible values.
    #[must_use]
    pub fn empty(count: usize) -> Self {
        Self { words: vec![0; count.div_ceil(64)] }
    }

    /// Whether a value is in it.
    #[must_use]
    pub fn has(&self, value: Value) -> bool {
        self.words[value.0 as usize / 64] >> (value.0 % 64) & 1 == 1
    }

    /// Puts a value in.
    pub fn insert(&mut self, value: Value) {
        self.words[value.0 as usize / 64] |= 1 << (value.0 % 64);
    }

    /// Takes a value out.
    pub fn remove(&mut self, value: Value) {
        self.words[value.0 as usize / 64] &= !(1 << (value.0 % 64));
    }

    /// Puts all of another set in; whether that changed anything.
    pub fn add(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            changed |= *b & !*a != 0;
            *a |= *b;
        }
        changed
    }

    /// The values in it, rising.
    pub fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| Value(at as u32 * 64 + bit))
        })
    }
}

/// Goes back over a terminator in a set of what is needed after it.
pub fn before_terminator(terminator: &Terminator, live: &mut Values) {
    for value in terminator.writes() {
        live.remove(*value);
    }
    for value in terminator.reads() {
        live.insert(value);
    }
}

/// Goes back over a node in a set of what is needed after it.
pub fn before_node(node: &Node, live: &mut Values) {
    for output in &node.outputs {
        live.remove(*output);
    }
    for value in node.reads() {
        live.insert(value);
    }
}

/// What is needed after each block, its terminator included.
#[must_use]
pub fn live_out(function: &Function) -> Vec<Values> {
    let count = function.classes.len();
    let blocks = &function.blocks;
    let mut live_in = vec![Values::empty(count); blocks.len()];
    let mut out = live_in.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for number in (0..blocks.len()).rev() {
            for successor in blocks[number].terminator.successors() {
                let (from, to) = (&live_in[successor], &mut out[number]);
                to.add(from);
            }
            let mut live = out[number].clone();
            before_terminator(&blocks[number].terminator, &mut live);
            for node in blocks[number].nodes.iter().rev() {
                before_node(node, &mut live);
            }
            changed |= live_in[number].add(&live);
        }
    }
    out
}

/// Does it all.
pub fn tidy(function: &mut Function) {
    remove_unreached(function);
    for block in &mut function.blocks {
        forward_copies(block);
    }
    while remove_unread(function) {}
    thread_jumps(function);
    remove_unreached(function);
    weigh(function);
}

/// Readers of a copy read what was copied, as far as both stay as they are.
fn forward_copies(block: &mut Block) {
    let mut sources: BTreeMap<Value, Input> = BTreeMap::new();
    for node in &mut block.nodes {
        for input in &mut node.inputs {
            if let Input::Value(value) = input
                && let Some(source) = sources.get(value)
            {
                *input = *source;
            }
        }
        for output in &node.outputs {
            sources.remove(output);
            sources.retain(|_, source| *source != Input::Value(*output));
        }
        let keeps = node.condition.is_none() && node.op.is_none();
        if let ([input], [output]) = (node.inputs.as_slice(), node.outputs.as_slice())
            && keeps
            && *output != STACK_POINTER
            && let Input::Value(from) = input
            && from != output
            && from.0 >= FIXED
        {
            sources.insert(*output, *input);
        }
    }
}

/// Removes operations whose results nobody reads; whether there were any.
fn remove_unread(function: &mut Function) -> bool {
    let out = live_out(function);
    let mut removed = false;
    for (block, mut live) in function.blocks.iter_mut().zip(out) {
        before_terminator(&block.terminator, &mut live);
        let mut kept = Vec::with_capacity(block.nodes.len());
        for node in block.nodes.drain(..).rev() {
            let copies_itself = node.op.is_none()
                && matches!((node.inputs.first(), node.outputs.first()), (Some(Input::Value(a)), Some(b)) if a == b);
            let unread = node.is_removable() && !node.outputs.iter().any(|o| live.has(*o));
            if copies_itself || unread {
                removed = true;
                continue;
            }
            before_node(&node, &mut live);
            kept.push(node);
        }
        kept.reverse();
        block.nodes = kept;
    }
    removed
}

/// Jumps to a block that only jumps go where that goes.
fn thread_jumps(function: &mut Function) {
    let ends: Vec<Option<usize>> = function
        .blocks
        .iter()
        .enumerate()
        .map(|(number, b)| match b.terminator {
            Terminator::Jump(to) if b.nodes.is_empty() && to != number => Some(to),
            _ => None,
        })
        .collect();
    let end = |mut to: usize| {
        for _ in 0..ends.len() {
            match ends[to] {
                Some(next) => to = next,
                None => break,
            }
        }
        to
    };
    for block in &mut function.blocks {
        match &mut block.terminator {
            Terminator::Jump(to) | Terminator::Call { next: to, .. } => *to = end(*to),
            Terminator::Branch { taken, otherwise, .. } => {
                *taken = end(*taken);
                *otherwise = end(*otherwise);
                if taken == otherwise {
                    block.terminator = Terminator::Jump(*taken);
                }
            }
            Terminator::Return { .. } | Terminator::Halt { .. } => {}
        }
    }
}

/// Drops blocks that nobody reaches, and joins a block with the only one that goes to it.
fn remove_unreached(function: &mut Function) {
    let count = function.blocks.len();
    let mut reached = vec![false; count];
    let mut waiting = vec![0];
    let mut entries = vec![0_usize; count];
    while let Some(number) = waiting.pop() {
        if std::mem::replace(&mut reached[number], true) {
            continue;
        }
        for to in function.blocks[number].terminator.successors() {
            entries[to] += 1;
            waiting.push(to);
        }
    }
    entries[0] += 1;
    for number in 0..count {
        while reached[number]
            && let Terminator::Jump(to) = function.blocks[number].terminator
            && to != number
            && entries[to] == 1
        {
            let other = std::mem::replace(
                &mut function.blocks[to],
                Block { nodes: Vec::new(), terminator: Terminator::Jump(to), weight: 1 },
            );
            reached[to] = false;
            function.blocks[number].nodes.extend(other.nodes);
            function.blocks[number].terminator = other.terminator;
        }
    }
    let mut numbers = vec![0; count];
    let mut next = 0;
    for number in 0..count {
        if reached[number] {
            numbers[number] = next;
            next += 1;
        }
    }
    let mut number = 0;
    function.blocks.retain(|_| {
        number += 1;
        reached[number - 1]
    });
    for block in &mut function.blocks {
        match &mut block.terminator {
            Terminator::Jump(to) | Terminator::Call { next: to, .. } => *to = numbers[*to],
            Terminator::Branch { taken, otherwise, .. } => {
                *taken = numbers[*taken];
                *otherwise = numbers[*otherwise];
            }
            Terminator::Return { .. } | Terminator::Halt { .. } => {}
        }
    }
}

/// Estimates how often blocks run: eight times as often for each loop that they are in.
fn weigh(function: &mut Function) {
    let count = function.blocks.len();
    let successors: Vec<Vec<usize>> = function.blocks.iter().map(|b| b.terminator.successors()).collect();
    let mut predecessors = vec![Vec::new(); count];
    for (from, all) in successors.iter().enumerate() {
        for to in all {
            predecessors[*to].push(from);
        }
    }
    // A loop is what goes back to a block that is still open in a walk in depth: from its end back to its head.
    let mut state = vec![0_u8; count];
    let mut stack = vec![(0_usize, 0_usize)];
    let mut backs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    state[0] = 1;
    while let Some((number, at)) = stack.pop() {
        match successors[number].get(at) {
            Some(&to) => {
                stack.push((number, at + 1));
                match state[to] {
                    0 => {
                        state[to] = 1;
                        stack.push((to, 0));
                    }
                    1 => backs.entry(to).or_default().push(number),
                    _ => {}
                }
            }
            None => state[number] = 2,
        }
    }
    let mut depth = vec![0_u32; count];
    for (head, ends) in backs {
        let mut inside = vec![false; count];
        inside[head] = true;
        let mut waiting = ends;
        while let Some(number) = waiting.pop() {
            if !std::mem::replace(&mut inside[number], true) {
                waiting.extend(&predecessors[number]);
            }
        }
        for (number, inside) in inside.into_iter().enumerate() {
            depth[number] += u32::from(inside);
        }
    }
    for (block, depth) in function.blocks.iter_mut().zip(depth) {
        block.weight = 8_u64.pow(depth.min(8));
    }
}
