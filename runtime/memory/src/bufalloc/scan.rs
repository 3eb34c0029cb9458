//! What would be free if some chunks were: chunks are named one by one, in the order in which their owners could do
//! without them, until a hole of the wanted size appears. Only chunks inside the hole then have to go; the others that
//! were named stay. Each chunk takes constant time, as holes remember their extent at both ends.

use std::collections::HashMap;

use super::{BufAlloc, Chunk, NONE, Node};
use crate::lists::NoMemory;

/// Addresses that would be free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hole {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// A search for a hole.
#[derive(Debug)]
pub(crate) struct Scan {
    needed: u64,
    /// Of each named chunk: the hole that it is in. Right for those at a hole's ends, which are the only ones asked for.
    named: HashMap<u32, Span>,
}

#[derive(Debug, Clone, Copy)]
struct Span {
    hole: Hole,
    first: u32,
    last: u32,
}

impl Scan {
    /// A search for `needed` bytes.
    pub(crate) fn new(needed: u64) -> Self {
        Self { needed, named: HashMap::new() }
    }

    /// Names an allocated chunk of `region`, which does not change during the search. The hole, once it is large enough.
    pub(crate) fn name(&mut self, region: &BufAlloc, chunk: Chunk) -> Result<Option<Hole>, NoMemory> {
        let Ok(index) = region.allocated(chunk) else { return Ok(None) };
        self.named.try_reserve(3).map_err(|_| NoMemory)?;
        let Node { address, size, before, after, .. } = region.nodes[index as usize];
        let mut span = Span { hole: Hole { start: address, end: address + size }, first: index, last: index };
        let mut beside = before;
        if let Some(free) = region.nodes.get(beside as usize).filter(|node| beside != NONE && node.free) {
            span.hole.start = free.address;
            beside = free.before;
        }
        if let Some(left) = self.named.get(&beside) {
            (span.hole.start, span.first) = (left.hole.start, left.first);
        }
        beside = after;
        if let Some(free) = region.nodes.get(beside as usize).filter(|node| beside != NONE && node.free) {
            span.hole.end = free.address + free.size;
            beside = free.after;
        }
        if let Some(right) = self.named.get(&beside) {
            (span.hole.end, span.last) = (right.hole.end, right.last);
        }
        for member in [index, span.first, span.last] {
            self.named.insert(member, span);
        }
        Ok((span.hole.end - span.hole.start >= self.needed).then_some(span.hole))
    }
}
