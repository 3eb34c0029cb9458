//! Chunks cut in two and joined again while they stay allocated, and chunks at an address of the caller's choice. The
//! residency manager takes parts of an object's memory away with these, and puts them back where they were.

use super::{AllocError, BufAlloc, Chunk, NONE, Node};

/// A free chunk that [`BufAlloc::free_into`] has made or made larger; good until the next change of the region.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hint(u32);

impl BufAlloc {
    fn handle(&self, index: u32) -> Chunk {
        let Node { address, size, generation, .. } = self.nodes[index as usize];
        Chunk { address, size, slot: index, generation }
    }

    /// Makes two chunks of one: the first `size` bytes, which is a multiple of the region's alignment, and the rest. The
    /// old handle is void.
    ///
    /// # Errors
    /// [`AllocError::NotAllocated`], [`AllocError::Taken`] for a size that leaves nothing or is not aligned, or
    /// [`AllocError::HostMemory`].
    pub fn split_chunk(&mut self, chunk: Chunk, size: u64) -> Result<(Chunk, Chunk), AllocError> {
        let index = self.allocated(chunk)?;
        if size == 0 || size >= chunk.size || !size.is_multiple_of(self.alignment) {
            return Err(AllocError::Taken { address: chunk.address, size });
        }
        self.node_room(1)?;
        let rest = self.split(index, size);
        self.nodes[rest as usize].free = false;
        self.chunks += 1;
        Ok((self.handle(index), self.handle(rest)))
    }

    /// Makes one chunk of two, of which `second` begins where `first` ends. The old handles are void.
    ///
    /// # Errors
    /// [`AllocError::NotAllocated`], or [`AllocError::Taken`] if they are not neighbours.
    pub fn join_chunks(&mut self, first: Chunk, second: Chunk) -> Result<Chunk, AllocError> {
        let (index, next) = (self.allocated(first)?, self.allocated(second)?);
        if self.nodes[index as usize].after != next {
            return Err(AllocError::Taken { address: second.address, size: second.size });
        }
        self.merge(index, next);
        self.chunks -= 1;
        Ok(self.handle(index))
    }

    /// Takes the chunk of `size` bytes at `address`; both are multiples of the region's alignment. With an allocated
    /// chunk that borders the free memory there this takes constant time, else the chunks are walked.
    ///
    /// # Errors
    /// [`AllocError::Taken`] if the bytes are not all free, or [`AllocError::HostMemory`].
    pub fn allocate_at(
        &mut self,
        address: u64,
        size: u64,
        neighbour: Option<Chunk>,
    ) -> Result<Chunk, AllocError> {
        if let Some(chunk) = neighbour {
            let index = self.allocated(chunk)?;
            let Node { before, after, .. } = self.nodes[index as usize];
            for beside in [after, before] {
                match self.take(beside, address, size) {
                    Err(AllocError::Taken { .. }) => {}
                    other => return other,
                }
            }
        }
        let mut index = self.last;
        while index != NONE && self.nodes[index as usize].address > address {
            index = self.nodes[index as usize].before;
        }
        self.take(index, address, size)
    }

    /// Frees a chunk; what is free there now can be taken from with [`Self::allocate_in`].
    pub(crate) fn free_into(&mut self, chunk: Chunk) -> Result<Hint, AllocError> {
        self.give_back(chunk).map(Hint)
    }

    /// Takes the chunk of `size` bytes at `address` from the free chunk of the hint.
    pub(crate) fn allocate_in(&mut self, hint: Hint, address: u64, size: u64) -> Result<Chunk, AllocError> {
        #[cfg(test)]
        if self.fails_now() {
            return Err(AllocError::Taken { address, size });
        }
        self.take(hint.0, address, size)
    }

    /// Takes `size` bytes at `address` from the free chunk `index`, if they are in it.
    fn take(&mut self, index: u32, address: u64, size: u64) -> Result<Chunk, AllocError> {
        let taken = AllocError::Taken { address, size };
        let node = self.nodes.get(index as usize).filter(|node| node.free).ok_or(taken)?;
        let aligned = address.is_multiple_of(self.alignment) && size.is_multiple_of(self.alignment);
        let end = address.checked_add(size).ok_or(taken)?;
        if !aligned || size == 0 || address < node.address || end - node.address > node.size {
            return Err(taken);
        }
        let front = address - node.address;
        self.node_room(usize::from(front > 0) + usize::from(front + size < node.size))?;
        self.unlist(index);
        let index = if front == 0 {
            index
        } else {
            let rest = self.split(index, front);
            self.list(index);
            rest
        };
        self.cut_back(index, size);
        self.used += size;
        self.free -= size;
        self.chunks += 1;
        self.nodes[index as usize].free = false;
        Ok(self.handle(index))
    }
}
