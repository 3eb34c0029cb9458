//! A node: devices of this process that another one's host program uses. It orders commands itself (`order.rs`). What is short
//! the thread that talks executes itself (`brief.rs`); everything else is its scheduler's, which gets commands that wait for
//! nothing any more.
//!
//! Locks: `state` only, and nothing is called with it locked that may call back.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use oxcl_binary::archive::Archive;
use oxcl_driver::capability::Execution;
use oxcl_driver::error::Outcome;
use oxcl_driver::program::{ArgMemory, ArgValue, Binary, LaunchRequest, Program};
use oxcl_driver::rect::Rect;
use oxcl_driver::{
    Allocation, AllocationRequest, Driver, DriverError, Failure, Geometry, HostMemory, Launch, lock,
};
use oxcl_scheduler::transfer::{Movement, Transfer};
use oxcl_scheduler::{Command, Queue, QueueProperties, Scheduler};

use crate::arrival::{self, Arrivals};
use crate::brief::{Brief, Pace};
use crate::courier::Handler;
use crate::message::{At, Ending, Message, Region, Work};
use crate::order::{ByNumber, Commands, Task, Went};
use crate::post::{Exchange, Over, Post, nanoseconds};
use crate::stamp::{self, Step};
use crate::transport::Rank;

/// The rank of the host.
pub(crate) const HOST: Rank = 0;

/// A device of this process.
#[derive(Debug)]
pub struct NodeDevice {
    /// Its driver's word in `OXCL_DEVICES`, without a parameter.
    pub word: String,
    /// It.
    pub driver: Arc<dyn Driver>,
}

struct Device {
    number: usize,
    driver: Arc<dyn Driver>,
    queue: Queue,
}

/// Memory of a device; or why there is none.
struct Memory {
    device: usize,
    allocation: Result<Arc<Allocation>, DriverError>,
}

/// A launch and its device.
struct Ready {
    device: usize,
    work: Arc<dyn Launch>,
    pace: Pace,
}

/// Of a command that was put off: its device, and its launch if it has one.
type Kept = (usize, Option<Arc<Ready>>);

#[derive(Default)]
struct State {
    memories: ByNumber<Memory>,
    /// What each driver made of a program, by its key.
    programs: ByNumber<BTreeMap<String, Arc<dyn Program>>>,
    /// Launches, or why they cannot be executed.
    launches: ByNumber<Result<Arc<Ready>, DriverError>>,
    commands: Commands,
}

/// A node's state.
pub(crate) struct Node {
    own: Arc<Inner>,
}

pub(crate) struct Inner {
    place: String,
    post: Arc<Post>,
    arrivals: Arrivals,
    scheduler: Arc<Scheduler>,
    devices: Vec<Device>,
    state: Mutex<State>,
    /// The thread that talks.
    talks: ThreadId,
    brief: Brief<Kept>,
    /// Commands that the scheduler has.
    under_way: AtomicUsize,
    /// The scheduler has got some since all were flushed.
    is_fresh: AtomicBool,
}

impl Node {
    /// Of the calling thread, which is the one that talks.
    ///
    /// # Errors
    /// There is no memory.
    pub(crate) fn new(
        place: String,
        post: Arc<Post>,
        scheduler: Arc<Scheduler>,
        devices: Vec<NodeDevice>,
    ) -> Result<Self, DriverError> {
        let out = |_| DriverError::OutOfMemory { needed: 0, available: 0 };
        let properties = QueueProperties { out_of_order: true, profiling: true };
        let mut made = Vec::new();
        for (number, NodeDevice { driver, .. }) in devices.into_iter().enumerate() {
            let queue = scheduler.queue(Arc::clone(&driver), properties).map_err(out)?;
            made.push(Device { number, driver, queue });
        }
        let own = Inner {
            place,
            post,
            arrivals: Arrivals::default(),
            scheduler,
            devices: made,
            state: Mutex::default(),
            talks: std::thread::current().id(),
            brief: Brief::default(),
            under_way: AtomicUsize::new(0),
            is_fresh: AtomicBool::new(false),
        };
        Ok(Self { own: Arc::new(own) })
    }
}

fn unknown(what: &str) -> DriverError {
    DriverError::Device { reason: format!("the node knows no such {what}") }
}

fn out_of_memory() -> Failure {
    Failure::OutOfHostMemory
}

type Starting = (VecDeque<(Arc<Inner>, Box<Task>)>, bool);

