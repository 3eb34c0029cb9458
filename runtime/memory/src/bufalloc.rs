//! `bufalloc`: divides a contiguous region of addresses into chunks. Nothing is stored in the region itself, so it may
//! be memory that the host cannot reach (a TTA's global or local memory, a GPU's).
//!
//! Chunks lie in a doubly linked list in address order (for coalescing) and free ones also in a list of their size
//! class. Allocation takes the best fit among the first few members of the request's own class, else of the next class
//! that has any; the rest of the chunk goes back. Both take constant time. Freeing merges with both neighbours at once,
//! so two free chunks never touch.
//!
//! [`Strategy::Wasteful`] cuts new chunks from the untouched end of the region as long as there is room, which keeps
//! freed memory from being handed out again soon; [`Strategy::Tight`] fills holes first.
//!
//! Not thread-safe: the owner holds a lock. Does not touch the memory and does not know what it holds.

use crate::classes::{Class, ClassMap, class_of};
use crate::lists::{NoMemory, room};

pub(crate) mod divide;
pub(crate) mod scan;

/// Where a new chunk is looked for first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Holes left by freed chunks first.
    Tight,
    /// The untouched end of the region first.
    Wasteful,
}

/// An allocated chunk: its address and what [`BufAlloc::free`] needs to find it at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chunk {
    /// Address within the region's address space.
    pub address: u64,
    /// Size in bytes as asked for, rounded up to the region's alignment.
    pub size: u64,
    slot: u32,
    generation: u32,
}

/// Why no chunk could be had or returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AllocError {
    /// The region has no free chunk that is large enough.
    #[error("no free chunk of {needed} bytes: {free} bytes are free, the largest chunk has {largest}")]
    OutOfMemory {
        /// Bytes asked for, rounded up.
        needed: u64,
        /// Bytes free in the region.
        free: u64,
        /// Size of the largest free chunk.
        largest: u64,
    },
    /// The host has no memory for the table of chunks.
    #[error(transparent)]
    HostMemory(#[from] NoMemory),
    /// A size of zero.
    #[error("a chunk of 0 bytes was asked for")]
    ZeroSize,
    /// The alignment is no power of two.
    #[error("the alignment {0} is not a power of two")]
    Alignment(u64),
    /// The chunk is not allocated here, or was freed before.
    #[error("the chunk at address {0:#x} is not allocated in this region")]
    NotAllocated(u64),
    /// The bytes asked for are not all free, or not aligned.
    #[error("the {size} bytes at {address:#x} cannot be taken")]
    Taken {
        /// First address.
        address: u64,
        /// Size in bytes.
        size: u64,
    },
    /// The region wraps around the address space or does not hold one aligned byte.
    #[error("the region of {size} bytes at {base:#x} is empty or wraps around")]
    Region {
        /// First address.
        base: u64,
        /// Size in bytes.
        size: u64,
    },
}

/// Occupancy of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Bytes in allocated chunks.
    pub used: u64,
    /// Bytes in free chunks.
    pub free: u64,
    /// Size of the largest free chunk.
    pub largest_free: u64,
    /// Number of allocated chunks.
    pub chunks: usize,
}

const NONE: u32 = u32::MAX;
/// Members of the request's own class that are tried before a larger class is taken.
const TRIES: usize = 8;
/// A request below this share of a chunk is small.
const SMALL: u64 = 6;

#[derive(Debug, Clone, Copy)]
struct Node {
    address: u64,
    size: u64,
    /// Neighbours in address order.
    before: u32,
    after: u32,
    /// Neighbours in the list of the size class; `next_free` also links unused slots.
    previous_free: u32,
    next_free: u32,
    generation: u32,
    free: bool,
}

/// The allocator of one region.
#[derive(Debug, Clone)]
pub struct BufAlloc {
    nodes: Vec<Node>,
    unused: u32,
    unused_count: usize,
    heads: Vec<u32>,
    map: ClassMap,
    /// The chunk that reaches to the region's end, free or not.
    last: u32,
    alignment: u64,
    strategy: Strategy,
    used: u64,
    free: u64,
    chunks: usize,
    /// Tests: how many more allocations succeed before one fails for no reason.
    #[cfg(test)]
    pub(crate) fail_after: Option<u32>,
}

