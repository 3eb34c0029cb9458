//! A node: devices of this process that another one's host program uses. It has a scheduler of its own, which orders commands
//! by events that have the host's numbers. An event that a command waits for and that is not known yet becomes known as one
//! that somebody will end: a command that comes later, or another node that says so.
//!
//! Locks: `state` only, and nothing is called with it locked that may call back.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use oxcl_binary::archive::Archive;
use oxcl_driver::error::Outcome;
use oxcl_driver::program::{ArgMemory, ArgValue, Binary, LaunchRequest, Program};
use oxcl_driver::rect::Rect;
use oxcl_driver::{
    Allocation, AllocationRequest, Driver, DriverError, Failure, Geometry, HostMemory, HostSpan, Launch,
    NullDriver, lock,
};
use oxcl_scheduler::transfer::{Movement, Transfer};
use oxcl_scheduler::{Command, Event, Queue, QueueProperties, Scheduler, UserEvent};

use crate::arrival::{self, Arrivals};
use crate::courier::{Exchange, Handler, Over, Post, nanoseconds};
use crate::message::{At, Ending, Message, Region, Work};
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
    driver: Arc<dyn Driver>,
    queue: Queue,
}

/// Memory of a device; or why there is none.
struct Memory {
    device: usize,
    allocation: Result<Arc<Allocation>, DriverError>,
}

/// An event of the host's.
struct Known {
    event: Event,
    /// Ends it, where it was known before its command.
    user: Option<Arc<UserEvent>>,
    over: Option<Result<(), Failure>>,
    is_forgotten: bool,
    /// Who wants to be told.
    tell: Vec<Rank>,
}

/// A launch and its device; or why it cannot be executed.
type Ready = (usize, Result<Arc<dyn Launch>, DriverError>);

#[derive(Default)]
struct State {
    memories: HashMap<u64, Memory>,
    /// What each driver made of a program, by its key.
    programs: HashMap<u64, BTreeMap<String, Arc<dyn Program>>>,
    launches: HashMap<u64, Ready>,
    events: HashMap<u64, Known>,
}

/// A node's state.
pub(crate) struct Node {
    own: Arc<Inner>,
}

struct Inner {
    place: String,
    post: Arc<Post>,
    arrivals: Arrivals,
    scheduler: Arc<Scheduler>,
    devices: Vec<Device>,
    /// For commands that only wait.
    gates: Queue,
    state: Mutex<State>,
    stopped: AtomicBool,
}

/// A command on its way here.
#[derive(Clone)]
struct Task {
    event: Option<u64>,
    waits: Vec<Event>,
}

