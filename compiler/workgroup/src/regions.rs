//! Regions: the parts of a kernel that one work-item runs without waiting for another.
//!
//! In: a prepared kernel. Out: [`Regions`]; the kernel's barriers are gone, each having become an edge between blocks.
//!
//! Every barrier is a cut. Where all work-items decide alike whether they meet a barrier (every branch that the barrier
//! is control dependent on is uniform), the flow is *regular*: those branches are taken once for the whole group, and
//! their targets and joins are cuts too, so that the regions form a graph that the group walks. Anything else is
//! *irregular*: a region is all that can be reached from a cut without passing another, each work-item remembers which
//! region it continues in, and the group runs the pending regions one after another. Work-items that left early just do
//! not take part, as on a GPU.
//!
//! Blocks that several regions reach belong to each of them; a region is only ever read as a recipe for emission.

use crate::error::FormError;
use crate::prepare::Prepared;
use crate::sub_groups;
use crate::workitem::{Together, is_barrier, is_group_barrier};
use oxcl_ir::cfg::Cfg;
use oxcl_ir::shape::Shapes;
use oxcl_ir::{Block, Value};
use std::cell::OnceCell;
use std::rc::Rc;

/// How a region ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The work-item is done.
    Return {
        /// The block that ends the kernel.
        block: usize,
    },
    /// Goes on in another region.
    Edge {
        /// The last block of this region.
        from: usize,
        /// The first block of the next.
        to: usize,
    },
    /// The group takes this block's branch.
    Branch {
        /// The block whose terminator decides.
        block: usize,
    },
}

/// A part of the kernel without barriers.
#[derive(Debug)]
pub(crate) struct Region {
    /// The first block.
    pub(crate) entry: usize,
    /// The blocks in reverse post-order, the entry first.
    pub(crate) blocks: Vec<usize>,
    /// Every way out.
    pub(crate) ends: Vec<End>,
    member: Vec<bool>,
}

impl Region {
    /// Whether the region holds a block.
    pub(crate) fn contains(&self, block: usize) -> bool {
        self.member[block]
    }
}

/// A kernel, cut.
#[derive(Debug)]
pub(crate) struct Regions<'c> {
    pub(crate) cfg: Cfg<'c>,
    /// Shapes among the work-items of a group.
    pub(crate) shapes: Shapes<'c>,
    /// The regions in reverse post-order of their entries, or as `sub_groups` orders them; the kernel's own entry first.
    pub(crate) regions: Vec<Region>,
    /// The group decides every way between regions.
    pub(crate) regular: bool,
    /// Why not regular: the line of a divergent branch that a barrier depends on.
    pub(crate) irregular_line: u32,
    /// Work-items of sub-groups meet: some barriers are not the group's.
    pub(crate) meets: bool,
    /// The blocks that followed a barrier, one for each barrier in the kernel.
    pub(crate) after_barriers: Vec<Block<'c>>,
    /// The region that begins with a block.
    region_of_entry: Vec<Option<usize>>,
    /// Shapes among neighbours in dimension 0, once somebody has asked.
    row_shapes: OnceCell<Rc<Shapes<'c>>>,
}

impl<'c> Regions<'c> {
    /// The shapes of the kernel's values among neighbours in dimension 0.
    ///
    /// # Errors
    /// LLVM's failure in the analysis.
    pub(crate) fn row_shapes(&self, kernel: &Prepared<'_, 'c>) -> Result<&Rc<Shapes<'c>>, FormError> {
        if let Some(known) = self.row_shapes.get() {
            return Ok(known);
        }
        let row = kernel.lanes;
        let shapes = Shapes::compute(&self.cfg, kernel.layout, &self.after_barriers, &row)?;
        Ok(self.row_shapes.get_or_init(|| Rc::new(shapes)))
    }

    /// The region that begins with a block.
    pub(crate) fn starting_at(&self, entry: usize) -> Option<usize> {
        self.region_of_entry[entry]
    }

    /// Whether a region begins with a block.
    pub(crate) fn is_entry(&self, block: usize) -> bool {
        self.region_of_entry[block].is_some()
    }
}

/// The barriers of a kernel that has none any more.
#[derive(Debug)]
pub(crate) struct Barriers<'c> {
    /// The blocks that follow them.
    after: Vec<Block<'c>>,
    /// Those of them that follow the whole group's.
    after_group: Vec<Block<'c>>,
}

