//! Tasks in the order in which they are due, and the threads that take them: each starts with a need and ends when nothing was
//! wanted for a while.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use oxcl_scheduler::thread::{SMALL_STACK, spawn};

/// How long a thread, and the server in the background, are kept without work.
const LINGER: Duration = Duration::from_secs(3);

/// What some threads have to do.
pub(super) struct Line<T> {
    state: Mutex<State<T>>,
    more: Condvar,
    /// Threads that there may be.
    most: usize,
}

struct State<T> {
    /// Tasks and when each is due, in the order of these times.
    waiting: VecDeque<(Instant, T)>,
    threads: usize,
    /// Those of them that have nothing to do.
    idle: usize,
}

impl<T> Line<T> {
    pub(super) fn new(most: usize) -> Self {
        let state = State { waiting: VecDeque::new(), threads: 0, idle: 0 };
        Self { state: Mutex::new(state), more: Condvar::new(), most }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Nothing under this lock is left half-changed by a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a task. Whether a thread has to be started for it: it is counted, and the caller does so with [`Line::start`].
    #[must_use]
    pub(super) fn put(&self, due: Instant, task: T) -> bool {
        let mut state = self.lock();
        let place = state.waiting.partition_point(|(other, _)| *other <= due);
        state.waiting.insert(place, (due, task));
        if state.idle >= state.waiting.len() || state.threads >= self.most {
            drop(state);
            // A thread that is alone looks again when the first is due, however many come after that.
            if place == 0 || self.most > 1 {
                self.more.notify_one();
            }
            return false;
        }
        state.threads += 1;
        true
    }

    /// Counts a thread, if there is none, that the caller promises to start with [`Line::start`]: whoever puts the first task need
    /// not. Whether there was none.
    #[must_use]
    pub(super) fn promise(&self) -> bool {
        let mut state = self.lock();
        let promised = state.threads == 0;
        state.threads += usize::from(promised);
        promised
    }

    /// Starts a thread that was counted. It takes tasks until there is none.
    pub(super) fn start(&self, work: impl FnOnce() + Send + 'static) {
        if spawn("oxcl-improve", SMALL_STACK, work).is_err() {
            let mut state = self.lock();
            state.threads -= 1;
            if state.threads == 0 {
                // Without a thread programs stay as they are.
                let forgotten = std::mem::take(&mut state.waiting);
                drop(state);
                drop(forgotten);
            }
        }
    }

    /// The next task; `None`, and the thread is to end, if there was none for a while.
    pub(super) fn next(&self) -> Option<T> {
        let mut state = self.lock();
        let mut since = Instant::now();
        loop {
            let now = Instant::now();
            let due = state.waiting.front().map(|(at, _)| at.saturating_duration_since(now));
            if due == Some(Duration::ZERO) {
                return state.waiting.pop_front().map(|(_, task)| task);
            }
            if due.is_some() {
                since = now;
            } else if since.elapsed() >= LINGER {
                state.threads -= 1;
                return None;
            }
            state.idle += 1;
            let (back, _) =
                self.more.wait_timeout(state, due.unwrap_or(LINGER)).unwrap_or_else(PoisonError::into_inner);
            state = back;
            state.idle -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    #[test]
    fn as_many_threads_as_tasks_up_to_a_limit() {
        let line = Arc::new(Line::new(2));
        let (tell, told) = channel();
        let (go, gate) = channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        for task in 0..3 {
            let (tell, gate, own) = (tell.clone(), Arc::clone(&gate), Arc::clone(&line));
            if !line.put(Instant::now(), task) {
                continue;
            }
            line.start(move || {
                while let Some(task) = own.next() {
                    tell.send((task, thread::current().id())).unwrap();
                    if task < 2 {
                        gate.lock().unwrap().recv().unwrap();
                    }
                }
            });
        }
        let (first, second) = (told.recv().unwrap(), told.recv().unwrap());
        assert_ne!(first.1, second.1);
        assert!(told.recv_timeout(Duration::from_millis(50)).is_err(), "a third thread");
        go.send(()).unwrap();
        assert_eq!(told.recv().unwrap().0, 2);
        go.send(()).unwrap();
    }

    #[test]
    fn a_thread_that_was_promised_takes_the_first_task() {
        let line = Arc::new(Line::new(1));
        let (tell, told) = channel();
        let own = Arc::clone(&line);
        assert!(line.promise() && !line.promise());
        assert!(!line.put(Instant::now(), 7), "a second thread");
        line.start(move || tell.send(own.next()).unwrap());
        assert_eq!(told.recv().unwrap(), Some(7));
    }

    #[test]
    fn what_is_due_first_is_taken_first() {
        let line = Line::new(1);
        let now = Instant::now();
        // The thread is this one.
        let _ = line.put(now, 0);
        let _ = line.put(now + Duration::from_millis(2), 2);
        let _ = line.put(now + Duration::from_millis(1), 1);
        let _ = line.put(now + Duration::from_millis(2), 3);
        assert_eq!([(); 4].map(|()| line.next()), [Some(0), Some(1), Some(2), Some(3)]);
    }

    #[test]
    fn what_comes_behind_the_first_is_taken_though_nobody_is_told() {
        let line = Arc::new(Line::new(1));
        let (tell, told) = channel();
        let (own, begin) = (Arc::clone(&line), Instant::now());
        assert!(line.put(begin + Duration::from_millis(20), 0));
        line.start(move || {
            while let Some(task) = own.next() {
                tell.send(task).unwrap();
            }
        });
        // The thread waits for the first one by then.
        thread::sleep(Duration::from_millis(5));
        assert!(!line.put(begin + Duration::from_millis(30), 2), "a second thread");
        assert!(!line.put(begin + Duration::from_millis(25), 1), "a second thread");
        assert!(!line.put(begin, 3), "a second thread");
        let wait = Duration::from_secs(2);
        assert_eq!([(); 4].map(|()| told.recv_timeout(wait)), [Ok(3), Ok(0), Ok(1), Ok(2)]);
    }

    #[test]
    fn nothing_is_begun_before_it_is_due() {
        let line = Arc::new(Line::new(1));
        let (tell, told) = channel();
        let (own, begin) = (Arc::clone(&line), Instant::now());
        assert!(line.put(begin + Duration::from_millis(30), ()));
        line.start(move || {
            own.next();
            tell.send(Instant::now()).unwrap();
        });
        assert!(told.recv().unwrap() >= begin + Duration::from_millis(30));
    }
}
