//! Who talks to other ranks ([`Courier`]). One lock guards the transport, so that MPI need not let several threads call at the
//! same time; whoever has it is *at the desk*. That is mostly the one thread that does nothing else. But who has something to say
//! sends it at once where nobody is there, and a thread of the host's that waits for nodes looks for messages itself: both
//! save the way from thread to thread, which costs more than that of a message.
//!
//! Where nothing is to be done the thread naps, longer the longer that lasts. It spins for a moment before only where there is a
//! processor for every rank, and none of its rank's computes on the processor that it would spin on; and it leaves messages to
//! threads that look for them while they do.
//!
//! A node's thread also does short work itself ([`Handler::work`]), with the desk free. Should that take long another thread
//! stands in at the desk meanwhile ([`Courier::stand_in`]).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};
use std::time::{Duration, Instant};

use oxcl_driver::{Failure, lock};

use crate::desk::{BEAT, Desk};
use crate::message::Message;
use crate::post::{AtDesk, Post, Seat};
use crate::transport::{Rank, Transport};

/// How long the thread looks for something to do before it naps, where it may.
const SPIN: Duration = Duration::from_micros(50);
/// After so many turns without sleep it asks for the time.
const SAME_TIME: u32 = 16;
/// How long it naps at a time while others look for messages, and after so many naps it looks itself: each time one of the others may
/// have to call the system to wake it, as both want the desk.
const ATTENDED: Duration = Duration::from_micros(100);
const NAPS: u32 = 1000;
/// Its shortest nap while others compute: where they have its processor, and bytes are under way or none are; and elsewhere.
const COMPUTING_HERE: [Duration; 2] = [Duration::from_micros(50), Duration::from_micros(200)];
const COMPUTING_BESIDE: Duration = Duration::from_micros(50);
/// Who has said something wakes the thread from longer naps than this, to hear the answer.
const LONG: Duration = Duration::from_micros(250);
/// How long work that is short may take until another thread stands in.
const STUCK: Duration = Duration::from_millis(20);

/// Gets what comes. Called by who is at the desk, but for `work`, `computes` and `give_away`.
pub(crate) trait Handler: Send + Sync {
    fn hear(&self, from: Rank, message: Message);
    /// How what is done with a rank fails that was not heard for too long, or cannot be reached.
    fn failure(&self, rank: Rank, reason: String) -> Failure;
    /// Nothing goes to such a rank any more, nor comes from it; transfers have failed.
    fn lost(&self, rank: Rank, failure: &Failure);
    /// All messages that had come have been handled.
    fn settled(&self) {}

    /// Whether something was put off for the thread that talks.
    fn has_work(&self) -> bool {
        false
    }

    /// Does a little of that. When it ended, if there was anything.
    fn work(&self) -> Option<Instant> {
        None
    }

    /// There was nothing to do for the first time after something was done. Takes a fraction of a microsecond.
    fn rests(&self) {}

    /// Whether other threads of this rank compute.
    fn computes(&self) -> bool {
        false
    }

    /// Gives what was put off to others.
    fn give_away(&self) {}
}

/// Whose silence is noticed, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch {
    /// Only this rank's, or everybody's.
    pub(crate) only: Option<Rank>,
    pub(crate) patience: Duration,
}

/// See the module's header.
pub(crate) struct Courier<T> {
    desk: Mutex<Desk<T>>,
    post: Arc<Post>,
    handler: Arc<dyn Handler>,
    is_crowded: bool,
    /// The thread that talks has a processor beside those that compute.
    has_processor: bool,
    /// How often others have looked for messages.
    looks: AtomicU64,
    /// Counts up when work of the handler's begins, and when it ends.
    work: AtomicU64,
    naps_long: AtomicBool,
}

