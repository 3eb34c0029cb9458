//! A launch of a kernel's program, described in the memory of the processor that runs it: for simulations without a driver.
//!
//! In: a [`KernelProgram`] and its arguments. Out: what has to be written where before the program runs, and where buffers are
//! then. Everything lies above the program's data and below the stack; what does not fit is an error with the figures.

use super::kernel::{KernelProgram, LAUNCH};
use oxcl_binary::abi;
use oxcl_tta::lift::{Ability, Unsuitable};
use oxcl_tta::model::SpaceId;
use oxcl_tta::program::SymbolValue;
use std::collections::BTreeMap;

/// An argument of a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// A buffer in global memory with what it holds.
    Buffer(Vec<u32>),
    /// Bytes of local memory.
    Local(u32),
    /// A word.
    Word(u32),
}

/// Why a launch cannot be described.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// Nothing runs on the machine.
    #[error(transparent)]
    Unsuitable(#[from] Unsuitable),
    /// A memory is too small.
    #[error("the launch needs {needed} bytes in the address space '{space}', which has {room}")]
    Full {
        /// The space.
        space: String,
        /// Bytes needed, the program's own included.
        needed: u64,
        /// Bytes there are, the stack not counted.
        room: u64,
    },
    /// The program is not that of a kernel.
    #[error("the program has no '{LAUNCH}'")]
    NoLaunch,
}

/// A launch as it is in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Bytes to be written, with their space and address.
    pub writes: Vec<(SpaceId, u32, Vec<u8>)>,
    /// Where the buffers are, in the order of the arguments.
    pub buffers: Vec<(SpaceId, u32)>,
}

/// Hands out addresses above the data of each space.
struct Places<'a> {
    program: &'a KernelProgram,
    next: BTreeMap<SpaceId, u64>,
    private: SpaceId,
}

impl Places<'_> {
    fn take(&mut self, space: SpaceId, bytes: u64) -> Result<u32, LaunchError> {
        let facts = &self.program.program.image.machine.spaces[space.index()];
        let first = self.program.program.data_ends.get(&space).copied().unwrap_or(facts.min_address).max(128);
        let next = self.next.entry(space).or_insert(first);
        let at = next.next_multiple_of(128);
        *next = at.saturating_add(bytes);
        let end = facts.max_address.saturating_add(1).min(1 << 32);
        let end = if space == self.private { end.min(self.program.program.stack_bottom) } else { end };
        let full = LaunchError::Full { space: facts.name.clone(), needed: *next, room: end };
        if *next > end { Err(full) } else { u32::try_from(at).map_err(|_| full) }
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

impl KernelProgram {
    /// Describes a launch of `groups` work-groups of `local` work-items in one dimension.
    ///
    /// # Errors
    /// See [`LaunchError`].
    pub fn launch(&self, groups: u32, local: u32, arguments: &[Argument]) -> Result<Launch, LaunchError> {
        let ability = Ability::of(&self.program.image.machine)?;
        let space = |n| ability.space(n).ok_or(Unsuitable::NoSpace { space: n });
        let (private, global, shared) = (space(0)?, space(1)?, space(3)?);
        let mut places = Places { program: self, next: BTreeMap::new(), private };
        let (mut writes, mut buffers, mut cells) = (Vec::new(), Vec::new(), Vec::new());
        let own = self.formed.local_sizes.iter().map(|size| Argument::Local((*size & 0xffff_ffff) as u32));
        for argument in arguments.iter().cloned().chain(own) {
            let word = match argument {
                Argument::Buffer(words) => {
                    let at = places.take(global, 4 * words.len() as u64)?;
                    writes.push((global, at, bytes(&words)));
                    buffers.push((global, at));
                    at
                }
                Argument::Local(size) => places.take(shared, u64::from(size))?,
                Argument::Word(word) => word,
            };
            let cell = places.take(global, 4)?;
            writes.push((global, cell, bytes(&[word])));
            cells.push(cell);
        }
        let table = places.take(global, 4 * cells.len() as u64)?;
        writes.push((global, table, bytes(&cells)));
        // The context: groups, offsets, local sizes, four words of others, the dimensions; from 64 our own.
        let context = places.take(global, 128)?;
        let version = abi::ABI_VERSION;
        let whole = groups.wrapping_mul(local);
        let words = [groups, 1, 1, 0, 0, 0, local, 1, 1, 0, 0, 0, 0, 1, 0, 0, version, whole, 1, 1];
        writes.push((global, context, bytes(&words)));
        let scratch = places.take(private, self.scratch_bytes(u64::from(local)).max(4))?;
        let Some(SymbolValue::Data { space, address }) = self.program.image.program.symbol(LAUNCH) else {
            return Err(LaunchError::NoLaunch);
        };
        let at = u32::try_from(address).map_err(|_| LaunchError::NoLaunch)?;
        writes.push((space, at, bytes(&[table, context, scratch, groups, 1, 1])));
        Ok(Launch { writes, buffers })
    }
}
