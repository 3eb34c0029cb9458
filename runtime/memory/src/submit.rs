//! The seven steps of a submission, one call each: [`Pool::lock`] the command's objects (1), wait for the fences of
//! [`Pool::waits`] (2), [`Pool::validate`] that everything is resident and carry the plan out (3), write the
//! [`Pool::patches`] into the command (4), submit it (5), [`Pool::fence`] it (6) and [`Pool::unlock`] (7).
//!
//! Between 1 and 7 the objects are neither moved nor reclaimed for others and nobody else can lock them. A reservation
//! that cannot be validated because another one stands in the way has to be unlocked and tried again: whoever holds
//! locks must not wait for locks. [`crate::SharedPool`] does it right for several threads.

use crate::lists::{NoMemory, push, room};
use crate::object::ObjectId;
use crate::plan::{Fence, Plan, Shortage, Use};
use crate::pool::Pool;

/// What executes submissions in the order in which it gets them: between two submissions of one engine nothing waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Engine(pub u16);

/// The device's part of a fence: what is left to be done when the submission has been executed, before its memory is used
/// otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DevicePart {
    /// Caches hold bytes that the memory does not have yet.
    pub flush: bool,
    /// The driver's own.
    pub token: u64,
}

/// An object that is not where commands were last told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patch {
    /// The object.
    pub object: ObjectId,
    /// Where commands were told that it begins; none if this is the first time.
    pub old: Option<u64>,
    /// Where it begins.
    pub new: u64,
}

/// A command's set, locked. It has to be given to [`Pool::unlock`].
#[derive(Debug)]
#[must_use = "the objects stay locked until the reservation is given to `unlock`"]
pub struct Reservation {
    pub(crate) id: u64,
    set: Vec<Use>,
    engine: Engine,
    /// Room for what its fence will remember.
    slots: Vec<u32>,
}

impl Pool {
    /// Step 1: locks every object of the set, or none.
    ///
    /// # Errors
    /// [`Shortage::Locked`] and [`Shortage::Object`].
    pub fn lock(&mut self, set: &[Use], engine: Engine) -> Result<Reservation, Shortage> {
        let set = self.checked(set, None)?;
        let slots = self.fence_room(&set)?;
        let id = self.next_reservation();
        for one in &set {
            self.set_lock(one.object, Some(id));
        }
        self.count_reservation(true);
        Ok(Reservation { id, set, engine, slots })
    }

    /// Step 2: the fences that have to pass first, in order. Submissions of the same engine are ordered anyway, and
    /// readers do not wait for readers.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn waits(&self, reservation: &Reservation) -> Result<Vec<Fence>, NoMemory> {
        let mut fences: Vec<Fence> = Vec::new();
        for one in &reservation.set {
            let writes = one.access.writes();
            let uses = self.uses(one.object).iter();
            let others = uses.filter(|used| used.engine != reservation.engine && (writes || used.writes));
            for used in others {
                push(&mut fences, used.fence)?;
            }
        }
        fences.sort_unstable();
        fences.dedup();
        Ok(fences)
    }

    /// Step 3: makes everything resident. The plan has to be carried out before the command is submitted.
    ///
    /// # Errors
    /// [`Shortage::Wait`] and [`Shortage::TooLarge`]; nothing has changed, and the locks are still held.
    pub fn validate(&mut self, reservation: &Reservation) -> Result<Plan, Shortage> {
        // A locked object may have been released since: it lives until it is unlocked, but no command may use it.
        self.checked(&reservation.set, Some(reservation.id))?;
        self.plan(&reservation.set)
    }

    /// Step 4: the objects that are not where commands were last told, in the order of owners. Each is named once.
    ///
    /// # Errors
    /// [`NoMemory`]; none counts as named.
    pub fn patches(&mut self, reservation: &Reservation) -> Result<Vec<Patch>, NoMemory> {
        let mut patches = Vec::new();
        room(&mut patches, reservation.set.len())?;
        patches.extend(reservation.set.iter().filter_map(|one| self.told(one.object)));
        Ok(patches)
    }

    /// Step 6: the command was submitted and ends with `fence`. Each command is fenced once.
    pub fn fence(&mut self, reservation: &mut Reservation, fence: Fence, part: DevicePart) {
        let slots = std::mem::take(&mut reservation.slots);
        self.attach(&reservation.set, reservation.engine, fence, part, slots);
    }

    /// Step 7: lets the objects go, fenced or not.
    pub fn unlock(&mut self, reservation: Reservation) {
        self.count_reservation(false);
        for one in reservation.set {
            self.set_lock(one.object, None);
        }
    }
}