impl BufAlloc {
    /// An allocator for the `size` bytes from address `base`; chunks are aligned to `alignment` bytes.
    ///
    /// # Errors
    /// [`AllocError::Alignment`], [`AllocError::Region`] and [`AllocError::HostMemory`].
    pub fn new(base: u64, size: u64, alignment: u64, strategy: Strategy) -> Result<Self, AllocError> {
        if !alignment.is_power_of_two() {
            return Err(AllocError::Alignment(alignment));
        }
        let bad = AllocError::Region { base, size };
        let end = base.checked_add(size).ok_or(bad)? & !(alignment - 1);
        let start = base.checked_next_multiple_of(alignment).ok_or(bad)?;
        let bytes = end.checked_sub(start).filter(|&bytes| bytes > 0).ok_or(bad)?;
        let mut heads = Vec::new();
        room(&mut heads, ClassMap::COUNT)?;
        heads.resize(ClassMap::COUNT, NONE);
        let mut region = Self {
            nodes: Vec::new(),
            unused: NONE,
            unused_count: 0,
            heads,
            map: ClassMap::new(),
            last: 0,
            alignment,
            strategy,
            used: 0,
            free: bytes,
            chunks: 0,
            #[cfg(test)]
            fail_after: None,
        };
        region.node_room(1)?;
        let whole = region.new_node(start, bytes, NONE, NONE);
        region.list(whole);
        Ok(region)
    }

    /// Takes a chunk of at least `size` bytes, aligned to the region's alignment.
    ///
    /// # Errors
    /// [`AllocError::ZeroSize`], [`AllocError::OutOfMemory`] when no free chunk is large enough, or
    /// [`AllocError::HostMemory`].
    pub fn allocate(&mut self, size: u64) -> Result<Chunk, AllocError> {
        self.allocate_aligned(size, self.alignment)
    }

    /// Takes a chunk of at least `size` bytes at a multiple of `alignment`.
    ///
    /// # Errors
    /// As [`Self::allocate`], and [`AllocError::Alignment`].
    pub fn allocate_aligned(&mut self, size: u64, alignment: u64) -> Result<Chunk, AllocError> {
        if size == 0 {
            return Err(AllocError::ZeroSize);
        }
        if !alignment.is_power_of_two() {
            return Err(AllocError::Alignment(alignment));
        }
        let rounded = size.checked_next_multiple_of(self.alignment);
        #[cfg(test)]
        let rounded = rounded.filter(|_| !self.fails_now());
        let found = rounded.and_then(|needed| Some((needed, self.find(needed, alignment)?)));
        let Some((needed, index)) = found else {
            let usage = self.usage();
            return Err(AllocError::OutOfMemory {
                needed: rounded.unwrap_or(size),
                free: usage.free,
                largest: usage.largest_free,
            });
        };
        // One for what is left on either side.
        self.node_room(2)?;
        self.unlist(index);
        // Small ones are taken from the upper end of a large chunk and large ones from the lower end, so that what lives
        // shortly does not settle between what is to be large again.
        let size = self.nodes[index as usize].size;
        let small = alignment <= self.alignment && needed < size / SMALL;
        let index = if small && self.strategy == Strategy::Tight {
            let rest = self.split(index, size - needed);
            self.list(index);
            rest
        } else {
            let index = self.cut_front(index, alignment);
            self.cut_back(index, needed);
            index
        };
        self.used += needed;
        self.free -= needed;
        self.chunks += 1;
        let node = &mut self.nodes[index as usize];
        node.free = false;
        Ok(Chunk { address: node.address, size: needed, slot: index, generation: node.generation })
    }

    /// Returns a chunk and merges it with free neighbours.
    ///
    /// # Errors
    /// [`AllocError::NotAllocated`] for a chunk of another region or one that was freed before; nothing changes.
    pub fn free(&mut self, chunk: Chunk) -> Result<(), AllocError> {
        self.give_back(chunk).map(drop)
    }

