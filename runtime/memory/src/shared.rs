//! [`SharedPool`]: a pool for several threads. A command gets its whole set, locked and resident, or waits with nothing
//! in hand, so two commands that want each other's objects cannot block each other.
//!
//! A thread that found no room becomes *hungry*; while somebody is, nobody who came later gets a new set, so memory that
//! comes free goes to the oldest. Everything that can free memory or locks wakes the waiting threads.

use crate::lists::{NoMemory, room};
use crate::object::ObjectId;
use crate::plan::{Fence, Plan, PoolError, Shortage, Use};
use crate::pool::Pool;
use crate::shim::{Condvar, Mutex, MutexGuard, lock};
use crate::submit::{DevicePart, Engine, Patch, Reservation};

#[derive(Debug)]
struct Inner {
    pool: Pool,
    tickets: u64,
    /// Tickets of threads that wait for room or for locks, in order.
    hungry: Vec<u64>,
}

/// A pool behind a lock.
#[derive(Debug)]
pub struct SharedPool {
    inner: Mutex<Inner>,
    changed: Condvar,
}

/// A command's set, locked and resident. Steps 4 to 7 are left; dropping it is step 7.
#[derive(Debug)]
pub struct Held<'p> {
    pool: &'p SharedPool,
    reservation: Option<Reservation>,
    plan: Plan,
}

impl SharedPool {
    /// Shares a pool.
    #[must_use]
    pub fn new(pool: Pool) -> Self {
        let inner = Inner { pool, tickets: 0, hungry: Vec::new() };
        Self { inner: Mutex::new(inner), changed: Condvar::new() }
    }

    /// Calls `f` with the pool, for everything that needs no waiting.
    pub fn with<R>(&self, f: impl FnOnce(&mut Pool) -> R) -> R {
        let result = f(&mut lock(&self.inner).pool);
        self.changed.notify_all();
        result
    }

    /// A new object.
    ///
    /// # Errors
    /// As [`Pool::create`].
    pub fn create(&self, size: u64) -> Result<ObjectId, PoolError> {
        lock(&self.inner).pool.create(size)
    }

    /// Gives an object up.
    ///
    /// # Errors
    /// [`PoolError::Unknown`].
    pub fn release(&self, object: ObjectId) -> Result<(), PoolError> {
        self.with(|pool| pool.release(object))
    }

    /// A submission has ended.
    pub fn passed(&self, fence: Fence) {
        self.with(|pool| pool.passed(fence));
    }

    /// Steps 1 to 3: waits until the whole set can be had, with the fences of other engines passed, and takes it. The
    /// caller holds nothing of this pool, else it may wait for itself.
    ///
    /// # Errors
    /// [`Shortage::TooLarge`] and [`Shortage::Object`]; the others are waited for.
    pub fn hold(&self, set: &[Use], engine: Engine) -> Result<Held<'_>, Shortage> {
        let mut inner = lock(&self.inner);
        let ticket = inner.tickets;
        inner.tickets += 1;
        loop {
            let first = inner.hungry.first().is_none_or(|&oldest| oldest >= ticket);
            let taken = if first { inner.try_hold(set, engine) } else { Ok(None) };
            match taken {
                Ok(Some((reservation, plan))) => {
                    self.fed(&mut inner, ticket);
                    return Ok(Held { pool: self, reservation: Some(reservation), plan });
                }
                Ok(None) => {
                    if let Err(at) = inner.hungry.binary_search(&ticket) {
                        room(&mut inner.hungry, 1)?;
                        inner.hungry.insert(at, ticket);
                    }
                    inner = self.wait(inner);
                }
                Err(shortage) => {
                    self.fed(&mut inner, ticket);
                    return Err(shortage);
                }
            }
        }
    }

    fn wait<'g>(&self, guard: MutexGuard<'g, Inner>) -> MutexGuard<'g, Inner> {
        self.changed.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The thread of this ticket waits no longer; the next hungry one may try.
    fn fed(&self, inner: &mut Inner, ticket: u64) {
        if let Ok(at) = inner.hungry.binary_search(&ticket) {
            inner.hungry.remove(at);
            self.changed.notify_all();
        }
    }
}

impl Inner {
    /// The set, locked and resident; none if it has to be waited for, with nothing changed.
    fn try_hold(&mut self, set: &[Use], engine: Engine) -> Result<Option<(Reservation, Plan)>, Shortage> {
        let reservation = match self.pool.lock(set, engine) {
            Err(Shortage::Locked(_)) => return Ok(None),
            other => other?,
        };
        // Nothing is kept while a fence is waited for: the memory may be what its submission's successor needs.
        let plan = match self.pool.waits(&reservation) {
            Ok(waits) if waits.is_empty() => self.pool.validate(&reservation),
            Ok(_) => Err(Shortage::Wait { fence: None, needed: 0, available: 0, pinned: 0 }),
            Err(error) => Err(error.into()),
        };
        match plan {
            Ok(plan) => Ok(Some((reservation, plan))),
            Err(shortage) => {
                self.pool.unlock(reservation);
                match shortage {
                    Shortage::Wait { .. } | Shortage::Locked(_) => Ok(None),
                    other => Err(other),
                }
            }
        }
    }
}

impl Held<'_> {
    /// What has to be carried out before the command is submitted.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Step 4: what has to be written into the command.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn patches(&self) -> Result<Vec<Patch>, NoMemory> {
        match &self.reservation {
            Some(reservation) => lock(&self.pool.inner).pool.patches(reservation),
            None => Ok(Vec::new()),
        }
    }

    /// Steps 6 and 7, after the command was submitted: it ends with `fence`.
    pub fn submitted(mut self, fence: Fence, part: DevicePart) {
        if let Some(mut reservation) = self.reservation.take() {
            self.pool.with(|pool| {
                pool.fence(&mut reservation, fence, part);
                pool.unlock(reservation);
            });
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Some(reservation) = self.reservation.take() {
            self.pool.with(|pool| pool.unlock(reservation));
        }
    }
}