thread_local! {
    /// To ask the system's own record of the thread for it costs more.
    static THIS_THREAD: ThreadId = std::thread::current().id();
    /// Commands that this thread is to start, and whether it is at it.
    static STARTING: RefCell<Starting> = const { RefCell::new((VecDeque::new(), false)) };
}

/// A memory, and the device that it is on.
type Found<'a> = (Arc<Allocation>, &'a Device);

impl Inner {
    fn find(&self, memory: u64) -> Result<Found<'_>, DriverError> {
        let state = lock(&self.state);
        let memory = state.memories.get(&memory).ok_or_else(|| unknown("memory"))?;
        let allocation = memory.allocation.clone()?;
        let device = self.devices.get(memory.device).ok_or_else(|| unknown("device"))?;
        Ok((allocation, device))
    }

    /// Takes a command.
    fn run(self: &Arc<Self>, event: Option<u64>, waits: &[u64], work: Work) {
        let task = lock(&self.state).commands.enter(event, waits, work);
        if let Some(task) = task {
            self.start(task);
        }
    }

    /// A command waits for nothing any more. What its end sets free begins after it, not within it: no row of commands that end
    /// at once needs stack.
    fn start(self: &Arc<Self>, task: Box<Task>) {
        self.put_ready(task);
        Self::start_ready();
    }

    /// The calling thread is to start a command.
    fn put_ready(self: &Arc<Self>, task: Box<Task>) {
        STARTING.with(|starting| starting.borrow_mut().0.push_back((Arc::clone(self), task)));
    }

    /// Starts commands, unless the calling thread is at it already.
    fn start_ready() {
        STARTING.with(|starting| {
            let mut queue = starting.borrow_mut();
            if queue.0.is_empty() || std::mem::replace(&mut queue.1, true) {
                return;
            }
            drop(queue);
            let next = || starting.borrow_mut().0.pop_front();
            while let Some((own, task)) = next() {
                own.start_now(task);
            }
            starting.borrow_mut().1 = false;
        });
    }

    fn start_now(self: &Arc<Self>, mut task: Box<Task>) {
        let begun = match task.refusal.take() {
            Some(failure) => Err(*failure),
            None => self.begin(&task),
        };
        if let Err(failure) = begun {
            self.give_up(&task, failure);
        }
    }

    /// A command is not executed. Whoever waits for its bytes is told.
    fn give_up(self: &Arc<Self>, task: &Task, failure: Failure) {
        let failure = self.here(failure);
        match &task.work {
            Work::Send { to, transfer, .. } => {
                self.post.say(*to, &Message::NoData { transfer: *transfer, failure: failure.clone() });
            }
            Work::Receive { from, transfer, .. } => {
                // They are sent all the same, if their sender does not know that.
                self.arrivals.expect(&self.post, *from, *transfer, None, Box::new(|_| ()));
            }
            _ => {}
        }
        if let Some(event) = task.event {
            self.finish(event, Err(failure), [0, 0], None);
        }
    }

    fn begin(self: &Arc<Self>, task: &Task) -> Result<(), Failure> {
        let event = task.event;
        match &task.work {
            Work::Nothing {} => {
                if let Some(event) = event {
                    self.finish(event, Ok(()), [0, 0], None);
                }
                Ok(())
            }
            Work::Kernel { launch } => {
                let ready = lock(&self.state).launches.get(launch).cloned();
                let ready = ready.ok_or_else(|| unknown("launch"))??;
                let device = self.devices.get(ready.device).ok_or_else(|| unknown("device"))?;
                let (work, expected) = (Arc::clone(&ready.work), ready.pace.expected(ready.work.as_ref()));
                self.execute(device, event, work, Some(ready), expected)
            }
            Work::Fill { memory, offset, length, pattern } => {
                let (to, device) = self.find(*memory)?;
                let pattern = Arc::from(&pattern[..]);
                let (offset, length) = (*offset, *length);
                self.moving(device, event, length, Movement::Fill { to, offset, length, pattern })
            }
            Work::Copy { from, from_offset, to, to_offset, length } => {
                let ((from, _), (to, device)) = (self.find(*from)?, self.find(*to)?);
                let (from_offset, to_offset, length) = (*from_offset, *to_offset, *length);
                self.moving(
                    device,
                    event,
                    length,
                    Movement::Copy { from, from_offset, to, to_offset, length },
                )
            }
            Work::CopyRectangle { from, to, size, from_side, to_side } => {
                let ((from, _), (to, device)) = (self.find(*from)?, self.find(*to)?);
                let rect = Rect { size: *size, from: *from_side, to: *to_side };
                self.moving(device, event, u64::MAX, Movement::CopyRect { from, to, rect })
            }
            Work::Send { memory, region, to, transfer } => self.send(event, *memory, region, *to, *transfer),
            Work::Receive { memory, region, from, transfer } => {
                self.receive(event, *memory, region, *from, *transfer)
            }
        }
    }

    /// Whether the thread that talks executes what is expected to take so long; the calling one is it.
    fn takes(&self, device: &Device, expected: Option<Duration>) -> bool {
        // Relaxed: the answer is a guess.
        let is_idle = || self.under_way.load(Ordering::Relaxed) == 0;
        device.driver.capabilities().execution == Execution::Host
            && self.talks_here()
            && self.brief.takes(expected, is_idle)
    }

    fn moving(
        self: &Arc<Self>,
        device: &Device,
        event: Option<u64>,
        bytes: u64,
        movement: Movement,
    ) -> Result<(), Failure> {
        let work: Arc<dyn Launch> = Arc::new(Transfer::new(Arc::clone(&device.driver), movement));
        self.execute(device, event, work, None, Pace::of_bytes(bytes))
    }

    /// Has work that is all of a command executed: by the thread that talks, or by the scheduler.
    fn execute(
        self: &Arc<Self>,
        device: &Device,
        event: Option<u64>,
        work: Arc<dyn Launch>,
        ready: Option<Arc<Ready>>,
        expected: Option<Duration>,
    ) -> Result<(), Failure> {
        if self.takes(device, expected) {
            self.brief.put_off(event, work, (device.number, ready));
            return Ok(());
        }
        self.enqueue(device, event, work, ready)
    }

    /// Gives the scheduler work that is all of a command.
    fn enqueue(
        self: &Arc<Self>,
        device: &Device,
        event: Option<u64>,
        work: Arc<dyn Launch>,
        ready: Option<Arc<Ready>>,
    ) -> Result<(), Failure> {
        self.enqueue_then(device, Arc::clone(&work), move |own, times, outcome| {
            let took = times[0].saturating_sub(times[1]);
            ready.filter(|_| outcome.is_ok() && took > 0).inspect(|ready| ready.pace.took(took));
            let outcome = outcome.clone().map_err(|cause| own.here((*cause).clone()));
            if let Some(event) = event {
                own.finish(event, outcome, times, Some(work.as_ref()));
            }
        })
    }

    /// Gives the scheduler work, and calls `then` with how long ago it began and ended.
    fn enqueue_then(
        self: &Arc<Self>,
        device: &Device,
        work: Arc<dyn Launch>,
        then: impl FnOnce(&Arc<Self>, [u64; 2], &Outcome) + Send + 'static,
    ) -> Result<(), Failure> {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        self.is_fresh.store(true, Ordering::Relaxed);
        let command = Command { work: Some(work), ..Command::default() };
        let event = device.queue.enqueue(command).map_err(|_| out_of_memory());
        let begun = event.and_then(|event| {
            let (own, times) = (Arc::clone(self), event.clone());
            let call = move |_, outcome: &Outcome| {
                let (times, now) = (times.times(), own.scheduler.clock());
                let ago = |time| if time == 0 { 0 } else { now.saturating_sub(time) };
                then(&own, [times.started, times.ended].map(ago), outcome);
                own.ended_one();
            };
            event.on_complete(call).map_err(|_| out_of_memory())
        });
        if begun.is_err() {
            self.under_way.fetch_sub(1, Ordering::Relaxed);
        }
        begun
    }

    /// A command of the scheduler's is over. Where it was the last, the thread that talks need not leave the processor to
    /// others any more.
    fn ended_one(&self) {
        if self.under_way.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.post.wake();
        }
    }

    /// Sends bytes of a memory.
    fn send(
        self: &Arc<Self>,
        event: Option<u64>,
        memory: u64,
        region: &Region,
        to: Rank,
        transfer: u64,
    ) -> Result<(), Failure> {
        let (from, device) = self.find(memory)?;
        if let (Region::Linear { offset, length }, Some(_)) = (region, from.host) {
            let span = from.host_span(*offset, *length)?;
            let over = self.when_over(event, from);
            arrival::send(&self.post, to, transfer, span, None, over);
            return Ok(());
        }
        let block = Arc::new(HostMemory::arbitrary(region.bytes()).map_err(DriverError::from)?);
        let room = block.span();
        let movement = match *region {
            Region::Linear { offset, .. } => Movement::Read { from, offset, to: room },
            Region::Rectangle { size, side } => {
                let rect = Rect { size, from: side, to: Region::packed(size) };
                Movement::ReadRect { from, to: room, rect }
            }
        };
        let work: Arc<dyn Launch> = Arc::new(Transfer::new(Arc::clone(&device.driver), movement));
        self.enqueue_then(device, work, move |own, _, outcome| match outcome {
            Ok(()) => {
                let over = own.when_over(event, ());
                arrival::send(&own.post, to, transfer, block.span(), Some(block), over);
            }
            Err(cause) => {
                let failure = own.here((**cause).clone());
                own.post.say(to, &Message::NoData { transfer, failure: failure.clone() });
                if let Some(event) = event {
                    own.finish(event, Err(failure), [0, 0], None);
                }
            }
        })
    }

    /// Ends a command with the transfer that it is, and keeps something until then.
    fn when_over(self: &Arc<Self>, event: Option<u64>, keep: impl Send + 'static) -> Over {
        let (own, begun) = (Arc::clone(self), self.scheduler.clock());
        Box::new(move |outcome| {
            drop(keep);
            if let Some(event) = event {
                let age = own.scheduler.clock().saturating_sub(begun).max(1);
                own.finish(event, outcome.map_err(|failure| own.here(failure)), [age, 0], None);
            }
        })
    }

    /// Takes bytes that another rank sends.
    fn receive(
        self: &Arc<Self>,
        event: Option<u64>,
        memory: u64,
        region: &Region,
        from: Rank,
        transfer: u64,
    ) -> Result<(), Failure> {
        let (to, device) = self.find(memory)?;
        if let (Region::Linear { offset, length }, Some(_)) = (region, to.host) {
            let span = to.host_span(*offset, *length)?;
            let over = self.when_over(event, to);
            self.arrivals.expect(&self.post, from, transfer, Some((span, None)), over);
            return Ok(());
        }
        let block = Arc::new(HostMemory::arbitrary(region.bytes()).map_err(DriverError::from)?);
        let source = block.span();
        let movement = match *region {
            Region::Linear { offset, .. } => Movement::Write { to, offset, from: source },
            Region::Rectangle { size, side } => {
                let rect = Rect { size, from: Region::packed(size), to: side };
                Movement::WriteRect { to, from: source, rect }
            }
        };
        let work: Arc<dyn Launch> = Arc::new(Transfer::new(Arc::clone(&device.driver), movement));
        let (own, number, keep) = (Arc::clone(self), device.number, Arc::clone(&block));
        let over: Over = Box::new(move |outcome| {
            let device = own.devices.get(number).ok_or_else(|| unknown("device").into());
            let put = outcome.and(device).and_then(|device| {
                own.enqueue_then(device, work, move |own, times, outcome| {
                    drop(keep);
                    let outcome = outcome.clone().map_err(|cause| own.here((*cause).clone()));
                    if let Some(event) = event {
                        own.finish(event, outcome, times, None);
                    }
                })
            });
            if let (Err(failure), Some(event)) = (put, event) {
                own.finish(event, Err(own.here(failure)), [0, 0], None);
            }
        });
        self.arrivals.expect(&self.post, from, transfer, Some((source, Some(block))), over);
        Ok(())
    }

    /// The same failure, with where it was.
    fn here(&self, failure: Failure) -> Failure {
        match failure {
            elsewhere @ Failure::Elsewhere { .. } => elsewhere,
            other => Failure::Elsewhere { place: self.place.clone(), cause: Box::new(other) },
        }
    }

    /// A command of this node is over: tells whoever wants to know.
    fn finish(self: &Arc<Self>, event: u64, outcome: Went, ages: [u64; 2], work: Option<&dyn Launch>) {
        self.finish_at(event, outcome, ages, work, None);
    }

    /// The same. `worked`: the thread that talks has executed it, until then, and nobody is at the desk.
    fn finish_at(
        self: &Arc<Self>,
        event: u64,
        outcome: Went,
        ages: [u64; 2],
        work: Option<&dyn Launch>,
        worked: Option<Instant>,
    ) {
        let (is_followed, is_told) = self.over(event, &outcome);
        if is_told && worked.is_some() {
            // Others wait for it, while the host only hears of it.
            self.post.send_left();
        }
        let printed = work.and_then(|work| work.printer()).map(|printer| printer.take()).unwrap_or_default();
        let ending = Ending { outcome, ages, printed: printed.text.into(), dropped: printed.dropped };
        let ended = Message::Ended { event, ending };
        // Where other commands follow the host soon hears of the next one, too.
        if is_followed && self.talks_here() {
            self.post.gather(&ended, worked.unwrap_or_else(Instant::now));
        } else {
            self.post.say(HOST, &ended);
        }
        Self::start_ready();
    }

    /// An event is over, here or elsewhere: what may begin now is ready. Whether there are commands that were not executed yet, and
    /// whether other ranks are told.
    fn over(self: &Arc<Self>, event: u64, went: &Went) -> (bool, bool) {
        let mut any = self.brief.has_some();
        let mut state = lock(&self.state);
        let tell = state.commands.over(event, went, |task| {
            any = true;
            self.put_ready(task);
        });
        any |= state.commands.are_some_waiting();
        drop(state);
        for rank in &tell {
            self.post.say(*rank, &Message::Done { event, outcome: went.clone() });
        }
        (any, !tell.is_empty())
    }

    /// Whether the calling thread is the one that talks.
    fn talks_here(&self) -> bool {
        THIS_THREAD.with(|thread| *thread == self.talks)
    }

    fn tell(&self, event: u64, to: Rank) {
        let went = lock(&self.state).commands.tell(event, to);
        if let Some(outcome) = went {
            self.post.say(to, &Message::Done { event, outcome });
        }
    }

    /// Executes a short command on this thread, which is the one that talks. When it ended, if there was one.
    fn work(self: &Arc<Self>) -> Option<Instant> {
        let (event, work, (_, ready)) = self.brief.next()?;
        stamp::mark(Step::Execute);
        let (outcome, [begun, ended]) = crate::brief::execute(work.as_ref());
        stamp::mark(Step::Executed);
        let took = ended.saturating_duration_since(begun).as_nanos();
        let took = u64::try_from(took).unwrap_or(u64::MAX).max(1);
        ready.inspect(|ready| ready.pace.took(took));
        if let Some(event) = event {
            let outcome = outcome.map_err(|failure| self.here(failure));
            self.finish_at(event, outcome, [took, 0], Some(work.as_ref()), Some(ended));
        }
        Some(ended)
    }

    /// The scheduler gets what was put off.
    fn give_away(self: &Arc<Self>) {
        while let Some((event, work, (device, ready))) = self.brief.next() {
            let given = match self.devices.get(device) {
                Some(device) => self.enqueue(device, event, work, ready),
                None => Err(unknown("device").into()),
            };
            if let (Err(failure), Some(event)) = (given, event) {
                self.finish(event, Err(self.here(failure)), [0, 0], None);
            }
        }
    }

    fn create(&self, device: u32, memory: u64, size: u64) {
        let device = device as usize;
        let driver = self.devices.get(device).map(|device| &device.driver).ok_or_else(|| unknown("device"));
        let allocation =
            driver.and_then(|driver| driver.allocate(&AllocationRequest::bytes(size))).map(Arc::new);
        lock(&self.state).memories.insert(memory, Memory { device, allocation });
    }

    /// The memory goes back; no command uses it.
    fn free(&self, memory: u64) {
        let Some(Memory { device, allocation }) = lock(&self.state).memories.remove(&memory) else { return };
        if let (Ok(allocation), Some(device)) = (allocation, self.devices.get(device)) {
            device.driver.free(allocation.again());
        }
    }

    fn program(&self, program: u64, archive: &[u8]) {
        let outcome = self.build(archive).map(|made| {
            lock(&self.state).programs.insert(program, made);
        });
        let outcome = outcome.map_err(|error| self.here(error.into()));
        self.post.say(HOST, &Message::Built { program, outcome });
    }

    fn build(&self, archive: &[u8]) -> Result<BTreeMap<String, Arc<dyn Program>>, DriverError> {
        let bad = |reason: String| DriverError::BadBinary { reason };
        let archive = Archive::read(archive).map_err(|error| bad(error.to_string()))?;
        let binary = Arc::new(Binary::new(archive).map_err(|error| bad(error.to_string()))?);
        let mut made = BTreeMap::new();
        for Device { driver, .. } in &self.devices {
            if !made.contains_key(driver.program_key()) {
                made.insert(driver.program_key().to_owned(), driver.build_binary(&binary)?);
            }
        }
        Ok(made)
    }

    fn launch(
        &self,
        device: u32,
        program: u64,
        kernel: u64,
        geometry: Geometry,
        args: &[ArgValue<At, Box<[u8]>>],
    ) -> Result<Arc<dyn Launch>, DriverError> {
        let device = self.devices.get(device as usize).ok_or_else(|| unknown("device"))?;
        let made = lock(&self.state).programs.get(&program).cloned().unwrap_or_default();
        let program = made.get(device.driver.program_key()).ok_or_else(|| unknown("program"))?;
        let place = |at: &At| {
            let (allocation, _) = self.find(at.memory)?;
            Ok::<_, DriverError>(ArgMemory { allocation, offset: at.offset, writes: at.writes })
        };
        let args = args.iter().map(|argument| argument.rename(place)).collect::<Result<Vec<_>, _>>()?;
        let kernel = usize::try_from(kernel).map_err(|_| unknown("kernel"))?;
        device.driver.prepare_launch(&LaunchRequest { program, kernel, geometry, args: &args, watch: None })
    }
}

