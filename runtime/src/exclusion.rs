//! Pieces of commands and the host's commands exclude each other at a buffer's memory; any number of pieces use it at
//! the same time. Pieces are many and short and run on all processors, so they write nothing that others read: a thread
//! says in a place of its own which memory it uses, and looks whether the host wants it. The host says so first, then
//! looks through the places of all threads, and waits.
//!
//! One of the two sees the other: each writes, then a fence, then reads. A piece that sees the host waits for it.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

/// Memories that a thread can name; a piece that uses more takes their locks.
const NAMED: usize = 8;

/// Looks at another thread's place before the host sleeps between them.
const SPINS: u32 = 1000;

/// How long the host sleeps between two looks: about what waking it would take.
const PAUSE: Duration = Duration::from_micros(20);

/// What one buffer's memory has for this. Its address is its name. On a cache line of its own, as the pieces read it.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct Exclusion {
    /// Commands of the host that use the memory or wait for it.
    hosts: AtomicUsize,
    /// Held alone by the host, shared by pieces that saw it.
    lock: RwLock<()>,
}

/// Where a thread says what it uses: addresses of [`Exclusion`]s, or 0.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Place {
    names: [AtomicUsize; NAMED],
}

static PLACES: Mutex<Vec<Arc<Place>>> = Mutex::new(Vec::new());

pub(crate) fn lock() -> MutexGuard<'static, Vec<Arc<Place>>> {
    PLACES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn places() -> Vec<Arc<Place>> {
    lock().clone()
}

/// In a child of a fork: threads that are not there use nothing. `places` is what [`lock`] gave.
pub(crate) fn mend_in_child(places: &mut dyn std::any::Any) {
    if let Some(places) = places.downcast_mut::<MutexGuard<'static, Vec<Arc<Place>>>>() {
        let own = NAMED_BY_THIS.try_with(Cell::get).unwrap_or(std::ptr::null());
        let others: Vec<_> = places.extract_if(.., |place| Arc::as_ptr(place) != own).collect();
        // Not dropped: the threads' own references do not go either.
        others.into_iter().for_each(std::mem::forget);
    }
}

/// A thread's place, while the thread is there.
struct Own {
    place: Arc<Place>,
    /// A piece that this thread executes has named what it uses.
    taken: Cell<bool>,
}

impl Own {
    fn new() -> Self {
        let place = Arc::<Place>::default();
        let _ = NAMED_BY_THIS.try_with(|own| own.set(Arc::as_ptr(&place)));
        lock().push(Arc::clone(&place));
        Self { place, taken: Cell::new(false) }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        lock().retain(|place| !Arc::ptr_eq(place, &self.place));
    }
}

thread_local! {
    /// The thread's place, if it has one.
    static NAMED_BY_THIS: Cell<*const Place> = const { Cell::new(std::ptr::null()) };
    static OWN: Own = Own::new();
}

/// Keeps the host's commands away from what a piece uses. It stays on its thread.
pub(crate) struct UsedByPiece<'e> {
    /// Names in the thread's place; without them there are locks.
    named: usize,
    _locks: Vec<RwLockReadGuard<'e, ()>>,
    /// The thread's place is another one's nowhere else.
    _here: std::marker::PhantomData<*const ()>,
}

impl<'e> UsedByPiece<'e> {
    /// Waits for the host's commands that use any of `memories`, which come in the order in which locks are taken, each
    /// once.
    pub(crate) fn new(memories: impl Iterator<Item = &'e Exclusion> + Clone) -> Self {
        let named = OWN.try_with(|own| own.name(&memories)).ok().flatten();
        let locks = match named {
            Some(_) => Vec::new(),
            None => {
                memories.map(|memory| memory.lock.read().unwrap_or_else(PoisonError::into_inner)).collect()
            }
        };
        Self { named: named.unwrap_or(0), _locks: locks, _here: std::marker::PhantomData }
    }
}

impl Own {
    /// Says what a piece uses; `None` where it cannot or where the host wants some of it.
    fn name<'e>(&self, memories: &(impl Iterator<Item = &'e Exclusion> + Clone)) -> Option<usize> {
        if self.taken.get() || memories.clone().nth(NAMED).is_some() {
            return None;
        }
        let mut named = 0;
        for (name, memory) in self.place.names.iter().zip(memories.clone()) {
            // Relaxed: the fence below orders it before the look at the host.
            name.store(std::ptr::from_ref(memory).addr(), Ordering::Relaxed);
            named += 1;
        }
        // Pairs with the fence in `UsedByHost::new`: the host sees the names, or they see the host.
        fence(Ordering::SeqCst);
        // Acquire pairs with the release in `UsedByHost::drop`: what the host wrote is seen.
        let free = memories.clone().all(|memory| memory.hosts.load(Ordering::Acquire) == 0);
        if free {
            self.taken.set(true);
            Some(named)
        } else {
            self.forget(named);
            None
        }
    }

    fn forget(&self, named: usize) {
        for name in &self.place.names[..named] {
            // Release pairs with the acquire in `UsedByHost::new`: what the piece wrote is seen.
            name.store(0, Ordering::Release);
        }
    }
}

