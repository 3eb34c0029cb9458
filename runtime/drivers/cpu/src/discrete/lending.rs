//! Copies from device to device. The one that gets the bytes does the copying; the other one lends its memory, which
//! stays in place meanwhile. One such copy is under way at a time in the process: who borrows may then wait for memory
//! of its own without keeping anybody from lending it.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxcl_driver::{Allocation, DriverError, Failure, Lane, Launch};
use oxcl_scheduler::fork::{self, ForkLock};

use super::coordinator::Message;
use crate::features::HostCpu;
use crate::image;

/// A copy between the allocations that two devices have for one buffer.
pub(super) struct DeviceCopy {
    /// The device that has the bytes.
    pub(super) source: Sender<Message>,
    pub(super) from: Arc<Allocation>,
    pub(super) to: Arc<Allocation>,
    pub(super) offset: u64,
    pub(super) length: u64,
}

impl DeviceCopy {
    pub(super) fn of(work: &Arc<dyn Launch>) -> Option<&Self> {
        work.as_any().and_then(|any| any.downcast_ref())
    }
}

impl Launch for DeviceCopy {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        let reason = "a copy between devices was given to another device".to_owned();
        Err(DriverError::BadLaunch { reason }.into())
    }

    fn label(&self) -> &str {
        "migrate device to device"
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

#[derive(Debug, Default)]
struct Turns {
    taken: bool,
    waiting: VecDeque<(u64, Sender<Message>)>,
}

static TURNS: Mutex<Turns> = Mutex::new(Turns { taken: false, waiting: VecDeque::new() });

fn turns() -> MutexGuard<'static, Turns> {
    // A panic leaves the list whole.
    TURNS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has the list of turns taken around every fork of the program's: in a child nobody has the turn; and the lock of who is in the
/// system's loader. And what the driver makes once is made before.
pub fn hold_at_fork() {
    let made = || -> Box<dyn Any> {
        Box::new((HostCpu::get().name().len(), image::folders().len(), image::provided("sinf")))
    };
    fork::hold(&[ForkLock { rank: 8, hold: made, in_child: None }]);
    let mend = |held: &mut dyn Any| {
        if let Some(turns) = held.downcast_mut::<MutexGuard<'static, Turns>>() {
            // Not dropped: what waits is the parent's.
            std::mem::forget(std::mem::take(&mut **turns));
        }
    };
    fork::hold(&[
        ForkLock { rank: 60, hold: || Box::new(turns()), in_child: Some(mend) },
        ForkLock { rank: 95, hold: || Box::new(image::loader()), in_child: None },
    ]);
}

/// Asks for the turn, which comes as a message.
pub(super) fn ask_turn(ticket: u64, device: &Sender<Message>) {
    let mut turns = turns();
    if turns.taken {
        turns.waiting.push_back((ticket, device.clone()));
    } else {
        turns.taken = device.send(Message::Turn { ticket }).is_ok();
    }
}

/// The turn is over: the next one's.
pub(super) fn end_turn() {
    let mut turns = turns();
    turns.taken = false;
    while let Some((ticket, device)) = turns.waiting.pop_front() {
        // Devices that are gone are passed over.
        if device.send(Message::Turn { ticket }).is_ok() {
            turns.taken = true;
            return;
        }
    }
}
