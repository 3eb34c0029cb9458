//! Which blocks of a region the lanes do not run together, and in which order those are emitted.
//!
//! A block is *divided* if a divergent branch decides whether, or how often, a lane runs it: if it lies between such a
//! branch and the point where the branch's ways meet again, in the same round of the loops around. Everywhere else control flow stays real control flow. The
//! divided blocks form *chunks*; each is left by one block, where all lanes are together again. A chunk is emitted as a
//! sequence in topological order, loops nested, every block under the mask of the lanes that want it. A loop without a
//! divergent branch is left by all lanes that came to it at once: inside of it control flow stays real, under one mask.
//!
//! In: reducible control flow. At W = 1 no branch is divergent and there are no chunks.

use crate::regions::Region;
use oxcl_ir::cfg::Cfg;
use oxcl_ir::shape::Shapes;

/// One step of a chunk's sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// A block.
    Block(usize),
    /// A loop, run until no lane is left in it; the header comes first.
    Loop(usize, Vec<Step>),
    /// A loop that lanes leave together: its header and all its blocks, those of inner loops included, in the function's order.
    Together(usize, Vec<usize>),
}

impl Step {
    /// The block that lanes enter the step by.
    pub(crate) fn first(&self) -> usize {
        match self {
            Step::Block(block) | Step::Loop(block, _) | Step::Together(block, _) => *block,
        }
    }
}

/// Divided blocks that are emitted as one sequence.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) steps: Vec<Step>,
    /// The block where all lanes are together again, if it is in the region.
    pub(crate) join: Option<usize>,
}

/// The chunks of a region.
#[derive(Debug)]
pub(crate) struct Chunks {
    pub(crate) chunks: Vec<Chunk>,
    /// The chunk of each block.
    of_block: Vec<Option<usize>>,
    /// Blocks of loops that the lanes that came to them leave together.
    together: Vec<bool>,
}

impl Chunks {
    /// The chunk that a block is in.
    pub(crate) fn of(&self, block: usize) -> Option<usize> {
        self.of_block[block]
    }

    /// Whether the block is in a loop that the lanes that came to it leave together.
    pub(crate) fn is_together(&self, block: usize) -> bool {
        self.together[block]
    }

    /// Whether lanes may run the block without the others.
    pub(crate) fn is_divided(&self, block: usize) -> bool {
        self.of_block[block].is_some()
    }

    /// No chunks: all lanes run everything together.
    pub(crate) fn none(cfg: &Cfg<'_>) -> Chunks {
        let count = cfg.blocks.len();
        Chunks { chunks: Vec::new(), of_block: vec![None; count], together: vec![false; count] }
    }

    /// Finds the chunks of a region from the shapes among lanes.
    pub(crate) fn find(cfg: &Cfg<'_>, region: &Region, shapes: &Shapes<'_>) -> Chunks {
        let count = cfg.blocks.len();
        let divergent: Vec<usize> =
            region.blocks.iter().copied().filter(|&block| shapes.is_divergent(block)).collect();
        let mut divided = vec![false; count];
        let mut influences = Vec::new();
        for &branch in &divergent {
            let mut influence = cfg.between(branch, shapes.uniformity().reconvergence(cfg, branch));
            influence.retain(|&block| region.contains(block));
            for &block in &influence {
                divided[block] = true;
            }
            influences.push(influence);
        }
        // Influences that touch, and those that end inside another, are one chunk.
        let mut leader: Vec<usize> = (0..count).collect();
        for (branch, influence) in divergent.iter().zip(&influences) {
            let join = shapes.uniformity().reconvergence(cfg, *branch);
            let join = join.filter(|&join| divided[join] && region.contains(join));
            let own = Some(*branch).filter(|&branch| divided[branch]);
            let mut together = influence.iter().copied().chain(join).chain(own);
            if let Some(first) = together.next() {
                for block in together {
                    unite(&mut leader, first, block);
                }
            }
        }
        // What no loop that lanes leave together may hold: divergent branches, and where the region begins.
        let mut parts = vec![false; count];
        for &block in divergent.iter().chain([&region.entry]) {
            parts[block] = true;
        }
        let mut chunks = Chunks::none(cfg);
        for &block in &region.blocks {
            if !divided[block] || chunks.of_block[block].is_some() {
                continue;
            }
            let own = find(&leader, block);
            let members: Vec<bool> =
                (0..count).map(|other| divided[other] && find(&leader, other) == own).collect();
            for (other, _) in members.iter().enumerate().filter(|(_, member)| **member) {
                chunks.of_block[other] = Some(chunks.chunks.len());
            }
            let join = members
                .iter()
                .enumerate()
                .filter(|(_, member)| **member)
                .flat_map(|(from, _)| cfg.successors[from].iter().copied())
                .find(|&to| !members[to] && region.contains(to) && to != region.entry);
            let steps = sequence(cfg, &members, &parts, None);
            mark_together(&steps, &mut chunks.together);
            chunks.chunks.push(Chunk { steps, join });
        }
        chunks
    }
}