impl Handler for Node {
    fn hear(&self, from: Rank, message: Message) {
        let own = &self.own;
        match message {
            Message::Create { device, memory, size } => own.create(device, memory, size),
            Message::Free { memory } => own.free(memory),
            Message::Program { program, archive } => own.program(program, &archive),
            Message::DropProgram { program } => drop(lock(&own.state).programs.remove(&program)),
            Message::Launch { launch, device, program, kernel, geometry, args } => {
                let made = own.launch(device, program, kernel, geometry, &args);
                let (device, pace) = (device as usize, Pace::default());
                let ready = made.map(|work| Arc::new(Ready { device, work, pace }));
                lock(&own.state).launches.insert(launch, ready);
            }
            Message::DropLaunch { launch } => drop(lock(&own.state).launches.remove(&launch)),
            Message::Run { event, waits, work } => own.run(event, &waits, work),
            Message::Tell { event, to } => own.tell(event, to),
            Message::Forget { event } => lock(&own.state).commands.forget(event),
            Message::Done { event, outcome } => {
                own.over(event, &outcome);
                Inner::start_ready();
            }
            Message::Data { transfer, length, bytes } => {
                own.arrivals.announced(&own.post, from, transfer, length, bytes);
            }
            Message::NoData { transfer, failure } => own.arrivals.refused(from, transfer, failure),
            Message::Lost { rank, failure } => {
                own.post.drop_rank(rank, failure.clone());
                own.arrivals.lost(rank, &failure);
            }
            Message::Stop {} => own.post.stop(),
            Message::Exchange { with, bytes, turns, first } => {
                let post = Arc::clone(&own.post);
                let told = Box::new(move |took| {
                    if first {
                        post.say(HOST, &Message::Exchanged { nanoseconds: nanoseconds(took) });
                    }
                });
                own.post.exchange(Exchange { with, bytes, turns, first, told });
            }
            Message::Alive {}
            | Message::Hello { .. }
            | Message::Built { .. }
            | Message::Ended { .. }
            | Message::Exchanged { .. } => {}
        }
    }

    fn failure(&self, rank: Rank, reason: String) -> Failure {
        let cause = DriverError::Device { reason: format!("the rank is lost: {reason}") };
        Failure::Elsewhere { place: format!("rank {rank}"), cause: Box::new(cause.into()) }
    }

    /// Without the host there is nothing to do; of other nodes the host hears as well.
    fn lost(&self, rank: Rank, failure: &Failure) {
        self.own.arrivals.lost(rank, failure);
        if rank == HOST {
            self.own.post.stop();
        }
    }

    /// What came is under way whether or not anything more does.
    fn settled(&self) {
        if self.own.is_fresh.load(Ordering::Relaxed) {
            self.own.is_fresh.store(false, Ordering::Relaxed);
            for device in &self.own.devices {
                // A device that refuses says so when it is given commands.
                let _ = device.queue.flush();
            }
        }
    }

    fn has_work(&self) -> bool {
        self.own.brief.has_some()
    }

    fn work(&self) -> Option<Instant> {
        self.own.work()
    }

    fn rests(&self) {
        lock(&self.own.state).commands.look_ahead();
    }

    fn computes(&self) -> bool {
        self.own.under_way.load(Ordering::Relaxed) > 0
    }

    fn give_away(&self) {
        self.own.give_away();
    }
}
