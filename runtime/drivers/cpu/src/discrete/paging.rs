//! The pages that move before a command: a pool's plan as jobs for the threads.
//!
//! In: a plan, and the objects, which get memory of the host for their pages first, so that only the device can fail
//! later. Out: one job after the other; after a failure, how many of the plan's actions were executed. Copies are made
//! a piece at a time. A page-out that fails half-way has lost nothing, as the pages are still in place; a page-in that
//! fails half-way has lost nothing either, as its source is.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use oxcl_driver::{DriverError, Failure, HostSpan};
use oxcl_memory::{Action, Extent, ObjectId, Plan, Source};

use super::coordinator::Object;
use super::engine::Engine;
use super::{PagingKind, Shared, presence};
use crate::error::Resource;
use crate::memory::HostMemory;

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
    copies: std::vec::IntoIter<Copy>,
    executed: Arc<AtomicUsize>,
    shared: Arc<Shared>,
}

impl Paging {
    /// Prepares a plan.
    ///
    /// # Errors
    /// There is no host memory for the pages that leave; the plan comes back.
    pub(super) fn new(
        plan: Plan,
        objects: &mut HashMap<u64, Object>,
        shared: &Arc<Shared>,
    ) -> Result<Self, (DriverError, Plan)> {
        let mut copies = Vec::new();
        let mut action = 0;
        for what in plan.combined() {
            if let Err(error) = copies_of(action, what, objects, shared, &mut copies) {
                return Err((error, plan));
            }
            // What is combined stands for two.
            action += if matches!(what, Action::Exchange { .. }) { 2 } else { 1 };
        }
        let shared = Arc::clone(shared);
        Ok(Self { plan, copies: copies.into_iter(), executed: Arc::default(), shared })
    }

    /// The next job: all following copies in the same direction; none when the plan is done.
    pub(super) fn next(&mut self) -> Option<Step> {
        let first = self.copies.next()?;
        let engine = first.engine;
        let mut batch = vec![first];
        while self.copies.as_slice().first().is_some_and(|copy| copy.engine == engine) {
            batch.extend(self.copies.next());
        }
        let (executed, shared) = (Arc::clone(&self.executed), Arc::clone(&self.shared));
        let run = Box::new(move || {
            batch.into_iter().try_for_each(|copy| {
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
        if self.copies.as_slice().is_empty() {
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
            self.to.part(done, part)?.copy_from(self.from.part(done, part)?);
            done += part;
        }
        shared.paged(self.kind, length, begin);
        Ok(())
    }
}

fn object(objects: &mut HashMap<u64, Object>, id: ObjectId) -> Option<&mut Object> {
    objects.values_mut().find(|object| object.id == id)
}

fn lost() -> DriverError {
    DriverError::Device { reason: "the device's plan names memory that it does not have".to_owned() }
}

/// Adds the copies of an action: none, one, or for two combined actions two, which one thread makes.
fn copies_of(
    action: usize,
    what: Action,
    objects: &mut HashMap<u64, Object>,
    shared: &Arc<Shared>,
    copies: &mut Vec<Copy>,
) -> Result<(), DriverError> {
    match what {
        Action::Commit(_) => {}
        Action::Clobber(extent) => shared.clobbered(extent.size),
        Action::PageOut(extent) => {
            copies.push(page_out(action, &extent, Engine::Download, objects, shared)?);
        }
        Action::PageIn { extent, source } => {
            copies.push(page_in(action, &extent, source, Engine::Upload, objects, shared)?);
        }
        Action::Exchange { out, into, source } => {
            copies.push(page_out(action, &out, Engine::Download, objects, shared)?);
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
    engine: Engine,
    objects: &mut HashMap<u64, Object>,
    shared: &Arc<Shared>,
) -> Result<Copy, DriverError> {
    let backing = backing(object(objects, extent.object).ok_or_else(lost)?, shared)?;
    let from = shared.span(extent.address, extent.size).ok_or_else(lost)?;
    let to = part_of(&backing, extent)?;
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
            (part_of(&kept, extent)?, Some(kept))
        }
        Source::Owner => (object.home.ok_or_else(lost)?.part(extent.offset, extent.size)?, None),
    };
    let home = backing.is_none();
    Ok(Copy { kind: PagingKind::In, from, to, home, _backing: backing, engine, action })
}

/// The host's memory for an object's pages.
fn backing(object: &mut Object, shared: &Shared) -> Result<Arc<HostMemory>, DriverError> {
    if let Some(backing) = &object.backing {
        return Ok(Arc::clone(backing));
    }
    let out = |_| DriverError::OutOfMemory { needed: object.size, available: 0 };
    shared.fault_of_memory(object.size)?;
    let block = HostMemory::new(object.size, false, Resource::Buffer).map_err(out)?;
    Ok(Arc::clone(object.backing.insert(Arc::new(block))))
}

fn part_of(block: &HostMemory, extent: &Extent) -> Result<HostSpan, DriverError> {
    let start = std::ptr::NonNull::new(block.as_ptr()).ok_or_else(lost)?;
    // SAFETY: the block has that many bytes, and every copy keeps it; one job at a time moves pages.
    let all = unsafe { HostSpan::new(start, block.len() as u64) };
    all.part(extent.offset, extent.size)
}
