//! What kernels print: from the device's print buffer to a launch's printer.
//!
//! In: a device whose command has ended, or will not go on. Out: the text of its records, and an empty buffer. Records lead to
//! their formats, which are constants of the program that is loaded.

use crate::launch::PRINT_DROPPED;
use crate::map::PRINT_HEAD;
use crate::simulation::{Core, Simulation};
use oxcl_driver::print;
use oxcl_driver::printer::Printed;
use oxcl_ttasim::Memory;
use std::borrow::Cow;

/// Longer formats are cut off: no compiler makes them, but a kernel can destroy the zero at the end of one.
const LONGEST_FORMAT: u64 = 1 << 16;

impl Simulation {
    /// Takes what a command has printed whose context is at this address.
    pub(crate) fn drain_prints(&mut self, device: usize, context: u64) -> Printed {
        let core = &self.cores[device];
        let (region, constants) = (core.plan.print, core.memory_of(core.plan.constant));
        let used = u64::from(self.peek(0, region.start)).min(region.size - PRINT_HEAD);
        let dropped_at = context + PRINT_DROPPED;
        let dropped = u64::from(self.peek(0, dropped_at));
        if used == 0 && dropped == 0 {
            return Printed::default();
        }
        let memories = self.memories();
        let mut records = vec![0; usize::try_from(used).unwrap_or_default()];
        let read = memories.first().map(|memory| memory.read(region.start + PRINT_HEAD, &mut records));
        debug_assert_eq!(read, Some(Ok(())), "the buffer lies inside the shared memory");
        let text_at = |address| Some(Cow::Owned(format(memories.get(constants)?, address)));
        let text = print::text(&records, &text_at);
        self.poke(0, region.start, 0);
        self.poke(0, dropped_at, 0);
        Printed { text, dropped }
    }
}

/// The bytes up to a zero.
fn format(memory: &Memory, address: u64) -> Vec<u8> {
    let bytes = (address..address.saturating_add(LONGEST_FORMAT)).map_while(|at| {
        let mut byte = [0];
        memory.read(at, &mut byte).ok().map(|()| byte[0])
    });
    bytes.take_while(|byte| *byte != 0).collect()
}

impl Core {
    /// Where the context of the command in a slot is.
    pub(crate) fn context_of(&self, number: u64, offset: u64) -> u64 {
        self.plan.block(number).start + offset
    }
}
