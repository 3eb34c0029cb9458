//! Labels of blocks, numbered anew.
//!
//! LLVM's back end keeps the labels of all modules that a process makes, by the addresses of functions of its own that are gone
//! by then (`SPIRVModuleAnalysis.cpp`: the map of blocks is never cleared). So a later module is given labels of an earlier one:
//! numbers that it uses for something else, that lie beyond its bound, or that two of its functions have.
//!
//! In: a module as the back end wrote it. Out: the same, with labels from the first number on that is nothing else's, in the
//! order in which they come. Names go with them; those that two labels may have are left out. Where labels stand is told by the
//! instructions, so that it does not matter what else has their numbers. Where two blocks of one function have the same label, the words do not tell them apart: that is an error.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::Operand;
use rspirv::spirv::Op;

use crate::error::{SpirvError, invalid};
use crate::words::{Instruction, MOST_IDS, parse, words};

/// The module with labels of its own, in this machine's order of bytes.
///
/// # Errors
/// The bytes are no SPIR-V, or two blocks of a function have one label.
pub fn with_own_labels(module: &[u8]) -> Result<Vec<u8>, SpirvError> {
    let mut words = words(module)?;
    // Labels may lie beyond the bound, which is looked at by whoever reads the module.
    words[3] = MOST_IDS;
    let parsed = parse(&bytes(&words))?;
    let instructions = &parsed.instructions;
    let values: BTreeSet<u32> =
        instructions.iter().filter(|i| i.op != Op::Label).filter_map(|i| i.id).collect();
    let mut next = values.last().map_or(1, |last| last + 1);
    // What each number was that only labels have; none where labels of two functions have it.
    let mut renamed: BTreeMap<u32, Option<u32>> = BTreeMap::new();
    for function in instructions.chunk_by(|_, i| i.op != Op::Function) {
        let mut labels = BTreeMap::new();
        for i in function.iter().filter(|i| i.op == Op::Label) {
            let old = i.result()?;
            if labels.insert(old, next).is_some() {
                return Err(invalid(i.word, format!("two blocks of a function have the label {old}")));
            }
            renamed.entry(old).and_modify(|new| *new = None).or_insert(Some(next));
            next += 1;
        }
        for i in function {
            for place in places(i) {
                // A label of another function, which is wrong anyhow, stays as it is.
                if let Some(word) = words.get_mut(i.word + place)
                    && let Some(label) = labels.get(word)
                {
                    *word = *label;
                }
            }
        }
    }
    words[3] = next;
    // From the last to the first, so that those that go away move none that is still to be looked at.
    for i in instructions.iter().filter(|i| i.op == Op::Name).rev() {
        let named = words.get(i.word + 1).copied().unwrap_or_default();
        if values.contains(&named) {
            continue;
        }
        match renamed.get(&named) {
            Some(Some(label)) => words[i.word + 1] = *label,
            // A name for nothing, or for nobody knows which.
            _ => drop(words.drain(i.word..i.word + (words[i.word] >> 16) as usize)),
        }
    }
    Ok(bytes(&words))
}

/// At which words of an instruction labels stand, counted from its first.
fn places(i: &Instruction) -> Vec<usize> {
    match i.op {
        Op::Label | Op::Branch | Op::SelectionMerge => vec![1],
        Op::LoopMerge => vec![1, 2],
        Op::BranchConditional => vec![2, 3],
        // Behind the type and the result pairs of a value and where it comes from.
        Op::Phi => (4..i.operands.len() + 3).step_by(2).collect(),
        Op::Switch => {
            let mut at = 1;
            let mut places = Vec::new();
            for (index, operand) in i.operands.iter().enumerate() {
                if index > 0 && matches!(operand, Operand::IdRef(_)) {
                    places.push(at);
                }
                at += if matches!(operand, Operand::LiteralBit64(_)) { 2 } else { 1 };
            }
            places
        }
        _ => Vec::new(),
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
