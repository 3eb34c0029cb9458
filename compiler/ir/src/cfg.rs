//! The control flow of a function as a table: blocks by number, edges, dominators, loops, control dependence.
//!
//! A snapshot: it is out of date as soon as the function's control flow changes. Dominators, post-dominators and loops
//! are LLVM's own, through the bridge; what is built on them is ours.

use crate::check::fits;
use crate::function::{Block, Function};
use crate::raw::{llvm, oxcl_ir_dominators, oxcl_ir_has_whole_blocks, oxcl_ir_loops};
use std::collections::HashMap;

/// A natural loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// The block that all entries of the loop go to.
    pub header: usize,
    /// The loop around this one.
    pub parent: Option<usize>,
    /// Whether each block of the function is in the loop.
    members: Vec<bool>,
}

impl Loop {
    /// Whether the loop holds a block.
    #[must_use]
    pub fn contains(&self, block: usize) -> bool {
        self.members[block]
    }
}

/// The control flow of one function.
#[derive(Debug)]
pub struct Cfg<'c> {
    /// The blocks; the entry is number 0.
    pub blocks: Vec<Block<'c>>,
    /// Successors of each block, in the terminator's order, repeats kept.
    pub successors: Vec<Vec<usize>>,
    /// Predecessors of each block, each once.
    pub predecessors: Vec<Vec<usize>>,
    /// Loops, outer before inner.
    pub loops: Vec<Loop>,
    /// The innermost loop of each block.
    pub innermost: Vec<Option<usize>>,
    /// Reachable blocks in reverse post-order.
    pub order: Vec<usize>,
    index: HashMap<Block<'c>, usize>,
    idom: Vec<Option<usize>>,
    ipdom: Vec<Option<usize>>,
}

fn some(number: i32) -> Option<usize> {
    usize::try_from(number).ok()
}

impl<'c> Cfg<'c> {
    /// Reads a function's control flow.
    ///
    /// # Panics
    /// Where the function has no blocks, or one without a terminator.
    #[must_use]
    pub fn of(function: Function<'c>) -> Self {
        let whole = llvm!(oxcl_ir_has_whole_blocks; function.raw());
        fits(whole, "the control flow of a function that is not whole");
        let blocks = function.blocks();
        let count = blocks.len();
        let index: HashMap<_, _> =
            blocks.iter().enumerate().map(|(number, &block)| (block, number)).collect();
        let successors: Vec<Vec<usize>> =
            blocks.iter().map(|block| block.successors().iter().map(|next| index[next]).collect()).collect();
        let mut predecessors = vec![Vec::new(); count];
        for (from, nexts) in successors.iter().enumerate() {
            for &to in nexts {
                if !predecessors[to].contains(&from) {
                    predecessors[to].push(from);
                }
            }
        }
        let (mut idom, mut ipdom) = (vec![-1; count], vec![-1; count]);
        llvm!(oxcl_ir_dominators; function.raw(), idom.as_mut_ptr(), ipdom.as_mut_ptr());
        let (mut innermost, mut header, mut parent) = (vec![-1; count], vec![-1; count], vec![-1; count]);
        let found = llvm!(
            oxcl_ir_loops; function.raw(), innermost.as_mut_ptr(), header.as_mut_ptr(), parent.as_mut_ptr()
        );
        let loop_count = usize::try_from(found).unwrap_or(0);
        let parents: Vec<Option<usize>> = parent.iter().take(loop_count).map(|&p| some(p)).collect();
        let mut members = vec![vec![false; count]; loop_count];
        for (block, &inner) in innermost.iter().enumerate() {
            let mut at = some(inner);
            while let Some(number) = at {
                members[number][block] = true;
                at = parents[number];
            }
        }
        let loops = members
            .into_iter()
            .enumerate()
            .map(|(number, members)| Loop {
                header: some(header[number]).unwrap_or(0),
                parent: parents[number],
                members,
            })
            .collect();
        let order = reverse_post_order(&successors);
        Cfg {
            blocks,
            successors,
            predecessors,
            loops,
            innermost: innermost.into_iter().map(some).collect(),
            order,
            index,
            idom: idom.into_iter().map(some).collect(),
            ipdom: ipdom.into_iter().map(some).collect(),
        }
    }

    /// The number of a block.
    ///
    /// # Panics
    /// For a block of another function.
    #[must_use]
    pub fn number(&self, block: Block<'c>) -> usize {
        self.index[&block]
    }

    /// The immediate dominator.
    #[must_use]
    pub fn idom(&self, block: usize) -> Option<usize> {
        self.idom[block]
    }

    /// The immediate post-dominator; `None` for exits and where only the end of the function is common.
    #[must_use]
    pub fn ipdom(&self, block: usize) -> Option<usize> {
        self.ipdom[block]
    }

    /// Whether every way to `block` passes `by` (a block dominates itself).
    #[must_use]
    pub fn dominates(&self, by: usize, block: usize) -> bool {
        let mut at = Some(block);
        while let Some(here) = at {
            if here == by {
                return true;
            }
            at = self.idom[here];
        }
        false
    }

    /// Whether every way from `block` to the end passes `by` (a block post-dominates itself).
    #[must_use]
    pub fn post_dominates(&self, by: usize, block: usize) -> bool {
        let mut at = Some(block);
        while let Some(here) = at {
            if here == by {
                return true;
            }
            at = self.ipdom[here];
        }
        false
    }

    /// For each block, the blocks whose branch decides whether (or how often) it runs, one step deep, in order.
    #[must_use]
    pub fn control_dependences(&self) -> Vec<Vec<usize>> {
        let mut deciders = vec![Vec::new(); self.blocks.len()];
        for &branch in &self.order {
            if self.successors[branch].len() < 2 {
                continue;
            }
            let stop = self.ipdom[branch];
            for &successor in &self.successors[branch] {
                let mut at = Some(successor);
                while let Some(here) = at {
                    if at == stop {
                        break;
                    }
                    if !deciders[here].contains(&branch) {
                        deciders[here].push(branch);
                    }
                    at = self.ipdom[here];
                }
            }
        }
        deciders
    }

    /// The blocks that run between a branch and the point where its ways meet again, in reverse post-order. The branch
    /// itself is among them if it can be met again before that point.
    #[must_use]
    pub fn influence(&self, branch: usize) -> Vec<usize> {
        self.between(branch, self.ipdom(branch))
    }

    /// The blocks that may run behind a branch before `stop`, in reverse post-order.
    #[must_use]
    pub fn between(&self, branch: usize, stop: Option<usize>) -> Vec<usize> {
        let mut seen = vec![false; self.blocks.len()];
        let mut work: Vec<usize> = self.successors[branch].clone();
        while let Some(block) = work.pop() {
            if Some(block) == stop || seen[block] {
                continue;
            }
            seen[block] = true;
            work.extend(&self.successors[block]);
        }
        self.order.iter().copied().filter(|&block| seen[block]).collect()
    }

    /// Whether the edge goes back to the header of a loop that it is in.
    #[must_use]
    pub fn is_back_edge(&self, from: usize, to: usize) -> bool {
        self.loops.iter().any(|l| l.header == to && l.contains(from))
    }
}

fn reverse_post_order(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(successors.len());
    let mut seen = vec![false; successors.len()];
    let mut stack = vec![(0, 0)];
    if let Some(first) = seen.first_mut() {
        *first = true;
    }
    while let Some((block, next)) = stack.pop() {
        match successors[block].get(next) {
            Some(&to) => {
                stack.push((block, next + 1));
                if !seen[to] {
                    seen[to] = true;
                    stack.push((to, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}
