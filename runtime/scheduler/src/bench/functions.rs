//! The programs on functions of this crate behind the null driver, so that nothing but the scheduler is measured. Cells
//! are atomics that are only loaded and stored, so that a wrong order shows as a wrong result and not as undefined
//! behaviour.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use oxcl_driver::{Driver, Failure, History, Lane, Launch, NullDriver};

use super::BenchError;
use super::platform::{ELEMENTS, Platform, Work};
use crate::scheduler::{Options, Scheduler};
use crate::{Access, Command, Event, Queue, QueueProperties, ResourceId, Touch, UserEvent};

/// A scheduler of its own, whose commands are functions.
#[derive(Debug)]
pub struct Functions {
    scheduler: Scheduler,
}

impl Functions {
    /// Starts `workers` workers.
    pub fn start(workers: usize) -> Result<Functions, BenchError> {
        Ok(Functions { scheduler: Scheduler::start(Options { workers, ..Options::default() })? })
    }

    fn resource(&self) -> ResourceId {
        self.scheduler.resource()
    }
}

/// Memory for the functions.
#[derive(Debug, Clone)]
pub struct Memory {
    resource: ResourceId,
    cells: Arc<[AtomicU32]>,
    input: Arc<[f32]>,
}

/// A function with its memory and what it touches.
#[derive(Debug)]
pub struct Bound {
    launch: Arc<dyn Launch>,
    touches: Vec<Touch>,
}

struct Increment {
    history: History,
    from: Memory,
    to: Memory,
}

impl Launch for Increment {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        let from = self.from.cells[0].load(Ordering::Relaxed);
        self.to.cells[0].store(from.wrapping_add(1), Ordering::Relaxed);
        Ok(())
    }

    fn history(&self) -> Option<&History> {
        Some(&self.history)
    }

    fn label(&self) -> &str {
        "inc"
    }
}

/// A chain of dependent multiply-adds over `count` elements.
fn chain(sum: f32, input: &[f32], count: u64) -> f32 {
    let count = usize::try_from(count).unwrap_or(usize::MAX).min(input.len());
    input[..count].iter().fold(sum, |sum, value| sum * 0.999 + value)
}

/// Aligned as launches of the CPU drivers are.
#[repr(align(64))]
struct Rounds {
    history: History,
    input: Arc<[f32]>,
    to: Arc<[AtomicU32]>,
    elements: u64,
    groups: u64,
    uneven: bool,
}

impl Launch for Rounds {
    fn groups(&self) -> u64 {
        self.groups
    }

    fn run(&self, first: u64, count: u64, _lane: Lane) -> Result<(), Failure> {
        for group in first..first + count {
            let rounds = if self.uneven { group + 1 } else { 1 };
            let mut sum = 0.0;
            for _ in 0..rounds {
                sum = chain(sum, &self.input, self.elements);
            }
            let at = |position: u64| usize::try_from(position).ok().and_then(|at| self.to.get(at));
            if let (Some(cell), Some(result)) = (at(group), at(self.groups + group)) {
                cell.store(cell.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
                result.store(sum.to_bits(), Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn history(&self) -> Option<&History> {
        Some(&self.history)
    }

    fn label(&self) -> &str {
        "work"
    }
}

/// Work-groups that do nothing, called one by one as compiled code would be.
struct Empty {
    groups: u64,
}

#[inline(never)]
fn empty_group(group: u64) {
    black_box(group);
}

impl Launch for Empty {
    fn groups(&self) -> u64 {
        self.groups
    }

    fn run(&self, first: u64, count: u64, _lane: Lane) -> Result<(), Failure> {
        for group in first..first + count {
            empty_group(group);
        }
        Ok(())
    }

    fn label(&self) -> &str {
        "empty"
    }
}

fn touch(memory: &Memory, access: Access) -> Touch {
    Touch::whole(memory.resource, access)
}

impl Platform for Functions {
    type Queue = Queue;
    type Buffer = Memory;
    type Launch = Bound;

    fn queue(&self, out_of_order: bool) -> Result<Queue, BenchError> {
        let driver: Arc<dyn Driver> = Arc::new(NullDriver::new());
        Ok(self.scheduler.queue(driver, QueueProperties { out_of_order, profiling: false })?)
    }

    fn gate(&self) -> Result<UserEvent, BenchError> {
        Ok(self.scheduler.user_event()?)
    }

    fn cells(&self, count: u64) -> Result<Memory, BenchError> {
        let cells = (0..count).map(|_| AtomicU32::new(0)).collect();
        Ok(Memory { resource: self.resource(), cells, input: Arc::new([]) })
    }

    fn input(&self, _flags: Access) -> Result<Memory, BenchError> {
        let input = std::iter::repeat_n(1.0, usize::try_from(ELEMENTS).unwrap_or(0)).collect();
        Ok(Memory { resource: self.resource(), cells: Arc::new([]), input })
    }

    fn read(&self, memory: &Memory) -> Result<Vec<u32>, BenchError> {
        Ok(memory.cells.iter().map(|cell| cell.load(Ordering::Relaxed)).collect())
    }

    fn increment(&self, from: &Memory, to: &Memory) -> Result<Bound, BenchError> {
        let touches = vec![touch(from, Access::Read), touch(to, Access::Write)];
        Ok(Bound {
            launch: Arc::new(Increment { history: History::new(), from: from.clone(), to: to.clone() }),
            touches,
        })
    }

    fn work(&self, work: &Work<'_, Memory>) -> Result<Bound, BenchError> {
        let Work { input, to, elements, groups, uneven } = *work;
        // That it only reads its input is what a compiler would have found out, whatever the buffer's flags.
        let touches = vec![touch(input, Access::Read), touch(to, Access::ReadWrite)];
        let (input, to) = (Arc::clone(&input.input), Arc::clone(&to.cells));
        Ok(Bound {
            launch: Arc::new(Rounds { history: History::new(), input, to, elements, groups, uneven }),
            touches,
        })
    }

    fn empty(&self, groups: u64) -> Result<Bound, BenchError> {
        Ok(Bound { launch: Arc::new(Empty { groups }), touches: Vec::new() })
    }

    fn enqueue(&self, queue: &Queue, launch: &Bound, waits: &[Event]) -> Result<Event, BenchError> {
        let Bound { launch, touches } = launch;
        let work = Some(Arc::clone(launch));
        Ok(queue.enqueue(Command { work, touches, waits, ..Command::default() })?)
    }

    fn enqueue_silently(&self, queue: &Queue, launch: &Bound, waits: &[Event]) -> Result<(), BenchError> {
        let Bound { launch, touches } = launch;
        let work = Some(Arc::clone(launch));
        Ok(queue.enqueue_silently(Command { work, touches, waits, ..Command::default() })?)
    }

    fn overwrite(&self, queue: &Queue, input: &Memory, waits: &[Event]) -> Result<(), BenchError> {
        let touches = [touch(input, Access::Write)];
        let work: Arc<dyn Launch> = Arc::new(Empty { groups: 1 });
        Ok(queue.enqueue_silently(Command {
            work: Some(work),
            touches: &touches,
            waits,
            ..Command::default()
        })?)
    }

    fn flush(&self, queue: &Queue) -> Result<(), BenchError> {
        Ok(queue.flush()?)
    }

    fn finish(&self, queue: &Queue) -> Result<(), BenchError> {
        Ok(queue.finish()?)
    }
}
