//! What a caller asks of a pool ([`Use`]), and what it has to do for it ([`Plan`]): which bytes to copy where, in which
//! order. A plan is bookkeeping that has happened already; copies that cannot be made are taken back with
//! [`crate::Pool::roll_back`].

use crate::bufalloc::AllocError;
use crate::lists::NoMemory;
use crate::object::{ObjectId, Saved};

/// A point in a device's work: the caller numbers its submissions and says which have ended. Numbers are never used
/// again; a later one does not imply an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fence(pub u64);

/// What a command does to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Only copies bytes out, from wherever they are: the object need not be resident, and does not become so. It stays
    /// where it is meanwhile; [`crate::Pool::locate`] says where that is.
    Peek,
    /// Only reads: a copy elsewhere stays good.
    Read,
    /// Writes every byte: what is there before is not needed.
    Discard,
    /// Writes some bytes, and may read.
    Write,
}

impl Access {
    /// Whether content changes.
    #[must_use]
    pub fn writes(self) -> bool {
        !matches!(self, Self::Peek | Self::Read)
    }
}

/// An object in a command's set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// The object.
    pub object: ObjectId,
    /// What the command does to it.
    pub access: Access,
}

impl Use {
    /// Use for copying out, wherever the bytes are.
    #[must_use]
    pub fn peek(object: ObjectId) -> Self {
        Self { object, access: Access::Peek }
    }

    /// Use for reading.
    #[must_use]
    pub fn read(object: ObjectId) -> Self {
        Self { object, access: Access::Read }
    }

    /// Use for writing some bytes, or reading and writing.
    #[must_use]
    pub fn write(object: ObjectId) -> Self {
        Self { object, access: Access::Write }
    }

    /// Use for writing all bytes.
    #[must_use]
    pub fn discard(object: ObjectId) -> Self {
        Self { object, access: Access::Discard }
    }
}

/// A part of an object and where in the region it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The object.
    pub object: ObjectId,
    /// First byte, counted from the object's start.
    pub offset: u64,
    /// Where that byte lies in the region.
    pub address: u64,
    /// Number of bytes. The last extent of an object reaches to its end as created, without what rounding adds.
    pub size: u64,
}

/// Where content comes from when it comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// From where an [`Action::PageOut`] put it. The caller keeps those bytes after they were paged in: as long as
    /// nobody writes the object they save the next page-out.
    Backing,
    /// From the copy that [`crate::Pool::set_can_clobber`] promised.
    Owner,
}

/// Where a part of an object has its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At this address of the region.
    Resident(u64),
    /// Outside of it.
    Saved(Source),
    /// Nowhere: the bytes are undefined.
    Undefined,
}

/// A part of an object and where its content is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Located {
    /// First byte, counted from the object's start.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
    /// Where.
    pub place: Place,
}

/// One step of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The part is not resident any more. Nothing to copy: its content is elsewhere, or undefined.
    Clobber(Extent),
    /// The part leaves the region: copy it to the backing store.
    PageOut(Extent),
    /// The part comes into the region: copy it from the source.
    PageIn {
        /// What, and where to.
        extent: Extent,
        /// Where from.
        source: Source,
    },
    /// [`Action::PageOut`] and [`Action::PageIn`] at one place: the copies may run side by side, the one behind the other.
    Exchange {
        /// What leaves.
        out: Extent,
        /// What comes, over the same addresses.
        into: Extent,
        /// Where from.
        source: Source,
    },
    /// The part gets a place, and its bytes are undefined.
    Commit(Extent),
    /// The part moves within the region; the places do not overlap.
    Move {
        /// The object.
        object: ObjectId,
        /// First byte, counted from the object's start.
        offset: u64,
        /// Where it lay.
        from: u64,
        /// Where it lies now.
        to: u64,
        /// Number of bytes.
        size: u64,
    },
}

impl Action {
    /// Bytes that have to be copied, within the region or across its border.
    #[must_use]
    pub fn copied(&self) -> u64 {
        match self {
            Self::Clobber(_) | Self::Commit(_) => 0,
            Self::PageOut(extent) | Self::PageIn { extent, .. } => extent.size,
            Self::Exchange { out, into, .. } => out.size + into.size,
            Self::Move { size, .. } => *size,
        }
    }
}