impl Node {
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
        for NodeDevice { driver, .. } in devices {
            let queue = scheduler.queue(Arc::clone(&driver), properties).map_err(out)?;
            made.push(Device { driver, queue });
        }
        let gates = scheduler.queue(Arc::new(NullDriver::new()), properties).map_err(out)?;
        let own = Inner {
            place,
            post,
            arrivals: Arrivals::default(),
            scheduler,
            devices: made,
            gates,
            state: Mutex::default(),
            stopped: AtomicBool::new(false),
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

    /// An event by its number, known from now on.
    fn known<'a>(&self, state: &'a mut State, event: u64) -> Option<&'a mut Known> {
        match state.events.entry(event) {
            Entry::Occupied(known) => Some(known.into_mut()),
            Entry::Vacant(vacant) => {
                let user = Arc::new(self.scheduler.user_event().ok()?);
                let (event, tell) = (user.event().clone(), Vec::new());
                Some(vacant.insert(Known { event, user: Some(user), over: None, is_forgotten: false, tell }))
            }
        }
    }

    /// Takes a command.
    fn run(self: &Arc<Self>, event: Option<u64>, waits: &[u64], work: &Work) {
        let mut events = Vec::new();
        {
            let mut state = lock(&self.state);
            for wait in waits {
                if let Some(known) = self.known(&mut state, *wait) {
                    events.push(known.event.clone());
                }
            }
        }
        let task = Task { event, waits: events };
        if let Err(failure) = self.begin(&task, work) {
            self.give_up(&task, work, failure);
        }
    }

    /// A command cannot even begin. Whoever waits for its bytes is told.
    fn give_up(self: &Arc<Self>, task: &Task, work: &Work, failure: Failure) {
        let failure = self.here(failure);
        match work {
            Work::Send { to, transfer, .. } => {
                self.post.say(*to, &Message::NoData { transfer: *transfer, failure: failure.clone() });
            }
            Work::Receive { from, transfer, .. } => {
                // They are sent all the same.
                self.arrivals.expect(&self.post, *from, *transfer, None, Box::new(|_| ()));
            }
            _ => {}
        }
        if let Some(event) = task.event {
            self.finish(event, Err(failure), [0, 0], None);
        }
    }

    fn begin(self: &Arc<Self>, task: &Task, work: &Work) -> Result<(), Failure> {
        match work {
            Work::Nothing {} => self.gate(task, |own, task, outcome| own.finish_gate(task, outcome)),
            Work::Kernel { launch } => {
                let found = lock(&self.state).launches.get(launch).map(|(at, work)| (*at, work.clone()));
                let (device, work) = found.ok_or_else(|| unknown("launch"))?;
                let device = self.devices.get(device).ok_or_else(|| unknown("device"))?;
                self.enqueue(device, task, work?)
            }
            Work::Fill { memory, offset, length, pattern } => {
                let (to, device) = self.find(*memory)?;
                let pattern = Arc::from(&pattern[..]);
                self.moving(device, task, Movement::Fill { to, offset: *offset, length: *length, pattern })
            }
            Work::Copy { from, from_offset, to, to_offset, length } => {
                let ((from, _), (to, device)) = (self.find(*from)?, self.find(*to)?);
                let (from_offset, to_offset, length) = (*from_offset, *to_offset, *length);
                self.moving(device, task, Movement::Copy { from, from_offset, to, to_offset, length })
            }
            Work::CopyRectangle { from, to, size, from_side, to_side } => {
                let ((from, _), (to, device)) = (self.find(*from)?, self.find(*to)?);
                let rect = Rect { size: *size, from: *from_side, to: *to_side };
                self.moving(device, task, Movement::CopyRect { from, to, rect })
            }
            Work::Send { memory, region, to, transfer } => self.send(task, *memory, region, *to, *transfer),
            Work::Receive { memory, region, from, transfer } => {
                self.receive(task, *memory, region, *from, *transfer)
            }
        }
    }

    fn moving(self: &Arc<Self>, device: &Device, task: &Task, movement: Movement) -> Result<(), Failure> {
        self.enqueue(device, task, Arc::new(Transfer::new(Arc::clone(&device.driver), movement)))
    }

    /// Enqueues work that is all of a command.
    fn enqueue(self: &Arc<Self>, device: &Device, task: &Task, work: Arc<dyn Launch>) -> Result<(), Failure> {
        let command = Command { work: Some(Arc::clone(&work)), waits: &task.waits, ..Command::default() };
        let event = device.queue.enqueue(command).map_err(|_| out_of_memory())?;
        if let Some(number) = task.event {
            self.introduce(number, &event);
        }
        let (own, task, times) = (Arc::clone(self), task.clone(), event.clone());
        let call = move |_, outcome: &Outcome| {
            let (times, now) = (times.times(), own.scheduler.clock());
            let ages =
                [times.started, times.ended].map(|time| if time == 0 { 0 } else { now.saturating_sub(time) });
            let outcome = outcome.clone().map_err(|cause| own.here((*cause).clone()));
            if let Some(event) = task.event {
                own.finish(event, outcome, ages, Some(work.as_ref()));
            }
        };
        event.on_complete(call).map_err(|_| out_of_memory())
    }

    /// The event of a command is its own, unless somebody has asked for it before.
    fn introduce(&self, number: u64, event: &Event) {
        lock(&self.state).events.entry(number).or_insert_with(|| Known {
            event: event.clone(),
            user: None,
            over: None,
            is_forgotten: false,
            tell: Vec::new(),
        });
    }

    /// Makes a command's event known before anybody can end it.
    fn announce(&self, task: &Task) -> Result<(), Failure> {
        let Some(event) = task.event else { return Ok(()) };
        let mut state = lock(&self.state);
        self.known(&mut state, event).map(|_| ()).ok_or_else(out_of_memory)
    }

    /// Calls `then` when everything that a command waits for is over.
    fn gate(
        self: &Arc<Self>,
        task: &Task,
        then: impl FnOnce(&Arc<Self>, &Task, Outcome) + Send + 'static,
    ) -> Result<(), Failure> {
        self.announce(task)?;
        if task.waits.is_empty() {
            then(self, task, Ok(()));
            return Ok(());
        }
        let command = Command { waits: &task.waits, ..Command::default() };
        let event = self.gates.enqueue(command).map_err(|_| out_of_memory())?;
        let (own, task) = (Arc::clone(self), task.clone());
        event.on_complete(move |_, outcome| then(&own, &task, outcome.clone())).map_err(|_| out_of_memory())
    }

    fn finish_gate(self: &Arc<Self>, task: &Task, outcome: Outcome) {
        let outcome = outcome.map_err(|cause| self.here((*cause).clone()));
        if let Some(event) = task.event {
            self.finish(event, outcome, [0, 0], None);
        }
    }

    /// Sends bytes of a memory once the command may begin.
    fn send(
        self: &Arc<Self>,
        task: &Task,
        memory: u64,
        region: &Region,
        to: Rank,
        transfer: u64,
    ) -> Result<(), Failure> {
        let (from, device) = self.find(memory)?;
        if let (Region::Linear { offset, length }, Some(_)) = (region, from.host) {
            let span = from.host_span(*offset, *length)?;
            return self.gate(task, move |own, task, outcome| {
                // Keeps it.
                let _from = from;
                own.send_now(task, outcome, to, transfer, span, None);
            });
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
        self.announce(task)?;
        let work: Arc<dyn Launch> = Arc::new(Transfer::new(Arc::clone(&device.driver), movement));
        let command = Command { work: Some(work), waits: &task.waits, ..Command::default() };
        let event = device.queue.enqueue(command).map_err(|_| out_of_memory())?;
        let (own, task) = (Arc::clone(self), task.clone());
        let call = move |_, outcome: &Outcome| {
            let span = block.span();
            own.send_now(&task, outcome.clone(), to, transfer, span, Some(block));
        };
        event.on_complete(call).map_err(|_| out_of_memory())
    }

    fn send_now(
        self: &Arc<Self>,
        task: &Task,
        outcome: Outcome,
        to: Rank,
        transfer: u64,
        span: HostSpan,
        keep: Option<Arc<HostMemory>>,
    ) {
        if let Err(cause) = outcome {
            let failure = self.here((*cause).clone());
            self.post.say(to, &Message::NoData { transfer, failure: failure.clone() });
            if let Some(event) = task.event {
                self.finish(event, Err(failure), [0, 0], None);
            }
            return;
        }
        let over = self.when_over(task);
        arrival::send(&self.post, to, transfer, span, keep, over);
    }

    /// Ends a command with the transfer that it is.
    fn when_over(self: &Arc<Self>, task: &Task) -> Over {
        let (own, event, begun) = (Arc::clone(self), task.event, self.scheduler.clock());
        Box::new(move |outcome| {
            if let Some(event) = event {
                let age = own.scheduler.clock().saturating_sub(begun).max(1);
                own.finish(event, outcome.map_err(|failure| own.here(failure)), [age, 0], None);
            }
        })
    }

    /// Takes bytes that another rank sends, once the command may begin.
    fn receive(
        self: &Arc<Self>,
        task: &Task,
        memory: u64,
        region: &Region,
        from: Rank,
        transfer: u64,
    ) -> Result<(), Failure> {
        let (to, device) = self.find(memory)?;
        if let (Region::Linear { offset, length }, Some(_)) = (region, to.host) {
            let span = to.host_span(*offset, *length)?;
            return self.gate(task, move |own, task, outcome| match outcome {
                Ok(()) => {
                    let over = own.when_over(task);
                    let over = Box::new(move |outcome| {
                        // Keeps it.
                        drop(to);
                        over(outcome);
                    });
                    own.arrivals.expect(&own.post, from, transfer, Some((span, None)), over);
                }
                Err(_) => own.receive_nothing(task, outcome, from, transfer),
            });
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
        let transferred: Arc<dyn Launch> = Arc::new(Transfer::new(Arc::clone(&device.driver), movement));
        let queue = device.queue.clone();
        self.gate(task, move |own, task, outcome| match outcome {
            Ok(()) => {
                let (inner, task, keep) = (Arc::clone(own), task.clone(), Arc::clone(&block));
                let over: Over = Box::new(move |outcome| {
                    let put = outcome.and_then(|()| inner.put(&queue, &task, transferred, keep));
                    if let Err(failure) = put {
                        inner.finish_gate(&task, Err(Arc::new(failure)));
                    }
                });
                own.arrivals.expect(&own.post, from, transfer, Some((source, Some(block))), over);
            }
            Err(_) => own.receive_nothing(task, outcome, from, transfer),
        })
    }

    /// Brings bytes that have come to a device's memory.
    fn put(
        self: &Arc<Self>,
        queue: &Queue,
        task: &Task,
        work: Arc<dyn Launch>,
        block: Arc<HostMemory>,
    ) -> Result<(), Failure> {
        let event = queue.enqueue(Command { work: Some(work), ..Command::default() });
        let event = event.map_err(|_| out_of_memory())?;
        let (own, task) = (Arc::clone(self), task.clone());
        let call = move |_, outcome: &Outcome| {
            drop(block);
            own.finish_gate(&task, outcome.clone());
        };
        event.on_complete(call).map_err(|_| out_of_memory())
    }

    /// What a command waited for has failed; its bytes come all the same, if their sender does not know that.
    fn receive_nothing(self: &Arc<Self>, task: &Task, outcome: Outcome, from: Rank, transfer: u64) {
        self.arrivals.expect(&self.post, from, transfer, None, Box::new(|_| ()));
        self.finish_gate(task, outcome);
    }

    /// The same failure, with where it was.
    fn here(&self, failure: Failure) -> Failure {
        match failure {
            elsewhere @ Failure::Elsewhere { .. } => elsewhere,
            other => Failure::Elsewhere { place: self.place.clone(), cause: Box::new(other) },
        }
    }

    /// A command of this node is over: tells whoever wants to know.
    fn finish(
        self: &Arc<Self>,
        event: u64,
        outcome: Result<(), Failure>,
        ages: [u64; 2],
        work: Option<&dyn Launch>,
    ) {
        self.over(event, &outcome);
        let printed = work.and_then(|work| work.printer()).map(|printer| printer.take()).unwrap_or_default();
        let ending = Ending { outcome, ages, printed: printed.text.into(), dropped: printed.dropped };
        self.post.say(HOST, &Message::Ended { event, ending });
    }

    /// An event is over, here or elsewhere.
    fn over(self: &Arc<Self>, event: u64, outcome: &Result<(), Failure>) {
        let mut state = lock(&self.state);
        let Some(known) = self.known(&mut state, event).filter(|known| known.over.is_none()) else { return };
        known.over = Some(outcome.clone());
        let (tell, user) = (std::mem::take(&mut known.tell), known.user.take());
        if known.is_forgotten {
            state.events.remove(&event);
        }
        for rank in tell {
            self.post.say(rank, &Message::Done { event, outcome: outcome.clone() });
        }
        drop(state);
        if let Some(user) = user {
            match outcome {
                Ok(()) => user.complete(),
                Err(failure) => user.fail_with(failure.clone()),
            };
        }
    }

    fn tell(self: &Arc<Self>, event: u64, to: Rank) {
        let mut state = lock(&self.state);
        let Some(known) = self.known(&mut state, event) else { return };
        match known.over.clone() {
            Some(outcome) => self.post.say(to, &Message::Done { event, outcome }),
            None => known.tell.push(to),
        }
    }

    fn forget(&self, event: u64) {
        let mut state = lock(&self.state);
        let Some(known) = state.events.get_mut(&event) else { return };
        known.is_forgotten = true;
        // An event that is dropped may call whoever waits.
        let gone = if known.over.is_some() { state.events.remove(&event) } else { None };
        drop(state);
        drop(gone);
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
                lock(&own.state).launches.insert(launch, (device as usize, made));
            }
            Message::DropLaunch { launch } => drop(lock(&own.state).launches.remove(&launch)),
            Message::Run { event, waits, work } => own.run(event, &waits, &work),
            Message::Tell { event, to } => own.tell(event, to),
            Message::Forget { event } => own.forget(event),
            Message::Done { event, outcome } => own.over(event, &outcome),
            Message::Data { transfer, length, bytes } => {
                own.arrivals.announced(&own.post, from, transfer, length, bytes);
            }
            Message::NoData { transfer, failure } => own.arrivals.refused(from, transfer, failure),
            Message::Lost { rank, failure } => {
                own.post.drop_rank(rank, failure.clone());
                own.arrivals.lost(rank, &failure);
            }
            Message::Stop {} => {
                own.stopped.store(true, Ordering::Relaxed);
                own.post.stop();
            }
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
        for device in &self.own.devices {
            // A device that refuses says so when it is given commands.
            let _ = device.queue.flush();
        }
    }
}