fn mark_together(steps: &[Step], together: &mut [bool]) {
    for step in steps {
        match step {
            Step::Block(_) => {}
            Step::Loop(_, inner) => mark_together(inner, together),
            Step::Together(_, blocks) => blocks.iter().for_each(|&block| together[block] = true),
        }
    }
}

fn find(leader: &[usize], mut at: usize) -> usize {
    while leader[at] != at {
        at = leader[at];
    }
    at
}

fn unite(leader: &mut [usize], a: usize, b: usize) {
    let (a, b) = (find(leader, a), find(leader, b));
    leader[a.max(b)] = a.min(b);
}

/// The blocks of a loop that all lanes leave together, in the function's order; `None` where a branch inside parts them, or
/// where the region goes round by the loop.
fn together(cfg: &Cfg<'_>, members: &[bool], parts: &[bool], number: usize) -> Option<Vec<usize>> {
    let inside = cfg.order.iter().copied().filter(|&block| cfg.loops[number].contains(block));
    let blocks: Vec<usize> = inside.collect();
    blocks.iter().all(|&block| members[block] && !parts[block]).then_some(blocks)
}

/// The members directly inside loop `within`, in topological order, inner loops as one step each.
fn sequence(cfg: &Cfg<'_>, members: &[bool], parts: &[bool], within: Option<usize>) -> Vec<Step> {
    // A loop counts as inner only if the chunk holds its header; a chunk inside a loop does not hold that loop.
    let inner_of = |block: usize| {
        let mut at = cfg.innermost[block];
        let mut found = None;
        while let Some(number) = at {
            if Some(number) == within {
                break;
            }
            if members[cfg.loops[number].header] {
                found = Some(number);
            }
            at = cfg.loops[number].parent;
        }
        found
    };
    let inside =
        |block: usize| members[block] && within.is_none_or(|number| cfg.loops[number].contains(block));
    let header = within.map(|number| cfg.loops[number].header);
    let representative = |block: usize| inner_of(block).map_or(block, |number| cfg.loops[number].header);
    // Kahn's algorithm over representatives, ties by the function's order.
    let nodes: Vec<usize> =
        cfg.order.iter().copied().filter(|&block| inside(block) && representative(block) == block).collect();
    let mut waiting = vec![0_usize; cfg.blocks.len()];
    let edges: Vec<(usize, usize)> = cfg
        .order
        .iter()
        .copied()
        .filter(|&from| inside(from))
        .flat_map(|from| cfg.successors[from].iter().map(move |&to| (from, to)))
        .filter(|&(_, to)| inside(to) && Some(to) != header)
        .map(|(from, to)| (representative(from), representative(to)))
        .filter(|(from, to)| from != to)
        .collect();
    for &(_, to) in &edges {
        waiting[to] += 1;
    }
    let mut steps = Vec::new();
    let mut left = nodes;
    while let Some(at) = left.iter().position(|&node| waiting[node] == 0) {
        let node = left.remove(at);
        for &(from, to) in &edges {
            if from == node {
                waiting[to] -= 1;
            }
        }
        steps.push(match inner_of(node) {
            Some(number) => match together(cfg, members, parts, number) {
                Some(blocks) => Step::Together(node, blocks),
                None => Step::Loop(node, sequence(cfg, members, parts, Some(number))),
            },
            None => Step::Block(node),
        });
    }
    debug_assert!(left.is_empty(), "the control flow is reducible");
    steps
}
