//! The resident pieces of a pool by their address: a treap in a table, so that room for entries can be taken before they
//! come. Looking up, putting in and taking out take logarithmic time; which shape the tree has depends on nothing but the
//! order of the calls.

use crate::bufalloc::Chunk;
use crate::lists::{NoMemory, room};

const NONE: u32 = u32::MAX;

/// A resident piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The owner id.
    pub(crate) slot: u32,
    pub(crate) chunk: Chunk,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    entry: Entry,
    priority: u32,
    /// Entries at lower addresses; of an unused node the next unused one.
    less: u32,
    more: u32,
}

/// All resident pieces.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    nodes: Vec<Node>,
    unused: u32,
    unused_count: usize,
    root: u32,
    /// Where the numbers come from that keep the tree flat.
    numbers: u32,
}

impl Places {
    pub(crate) fn new() -> Self {
        Self { nodes: Vec::new(), unused: NONE, unused_count: 0, root: NONE, numbers: 1 }
    }

    /// Room for so many more entries. What was taken out leaves its room behind.
    pub(crate) fn room(&mut self, entries: usize) -> Result<(), NoMemory> {
        if self.unused_count >= entries {
            return Ok(());
        }
        room(&mut self.nodes, entries - self.unused_count)
    }

    /// Puts an entry in, in place of the one at the same address. There is room, or there is such a one.
    pub(crate) fn insert(&mut self, slot: u32, chunk: Chunk) {
        let entry = Entry { slot, chunk };
        let mut at = self.root;
        while at != NONE {
            let node = &mut self.nodes[at as usize];
            match chunk.address.cmp(&node.entry.chunk.address) {
                std::cmp::Ordering::Equal => {
                    node.entry = entry;
                    return;
                }
                std::cmp::Ordering::Less => at = node.less,
                std::cmp::Ordering::Greater => at = node.more,
            }
        }
        self.numbers ^= self.numbers << 13;
        self.numbers ^= self.numbers >> 17;
        self.numbers ^= self.numbers << 5;
        let node = Node { entry, priority: self.numbers, less: NONE, more: NONE };
        let new = if self.unused == NONE {
            self.nodes.push(node);
            (self.nodes.len() - 1) as u32
        } else {
            let new = self.unused;
            self.unused = self.nodes[new as usize].less;
            self.unused_count -= 1;
            self.nodes[new as usize] = node;
            new
        };
        let (less, more) = self.split(self.root, chunk.address);
        let less = self.merge(less, new);
        self.root = self.merge(less, more);
    }

    /// Takes the entry at an address out, if there is one.
    pub(crate) fn remove(&mut self, address: u64) {
        let (less, rest) = self.split(self.root, address);
        let (found, more) = match address.checked_add(1) {
            Some(next) => self.split(rest, next),
            None => (rest, NONE),
        };
        self.root = self.merge(less, more);
        if found != NONE {
            self.nodes[found as usize].less = self.unused;
            self.unused = found;
            self.unused_count += 1;
        }
    }

    /// The last entry that begins before an address.
    pub(crate) fn before(&self, address: u64) -> Option<Entry> {
        let (mut at, mut found) = (self.root, None);
        while at != NONE {
            let node = &self.nodes[at as usize];
            if node.entry.chunk.address < address {
                found = Some(node.entry);
                at = node.more;
            } else {
                at = node.less;
            }
        }
        found
    }

    /// The first entry that begins at an address or behind it.
    pub(crate) fn from(&self, address: u64) -> Option<Entry> {
        let (mut at, mut found) = (self.root, None);
        while at != NONE {
            let node = &self.nodes[at as usize];
            if node.entry.chunk.address >= address {
                found = Some(node.entry);
                at = node.less;
            } else {
                at = node.more;
            }
        }
        found
    }

    /// All entries in the order of addresses.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Entry> + '_ {
        let next = |entry: &Entry| self.from(entry.chunk.address.checked_add(1)?);
        std::iter::successors(self.from(0), next)
    }

    /// The entries with bytes among the `size` bytes at an address.
    pub(crate) fn within(&self, address: u64, size: u64) -> impl Iterator<Item = Entry> + '_ {
        let end = address.saturating_add(size);
        let before = self.before(address);
        let before = before.filter(|entry| entry.chunk.address + entry.chunk.size > address);
        let next = |entry: &Entry| self.from(entry.chunk.address.checked_add(1)?);
        std::iter::successors(before.or_else(|| self.from(address)), next)
            .take_while(move |entry| entry.chunk.address < end)
    }

    /// Divides a tree into what begins before an address and the rest.
    fn split(&mut self, tree: u32, address: u64) -> (u32, u32) {
        if tree == NONE {
            return (NONE, NONE);
        }
        let Node { entry, less, more, .. } = self.nodes[tree as usize];
        if entry.chunk.address < address {
            let (first, second) = self.split(more, address);
            self.nodes[tree as usize].more = first;
            (tree, second)
        } else {
            let (first, second) = self.split(less, address);
            self.nodes[tree as usize].less = second;
            (first, tree)
        }
    }

    /// Makes one tree of two, of which the first has the lower addresses.
    fn merge(&mut self, less: u32, more: u32) -> u32 {
        if less == NONE || more == NONE {
            return if less == NONE { more } else { less };
        }
        if self.nodes[less as usize].priority > self.nodes[more as usize].priority {
            self.nodes[less as usize].more = self.merge(self.nodes[less as usize].more, more);
            less
        } else {
            self.nodes[more as usize].less = self.merge(less, self.nodes[more as usize].less);
            more
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::bench::Numbers;
    use crate::bufalloc::{BufAlloc, Strategy};

    #[test]
    fn it_does_what_a_sorted_table_does() {
        let mut region = BufAlloc::new(0, 1 << 20, 64, Strategy::Tight).unwrap();
        let chunks: Vec<Chunk> = (0..500).map(|_| region.allocate(64).unwrap()).collect();
        let (mut places, mut table) = (Places::new(), BTreeMap::new());
        let mut numbers = Numbers::new(3);
        for step in 0..5000 {
            let chunk = chunks[numbers.below(500) as usize];
            if numbers.below(3) == 0 {
                places.remove(chunk.address);
                table.remove(&chunk.address);
            } else {
                places.room(1).unwrap();
                places.insert(step, chunk);
                table.insert(chunk.address, Entry { slot: step, chunk });
            }
            let at = numbers.below(500 * 64);
            assert_eq!(places.before(at), table.range(..at).next_back().map(|(_, entry)| *entry));
            assert_eq!(places.from(at), table.range(at..).next().map(|(_, entry)| *entry));
            let size = numbers.below(1000);
            let within = places.within(at, size).map(|entry| entry.chunk.address);
            let want = table.values().map(|entry| entry.chunk);
            let want = want.filter(|chunk| chunk.address < at + size && chunk.address + chunk.size > at);
            assert!(within.eq(want.map(|chunk| chunk.address)));
        }
        assert!(places.iter().eq(table.into_values()));
        assert!(places.nodes.len() <= 500, "room is used again");
    }
}
