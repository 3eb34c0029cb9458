//! The thread that calls functions of the application: one for a pool of workers, started when the first function is given.
//!
//! A thread that waits executes commands, and so may end one for whose end the application has given a function. Called
//! there, it would run inside `clFinish` and the like, below whatever locks the application holds around them. Here it
//! runs with none of them, in the order in which the reasons for the calls came.
//!
//! Not called from here are functions that are commands themselves (native kernels, the freeing of shared memory): who
//! waits for such a command with a lock that it takes waits for ever whatever thread executes it. Nor are destructor
//! callbacks of objects whose last reference a function of the application's takes away: they come before it returns.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use oxcl_runtime::thread::spawn;

use crate::cl;
use crate::handle::{Object, Shared};
use crate::status::{Answer, Status};

/// Stack of the thread, on which functions of the application run, and commands where they wait for some.
const STACK: usize = 8 << 20;

type Call = Box<dyn FnOnce() + Send>;

/// What is to be called. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Calls {
    shared: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    more: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Call>,
    has_thread: bool,
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            let Some(call) = state.waiting.pop_front() else {
                state = self.more.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            // Nobody could be told of a panic of ours; the other functions are called.
            let _ = catch_unwind(AssertUnwindSafe(call));
            state = self.lock();
        }
    }
}

impl Calls {
    /// Functions will be given: there is a thread from here on, or CL_OUT_OF_HOST_MEMORY.
    pub(crate) fn expect(&self) -> Answer {
        let mut state = self.shared.lock();
        if !state.has_thread {
            let shared = Arc::clone(&self.shared);
            let thread = spawn("oxcl-callbacks", STACK, move || shared.work());
            thread.map_err(|_| Status(cl::OUT_OF_HOST_MEMORY))?;
            state.has_thread = true;
        }
        Ok(())
    }

    /// Has something called after all that was given before. It was expected, or is dropped with the pool.
    pub(crate) fn post(&self, call: impl FnOnce() + Send + 'static) {
        let mut state = self.shared.lock();
        state.waiting.push_back(Box::new(call));
        drop(state);
        self.shared.more.notify_one();
    }

    /// Gives a reference to an object up. If it is the last, the object goes on the thread that calls functions.
    pub(crate) fn let_go<T: Object>(&self, object: Shared<T>) {
        if let Some(last) = object.into_inner() {
            if self.shared.lock().has_thread {
                self.post(move || drop(last));
            } else {
                // No function was given that it could call.
                drop(last);
            }
        }
    }
}
