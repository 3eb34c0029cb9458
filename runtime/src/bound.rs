//! A thread that keeps to some CPUs while it executes for a part of a device, and then goes where it could before.

/// While this exists the calling thread runs on these CPUs only, where the system lets it.
#[derive(Debug)]
pub(crate) struct Bound {
    /// Where the thread could run before; none: nothing was changed.
    before: Option<libc::cpu_set_t>,
}

impl Bound {
    /// Binds the calling thread; no CPUs: to nothing.
    pub(crate) fn to(cpus: &[usize]) -> Self {
        let mut wanted = empty();
        for &cpu in cpus.iter().filter(|cpu| **cpu < usize::try_from(libc::CPU_SETSIZE).unwrap_or(0)) {
            // SAFETY: the index is below the set's size.
            unsafe { libc::CPU_SET(cpu, &mut wanted) };
        }
        let mut before = empty();
        if cpus.is_empty() || !get(&mut before) || same(&before, &wanted) || !set(&wanted) {
            return Self { before: None };
        }
        Self { before: Some(before) }
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // Where the system refuses now the thread stays where it is, which is only slower.
            let _ = set(before);
        }
    }
}

fn empty() -> libc::cpu_set_t {
    // SAFETY: a set of processors is plain bits, all zero is the empty set.
    unsafe { std::mem::zeroed() }
}

fn same(one: &libc::cpu_set_t, other: &libc::cpu_set_t) -> bool {
    // SAFETY: both are sets.
    unsafe { libc::CPU_EQUAL(one, other) }
}

fn get(place: &mut libc::cpu_set_t) -> bool {
    // SAFETY: the set is writable and its size is given; 0 is the calling thread.
    unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut *place) == 0 }
}

fn set(wanted: &libc::cpu_set_t) -> bool {
    // SAFETY: the set is readable and its size is given; 0 is the calling thread.
    unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const *wanted) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_bound_for_a_while() {
        std::thread::spawn(|| {
            let now = || {
                let mut known = empty();
                assert!(get(&mut known));
                known
            };
            let before = now();
            // SAFETY: the index is below the set's size.
            let last = (0..1024).rfind(|&cpu| unsafe { libc::CPU_ISSET(cpu, &before) }).unwrap();
            {
                let _bound = Bound::to(&[last]);
                // SAFETY: as above.
                assert!(unsafe { libc::CPU_ISSET(last, &now()) });
                // SAFETY: a set.
                assert_eq!(unsafe { libc::CPU_COUNT(&now()) }, 1);
            }
            assert!(same(&now(), &before));
            // CPUs that there are not, and none.
            drop(Bound::to(&[1000, 100_000]));
            drop(Bound::to(&[]));
            assert!(same(&now(), &before));
        })
        .join()
        .unwrap();
    }
}
