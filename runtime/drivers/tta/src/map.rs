//! The memory map: which memory of a machine stands for which OpenCL address space, and what lies where in it.
//!
//! In: the machines of a platform. Out: a [`Plan`] for each device. The space of OpenCL's address space N is the machine's space
//! that lists N; else the one that lists 1 (for 2, 3 and 5); else the only data space. The space that holds 1 is global: all
//! devices share it as one memory that ends where the smallest of them ends. From low to high: 4 KiB reserved, the event words,
//! for each device its command slots, launch words, argument and context blocks, data, what it prints and (where private memory
//! is there) scratch and stack, then local memory of the devices without one of their own, then what buffers are allocated from.

use oxcl_tta::device_main::{self, NoSpace, Spaces};
use oxcl_tta::model::{Machine, SpaceId};

/// Bytes at the bottom that nothing uses, so that null points at nothing.
const RESERVED: u64 = 4096;
/// Events that devices can wait for at a time.
pub(crate) const EVENTS: u64 = 1024;
/// Bytes of a command slot.
pub(crate) const SLOT: u64 = device_main::SLOT as u64;
/// Command slots of a device.
pub(crate) const SLOTS: u64 = device_main::SLOTS as u64;
/// Bytes in front of what kernels print.
pub(crate) const PRINT_HEAD: u64 = 16;
/// Words that the device's main program and the kernel's start-up share.
const LAUNCH: u64 = 64;
/// Least bytes of shared memory for buffers: below, the machine is no device.
const LEAST_GLOBAL: u64 = 16 << 10;

/// Why a machine cannot be a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// It is not of the kind that code is compiled for.
    #[error("no OpenCL code is compiled for this machine: {0}")]
    Machine(&'static str),
    /// No memory for an address space.
    #[error(transparent)]
    NoSpace(#[from] NoSpace),
    /// Not enough memory.
    #[error("the shared memory has {size} bytes; {devices} devices need at least {needed}")]
    TooSmall {
        /// Bytes.
        size: u64,
        /// Devices that share it.
        devices: usize,
        /// Bytes needed.
        needed: u64,
    },
}

/// A range of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// The first address.
    pub start: u64,
    /// Bytes.
    pub size: u64,
}

impl Region {
    fn end(self) -> u64 {
        self.start + self.size
    }
}

/// The memory map of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The space that all devices share.
    pub global: SpaceId,
    /// The space of private memory.
    pub private: SpaceId,
    /// The space of constants.
    pub constant: SpaceId,
    /// The space of local memory.
    pub local: SpaceId,
    /// The space of the command queue.
    pub queue: SpaceId,
    /// The event words, shared by all.
    pub events: Region,
    /// The command slots, in the queue's space.
    pub slots: Region,
    /// The words that main and start-up share, in the shared space.
    pub launch: Region,
    /// A block for each slot with arguments and context, in the shared space.
    pub blocks: Region,
    /// Objects of programs in the shared space.
    pub data: Region,
    /// What kernels print: a word that says how many bytes, then records, which begin at an offset of their own; in the shared
    /// space.
    pub print: Region,
    /// Objects of programs in the private space, where that is another.
    pub private_data: Option<Region>,
    /// Scratch memory of work-groups, in the private space: it holds what work-items keep over barriers.
    pub scratch: Region,
    /// The stack, in the private space; it grows down from its end.
    pub stack: Region,
    /// Local memory, in the local space.
    pub local_memory: Region,
}

fn bytes(machine: &Machine, space: SpaceId) -> u64 {
    machine.spaces[space.index()].max_address.min(0xffff_ffff) + 1
}

