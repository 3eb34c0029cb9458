//! Uniformity: which values and branches differ between work-items that run together.
//!
//! LLVM's analysis (over cycles, so for any control flow) behind `bridge/uniformity.cpp`, which names the sources of
//! divergence; the caller says what it knows of calls, first of all of the work-item queries. What "together" means is
//! thereby the caller's: the work-group, the lanes of a row, or whatever iteration space is tried.
//!
//! In: any function in SSA form. Out: [`Uniformity`], about the function as it is: a snapshot like [`Cfg`]. A value that is
//! called uniform is so for every reader but PHI nodes, which have an answer of their own; and what work-items bring to a
//! PHI node from a cycle that they leave in different rounds is [`Uniformity::is_read_behind`] it.

use crate::cfg::Cfg;
use crate::function::Block;
use crate::raw::{UniformityTables, llvm, owned_text, oxcl_ir_uniformity};
use crate::value::Value;
use crate::{IrError, Opcode};
use std::collections::HashSet;

/// What is known of a call's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The same for all, whatever the arguments are.
    Uniform,
    /// It may differ.
    Varies,
    /// The same for all that give the same arguments.
    AsArguments,
    /// The work-items wait here for each other.
    Barrier,
}

/// A cycle of the control flow; a natural loop where the flow is reducible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cycle {
    header: Option<usize>,
    parent: Option<usize>,
    divergent_exit: bool,
}

/// What differs between the work-items that run a function together.
#[derive(Debug)]
pub struct Uniformity<'c> {
    divergent: HashSet<Value<'c>>,
    known: HashSet<Value<'c>>,
    terminators: Vec<bool>,
    joins: Vec<bool>,
    cycle_of: Vec<Option<usize>>,
    cycles: Vec<Cycle>,
}

