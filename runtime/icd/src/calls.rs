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
use oxcl_runtime::try_box;

use crate::cl;
use crate::handle::{Object, Shared};
use crate::status::{Answer, Status};
use crate::types::Int;

/// Stack of the thread, on which functions of the application run, and commands where they wait for some.
const STACK: usize = 8 << 20;

/// What the thread does.
enum Call {
    /// Calls a function of ours with a number.
    Function(Box<dyn FnOnce(Int) + Send>, Int),
    /// Lets go of an object.
    Object(Box<dyn Send>),
}

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
    /// Calls that will come and find room.
    promised: usize,
    has_thread: bool,
}

impl State {
    /// Room for one call more beside those that are promised.
    fn reserve(&mut self) -> Answer {
        let room = self.waiting.try_reserve(self.promised + 1);
        room.map_err(|_| Status(cl::OUT_OF_HOST_MEMORY))
    }
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
            let _ = catch_unwind(AssertUnwindSafe(|| match call {
                Call::Function(function, number) => function(number),
                Call::Object(object) => drop(object),
            }));
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

    /// Room for a call that will come; the end of a command finds it there.
    pub(crate) fn promise(&self) -> Answer<Promise> {
        let mut state = self.shared.lock();
        state.reserve()?;
        state.promised += 1;
        Ok(Promise(self.clone()))
    }

    /// Has something called after all that was given before. It was expected, or is dropped with the pool; so it is where
    /// there is no memory.
    pub(crate) fn post(&self, call: impl FnOnce() + Send + 'static) {
        if let Ok(function) = self.promise().and_then(|promise| promise.of(move |_| call())) {
            function.call(0);
        }
    }

    /// Gives a reference to an object up. If it is the last, the object goes on the thread that calls functions.
    pub(crate) fn let_go<T: Object>(&self, object: Shared<T>) {
        if let Some(last) = object.into_inner() {
            let mut state = self.shared.lock();
            if state.has_thread && state.reserve().is_ok() {
                state.waiting.push_back(Call::Object(last));
                drop(state);
                self.shared.more.notify_one();
            } else {
                // No function was given that it could call, or there is no memory to have it called elsewhere.
                drop(state);
                drop(last);
            }
        }
    }
}

/// Room for one call.
pub(crate) struct Promise(Calls);

impl Promise {
    /// What will be called.
    pub(crate) fn of(self, call: impl FnOnce(Int) + Send + 'static) -> Answer<Promised> {
        let call = try_box(call).map_err(|_| Status(cl::OUT_OF_HOST_MEMORY))?;
        Ok(Promised { promise: self, call })
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        self.0.shared.lock().promised -= 1;
    }
}

/// A function for which all memory is there.
pub(crate) struct Promised {
    promise: Promise,
    call: Box<dyn FnOnce(Int) + Send>,
}

impl Promised {
    /// Has it called with a number, after all that was given before.
    pub(crate) fn call(self, number: Int) {
        let inner = &self.promise.0.shared;
        // Within the room that was promised, which is given back with the promise, right after this.
        inner.lock().waiting.push_back(Call::Function(self.call, number));
        inner.more.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_find_room_however_many_calls_come_before_them() {
        let calls = Calls::default();
        let promised: Vec<Promised> =
            (0..100).map(|_| calls.promise().ok().unwrap().of(|_| {}).ok().unwrap()).collect();
        for _ in 0..1000 {
            calls.post(|| {});
        }
        let capacity = {
            let state = calls.shared.lock();
            assert_eq!((state.waiting.len(), state.promised), (1000, 100));
            state.waiting.capacity()
        };
        for function in promised {
            function.call(0);
        }
        let state = calls.shared.lock();
        assert_eq!((state.waiting.len(), state.promised), (1100, 0));
        assert_eq!(state.waiting.capacity(), capacity, "room was made when it was too late");
    }
}