/// The maps of the devices of a platform, and what is left of the shared memory for buffers.
///
/// # Errors
/// A machine that code is not compiled for, a space that nothing stands for, too little memory.
pub(crate) fn plan(machines: &[Machine]) -> Result<(Vec<Plan>, Region), MapError> {
    let mut all = Vec::new();
    for machine in machines {
        if !machine.little_endian {
            return Err(MapError::Machine("it is big-endian"));
        }
        if machine.bits64 {
            return Err(MapError::Machine("its addresses have 64 bits"));
        }
        all.push(Spaces::of(machine)?);
    }
    let size = machines.iter().zip(&all).map(|(m, s)| bytes(m, s.global)).min().unwrap_or(0);
    // What a device keeps for itself: a sixteenth of its share for each of six purposes.
    let share = size / machines.len().max(1) as u64;
    let part = (share / 16 / 128 * 128).clamp(512, 256 << 10);
    let print = (share / 16 / 128 * 128).clamp(1024, (1 << 20) + PRINT_HEAD.next_multiple_of(128));
    let mut next = RESERVED;
    let mut take = |size: u64| {
        let start = next.next_multiple_of(128);
        next = start + size;
        Region { start, size }
    };
    let events = take(EVENTS * 4);
    let mut plans = Vec::new();
    for (machine, spaces) in machines.iter().zip(&all) {
        let queue_apart = spaces.queue != spaces.global;
        let slots = if queue_apart { Region { start: 128, size: SLOTS * SLOT } } else { take(SLOTS * SLOT) };
        let (launch, blocks, data, print) = (take(LAUNCH), take(part), take(part), take(print));
        let own = |space: SpaceId, from: u64| {
            let end = bytes(machine, space) / 16 * 16;
            Region { start: from.min(end), size: end.saturating_sub(from) }
        };
        let (private_data, scratch, stack) = if spaces.private == spaces.global {
            (None, take(part), take(part))
        } else {
            // An eighth for objects, half for scratch, the rest for the stack.
            let all = own(spaces.private, 128);
            let eighth = all.size / 8 / 128 * 128;
            let data = Region { start: all.start, size: eighth };
            let scratch = Region { start: data.end(), size: 4 * eighth };
            let stack = Region { start: scratch.end(), size: all.size - 5 * eighth };
            (Some(data), scratch, stack)
        };
        let local_memory =
            if spaces.local == spaces.global { take(part.min(64 << 10)) } else { own(spaces.local, 128) };
        plans.push(Plan {
            global: spaces.global,
            private: spaces.private,
            constant: spaces.constant,
            local: spaces.local,
            queue: spaces.queue,
            events,
            slots,
            launch,
            blocks,
            data,
            print,
            private_data,
            scratch,
            stack,
            local_memory,
        });
    }
    let start = next.next_multiple_of(128);
    if start + LEAST_GLOBAL > size {
        let needed = start + LEAST_GLOBAL;
        return Err(MapError::TooSmall { size, devices: machines.len(), needed });
    }
    Ok((plans, Region { start, size: (size - start) / 128 * 128 }))
}

impl Plan {
    /// The address of an event's word.
    pub(crate) fn event(&self, number: u64) -> u64 {
        self.events.start + number * 4
    }

    /// The address of a command slot.
    pub(crate) fn slot(&self, number: u64) -> u64 {
        self.slots.start + number * SLOT
    }

    /// The block of a slot.
    pub(crate) fn block(&self, number: u64) -> Region {
        let size = self.blocks.size / SLOTS / 16 * 16;
        Region { start: self.blocks.start + number * size, size }
    }

    /// The address above the stack: as every object on it may ask for, and one that the memory has.
    pub(crate) fn stack_top(&self) -> u64 {
        self.stack.end().saturating_sub(1) / 128 * 128
    }
}

#[cfg(test)]
mod tests {
    use super::{MapError, plan};
    use oxcl_tta::compose::{compose, stock};

    #[test]
    fn regions_do_not_overlap_on_any_of_our_machines() {
        let plans = stock::plans();
        let machines: Vec<_> =
            plans.iter().filter(|(name, _)| *name != "big_endian").map(|(_, plan)| compose(plan)).collect();
        let (maps, buffers) = plan(&machines).expect("all can be devices");
        let mut shared = vec![(0, 4096), (maps[0].events.start, maps[0].events.size)];
        for map in &maps {
            for region in [map.launch, map.blocks, map.data, map.print] {
                shared.push((region.start, region.size));
            }
            for (space, region) in [
                (map.queue, map.slots),
                (map.private, map.scratch),
                (map.private, map.stack),
                (map.local, map.local_memory),
            ] {
                if space == map.global {
                    shared.push((region.start, region.size));
                }
            }
        }
        shared.push((buffers.start, buffers.size));
        shared.sort_unstable();
        for pair in shared.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{pair:?}");
        }
        assert!(buffers.size > 1 << 20);
        // The machine with four memories has everything but buffers and arguments elsewhere.
        assert!(maps[5].local != maps[5].global && maps[5].private != maps[5].global);
    }

    #[test]
    fn machines_that_cannot_be_devices_say_why() {
        let big = compose(&stock::plans().pop().expect("it is the last").1);
        assert_eq!(plan(&[big]), Err(MapError::Machine("it is big-endian")));
        let mut small = compose(&stock::plans()[0].1);
        small.spaces[0].max_address = 0x3fff;
        assert!(matches!(plan(&[small]), Err(MapError::TooSmall { size: 0x4000, devices: 1, .. })));
    }
}
