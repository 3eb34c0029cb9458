//! The pages that move before a command: a pool's plan as jobs for the threads.
//!
//! In: a plan, and the objects, which get memory of the host for their pages first, so that only the device can fail
//! later. Out: one job after the other; after a failure, how many of the plan's actions were executed. Copies are made
//! a piece at a time. A page-out that fails half-way has lost nothing, as the pages are still in place; a page-in that
//! fails half-way has lost nothing either, as its source is.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use oxcl_driver::{DriverError, Failure, HostMemory, HostSpan};
use oxcl_memory::{Action, Extent, ObjectId, Plan, Source};

use super::coordinator::Object;
use super::engine::Engine;
use super::{PagingKind, Shared, presence};
use oxcl_driver::fault::{OutOfResources, Resource};

/// Bytes copied at a time.
const PIECE: u64 = 256 << 10;

/// A job of a plan.
pub(super) struct Step {
    pub(super) engine: Engine,
    pub(super) run: Box<dyn FnOnce() -> Result<(), Failure> + Send>,
}

/// One copy.
struct Copy {
    kind: PagingKind,
    from: HostSpan,
    to: HostSpan,
    /// The host's side is the program's, not ours.
    home: bool,
    /// Keeps our side.
    _backing: Option<Arc<HostMemory>>,
    engine: Engine,
    /// Position in the plan.
    action: usize,
}

/// A plan under way.
pub(super) struct Paging {
    plan: Plan,
    copies: Arc<Vec<Copy>>,
    /// The first copy that no job has yet.
    next: usize,
    executed: Arc<AtomicUsize>,
    shared: Arc<Shared>,
}

impl Paging {
    /// Prepares a plan.
    ///
    /// # Errors
    /// There is no host memory for the pages that leave, or for the list of copies; the plan comes back.
    pub(super) fn new(
        plan: Plan,
        objects: &mut HashMap<u64, Object>,
        backing: &mut Backing,
        shared: &Arc<Shared>,
    ) -> Result<Self, Box<(Failure, Plan)>> {
        match copies(&plan, objects, backing, shared) {
            Ok(copies) => {
                let (copies, shared) = (Arc::new(copies), Arc::clone(shared));
                Ok(Self { plan, copies, next: 0, executed: Arc::default(), shared })
            }
            Err(failure) => Err(Box::new((failure, plan))),
        }
    }

    /// The next job: all following copies in the same direction; none when the plan is done.
    pub(super) fn next(&mut self) -> Option<Step> {
        let engine = self.copies.get(self.next)?.engine;
        let batch = self.copies[self.next..].iter().take_while(|copy| copy.engine == engine).count();
        let range = self.next..self.next + batch;
        self.next = range.end;
        let (copies, executed, shared) =
            (Arc::clone(&self.copies), Arc::clone(&self.executed), Arc::clone(&self.shared));
        let run = Box::new(move || {
            copies[range].iter().try_for_each(|copy| {
                // The actions before it that copy nothing have been executed by being reached.
                executed.store(copy.action, Ordering::Relaxed);
                copy.execute(&shared)?;
                executed.store(copy.action + 1, Ordering::Relaxed);
                Ok(())
            })
        });
        Some(Step { engine, run })
    }

    /// The last job went well.
    pub(super) fn step_done(&mut self) {
        if self.next == self.copies.len() {
            self.executed.store(self.plan.actions().len(), Ordering::Relaxed);
        }
    }

    /// How many of the plan's actions were executed. The thread that counted has sent its report since.
    pub(super) fn executed(&self) -> usize {
        self.executed.load(Ordering::Relaxed)
    }

    pub(super) fn into_plan(self) -> Plan {
        self.plan
    }
}

impl Copy {
    fn execute(&self, shared: &Shared) -> Result<(), Failure> {
        if self.home {
            presence::check(self.from)?;
        }
        let begin = shared.now();
        let length = self.from.length();
        let mut done = 0;
        while done < length {
            shared.fault()?;
            let part = PIECE.min(length - done);
            let (from, to) = (self.from.part(done, part)?, self.to.part(done, part)?);
            if self.home {
                page_in_from_home(from, to)
            } else {
                to.copy_from(from)
            }
            done += part;
        }
        shared.paged(self.kind, length, begin);
        Ok(())
    }
}

/// Brings bytes back from an allocation's home: all that the page has, also those that are not valid here. These may be written at home
/// at this moment, for somebody who uses other bytes of the buffer than the command that the page is for, and what is read of them
/// nobody uses: it is known which bytes are valid where (`oxcl_memory::residency`), and before others are used here they are brought
/// anew. Bytes that are valid here are not written at home as long as a command that uses them is to come, as the program orders
/// that command and their writer. ThreadSanitizer is told by this function's name.
#[inline(never)]
fn page_in_from_home(from: HostSpan, to: HostSpan) {
    to.copy_from(from);
}

fn object(objects: &mut HashMap<u64, Object>, id: ObjectId) -> Option<&mut Object> {
    objects.values_mut().find(|object| object.id == id)
}

/// All copies of a plan, in order.
fn copies(
    plan: &Plan,
    objects: &mut HashMap<u64, Object>,
    backing: &mut Backing,
    shared: &Arc<Shared>,
) -> Result<Vec<Copy>, Failure> {
    let mut copies = Vec::new();
    shared.room(&mut copies, plan.actions().len())?;
    let mut action = 0;
    for what in plan.combined() {
        copies_of(action, what, objects, backing, shared, &mut copies)?;
        // What is combined stands for two.
        action += if matches!(what, Action::Exchange { .. }) { 2 } else { 1 };
    }
    Ok(copies)
}

