//! What a core does to the world beyond its own state: stores on their way, the output and the input, the timers.

use oxcl_tta::ops::{Atomic, ByteOrder, Device};
use std::collections::VecDeque;

/// A memory access that takes place at the end of its cycle.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Access {
    /// A store.
    Store { memory: usize, address: u64, bytes: u8, order: ByteOrder, value: u64 },
    /// A read and a write; the old value is a result of the core. `request` is the core's own name for it.
    Atomic { memory: usize, address: u64, atomic: Atomic, operand: u64, replacement: u64, request: u32 },
}

/// What an atomic operation leaves in memory.
pub(crate) fn exchanged(atomic: Atomic, old: u64, operand: u64, replacement: u64) -> u64 {
    match atomic {
        Atomic::Update(function) => function(old, operand & 0xffff_ffff) & 0xffff_ffff,
        Atomic::CompareExchange if old == operand & 0xffff_ffff => replacement & 0xffff_ffff,
        Atomic::CompareExchange => old,
    }
}

/// The world outside a core.
#[derive(Debug, Clone, Default)]
pub(crate) struct World {
    /// Bytes written and not yet taken.
    pub(crate) output: Vec<u8>,
    /// Bytes to be read.
    pub(crate) input: VecDeque<u8>,
    clock_from: u64,
    timer: u64,
    timer_from: u64,
}

impl World {
    /// Does what `device` does with `operand` in `cycle`; gives its result, if it has one.
    pub(crate) fn act(&mut self, device: Device, operand: u64, cycle: u64) -> u64 {
        match device {
            Device::WriteByte => {
                self.output.push((operand & 0xff) as u8);
                0
            }
            Device::WriteNumber => {
                let number = (operand & 0xffff_ffff) as u32;
                self.output.extend_from_slice(format!("{}\n", number.cast_signed()).as_bytes());
                0
            }
            Device::ReadByte => u64::from(self.input.pop_front().unwrap_or(0)),
            Device::InputStatus => u64::from(!self.input.is_empty()),
            Device::OutputStatus => 1,
            Device::Cycles => cycle & 0xffff_ffff,
            Device::Clock => {
                if operand == 0 {
                    self.clock_from = cycle;
                }
                (cycle - self.clock_from) & 0xffff_ffff
            }
            Device::Timer => {
                let left = self.timer.saturating_sub(cycle - self.timer_from);
                (self.timer, self.timer_from) = (if operand == 0 { left } else { operand }, cycle);
                left
            }
            Device::Stalls | Device::Ignore => 0,
        }
    }
}