impl Drop for UsedByPiece<'_> {
    fn drop(&mut self) {
        if self.named > 0 {
            let _ = OWN.try_with(|own| {
                own.forget(self.named);
                own.taken.set(false);
            });
        }
    }
}

/// Keeps pieces, and others of the host, away from a memory.
#[derive(Debug)]
pub(crate) struct UsedByHost<'e> {
    memory: &'e Exclusion,
    _lock: RwLockWriteGuard<'e, ()>,
}

impl<'e> UsedByHost<'e> {
    /// Waits for all pieces that use `memory`.
    pub(crate) fn new(memory: &'e Exclusion) -> Self {
        // Relaxed: the fence below orders it before the look at the places.
        memory.hosts.fetch_add(1, Ordering::Relaxed);
        let lock = memory.lock.write().unwrap_or_else(PoisonError::into_inner);
        // Pairs with the fence in `Own::name`.
        fence(Ordering::SeqCst);
        let name = std::ptr::from_ref(memory).addr();
        for place in places() {
            let mut looks = 0_u32;
            // Acquire pairs with the release in `Own::forget`.
            while place.names.iter().any(|other| other.load(Ordering::Acquire) == name) {
                looks = looks.saturating_add(1);
                if looks < SPINS { std::hint::spin_loop() } else { std::thread::sleep(PAUSE) }
            }
        }
        Self { memory, _lock: lock }
    }
}

impl Drop for UsedByHost<'_> {
    fn drop(&mut self) {
        // Release pairs with the acquire in `Own::name`.
        self.memory.hosts.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    /// What is inside: pieces in the low half, hosts in the high half.
    struct Memory {
        exclusion: Exclusion,
        inside: AtomicU64,
    }

    const HOST: u64 = 1 << 32;

    #[test]
    fn pieces_share_and_the_host_is_alone() {
        let memories: Vec<Memory> =
            (0..12).map(|_| Memory { exclusion: Exclusion::default(), inside: AtomicU64::new(0) }).collect();
        let memories = &memories;
        std::thread::scope(|scope| {
            for thread in 0..4_usize {
                scope.spawn(move || {
                    for round in 0..3000_usize {
                        // Few memories, many, and beside another that this thread uses already.
                        let used = &memories[round % 3..round % 3 + [2, 9, 3][round % 3]];
                        let _outer = (round % 5 == 0 && round % 3 != 0)
                            .then(|| UsedByPiece::new(std::iter::once(&memories[0].exclusion)));
                        let piece = UsedByPiece::new(used.iter().map(|memory| &memory.exclusion));
                        for memory in used {
                            assert!(memory.inside.fetch_add(1, Ordering::Relaxed) < HOST, "{thread}");
                        }
                        for memory in used {
                            memory.inside.fetch_sub(1, Ordering::Relaxed);
                        }
                        drop(piece);
                    }
                });
            }
            for thread in 0..2_usize {
                scope.spawn(move || {
                    for round in 0..1500_usize {
                        let memory = &memories[(round + thread) % memories.len()];
                        let _host = UsedByHost::new(&memory.exclusion);
                        assert_eq!(memory.inside.fetch_add(HOST, Ordering::Relaxed), 0, "{thread}");
                        memory.inside.fetch_sub(HOST, Ordering::Relaxed);
                    }
                });
            }
        });
    }

    #[test]
    fn the_host_waits_for_a_piece_that_began_before() {
        let memory = Exclusion::default();
        let piece = UsedByPiece::new(std::iter::once(&memory));
        let over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| {
                let _host = UsedByHost::new(&memory);
                assert!(over.load(Ordering::Acquire));
            });
            std::thread::sleep(Duration::from_millis(5));
            over.store(true, Ordering::Release);
            drop(piece);
            waits.join().unwrap();
        });
        let before = places().len();
        std::thread::scope(|scope| {
            scope.spawn(|| drop(UsedByPiece::new(std::iter::once(&memory)))).join().unwrap();
        });
        // Other tests' threads come and go; this one's place is gone with it.
        assert!(places().len() <= before + 4);
    }
}