impl<'c> Uniformity<'c> {
    /// Asks LLVM. `answer` tells of the calls that the caller knows; the others are judged by what they do. The blocks of
    /// `after_barriers` begin behind a barrier that is no longer there. `in_lock_step`: one instruction is made for all, so that what is
    /// not defined becomes the same for all where it is frozen.
    ///
    /// # Errors
    /// [`IrError::Crash`] where LLVM fails; the function is then only good for being dropped.
    pub fn compute(
        cfg: &Cfg<'c>,
        after_barriers: &[Block<'c>],
        in_lock_step: bool,
        answer: &dyn Fn(Value<'c>) -> Option<Answer>,
    ) -> Result<Self, IrError> {
        let Some(entry) = cfg.blocks.first() else {
            return Err(IrError::Invalid { what: String::new(), message: String::from("it has no body") });
        };
        let instructions: Vec<Value<'c>> = cfg.blocks.iter().flat_map(|block| block.instructions()).collect();
        let known = instructions.iter().filter(|instruction| instruction.is(Opcode::LLVMCall));
        let answers: Vec<_> = known.filter_map(|&call| Some((call.raw(), answer(call)? as u8))).collect();
        let (calls, answers): (Vec<_>, Vec<u8>) = answers.into_iter().unzip();
        let blocks = cfg.blocks.len();
        let behind: Vec<u8> =
            cfg.blocks.iter().map(|block| u8::from(after_barriers.contains(block))).collect();
        let mut divergent = vec![0_u8; instructions.len()];
        let (mut terminators, mut joins) = (vec![0_u8; blocks], vec![0_u8; blocks]);
        let (mut cycle_of, mut header) = (vec![-1; blocks], vec![-1; blocks]);
        let (mut parent, mut exits) = (vec![-1; blocks], vec![0_u8; blocks]);
        let tables = UniformityTables {
            calls: calls.as_ptr(),
            answers: answers.as_ptr(),
            call_count: calls.len(),
            after_barrier: behind.as_ptr(),
            in_lock_step: u8::from(in_lock_step),
            divergent: divergent.as_mut_ptr(),
            terminators: terminators.as_mut_ptr(),
            joins: joins.as_mut_ptr(),
            cycle_of: cycle_of.as_mut_ptr(),
            header: header.as_mut_ptr(),
            parent: parent.as_mut_ptr(),
            divergent_exit: exits.as_mut_ptr(),
        };
        let mut message = std::ptr::null_mut();
        let count = llvm!(
            oxcl_ir_uniformity; entry.function().raw(), &raw const tables, &raw mut message
        );
        let Ok(count) = usize::try_from(count) else {
            return Err(IrError::Crash { doing: "the uniformity analysis", message: owned_text(message) });
        };
        let some = |number: i32| usize::try_from(number).ok();
        Ok(Uniformity {
            divergent: instructions
                .iter()
                .zip(divergent)
                .filter(|(_, divergent)| *divergent != 0)
                .map(|(&value, _)| value)
                .collect(),
            known: instructions.into_iter().collect(),
            terminators: terminators.into_iter().map(|divergent| divergent != 0).collect(),
            joins: joins.into_iter().map(|join| join != 0).collect(),
            cycle_of: cycle_of.into_iter().map(some).collect(),
            cycles: (0..count)
                .map(|cycle| Cycle {
                    header: some(header[cycle]),
                    parent: some(parent[cycle]),
                    divergent_exit: exits[cycle] != 0,
                })
                .collect(),
        })
    }

    /// Whether a value may differ. Constants and parameters do not; of an instruction that came after the analysis nothing
    /// is known, so it may.
    #[must_use]
    pub fn is_divergent(&self, value: Value<'c>) -> bool {
        value.is_instruction() && (self.divergent.contains(&value) || !self.known.contains(&value))
    }

    /// Whether work-items that reach this block's end together may leave it by different ways.
    #[must_use]
    pub fn has_divergent_terminator(&self, block: usize) -> bool {
        self.terminators[block]
    }

    /// Whether work-items that took different ways from a divergent branch may meet in this block, so that a PHI node tells
    /// them apart.
    #[must_use]
    pub fn is_divergent_join(&self, block: usize) -> bool {
        self.joins[block]
    }

    /// Whether a block is the header of a cycle that work-items may leave in different rounds.
    #[must_use]
    pub fn is_divergent_cycle(&self, header: usize) -> bool {
        self.cycles.iter().any(|cycle| cycle.header == Some(header) && cycle.divergent_exit)
    }

    /// Whether a block is in a cycle that work-items may leave in different rounds.
    #[must_use]
    pub fn is_in_divergent_cycle(&self, block: usize) -> bool {
        self.cycles_around(block).any(|cycle| self.cycles[cycle].divergent_exit)
    }

    /// Where work-items that a divergent branch sends different ways are together again, in the same round of the cycles around;
    /// `None`: only at the end. Not its immediate post-dominator where the branch lets them leave a cycle that both are in.
    #[must_use]
    pub fn reconvergence(&self, cfg: &Cfg<'c>, branch: usize) -> Option<usize> {
        let mut at = cfg.ipdom(branch);
        while let Some(here) = at {
            let around: Vec<usize> = self.cycles_around(here).collect();
            let shared = self.cycles_around(branch).filter(|cycle| around.contains(cycle));
            if !shared.into_iter().any(|cycle| self.cycles[cycle].divergent_exit) {
                break;
            }
            at = cfg.ipdom(here);
        }
        at
    }

    /// Whether what `block` computes is from different rounds of a cycle where `reader` reads it.
    #[must_use]
    pub fn is_read_behind(&self, block: usize, reader: usize) -> bool {
        let around_reader: Vec<usize> = self.cycles_around(reader).collect();
        self.cycles_around(block)
            .take_while(|cycle| !around_reader.contains(cycle))
            .any(|cycle| self.cycles[cycle].divergent_exit)
    }

    /// The cycles that a block is in, from the inside out.
    fn cycles_around(&self, block: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.cycle_of[block], |&cycle| self.cycles[cycle].parent)
    }
}
