//! What executions of one function have shown, kept beyond the launches: a program that makes each launch anew, as
//! OpenCL's interface has it, is known again by the index space and the values that it passes. Only the last few are
//! kept; a launch holds its own as long as it lives.

use std::sync::{Arc, Mutex, PoisonError};

use oxcl_driver::History;

use oxcl_driver::Geometry;
use oxcl_driver::program::ArgValue;

/// Different launches of a function that are known.
const KNOWN: usize = 8;

/// The histories of one function's launches.
#[derive(Debug, Default)]
pub(crate) struct Histories {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    entries: Vec<(Key, Arc<History>)>,
    /// The entry that was made first.
    oldest: usize,
}

/// What a launch is known by. Values are told apart by a hash: to mistake one for another costs time, nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    geometry: Geometry,
    values: u64,
}

impl Key {
    pub(crate) fn new<M, V: AsRef<[u8]>>(geometry: Geometry, arguments: &[ArgValue<M, V>]) -> Self {
        // FNV-1a, which tells short values apart well enough.
        let mut values = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |byte: u8| values = (values ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        for argument in arguments {
            match argument {
                // Where the memory lies says nothing about the time.
                ArgValue::Buffer(_) | ArgValue::Null | ArgValue::Pointer(_) => add(1),
                ArgValue::Local(bytes) => bytes.to_le_bytes().into_iter().for_each(&mut add),
                ArgValue::Value(bytes) => bytes.as_ref().iter().copied().for_each(&mut add),
                // The format decides how long a pixel takes.
                ArgValue::Image(_, image) => {
                    let format = [image.format.channel_order, image.format.channel_type];
                    format.iter().flat_map(|word| word.to_le_bytes()).for_each(&mut add);
                }
                ArgValue::Sampler(sampler) => sampler.bits().into_iter().for_each(&mut add),
            }
        }
        Self { geometry, values }
    }
}

impl Histories {
    /// The history of launches that are known by `key`.
    pub(crate) fn of(&self, key: Key) -> Arc<History> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, history)) = known.entries.iter().find(|(other, _)| *other == key) {
            return Arc::clone(history);
        }
        let history = Arc::<History>::default();
        let entry = (key, Arc::clone(&history));
        let oldest = known.oldest;
        if known.entries.len() < KNOWN {
            known.entries.push(entry);
        } else {
            known.entries[oldest] = entry;
            known.oldest = (oldest + 1) % KNOWN;
        }
        history
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(groups: u64) -> Geometry {
        let (groups, local) = ([groups, 1, 1], [1; 3]);
        Geometry { work_dim: 1, groups, local, global: groups, offset: [0; 3] }
    }

    #[test]
    fn a_launch_made_anew_is_known_by_its_index_space_and_values() {
        let histories = Histories::default();
        let of = |groups, value: u32, address: usize| {
            let pointer = ArgValue::Buffer(address);
            let bytes = value.to_le_bytes();
            histories.of(Key::new(geometry(groups), &[pointer, ArgValue::Value(&bytes)]))
        };
        let first = of(1, 5, 64);
        assert!(Arc::ptr_eq(&first, &of(1, 5, 128)));
        assert!(!Arc::ptr_eq(&first, &of(2, 5, 64)));
        assert!(!Arc::ptr_eq(&first, &of(1, 6, 64)));
        // The oldest makes room; the launches that have it keep it.
        for value in 10..10 + KNOWN as u32 {
            of(1, value, 64);
        }
        assert!(!Arc::ptr_eq(&first, &of(1, 5, 64)));
        assert_eq!(histories.known.lock().unwrap().entries.len(), KNOWN);
    }
}
