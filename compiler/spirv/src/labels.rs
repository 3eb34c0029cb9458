//! Labels of blocks, numbered anew.
//!
//! LLVM's back end keeps the labels of all modules that a process makes, by the addresses of functions of its own that are gone
//! by then (`SPIRVModuleAnalysis.cpp`: the map of blocks is never cleared). So a later module is given labels of an earlier one:
//! numbers that it uses for something else, that lie beyond its bound, or that two of its functions have.
//!
//! In: a module as the back end wrote it. Out: the same, with labels from the first number on that is nothing else's, in the
//! order in which they come. Where labels stand is told by the instructions, so that it does not matter what else has their
//! numbers. Where two blocks of one function have the same label, the words do not tell them apart: that is an error.

use std::collections::BTreeMap;

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
    let values = instructions.iter().filter(|i| i.op != Op::Label).filter_map(|i| i.id);
    let mut next = values.max().unwrap_or(0) + 1;
    for function in instructions.chunk_by(|_, i| i.op != Op::Function) {
        let mut labels = BTreeMap::new();
        for i in function.iter().filter(|i| i.op == Op::Label) {
            let old = i.result()?;
            if labels.insert(old, next).is_some() {
                return Err(invalid(i.word, format!("two blocks of a function have the label {old}")));
            }
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
