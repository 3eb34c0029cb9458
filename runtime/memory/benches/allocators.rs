//! The allocators side by side: bufalloc, first fit on a list, and TLSF, each alone and over the traces. Prints a table.
//!
//! TLSF works in memory that it can write to and keeps its notes there, which memory of a device does not allow; it is
//! here for its speed and its fragmentation.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::alloc::Layout;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use oxcl_memory::bench::{
    ALIGNMENT, Allocator, FirstFit, Tight, Wasteful, allocate_and_free, fragmentations,
    fragmentations_recorded, reclaim_structures,
};

/// TLSF over memory of its own.
struct Tlsf {
    tlsf: rlsf::Tlsf<'static, u32, u32, 28, 32>,
    memory: NonNull<[MaybeUninit<u8>]>,
}

impl Allocator for Tlsf {
    type Chunk = NonNull<u8>;

    fn over(size: u64) -> Self {
        let memory = Box::leak(Box::<[u8]>::new_uninit_slice(size as usize));
        let memory = NonNull::from(memory);
        let mut tlsf = rlsf::Tlsf::new();
        // SAFETY: the memory is this value's own until its drop frees it, after the last use of the allocator.
        let pool: &'static mut [MaybeUninit<u8>] = unsafe { &mut *memory.as_ptr() };
        tlsf.insert_free_block(pool);
        Self { tlsf, memory }
    }

    fn take(&mut self, size: u64) -> Option<NonNull<u8>> {
        // It aligns to 16 bytes by itself; more costs it time and room, so it is not asked for the others' 256.
        let layout = Layout::from_size_align(size.next_multiple_of(ALIGNMENT) as usize, 16).ok()?;
        self.tlsf.allocate(layout)
    }

    fn give(&mut self, chunk: NonNull<u8>) {
        // SAFETY: the chunk was allocated here with this alignment and is freed once.
        unsafe { self.tlsf.deallocate(chunk, 16) }
    }
}

impl Drop for Tlsf {
    fn drop(&mut self) {
        // SAFETY: the pointer is that of the leaked box, and the allocator over it is not used again.
        drop(unsafe { Box::from_raw(self.memory.as_ptr()) });
    }
}

fn shares(what: &str, [tight, wasteful, tlsf, first]: [Vec<(&'static str, f64)>; 4]) {
    println!("fragmentation: {what}");
    for (at, (trace, tight)) in tight.into_iter().enumerate() {
        let [wasteful, tlsf, first] = [&wasteful, &tlsf, &first].map(|other| other[at].1 * 100.0);
        println!(
            "{trace:>12}: bufalloc tight {:5.1} %, wasteful {wasteful:5.1} %, TLSF {tlsf:5.1} %, first fit {first:5.1} %",
            tight * 100.0,
        );
    }
}

fn main() {
    for live in [100, 1000, 10_000, 100_000] {
        println!(
            "allocate + free, {live:>6} live: bufalloc tight {:6.1} ns, wasteful {:6.1} ns, TLSF {:6.1} ns, first fit {:9.1} ns",
            allocate_and_free::<Tight>(live, 200_000),
            allocate_and_free::<Wasteful>(live, 200_000),
            allocate_and_free::<Tlsf>(live, 200_000),
            allocate_and_free::<FirstFit>(live, 2_000),
        );
    }
    shares(
        "allocations of four kinds of program and of a pool, on which one parameter was chosen",
        [
            fragmentations::<Tight>(8),
            fragmentations::<Wasteful>(8),
            fragmentations::<Tlsf>(8),
            fragmentations::<FirstFit>(8),
        ],
    );
    shares(
        "recorded from other programs, and not looked at while anything was chosen",
        [
            fragmentations_recorded::<Tight>(8),
            fragmentations_recorded::<Wasteful>(8),
            fragmentations_recorded::<Tlsf>(8),
            fragmentations_recorded::<FirstFit>(8),
        ],
    );
    for objects in [100, 10_000] {
        for structure in reclaim_structures(objects) {
            let exact = if structure.exact { "exact order" } else { "near the order" };
            println!(
                "reclaim order, {objects:>6} objects: {:>16} {:9.1} ns ({exact})",
                structure.name, structure.ns
            );
        }
    }
}