/// Cuts a kernel into regions at its barriers and at some of its blocks, which all work-items reach alike.
///
/// # Errors
/// LLVM's failure in the analysis.
pub(crate) fn form<'c>(
    kernel: &Prepared<'_, 'c>,
    barriers: &Barriers<'c>,
    others: &[usize],
) -> Result<Regions<'c>, FormError> {
    let (after_barriers, after_group_barriers) = (barriers.after.clone(), &barriers.after_group);
    let meets = after_group_barriers.len() < after_barriers.len();
    let cfg = Cfg::of(kernel.function);
    let shapes = Shapes::compute(&cfg, kernel.layout, &after_barriers, &Together::Group)?;
    let mut cuts = Cuts::new(&cfg);
    for &block in &after_barriers {
        cuts.entry[cfg.number(block)] = true;
    }
    for &block in others {
        cuts.entry[block] = true;
    }
    let simple = cuts.clone();
    let irregular = cuts.close(&cfg, &shapes).err();
    let mut regions = if irregular.is_none() { cuts.regions(&cfg) } else { simple.regions(&cfg) };
    let mut regular = irregular.is_none();
    if regular && regions.iter().any(|region| !has_one_way_out(region)) {
        regular = false;
        regions = simple.regions(&cfg);
    }
    if meets && !regular {
        let waits: Vec<usize> = after_group_barriers.iter().map(|&block| cfg.number(block)).collect();
        sub_groups::put_in_order(&cfg, &mut regions, |block| waits.contains(&block));
    }
    let irregular_line = irregular.and_then(|block| cfg.blocks[block].terminator()).map_or(0, Value::line);
    let mut region_of_entry = vec![None; cfg.blocks.len()];
    for (number, region) in regions.iter().enumerate() {
        region_of_entry[region.entry] = Some(number);
    }
    Ok(Regions {
        cfg,
        shapes,
        regions,
        regular,
        irregular_line,
        meets,
        after_barriers,
        region_of_entry,
        row_shapes: OnceCell::new(),
    })
}

/// Replaces PHI nodes at a region's entry that only pass one value of their own shape on (loop-closed form makes them):
/// kept as they are, value and copy would both live between regions. Not so where the block before may also go back to
/// the PHI node whose value is passed on: work-items give it its next value there before the group takes its way. And not
/// so behind a cycle that work-items leave in different rounds: there the two are not the same to those who run together.
///
/// Not before it is known that the kernel stays cut so.
pub(crate) fn fold_copies(regions: &Regions<'_>) {
    let Regions { cfg, shapes, regions, .. } = regions;
    for region in &regions[1..] {
        for phi in cfg.blocks[region.entry].phis() {
            let [(value, from)] = phi.incoming()[..] else { continue };
            let defined = value.block().map(|block| cfg.number(block));
            let overwritten = value.is_phi()
                && defined.is_some_and(|header| cfg.successors[cfg.number(from)].contains(&header));
            let behind = defined.is_some_and(|block| shapes.uniformity().is_read_behind(block, region.entry));
            if !overwritten && !behind && shapes.of(phi).is_uniform() == shapes.of(value).is_uniform() {
                phi.replace_uses_with(value);
                phi.erase();
            }
        }
    }
}

/// Removes the barriers, each leaving a block boundary behind.
pub(crate) fn split_at_barriers<'c>(kernel: &Prepared<'_, 'c>) -> Barriers<'c> {
    let (mut after, mut after_group) = (Vec::new(), Vec::new());
    for barrier in kernel.function.instructions() {
        if !is_barrier(barrier) {
            continue;
        }
        let (Some(block), Some(next)) = (barrier.block(), barrier.next()) else { continue };
        let name = if is_group_barrier(barrier) { "after.barrier" } else { "after.meeting" };
        let follows = block.split_before(next, name);
        after.push(follows);
        if is_group_barrier(barrier) {
            after_group.push(follows);
        }
        barrier.erase();
    }
    Barriers { after, after_group }
}

#[derive(Debug, Clone)]
struct Cuts {
    entry: Vec<bool>,
    group_branch: Vec<bool>,
}

impl Cuts {
    fn new(cfg: &Cfg<'_>) -> Self {
        let count = cfg.blocks.len();
        let mut entry = vec![false; count];
        if let Some(first) = entry.first_mut() {
            *first = true;
        }
        Cuts { entry, group_branch: vec![false; count] }
    }

