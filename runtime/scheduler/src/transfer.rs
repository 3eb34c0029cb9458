//! Transfers as work in pieces: reads, writes, copies and fills of any size, which the workers share when they are
//! large. A piece is [`CHUNK`] bytes, or as many rows as come to that.

use std::sync::Arc;

use oxcl_driver::rect::Rect;
use oxcl_driver::{Allocation, Driver, DriverError, Failure, HostSpan, Lane, Launch};

/// Bytes that one worker moves at a time: large against the cost of sharing, small against a cache.
pub const CHUNK: u64 = 256 << 10;

/// What to move.
#[derive(Debug, Clone)]
pub enum Movement {
    /// Device memory to the host.
    Read {
        /// Where from.
        from: Arc<Allocation>,
        /// First byte there.
        offset: u64,
        /// Where to; its length counts.
        to: HostSpan,
    },
    /// Host memory to the device.
    Write {
        /// Where to.
        to: Arc<Allocation>,
        /// First byte there.
        offset: u64,
        /// Where from; its length counts.
        from: HostSpan,
    },
    /// Within the device.
    Copy {
        /// Where from.
        from: Arc<Allocation>,
        /// First byte there.
        from_offset: u64,
        /// Where to.
        to: Arc<Allocation>,
        /// First byte there.
        to_offset: u64,
        /// Bytes.
        length: u64,
    },
    /// Copies of a pattern.
    Fill {
        /// Where to.
        to: Arc<Allocation>,
        /// First byte there.
        offset: u64,
        /// Bytes; a multiple of the pattern's.
        length: u64,
        /// The pattern.
        pattern: Arc<[u8]>,
    },
    /// A rectangle of device memory to the host.
    ReadRect {
        /// Where from.
        from: Arc<Allocation>,
        /// Where to.
        to: HostSpan,
        /// The region.
        rect: Rect,
    },
    /// A rectangle of host memory to the device.
    WriteRect {
        /// Where to.
        to: Arc<Allocation>,
        /// Where from.
        from: HostSpan,
        /// The region.
        rect: Rect,
    },
    /// A rectangle within the device.
    CopyRect {
        /// Where from.
        from: Arc<Allocation>,
        /// Where to.
        to: Arc<Allocation>,
        /// The region.
        rect: Rect,
    },
}

/// A movement on a device.
#[derive(Debug)]
pub struct Transfer {
    driver: Arc<dyn Driver>,
    movement: Movement,
    /// Units (bytes or rows) in all, and in each piece.
    units: u64,
    step: u64,
}

impl Transfer {
    /// A transfer, to be enqueued as a command's work.
    #[must_use]
    pub fn new(driver: Arc<dyn Driver>, movement: Movement) -> Transfer {
        let rows = |rect: &Rect| (rect.row_count(), (CHUNK / rect.size[0].max(1)).max(1));
        let (units, step) = match &movement {
            Movement::Read { to, .. } => (to.length(), CHUNK),
            Movement::Write { from, .. } => (from.length(), CHUNK),
            Movement::Copy { from, from_offset, to, to_offset, length } => {
                // Overlapping bytes of one memory must be moved in one call.
                let apart = from.address != to.address || from_offset.abs_diff(*to_offset) >= *length;
                (*length, if apart { CHUNK } else { (*length).max(1) })
            }
            Movement::Fill { length, pattern, .. } => {
                let unit = (pattern.len() as u64).max(1);
                (*length, (CHUNK / unit).max(1) * unit)
            }
            Movement::ReadRect { rect, .. }
            | Movement::WriteRect { rect, .. }
            | Movement::CopyRect { rect, .. } => rows(rect),
        };
        Transfer { driver, movement, units, step }
    }

    /// What is moved.
    #[must_use]
    pub fn movement(&self) -> &Movement {
        &self.movement
    }

    /// Moves `count` bytes or rows from number `at` on.
    fn part(&self, at: u64, count: u64) -> Result<(), DriverError> {
        let driver = &self.driver;
        let whole = count == self.units;
        match &self.movement {
            Movement::Read { from, offset, to } => driver.read(from, offset + at, to.part(at, count)?),
            Movement::Write { to, offset, from } => driver.write(to, offset + at, from.part(at, count)?),
            Movement::Copy { from, from_offset, to, to_offset, .. } => {
                driver.copy(from, from_offset + at, to, to_offset + at, count)
            }
            Movement::Fill { to, offset, pattern, .. } => driver.fill(to, offset + at, count, pattern),
            Movement::ReadRect { from, to, rect } if whole => driver.read_rect(from, *to, rect),
            Movement::WriteRect { to, from, rect } if whole => driver.write_rect(to, *from, rect),
            Movement::CopyRect { from, to, rect } if whole => driver.copy_rect(from, to, rect),
            Movement::ReadRect { from, to, rect } => {
                (at..at + count).map(|index| rect.row(index)).try_for_each(|row| {
                    let target = to.part(row.to, row.length)?;
                    driver.read(from, row.from, target)
                })
            }
            Movement::WriteRect { to, from, rect } => {
                (at..at + count).map(|index| rect.row(index)).try_for_each(|row| {
                    let source = from.part(row.from, row.length)?;
                    driver.write(to, row.to, source)
                })
            }
            Movement::CopyRect { from, to, rect } => (at..at + count)
                .map(|index| rect.row(index))
                .try_for_each(|row| driver.copy(from, row.from, to, row.to, row.length)),
        }
    }
}

impl Launch for Transfer {
    fn groups(&self) -> u64 {
        self.units.div_ceil(self.step)
    }

    fn run(&self, first: u64, count: u64, _lane: Lane) -> Result<(), Failure> {
        let at = first * self.step;
        let end = (at + count * self.step).min(self.units);
        self.part(at, end - at).map_err(Failure::Driver)
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        Some(self)
    }

    fn label(&self) -> &str {
        match self.movement {
            Movement::Read { .. } => "read",
            Movement::Write { .. } => "write",
            Movement::Copy { .. } => "copy",
            Movement::Fill { .. } => "fill",
            Movement::ReadRect { .. } => "read rectangle",
            Movement::WriteRect { .. } => "write rectangle",
            Movement::CopyRect { .. } => "copy rectangle",
        }
    }
}