fn lost() -> DriverError {
    DriverError::Device { reason: "the device's plan names memory that it does not have".to_owned() }
}

/// Adds the copies of an action, for which there is room: none, one, or for two combined actions two, which one thread
/// makes.
fn copies_of(
    action: usize,
    what: Action,
    objects: &mut HashMap<u64, Object>,
    backing: &mut Backing,
    shared: &Arc<Shared>,
    copies: &mut Vec<Copy>,
) -> Result<(), DriverError> {
    match what {
        Action::Commit(_) => {}
        Action::Clobber(extent) => shared.clobbered(extent.size),
        Action::PageOut(extent) => {
            copies.push(page_out(action, &extent, objects, backing, shared)?);
        }
        Action::PageIn { extent, source } => {
            copies.push(page_in(action, &extent, source, Engine::Upload, objects, shared)?);
        }
        Action::Exchange { out, into, source } => {
            copies.push(page_out(action, &out, objects, backing, shared)?);
            copies.push(page_in(action + 1, &into, source, Engine::Download, objects, shared)?);
        }
        Action::Move { from, to, size, .. } => {
            let (from, to) =
                (shared.span(from, size).ok_or_else(lost)?, shared.span(to, size).ok_or_else(lost)?);
            let (kind, engine) = (PagingKind::Within, Engine::Kernel);
            copies.push(Copy { kind, from, to, home: false, _backing: None, engine, action });
        }
    }
    Ok(())
}

fn page_out(
    action: usize,
    extent: &Extent,
    objects: &mut HashMap<u64, Object>,
    backing: &mut Backing,
    shared: &Arc<Shared>,
) -> Result<Copy, DriverError> {
    let engine = Engine::Download;
    let backing = backing.of(object(objects, extent.object).ok_or_else(lost)?, shared)?;
    let from = shared.span(extent.address, extent.size).ok_or_else(lost)?;
    let to = part_of(&backing, extent.offset, extent.size)?;
    let kind = PagingKind::Out;
    Ok(Copy { kind, from, to, home: false, _backing: Some(backing), engine, action })
}

fn page_in(
    action: usize,
    extent: &Extent,
    source: Source,
    engine: Engine,
    objects: &mut HashMap<u64, Object>,
    shared: &Arc<Shared>,
) -> Result<Copy, DriverError> {
    let object = object(objects, extent.object).ok_or_else(lost)?;
    let to = shared.span(extent.address, extent.size).ok_or_else(lost)?;
    let (from, backing) = match source {
        Source::Backing => {
            // A page-out of the same plan may have made it only now.
            let kept = object.backing.clone().ok_or_else(lost)?;
            (part_of(&kept, extent.offset, extent.size)?, Some(kept))
        }
        Source::Owner => (object.home.ok_or_else(lost)?.part(extent.offset, extent.size)?, None),
    };
    let home = backing.is_none();
    Ok(Copy { kind: PagingKind::In, from, to, home, _backing: backing, engine, action })
}

/// Host memory for pages. What objects do not need any more is kept for others, up to the size of the device's memory:
/// memory that the system has just given costs more to touch for the first time than a page to copy.
pub(super) struct Backing {
    spare: Vec<HostMemory>,
    bytes: u64,
    limit: u64,
}

impl Backing {
    /// No memory yet, and at most `limit` bytes kept for later.
    pub(super) fn new(limit: u64) -> Self {
        Self { spare: Vec::new(), bytes: 0, limit }
    }

    /// The memory for an object's pages.
    fn of(&mut self, object: &mut Object, shared: &Shared) -> Result<Arc<HostMemory>, DriverError> {
        if let Some(backing) = &object.backing {
            return Ok(Arc::clone(backing));
        }
        shared.fault_of_memory(object.size)?;
        let fits = |block: &HostMemory| {
            let size = block.len() as u64;
            size >= object.size && size - object.size <= object.size / 8
        };
        let block = match self.spare.iter().rposition(fits) {
            Some(at) => self.spare.swap_remove(at),
            None => {
                // Others may be of no use any more, and their memory is what is missing.
                let new = || OutOfResources::zeroed(object.size, Resource::Buffer);
                let retry = |_| {
                    self.spare.clear();
                    new()
                };
                let out = |_| DriverError::OutOfMemory { needed: object.size, available: 0 };
                new().or_else(retry).map_err(out)?
            }
        };
        self.bytes = self.spare.iter().map(|block| block.len() as u64).sum();
        Ok(Arc::clone(object.backing.insert(Arc::new(block))))
    }

    /// An object's pages are needed no more. A copy that still runs keeps them until it has ended.
    pub(super) fn take_back(&mut self, object: &mut Object) {
        let Some(block) = object.backing.take().and_then(Arc::into_inner) else { return };
        let bytes = block.len() as u64;
        if self.bytes + bytes <= self.limit && self.spare.try_reserve(1).is_ok() {
            self.bytes += bytes;
            self.spare.push(block);
        }
    }
}

/// `size` bytes of an object's pages from `offset` on.
pub(super) fn part_of(block: &HostMemory, offset: u64, size: u64) -> Result<HostSpan, DriverError> {
    let start = std::ptr::NonNull::new(block.as_ptr()).ok_or_else(lost)?;
    // SAFETY: the block has that many bytes, and every copy keeps it; one job at a time moves pages, and whoever reads
    // them holds the object, so that nothing is paged out over them.
    let all = unsafe { HostSpan::new(start, block.len() as u64) };
    all.part(offset, size)
}