    /// Adds the cuts that make the flow between regions the group's. Fails with a divergent branch that a cut depends
    /// on.
    fn close(&mut self, cfg: &Cfg<'_>, shapes: &Shapes<'_>) -> Result<(), usize> {
        let deciders = cfg.control_dependences();
        loop {
            let mut changed = false;
            for &block in &cfg.order {
                if self.entry[block] || self.group_branch[block] {
                    for &branch in &deciders[block] {
                        changed |= self.take_by_group(cfg, shapes, branch)?;
                    }
                }
            }
            if changed {
                continue;
            }
            let Some(shared) = self.shared_uniform_block(cfg, shapes, &deciders) else { return Ok(()) };
            self.entry[shared] = true;
        }
    }

    fn take_by_group(&mut self, cfg: &Cfg<'_>, shapes: &Shapes<'_>, branch: usize) -> Result<bool, usize> {
        if shapes.is_divergent(branch) {
            return Err(branch);
        }
        let mut changed = !self.group_branch[branch];
        self.group_branch[branch] = true;
        for &target in cfg.successors[branch].iter().chain(&cfg.ipdom(branch)) {
            changed |= !self.entry[target];
            self.entry[target] = true;
        }
        Ok(changed)
    }

    /// A block that several regions reach and that all work-items reach alike: better a cut than a copy in each.
    fn shared_uniform_block(
        &self,
        cfg: &Cfg<'_>,
        shapes: &Shapes<'_>,
        deciders: &[Vec<usize>],
    ) -> Option<usize> {
        let mut reached = vec![0_usize; cfg.blocks.len()];
        for region in self.regions(cfg) {
            for &block in &region.blocks {
                reached[block] += 1;
            }
        }
        cfg.order.iter().copied().find(|&block| {
            reached[block] > 1 && !self.entry[block] && is_uniformly_reached(block, shapes, deciders)
        })
    }

    fn regions(&self, cfg: &Cfg<'_>) -> Vec<Region> {
        cfg.order.iter().filter(|&&block| self.entry[block]).map(|&block| self.region(cfg, block)).collect()
    }

    fn region(&self, cfg: &Cfg<'_>, entry: usize) -> Region {
        let mut member = vec![false; cfg.blocks.len()];
        let mut work = vec![entry];
        member[entry] = true;
        while let Some(block) = work.pop() {
            if self.group_branch[block] {
                continue;
            }
            for &next in &cfg.successors[block] {
                if !self.entry[next] && !member[next] {
                    member[next] = true;
                    work.push(next);
                }
            }
        }
        let blocks: Vec<usize> = order_from(cfg, entry, &member);
        let mut ends = Vec::new();
        for &block in &blocks {
            if self.group_branch[block] {
                ends.push(End::Branch { block });
            } else if cfg.successors[block].is_empty() {
                ends.push(End::Return { block });
            } else {
                for &next in &cfg.successors[block] {
                    let end = End::Edge { from: block, to: next };
                    if self.entry[next] && !ends.contains(&end) {
                        ends.push(end);
                    }
                }
            }
        }
        Region { entry, blocks, ends, member }
    }
}

/// The members in the function's order, the entry first: in a region that goes round a loop from its middle, the
/// function's own order need not begin with the entry.
fn order_from(cfg: &Cfg<'_>, entry: usize, member: &[bool]) -> Vec<usize> {
    let mut seen = vec![false; cfg.blocks.len()];
    let mut post = Vec::new();
    let mut stack = vec![(entry, 0)];
    seen[entry] = true;
    while let Some((block, next)) = stack.pop() {
        match cfg.successors[block].get(next) {
            Some(&to) => {
                stack.push((block, next + 1));
                // Only ways inside the region count; the entry's own predecessors are outside by definition.
                if member[to] && !seen[to] {
                    seen[to] = true;
                    stack.push((to, 0));
                }
            }
            None => post.push(block),
        }
    }
    post.reverse();
    post
}

fn is_uniformly_reached(block: usize, shapes: &Shapes<'_>, deciders: &[Vec<usize>]) -> bool {
    let mut seen = vec![false; deciders.len()];
    let mut work = vec![block];
    while let Some(at) = work.pop() {
        for &branch in &deciders[at] {
            if shapes.is_divergent(branch) {
                return false;
            }
            if !seen[branch] {
                seen[branch] = true;
                work.push(branch);
            }
        }
    }
    true
}

/// Whether the group needs no work-item's word for where a region leads.
fn has_one_way_out(region: &Region) -> bool {
    let way = |end: &End| match *end {
        End::Return { .. } => (0, 0),
        End::Edge { to, .. } => (1, to),
        End::Branch { block } => (2, block),
    };
    match region.ends.split_first() {
        Some((first, rest)) => rest.iter().all(|end| way(end) == way(first)),
        // An endless loop: there is no way out, and nothing to decide.
        None => true,
    }
}
