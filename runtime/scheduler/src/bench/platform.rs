//! What the benchmarks' programs run on: workers, queues, buffers, and the programs' kernels bound to buffers. This
//! crate brings [`super::Functions`]; whoever has compiled kernels brings another.

use crate::{Access, Event, UserEvent};

use super::BenchError;

/// Elements that the largest piece of work goes through, on platforms that are fast enough.
pub const ELEMENTS: u64 = 8192;

/// Work-items in each group of the empty kernel.
pub const EMPTY_ITEMS: u64 = 64;

/// A launch of the kernel `work`. Group `g` goes `g + 1` times through `elements` elements of the input if the work is
/// uneven, else once; then it adds 1 to cell `g` of `to`.
#[derive(Debug, Clone, Copy)]
pub struct Work<'b, B> {
    /// [`ELEMENTS`] numbers, only read.
    pub input: &'b B,
    /// Twice as many cells as there are groups: counts, then results.
    pub to: &'b B,
    /// Elements of each round.
    pub elements: u64,
    /// Work-groups, of one work-item each.
    pub groups: u64,
    /// Whether the groups' work differs.
    pub uneven: bool,
}

/// See the module's header. Launches are made before the clock starts, and may be enqueued any number of times.
pub trait Platform {
    /// A command queue.
    type Queue;
    /// Memory.
    type Buffer;
    /// A kernel bound to its arguments.
    type Launch;

    /// Elements that the largest piece of work goes through: at most [`ELEMENTS`], and fewer where those take too long.
    fn elements(&self) -> u64 {
        ELEMENTS
    }
    /// A queue for the device.
    fn queue(&self, out_of_order: bool) -> Result<Self::Queue, BenchError>;
    /// A user event.
    fn gate(&self) -> Result<UserEvent, BenchError>;
    /// `count` cells of 32 bits, all zero.
    fn cells(&self, count: u64) -> Result<Self::Buffer, BenchError>;
    /// [`ELEMENTS`] floating-point numbers, all one. `flags` is what kernels might do with it.
    fn input(&self, flags: Access) -> Result<Self::Buffer, BenchError>;
    /// What the cells hold.
    fn read(&self, cells: &Self::Buffer) -> Result<Vec<u32>, BenchError>;

    /// `to[0] = from[0] + 1`, one work-item.
    fn increment(&self, from: &Self::Buffer, to: &Self::Buffer) -> Result<Self::Launch, BenchError>;
    /// See [`Work`].
    fn work(&self, work: &Work<'_, Self::Buffer>) -> Result<Self::Launch, BenchError>;
    /// Groups of [`EMPTY_ITEMS`] work-items that do nothing.
    fn empty(&self, groups: u64) -> Result<Self::Launch, BenchError>;

    /// Enqueues a launch.
    fn enqueue(
        &self,
        queue: &Self::Queue,
        launch: &Self::Launch,
        waits: &[Event],
    ) -> Result<Event, BenchError>;
    /// Enqueues a launch whose event nobody wants.
    fn enqueue_silently(
        &self,
        queue: &Self::Queue,
        launch: &Self::Launch,
        waits: &[Event],
    ) -> Result<(), BenchError>;
    /// Enqueues a command that writes all of an input anew.
    fn overwrite(&self, queue: &Self::Queue, input: &Self::Buffer, waits: &[Event])
    -> Result<(), BenchError>;
    /// Makes sure that everything enqueued gets executed.
    fn flush(&self, queue: &Self::Queue) -> Result<(), BenchError>;
    /// Waits for everything enqueued; the caller executes meanwhile.
    fn finish(&self, queue: &Self::Queue) -> Result<(), BenchError>;
}