impl<T: Transport + Send + 'static> Courier<T> {
    /// For the calling thread, which is the one that talks. `has_processor`: those that compute leave it one.
    pub(crate) fn new(
        transport: T,
        post: &Arc<Post>,
        handler: Arc<dyn Handler>,
        watch: Watch,
        has_processor: bool,
    ) -> Arc<Self> {
        let is_crowded = transport.is_crowded();
        let courier = Arc::new(Self {
            desk: Mutex::new(Desk::new(transport, watch)),
            post: Arc::clone(post),
            handler,
            is_crowded,
            has_processor,
            looks: AtomicU64::new(0),
            work: AtomicU64::new(0),
            naps_long: AtomicBool::new(false),
        });
        let seat: Weak<dyn Seat> = Arc::<Self>::downgrade(&courier);
        post.belongs_to(seat, std::thread::current());
        courier
    }

    fn try_desk(&self) -> Option<MutexGuard<'_, Desk<T>>> {
        match self.desk.try_lock() {
            Ok(desk) => Some(desk),
            Err(TryLockError::Poisoned(desk)) => Some(desk.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Works until it is stopped. Whether that was orderly.
    pub(crate) fn run(&self) -> bool {
        let mut now = Instant::now();
        let mut last = now;
        let mut looks = 0;
        // Turns for which the time may be taken as it was: to read it costs as much as to look for a message.
        let mut old = 0;
        let mut rested = false;
        loop {
            let mut worked = {
                let mut desk = lock(&self.desk);
                let _here = AtDesk::of(&self.post);
                let worked = desk.turn(&self.post, self.handler.as_ref());
                if old == 0 {
                    (now, old) = (Instant::now(), SAME_TIME);
                    desk.beat(self.handler.as_ref(), now);
                }
                old -= 1;
                desk.hurry(now);
                if desk.is_over() {
                    return desk.close();
                }
                worked
            };
            if self.handler.has_work() {
                // Release pairs with the acquire in `stand_in`.
                self.work.fetch_add(1, Ordering::Release);
                // What comes of it is said at its end, so that what is for one rank goes in one packet.
                let gathers = AtDesk::of(&self.post);
                let ended = self.handler.work();
                drop(gathers);
                self.work.fetch_add(1, Ordering::Release);
                if let Some(ended) = ended {
                    (worked, now) = (true, ended);
                    self.post.send_left();
                }
            }
            // Relaxed: whether somebody looked a moment ago, no more.
            let others = self.looks.load(Ordering::Relaxed);
            if worked {
                last = now;
                rested = false;
            } else if !rested {
                rested = true;
                self.handler.rests();
            } else if others != looks {
                self.leave_to_others(others);
                now = Instant::now();
                (last, old) = (now, 0);
            } else if self.naps(now.saturating_duration_since(last)) {
                old = 0;
            }
            looks = others;
        }
    }

    /// Others look for messages, and have looked so often: sleeps while they do, unless something is left here. It may be something that
    /// nobody waits for, which goes with what is said next.
    fn leave_to_others(&self, mut looks: u64) {
        self.sleep(ATTENDED);
        for _ in 0..NAPS {
            // Relaxed, as above.
            let now = self.looks.load(Ordering::Relaxed);
            if now == looks || !self.post.is_empty() {
                return;
            }
            looks = now;
            std::thread::park_timeout(ATTENDED);
        }
    }

    /// There was nothing to do for so long. Whether the thread slept.
    fn naps(&self, idle: Duration) -> bool {
        let computes = self.handler.computes();
        if !self.is_crowded && idle < SPIN && (self.has_processor || !computes) {
            std::hint::spin_loop();
            return false;
        }
        let (nap, is_moving) = {
            let desk = lock(&self.desk);
            (desk.nap(idle), desk.is_moving())
        };
        let shortest = match (computes, self.has_processor) {
            (false, _) => Duration::ZERO,
            (true, true) => COMPUTING_BESIDE,
            (true, false) => COMPUTING_HERE[usize::from(!is_moving)],
        };
        self.sleep(nap.unwrap_or(BEAT).clamp(shortest, BEAT));
        true
    }

    /// Sleeps, unless there is something to send.
    fn sleep(&self, time: Duration) {
        lock(&self.desk).flush(true);
        let is_long = time > LONG;
        if is_long {
            // Relaxed: who does not see it wakes the thread a moment too late or for nothing.
            self.naps_long.store(true, Ordering::Relaxed);
        }
        // Whoever leaves something after this look wakes the thread.
        if self.post.is_empty() {
            std::thread::park_timeout(time);
        }
        if is_long {
            self.naps_long.store(false, Ordering::Relaxed);
        }
    }

    /// The life of another thread: where work of the handler's holds the thread that talks for long, this one talks.
    pub(crate) fn stand_in(&self) {
        let mut before = 0;
        loop {
            std::thread::sleep(STUCK);
            // Acquire pairs with the release in `run`.
            let work = self.work.load(Ordering::Acquire);
            let is_stuck = || work == before && work % 2 == 1 && self.work.load(Ordering::Acquire) == work;
            if is_stuck() {
                self.handler.give_away();
            }
            while is_stuck() {
                let mut desk = lock(&self.desk);
                let _here = AtDesk::of(&self.post);
                desk.turn(&self.post, self.handler.as_ref());
                desk.flush(true);
                desk.beat(self.handler.as_ref(), Instant::now());
                drop(desk);
                std::thread::sleep(ATTENDED);
            }
            if lock(&self.desk).is_over() {
                return;
            }
            before = work;
        }
    }
}

impl<T: Transport + Send + 'static> Seat for Courier<T> {
    fn send(&self) -> bool {
        // Whoever left something while another was at the desk relies on that one, who looks again.
        while let Some(mut desk) = self.try_desk() {
            if !desk.send(&self.post) {
                return false;
            }
            drop(desk);
            if self.post.is_empty() {
                return !self.naps_long.load(Ordering::Relaxed);
            }
        }
        false
    }

    fn look(&self) -> bool {
        if self.is_crowded {
            return false;
        }
        let Some(mut desk) = self.try_desk() else { return false };
        let _here = AtDesk::of(&self.post);
        // Written by who is at the desk only.
        self.looks.store(self.looks.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        desk.turn(&self.post, self.handler.as_ref())
    }

    fn may_look(&self) -> bool {
        !self.is_crowded
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;
    use crate::message;
    use crate::transport::{MeshEnd, mesh};
    use oxcl_driver::DriverError;

    /// Its one piece of work ends when a message has come.
    struct Stuck {
        begun: Mutex<Sender<()>>,
        heard: Mutex<Sender<Rank>>,
        awaited: Mutex<Option<Receiver<Rank>>>,
        given_away: AtomicBool,
        post: Arc<Post>,
    }

    impl Handler for Stuck {
        fn hear(&self, from: Rank, _message: Message) {
            lock(&self.heard).send(from).unwrap();
        }

        fn failure(&self, _rank: Rank, reason: String) -> Failure {
            DriverError::Device { reason }.into()
        }

        fn lost(&self, _rank: Rank, _failure: &Failure) {}

        fn has_work(&self) -> bool {
            lock(&self.awaited).is_some()
        }

        fn work(&self) -> Option<Instant> {
            let awaited = lock(&self.awaited).take()?;
            lock(&self.begun).send(()).unwrap();
            let heard = awaited.recv_timeout(Duration::from_secs(10));
            assert_eq!(heard, Ok(1), "nobody talked meanwhile");
            self.post.stop();
            Some(Instant::now())
        }

        fn give_away(&self) {
            self.given_away.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn another_thread_talks_while_short_work_turns_out_long() {
        let (mut ends, _) = mesh(2);
        let (mut other, own): (MeshEnd, MeshEnd) = (ends.pop().unwrap(), ends.pop().unwrap());
        let (begun, begins) = channel();
        let (heard, awaited) = channel();
        let post = Arc::new(Post::default());
        let handler = Arc::new(Stuck {
            begun: Mutex::new(begun),
            heard: Mutex::new(heard),
            awaited: Mutex::new(Some(awaited)),
            given_away: AtomicBool::new(false),
            post: Arc::clone(&post),
        });
        let watched: Arc<dyn Handler> = Arc::<Stuck>::clone(&handler);
        let talks = std::thread::spawn(move || {
            let watch = Watch { only: None, patience: Duration::from_secs(60) };
            let courier = Courier::new(own, &post, watched, watch, true);
            let stands_in = {
                let courier = Arc::clone(&courier);
                std::thread::spawn(move || courier.stand_in())
            };
            let orderly = courier.run();
            stands_in.join().unwrap();
            orderly
        });
        begins.recv_timeout(Duration::from_secs(10)).unwrap();
        let mut packet = Vec::new();
        message::append(&mut packet, &Message::Forget { event: 1 });
        other.packet(0, packet);
        assert!(talks.join().unwrap());
        assert!(handler.given_away.load(Ordering::Relaxed));
    }
}
