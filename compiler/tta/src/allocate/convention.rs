//! Which registers of a machine programs use, and for what.

use super::near::Near;
use crate::code::{STACK_POINTER, Value};
use crate::model::{Guard, GuardSource, Machine};
use crate::schedule::mir::Register;
use crate::schedule::temporaries;
use std::collections::BTreeMap;

/// The registers of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Convention {
    /// Registers of 32 bits, in the order in which they are handed out: from file to file in turn.
    pub words: Vec<Register>,
    /// Registers that guards test.
    pub bits: Vec<Register>,
    /// The stack pointer.
    pub stack: Register,
    /// Frames are multiples of this; at least 16.
    pub stack_align: u32,
    /// How far each file is from what the machine's units want and leave.
    pub(super) near: Near,
    arguments: usize,
}

impl Convention {
    /// The registers of a machine; `None` if it has none of a kind.
    #[must_use]
    pub fn of(machine: &Machine, stack_align: u32) -> Option<Self> {
        let reserved = temporaries(machine);
        let mut guards: BTreeMap<Register, usize> = BTreeMap::new();
        for bus in &machine.buses {
            for guard in &bus.guards {
                if let Guard::If { source: GuardSource::Register { file, index }, .. } = guard {
                    *guards.entry(Register { file: *file, index: *index }).or_default() += 1;
                }
            }
        }
        let narrow = |r: &Register| machine.register_files[r.file.index()].width < 32;
        // A register that fewer buses can test than others is left alone.
        let most = guards.iter().filter(|(r, _)| narrow(r)).map(|(_, n)| *n).max()?;
        let bits: Vec<Register> =
            guards.iter().filter(|(r, n)| narrow(r) && **n == most).map(|(r, _)| *r).collect();
        let files: Vec<_> = machine.register_files().filter(|(_, f)| f.width == 32).collect();
        let longest = files.iter().map(|(_, f)| f.size).max()?;
        let mut words: Vec<Register> = (0..longest)
            .flat_map(|index| {
                files.iter().filter(move |(_, f)| index < f.size).map(move |(file, f)| (*file, f, index))
            })
            .filter(|(_, f, index)| !(f.zero_register && *index == 0))
            .map(|(file, _, index)| Register { file, index })
            .filter(|r| !reserved.contains(r))
            .collect();
        // The stack pointer, and four for the code: with fewer, operations of three operands do not always find room.
        if words.len() < 5 {
            return None;
        }
        let stack = words.pop()?;
        let arguments = match words.len() {
            0..8 => 2,
            8..14 => 4,
            _ => 8,
        };
        let near = Near::of(machine, &words, &reserved);
        Some(Self { words, bits, stack, near, stack_align: stack_align.max(16), arguments })
    }

    /// The register of a value with a fixed meaning; none for arguments that are passed in memory.
    #[must_use]
    pub fn argument(&self, value: Value) -> Option<Register> {
        if value == STACK_POINTER {
            return Some(self.stack);
        }
        let number = (value.0 as usize).checked_sub(10)?;
        if number < self.arguments { self.words.get(number).copied() } else { None }
    }
}