/// What the caller has to do, in this order, before it submits the command.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    pub(crate) actions: Vec<Action>,
    pub(crate) before: Vec<Saved>,
    pub(crate) epoch: u64,
}

impl Plan {
    /// The steps.
    #[must_use]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The steps, with a page-out and the page-in behind it made one [`Action::Exchange`] where they are at one place.
    pub fn combined(&self) -> impl Iterator<Item = Action> + '_ {
        let mut rest = self.actions.iter().copied().peekable();
        std::iter::from_fn(move || {
            let action = rest.next()?;
            let (Action::PageOut(out), Some(&Action::PageIn { extent: into, source })) =
                (action, rest.peek())
            else {
                return Some(action);
            };
            if out.address != into.address || out.size != into.size {
                return Some(action);
            }
            rest.next();
            Some(Action::Exchange { out, into, source })
        })
    }
}

/// A pool cannot be made, or does not know an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// The region cannot be divided.
    #[error(transparent)]
    Region(#[from] AllocError),
    /// An object of no bytes.
    #[error("an object of 0 bytes was asked for")]
    ZeroSize,
    /// An object that the region could not hold if it were empty.
    #[error("an object of {needed} bytes never fits a pool of {capacity} bytes")]
    TooLarge {
        /// Bytes asked for, rounded up.
        needed: u64,
        /// Bytes that the region has.
        capacity: u64,
    },
    /// Every owner id is in use.
    #[error("all {limit} owner ids are in use")]
    OwnersExhausted {
        /// How many there are.
        limit: u32,
    },
    /// The object was released, or is another pool's.
    #[error("the object was released, or belongs to another pool")]
    Unknown(ObjectId),
    /// Only what is resident can be pinned.
    #[error("the object is not resident")]
    NotResident(ObjectId),
    /// It is not pinned.
    #[error("the object is not pinned")]
    NotPinned(ObjectId),
    /// The host has no memory for what the pool has to remember. Nothing has changed.
    #[error(transparent)]
    HostMemory(#[from] NoMemory),
    /// The plan cannot be taken back: another one was made after it.
    #[error("another plan was made since")]
    Outdated,
}

/// A command's set cannot be made resident now, or ever. Nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Shortage {
    /// What stands in the way is in use by submitted commands or by another reservation: try again after the next fence
    /// has passed or reservation has ended.
    #[error(
        "needs {needed} bytes, {available} can be had now, {pinned} are pinned: wait for running commands"
    )]
    Wait {
        /// The oldest submitted fence; none where only reservations stand in the way.
        fence: Option<Fence>,
        /// Bytes of the whole set, rounded up.
        needed: u64,
        /// Bytes that are free, the set's own, or reclaimable now.
        available: u64,
        /// Bytes of pinned objects outside the set.
        pinned: u64,
    },
    /// The set does not fit, whatever is waited for.
    #[error("needs {needed} bytes, {available} are available, {pinned} are pinned")]
    TooLarge {
        /// Bytes of the whole set, rounded up.
        needed: u64,
        /// Bytes that are not pinned by others.
        available: u64,
        /// Bytes of pinned objects outside the set.
        pinned: u64,
    },
    /// Another reservation holds the object.
    #[error("another command reserves the object")]
    Locked(ObjectId),
    /// The set names something that there is not.
    #[error(transparent)]
    Object(#[from] PoolError),
}

impl From<NoMemory> for Shortage {
    fn from(error: NoMemory) -> Self {
        Self::Object(PoolError::HostMemory(error))
    }
}

/// Occupancy of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolUsage {
    /// Bytes of the region.
    pub capacity: u64,
    /// Bytes of resident parts.
    pub used: u64,
    /// Bytes free.
    pub free: u64,
    /// Resident bytes of pinned objects.
    pub pinned: u64,
    /// Resident bytes of objects that submitted commands or reservations use.
    pub busy: u64,
    /// Size of the largest free chunk.
    pub largest_free: u64,
    /// Objects that exist, resident or not.
    pub objects: usize,
}
