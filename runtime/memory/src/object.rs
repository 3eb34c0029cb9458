//! Objects of a pool and the blocks that they lie in. An object is a range of bytes with an owner id; it is cut into
//! pieces, each resident or not. Resident pieces lie in order, at the distances they have in the object: memory is taken
//! out piece by piece, and used again only when all pieces are back.

use std::fmt;
use std::ops::BitOr;

use crate::bufalloc::Chunk;
use crate::lists::{NoMemory, collect};
use crate::plan::{Fence, Source};
use crate::submit::Engine;

/// An object of a pool: its owner id and how often that id was given out before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

impl ObjectId {
    /// The owner id, a small number that no two objects of a pool have at the same time.
    #[must_use]
    pub fn owner(self) -> u32 {
        self.slot
    }
}

/// What holds for a block.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct BlockFlags(u8);

impl BlockFlags {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// Neither moved nor reclaimed until it is unpinned: the host has mapped it.
    pub const PIN: Self = Self(1);
    /// Reclaimed without a copy: the content is also elsewhere, or undefined.
    pub const CLOBBER: Self = Self(2);
    /// The host can read it where it lies.
    pub const CACHEABLE: Self = Self(4);

    /// Whether all of `other` is here.
    #[must_use]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) fn when(self, condition: bool) -> Self {
        if condition { self } else { Self::NONE }
    }
}

impl BitOr for BlockFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Debug for BlockFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [(Self::PIN, "PIN"), (Self::CLOBBER, "CLOBBER"), (Self::CACHEABLE, "CACHEABLE")];
        f.debug_set().entries(names.iter().filter(|(flag, _)| self.has(*flag)).map(|(_, name)| name)).finish()
    }
}

/// A block of a region: memory that one owner has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Whose it is.
    pub owner: ObjectId,
    /// Its place among the owner's blocks: the first byte, counted from the object's start.
    pub sequence: u64,
    /// Its first address.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The last submission that uses it and has not ended.
    pub fence: Option<Fence>,
    /// What holds for it.
    pub flags: BlockFlags,
}

/// A part of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) offset: u64,
    /// Rounded up to the region's alignment in the last piece.
    pub(crate) size: u64,
    pub(crate) place: Option<Chunk>,
    /// Where else the content is: of a resident piece the same bytes, of another one the only ones.
    pub(crate) copy: Option<Source>,
    /// There is content: something was written here once, and not lost since.
    pub(crate) defined: bool,
}

/// A submission that uses an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastUse {
    pub(crate) fence: Fence,
    pub(crate) engine: Engine,
    pub(crate) writes: bool,
}

/// An object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) id: ObjectId,
    /// Bytes as asked for.
    pub(crate) asked: u64,
    /// Bytes rounded up to the region's alignment.
    pub(crate) size: u64,
    /// Parts in order, without gaps; those that are alike and adjacent are one.
    pub(crate) pieces: Vec<Piece>,
    /// Where byte 0 lies, or would lie, while anything is resident.
    pub(crate) base: u64,
    pub(crate) pins: u32,
    /// The reservation that holds it.
    pub(crate) lock: Option<u64>,
    /// Submissions that have not ended.
    pub(crate) uses: Vec<LastUse>,
    pub(crate) released: bool,
    /// Content was reclaimed without being saved by the pool, or there never was any.
    pub(crate) lost: bool,
    /// Where commands were last told that it lies.
    pub(crate) patched: Option<u64>,
    /// The attempt at a plan whose set it is in.
    pub(crate) in_set: u64,
    /// The attempt at a plan that has kept a copy of it as it was before, and the copy's place in the plan.
    pub(crate) saved: u64,
    pub(crate) saved_at: usize,
}

impl Object {
    pub(crate) fn resident(&self) -> bool {
        self.pieces.iter().all(|piece| piece.place.is_some())
    }

    pub(crate) fn any_resident(&self) -> bool {
        self.pieces.iter().any(|piece| piece.place.is_some())
    }

    pub(crate) fn resident_bytes(&self) -> u64 {
        self.pieces.iter().filter(|piece| piece.place.is_some()).map(|piece| piece.size).sum()
    }

    /// Submitted commands use it, or another reservation holds it, or the host has it mapped.
    pub(crate) fn held(&self) -> bool {
        self.pins > 0 || self.lock.is_some() || !self.uses.is_empty()
    }

    /// What a plan may have to bring back.
    pub(crate) fn saved_state(&self) -> Result<Saved, NoMemory> {
        Ok(Saved {
            slot: self.id.slot,
            asked: self.asked,
            pieces: collect(self.pieces.iter().copied())?,
            base: self.base,
            lost: self.lost,
            spare: 0,
        })
    }

    /// Number of bytes of a piece that the caller knows of.
    pub(crate) fn visible(&self, offset: u64, size: u64) -> u64 {
        size.min(self.asked.saturating_sub(offset))
    }
}

/// An object as it was before a plan changed it.
#[derive(Debug, Clone)]
pub(crate) struct Saved {
    pub(crate) slot: u32,
    /// Bytes as asked for, which the object's last extent ends with.
    pub(crate) asked: u64,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) base: u64,
    pub(crate) lost: bool,
    /// Pieces that it may have more when a part of the plan stays executed.
    pub(crate) spare: usize,
}
