//! Which memory the host has mapped: a pointer that a map gave may be the host's side of a transfer, which then touches
//! the mapped buffer.
//!
//! In: storages that are mapped, and memory of the host that a command names. Out: the bytes of a storage that this
//! memory is. A mapping counts from the enqueueing of its map to that of its unmap; outside of that time the program
//! may not use the pointer. Storages that commands name by address anyway are not here.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use oxcl_driver::HostSpan;

/// A storage with mappings.
#[derive(Debug)]
pub(crate) struct Place {
    bytes: u64,
    /// The storage's number.
    number: u64,
    mappings: usize,
}

/// First address to storage.
type Places = BTreeMap<u64, Place>;

static MAPPED: RwLock<Places> = RwLock::new(BTreeMap::new());

/// How many there are, so that programs that map nothing take no lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn read() -> RwLockReadGuard<'static, Places> {
    // A panic leaves the map whole.
    MAPPED.read().unwrap_or_else(PoisonError::into_inner)
}

/// The lock, to change what is mapped or to keep all others from it.
pub(crate) fn lock() -> RwLockWriteGuard<'static, Places> {
    MAPPED.write().unwrap_or_else(PoisonError::into_inner)
}

/// One mapping of a storage counts while this exists.
#[derive(Debug)]
pub(crate) struct Mapped {
    start: u64,
}

impl Mapped {
    /// The storage of this number, whose memory of the host is `span`.
    pub(crate) fn new(number: u64, span: HostSpan) -> Self {
        let start = span.pointer() as u64;
        let mut places = lock();
        let place = places.entry(start).or_insert(Place { bytes: span.length(), number, mappings: 0 });
        place.mappings += 1;
        // Relaxed: a thread that uses the pointer has it from the one that mapped.
        COUNT.store(places.len(), Ordering::Relaxed);
        Self { start }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        let mut places = lock();
        let Some(place) = places.get_mut(&self.start) else { return };
        place.mappings -= 1;
        if place.mappings == 0 {
            places.remove(&self.start);
            // Relaxed: as above.
            COUNT.store(places.len(), Ordering::Relaxed);
        }
    }
}

/// The storage that memory of the host is a part of, by its number, and where the memory begins in it.
pub(crate) fn find(span: HostSpan) -> Option<(u64, u64)> {
    if COUNT.load(Ordering::Relaxed) == 0 {
        return None;
    }
    let at = span.pointer() as u64;
    let places = read();
    let (start, place) = places.range(..=at).next_back()?;
    (at - start < place.bytes).then_some((place.number, at - start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::NonNull;

    #[test]
    fn memory_is_found_while_it_is_mapped() {
        let mut bytes = [0_u8; 100];
        let mut part = |from: usize, length: u64| {
            let start = NonNull::from(&mut bytes[from]);
            // SAFETY: nobody uses the span's bytes.
            unsafe { HostSpan::new(start, length) }
        };
        let (whole, inner) = (part(0, 100), part(40, 20));
        assert_eq!(find(inner), None);
        let first = Mapped::new(7, whole);
        let second = Mapped::new(7, whole);
        assert_eq!((find(whole), find(inner)), (Some((7, 0)), Some((7, 40))));
        drop(first);
        assert_eq!(find(inner), Some((7, 40)));
        drop(second);
        assert_eq!(find(inner), None);
    }
}