    /// Frees a chunk and says which free chunk it has become part of.
    fn give_back(&mut self, chunk: Chunk) -> Result<u32, AllocError> {
        let mut index = self.allocated(chunk)?;
        let Node { size, before, after, .. } = self.nodes[index as usize];
        self.used -= size;
        self.free += size;
        self.chunks -= 1;
        // A stale copy of the handle must not free whoever gets this slot next.
        self.nodes[index as usize].generation = chunk.generation.wrapping_add(1);
        if after != NONE && self.nodes[after as usize].free {
            self.unlist(after);
            self.merge(index, after);
        }
        if before != NONE && self.nodes[before as usize].free {
            self.unlist(before);
            self.merge(before, index);
            index = before;
        }
        self.list(index);
        Ok(index)
    }

    /// The slot of a chunk that is allocated here.
    fn allocated(&self, chunk: Chunk) -> Result<u32, AllocError> {
        let known = self.nodes.get(chunk.slot as usize);
        let valid = known.is_some_and(|node| {
            !node.free
                && node.generation == chunk.generation
                && node.address == chunk.address
                && node.size == chunk.size
        });
        if valid { Ok(chunk.slot) } else { Err(AllocError::NotAllocated(chunk.address)) }
    }

    /// The region's occupancy. Walks one size class for the largest chunk.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let mut largest = 0;
        let mut top = None;
        let mut class = class_of(1);
        if self.heads[class.index()] != NONE {
            top = Some(class);
        }
        while let Some(next) = self.map.next_above(class) {
            (top, class) = (Some(next), next);
        }
        if let Some(class) = top {
            let mut index = self.heads[class.index()];
            while index != NONE {
                let node = &self.nodes[index as usize];
                largest = largest.max(node.size);
                index = node.next_free;
            }
        }
        Usage { used: self.used, free: self.free, largest_free: largest, chunks: self.chunks }
    }

    /// Whether the allocation under way is the one that a test wants to fail.
    #[cfg(test)]
    pub(crate) fn fails_now(&mut self) -> bool {
        let fails = self.fail_after == Some(0);
        self.fail_after = self.fail_after.and_then(|left| left.checked_sub(1));
        fails
    }

    /// A free chunk that holds `needed` bytes at `alignment`, not yet taken out of its list.
    fn find(&self, needed: u64, alignment: u64) -> Option<u32> {
        if self.strategy == Strategy::Wasteful && self.fits(self.last, needed, alignment) {
            return Some(self.last);
        }
        let mut class = class_of(needed);
        let mut best = NONE;
        let mut index = self.heads[class.index()];
        for _ in 0..TRIES {
            if index == NONE {
                break;
            }
            let node = &self.nodes[index as usize];
            let better = best == NONE
                || (node.size, node.address)
                    < (self.nodes[best as usize].size, self.nodes[best as usize].address);
            if better && self.fits(index, needed, alignment) {
                best = index;
            }
            index = node.next_free;
        }
        if best != NONE {
            return Some(best);
        }
        // Any member of a larger class is large enough, unless the alignment asks for more.
        while let Some(next) = self.map.next_above(class) {
            let mut tries = TRIES;
            index = self.heads[next.index()];
            while index != NONE && (tries > 0 || best == NONE) {
                let node = &self.nodes[index as usize];
                let better = best == NONE
                    || (node.size, node.address)
                        < (self.nodes[best as usize].size, self.nodes[best as usize].address);
                if better && self.fits(index, needed, alignment) {
                    best = index;
                }
                tries = tries.saturating_sub(1);
                index = self.nodes[index as usize].next_free;
            }
            if best != NONE {
                return Some(best);
            }
            class = next;
        }
        // The own class beyond the first few: the region is nearly full, so the search may take longer.
        index = self.heads[class_of(needed).index()];
        while index != NONE {
            if self.fits(index, needed, alignment) {
                return Some(index);
            }
            index = self.nodes[index as usize].next_free;
        }
        None
    }

    fn fits(&self, index: u32, needed: u64, alignment: u64) -> bool {
        let node = &self.nodes[index as usize];
        let Some(start) = node.address.checked_next_multiple_of(alignment) else { return false };
        node.free && (start - node.address).checked_add(needed).is_some_and(|total| total <= node.size)
    }

    /// Splits what lies before the first multiple of `alignment` off, and returns the aligned rest.
    fn cut_front(&mut self, index: u32, alignment: u64) -> u32 {
        let node = self.nodes[index as usize];
        let front = node.address.next_multiple_of(alignment) - node.address;
        if front == 0 {
            return index;
        }
        let rest = self.split(index, front);
        self.list(index);
        rest
    }

    fn cut_back(&mut self, index: u32, needed: u64) {
        if self.nodes[index as usize].size > needed {
            let rest = self.split(index, needed);
            self.list(rest);
        }
    }

    /// Shortens the chunk to `size` and returns a new chunk for what follows; neither is in a class list.
    fn split(&mut self, index: u32, size: u64) -> u32 {
        let node = self.nodes[index as usize];
        let rest = self.new_node(node.address + size, node.size - size, index, node.after);
        self.nodes[index as usize].size = size;
        self.nodes[index as usize].after = rest;
        if node.after == NONE {
            self.last = rest;
        } else {
            self.nodes[node.after as usize].before = rest;
        }
        rest
    }

    /// Joins `second`, the chunk after `first`, to it; neither is in a class list.
    fn merge(&mut self, first: u32, second: u32) {
        let Node { size, after, .. } = self.nodes[second as usize];
        self.nodes[first as usize].size += size;
        self.nodes[first as usize].after = after;
        if after == NONE {
            self.last = first;
        } else {
            self.nodes[after as usize].before = first;
        }
        let gone = &mut self.nodes[second as usize];
        gone.generation = gone.generation.wrapping_add(1);
        gone.free = true;
        gone.next_free = self.unused;
        self.unused = second;
        self.unused_count += 1;
    }

    /// Room for so many more nodes. Those of chunks that were merged stay for others.
    pub(crate) fn node_room(&mut self, nodes: usize) -> Result<(), NoMemory> {
        if self.unused_count >= nodes { Ok(()) } else { room(&mut self.nodes, nodes - self.unused_count) }
    }

    fn new_node(&mut self, address: u64, size: u64, before: u32, after: u32) -> u32 {
        let node = Node {
            address,
            size,
            before,
            after,
            previous_free: NONE,
            next_free: NONE,
            generation: 0,
            free: false,
        };
        if self.unused == NONE {
            self.nodes.push(node);
            return (self.nodes.len() - 1) as u32;
        }
        let index = self.unused;
        let slot = &mut self.nodes[index as usize];
        self.unused = slot.next_free;
        self.unused_count -= 1;
        let generation = slot.generation;
        *slot = Node { generation, ..node };
        index
    }

    fn class(&self, index: u32) -> Class {
        class_of(self.nodes[index as usize].size)
    }

    /// Puts a chunk at the head of its class.
    fn list(&mut self, index: u32) {
        let class = self.class(index);
        let head = std::mem::replace(&mut self.heads[class.index()], index);
        if head == NONE {
            self.map.set(class);
        } else {
            self.nodes[head as usize].previous_free = index;
        }
        let node = &mut self.nodes[index as usize];
        (node.previous_free, node.next_free, node.free) = (NONE, head, true);
    }

    /// Takes a chunk out of its class.
    fn unlist(&mut self, index: u32) {
        let class = self.class(index);
        let Node { previous_free, next_free, .. } = self.nodes[index as usize];
        if previous_free == NONE {
            self.heads[class.index()] = next_free;
            if next_free == NONE {
                self.map.clear(class);
            }
        } else {
            self.nodes[previous_free as usize].next_free = next_free;
        }
        if next_free != NONE {
            self.nodes[next_free as usize].previous_free = previous_free;
        }
        self.nodes[index as usize].free = false;
    }
}

#[cfg(test)]
mod tests;
