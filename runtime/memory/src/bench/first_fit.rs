//! First fit on a list: chunks in the order of addresses, the first free one that is large enough is cut. The usual
//! simple allocator, for comparison; freeing is constant time, allocating walks.

use super::{ALIGNMENT, Allocator};

const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Node {
    size: u64,
    before: u32,
    after: u32,
    free: bool,
}

/// The allocator.
#[derive(Debug)]
pub struct FirstFit {
    /// Node 0 is the first chunk and stays so.
    nodes: Vec<Node>,
    unused: Vec<u32>,
}

impl FirstFit {
    /// Joins `second`, the chunk after `first`, to it.
    fn merge(&mut self, first: u32, second: u32) {
        let Node { size, after, .. } = self.nodes[second as usize];
        self.nodes[first as usize].size += size;
        self.nodes[first as usize].after = after;
        if after != NONE {
            self.nodes[after as usize].before = first;
        }
        self.unused.push(second);
    }
}

impl Allocator for FirstFit {
    type Chunk = u32;

    fn over(size: u64) -> Self {
        let whole = Node { size: size & !(ALIGNMENT - 1), before: NONE, after: NONE, free: true };
        Self { nodes: vec![whole], unused: Vec::new() }
    }

    fn take(&mut self, size: u64) -> Option<u32> {
        let needed = size.next_multiple_of(ALIGNMENT);
        let mut index = 0;
        loop {
            let node = self.nodes[index as usize];
            if node.free && node.size >= needed {
                break;
            }
            if node.after == NONE {
                return None;
            }
            index = node.after;
        }
        let node = self.nodes[index as usize];
        if node.size > needed {
            let rest = Node { size: node.size - needed, before: index, after: node.after, free: true };
            let place = match self.unused.pop() {
                Some(place) => {
                    self.nodes[place as usize] = rest;
                    place
                }
                None => {
                    self.nodes.push(rest);
                    self.nodes.len() as u32 - 1
                }
            };
            if node.after != NONE {
                self.nodes[node.after as usize].before = place;
            }
            self.nodes[index as usize].after = place;
            self.nodes[index as usize].size = needed;
        }
        self.nodes[index as usize].free = false;
        Some(index)
    }

    fn give(&mut self, chunk: u32) {
        let Node { before, after, .. } = self.nodes[chunk as usize];
        self.nodes[chunk as usize].free = true;
        if after != NONE && self.nodes[after as usize].free {
            self.merge(chunk, after);
        }
        if before != NONE && self.nodes[before as usize].free {
            self.merge(before, chunk);
        }
    }
}
