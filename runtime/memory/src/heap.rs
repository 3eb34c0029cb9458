//! Several pools of one device, and which of them an object goes to: one that has every capability that the object
//! requires, of those the one with most that it would like, of those the one with most room.

use std::fmt;
use std::ops::BitOr;

use crate::lists::{collect, push};
use crate::object::ObjectId;
use crate::plan::PoolError;
use crate::pool::Pool;

/// What a pool's memory can be used for, as a set.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities(u32);

impl Capabilities {
    /// Nothing in particular.
    pub const NONE: Self = Self(0);
    /// Kernels read and write it as global memory.
    pub const GLOBAL: Self = Self(1);
    /// Work-groups have it as local memory.
    pub const LOCAL: Self = Self(2);
    /// Kernels read it as constant memory.
    pub const CONSTANT: Self = Self(4);
    /// It holds commands that the device fetches.
    pub const COMMANDS: Self = Self(8);
    /// The host reaches it at an address of its own.
    pub const HOST_VISIBLE: Self = Self(16);
    /// The host's caches hold it: reading it from the host is as fast as reading memory.
    pub const HOST_CACHED: Self = Self(32);
    /// Other devices reach it.
    pub const PEER: Self = Self(64);
    /// The first of the bits that belong to drivers.
    pub const DRIVER: Self = Self(1 << 24);

    /// The driver's capability number `index`, of eight.
    #[must_use]
    pub fn driver(index: u32) -> Self {
        Self(Self::DRIVER.0 << (index % 8))
    }

    /// Whether all of `other` is here.
    #[must_use]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Capabilities {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Capabilities({:#x})", self.0)
    }
}

/// A pool of a heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PoolIndex(pub usize);

/// An object of a heap: which pool it is in, and what that pool's memory can do of what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeapObject {
    /// The pool.
    pub pool: PoolIndex,
    /// The object in that pool.
    pub object: ObjectId,
    /// What was required, and what was optional and is there.
    pub capabilities: Capabilities,
}

/// An object cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeapError {
    /// No pool has what is required.
    #[error("no memory of the device can be used as required")]
    Required(Capabilities),
    /// The pool that is left cannot take it.
    #[error(transparent)]
    Pool(#[from] PoolError),
}

/// The pools of a device.
#[derive(Debug, Default)]
pub struct Heap {
    pools: Vec<(Capabilities, Pool)>,
}

impl Heap {
    /// A heap without pools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a pool.
    ///
    /// # Errors
    /// [`PoolError::HostMemory`].
    pub fn add(&mut self, capabilities: Capabilities, pool: Pool) -> Result<PoolIndex, HeapError> {
        push(&mut self.pools, (capabilities, pool)).map_err(PoolError::from)?;
        Ok(PoolIndex(self.pools.len() - 1))
    }

    /// A pool.
    #[must_use]
    pub fn pool(&self, index: PoolIndex) -> Option<&Pool> {
        self.pools.get(index.0).map(|(_, pool)| pool)
    }

    /// A pool, to change it.
    pub fn pool_mut(&mut self, index: PoolIndex) -> Option<&mut Pool> {
        self.pools.get_mut(index.0).map(|(_, pool)| pool)
    }

    /// Makes an object in the best pool that can hold it.
    ///
    /// # Errors
    /// [`HeapError`]: what the best of the pools with everything required says.
    pub fn create(
        &mut self,
        size: u64,
        required: Capabilities,
        optional: Capabilities,
    ) -> Result<HeapObject, HeapError> {
        let able = (0..self.pools.len()).filter(|&at| self.pools[at].0.has(required));
        let mut order: Vec<usize> = collect(able).map_err(PoolError::from)?;
        let rank = |at: usize| {
            let (capabilities, pool) = &self.pools[at];
            (capabilities.common(optional).0.count_ones(), pool.usage().free)
        };
        // The first of equals, so that the same calls give the same places.
        order.sort_unstable_by_key(|&at| (std::cmp::Reverse(rank(at)), at));
        let mut refusal = HeapError::Required(required);
        for (tried, at) in order.into_iter().enumerate() {
            let (capabilities, pool) = &mut self.pools[at];
            match pool.create(size) {
                Ok(object) => {
                    let capabilities = capabilities.common(required | optional);
                    return Ok(HeapObject { pool: PoolIndex(at), object, capabilities });
                }
                Err(error) if tried == 0 => refusal = error.into(),
                Err(_) => {}
            }
        }
        Err(refusal)
    }

    /// Gives an object up.
    ///
    /// # Errors
    /// [`PoolError::Unknown`].
    pub fn release(&mut self, object: HeapObject) -> Result<(), PoolError> {
        let pool = self.pool_mut(object.pool).ok_or(PoolError::Unknown(object.object))?;
        pool.release(object.object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Lru;

    fn heap() -> Heap {
        let pool = |size: u64| Pool::new(0..size, 64, Box::new(Lru::new())).unwrap();
        let mut heap = Heap::new();
        heap.add(Capabilities::GLOBAL | Capabilities::COMMANDS, pool(1 << 20)).unwrap();
        heap.add(Capabilities::GLOBAL | Capabilities::HOST_VISIBLE, pool(1 << 16)).unwrap();
        heap.add(Capabilities::COMMANDS | Capabilities::HOST_VISIBLE, pool(1 << 12)).unwrap();
        heap
    }

    #[test]
    fn required_rules_optional_decides_and_room_breaks_ties() {
        let mut heap = heap();
        let global = heap.create(100, Capabilities::GLOBAL, Capabilities::NONE).unwrap();
        assert_eq!((global.pool, global.capabilities), (PoolIndex(0), Capabilities::GLOBAL));
        let seen = heap.create(100, Capabilities::GLOBAL, Capabilities::HOST_VISIBLE).unwrap();
        assert_eq!(seen.pool, PoolIndex(1));
        assert!(seen.capabilities.has(Capabilities::GLOBAL | Capabilities::HOST_VISIBLE));
        let large = heap.create(1 << 18, Capabilities::GLOBAL, Capabilities::HOST_VISIBLE).unwrap();
        assert_eq!((large.pool, large.capabilities), (PoolIndex(0), Capabilities::GLOBAL));
        heap.release(large).unwrap();
        assert!(heap.release(large).is_err());
    }

    #[test]
    fn what_no_pool_can_do_is_refused() {
        let mut heap = heap();
        let both = Capabilities::LOCAL | Capabilities::GLOBAL;
        assert_eq!(heap.create(1, both, Capabilities::NONE), Err(HeapError::Required(both)));
        let error = heap.create(1 << 13, Capabilities::COMMANDS | Capabilities::HOST_VISIBLE, both);
        let (needed, capacity) = (1 << 13, 1 << 12);
        assert_eq!(error, Err(HeapError::Pool(PoolError::TooLarge { needed, capacity })));
    }
}
