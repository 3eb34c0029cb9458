//! The devices as the simulator runs them: images of main and kernels, command slots, and time.
//!
//! All devices are cores of one system and execute in lock step. A device that waits for a word stands still until the word is no
//! longer zero and a whole number of rounds of its waiting loop has passed, so it goes on as if it had waited; the rounds
//! are counted as idle cycles. When every device waits for something that only the host can bring, nothing is simulated.

use crate::launch::TtaLaunch;
use crate::map::{Plan, SLOTS};
use crate::platform::PlatformError;
use crate::program::DeviceMain;
use oxcl_binary::abi::LAUNCH_SYMBOL;
use oxcl_driver::printer::Printed;
use oxcl_driver::{EventId, Submission};
use oxcl_memory::bufalloc::{BufAlloc, Chunk, Strategy};
use oxcl_tta::device_main::{
    NAME, NOTHING, POLLED_AT, SCRATCH_SYMBOL, SLOT_AT, SLOTS_SYMBOL, STACK_SYMBOL, WAITS, state, word,
};
use oxcl_tta::image::{Image, digest};
use oxcl_tta::link::DataBases;
use oxcl_tta::model::{Machine, SpaceId};
use oxcl_tta::ops::ByteOrder;
use oxcl_tta::program::{Instruction, Program, SymbolValue};
use oxcl_tta::unit::{UnitCode, link_code};
use oxcl_ttasim::{CoreSetup, Engine, Fault, Memory, System};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A command that has been executed for so many cycles will not end any more, unless somebody says otherwise: a minute or more
/// of simulation.
const LONGEST_COMMAND: u64 = 5_000_000_000;
/// Rounds of a waiting loop are at most this long.
const LONGEST_ROUND: u64 = 1000;

/// A command for a device.
pub(crate) struct Command {
    pub(crate) submission: Arc<dyn Submission>,
    pub(crate) launch: Arc<TtaLaunch>,
    /// The word of its event.
    pub(crate) event: u64,
    /// The events of the platform that it waits for, with their words.
    pub(crate) waits: Vec<(EventId, u64)>,
    /// Nothing outside the platform holds it back.
    pub(crate) host_ready: bool,
    /// The image has what it needs.
    pub(crate) loaded: bool,
}

impl Command {
    /// It must do nothing, and nothing outside the platform holds its end back.
    pub(crate) fn is_refused(&self) -> bool {
        self.host_ready && self.submission.refusal().is_some()
    }
}

/// A command in a slot.
pub(crate) struct InFlight {
    pub(crate) command: Command,
    locals: Vec<Chunk>,
    /// The cycle in which the device began, and the accesses of the host by then.
    pub(crate) started: Option<(u64, u64)>,
    reported: bool,
}

/// A device that waits: since when, for which word, and how long a round is.
#[derive(Debug, Clone, Copy)]
struct Sleep {
    since: u64,
    round: u64,
    memory: usize,
    address: u64,
}

/// What is linked for a device.
#[derive(Clone)]
struct Linked {
    /// The units loaded, in the order in which they came.
    units: Vec<Arc<UnitCode>>,
    loaded: BTreeSet<String>,
    entries: BTreeMap<String, u32>,
    /// Data that has been put into memory already.
    placed: BTreeSet<(SpaceId, u64)>,
    /// Where the waiting loops of the program begin; none while the device has nothing to run.
    heads: Option<[u32; 2]>,
    image: Arc<Image>,
}

/// A device.
pub(crate) struct Core {
    pub(crate) machine: Arc<Machine>,
    digest: [u8; 20],
    pub(crate) plan: Plan,
    /// The program that every image begins with: that of the first kernel that came.
    main: Option<Arc<DeviceMain>>,
    linked: Linked,
    pub(crate) queue: VecDeque<Command>,
    slots: VecDeque<(u64, InFlight)>,
    next_slot: u64,
    local: BufAlloc,
    /// Positions of its memories in the system, by its spaces.
    memories: Vec<usize>,
    sleep: Option<Sleep>,
    last_head: Option<(usize, u64)>,
    pub(crate) idle_cycles: u64,
    /// How often units were linked.
    pub(crate) links: u64,
}

/// What [`Simulation::advance`] came back with.
#[derive(Debug)]
pub(crate) enum Pause {
    /// Every device waits for the host.
    Idle,
    /// There is more to do.
    More,
    /// A device has failed; nothing that was in a slot will end.
    Fault(Box<Fault>),
    /// A command does not end: which device, where it is, and after how many cycles.
    RunAway {
        /// The device.
        device: usize,
        /// The instruction.
        at: usize,
        /// Cycles.
        cycles: u64,
    },
}

/// Something to tell the scheduler, in this order.
pub(crate) enum Notice {
    /// The device has begun with a command.
    Started(Arc<dyn Submission>),
    /// A command has ended: which device, the command, what it printed, when it began and ended, in cycles and accesses of the
    /// host.
    Ended { device: usize, command: Command, printed: Printed, started: (u64, u64), ended: (u64, u64) },
}

/// How long it took to link what commands needed and to load it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkTimes {
    /// How often.
    pub count: u64,
    /// In all.
    pub total: Duration,
    /// The last time.
    pub last: Duration,
}

impl LinkTimes {
    fn add(&mut self, time: Duration) {
        *self = Self { count: self.count + 1, total: self.total.saturating_add(time), last: time };
    }
}

/// All devices and their memories.
pub(crate) struct Simulation {
    pub(crate) cores: Vec<Core>,
    system: Option<System>,
    /// While there is no system.
    memories: Vec<Memory>,
    engine: Engine,
    /// Cycles of the systems before this one.
    before: u64,
    /// After so many cycles a command is taken for one that never ends.
    pub(crate) longest_command: u64,
    /// How often the host has accessed memories of devices or loaded programs.
    pub(crate) host_accesses: u64,
    /// How long linking and loading took.
    pub(crate) link_times: LinkTimes,
}

fn uninhabited(error: &dyn std::fmt::Display) -> PlatformError {
    PlatformError::Main { reason: error.to_string() }
}

impl Linked {
    /// Whether what a command needs is there.
    fn has(&self, command: &Command) -> bool {
        command.launch.kernel.units.iter().all(|unit| self.loaded.contains(unit.entry()))
    }
}

impl Core {
    fn new(machine: &Machine, plan: &Plan, memories: Vec<usize>) -> Result<Self, PlatformError> {
        let region = plan.local_memory;
        let local = BufAlloc::new(region.start, region.size, 128, Strategy::Tight);
        let local = local.map_err(|e| uninhabited(&e))?;
        // Without kernels a device has nothing to do: it stands before an instruction without moves.
        let program = Program { instructions: vec![Instruction::default()], ..Program::default() };
        let machine = Arc::new(machine.clone());
        let image = Arc::new(Image { machine: Arc::clone(&machine), program });
        Ok(Self {
            digest: digest(&machine),
            machine,
            plan: plan.clone(),
            main: None,
            linked: Linked {
                units: Vec::new(),
                loaded: BTreeSet::new(),
                entries: BTreeMap::new(),
                placed: BTreeSet::new(),
                heads: None,
                image,
            },
            queue: VecDeque::new(),
            slots: VecDeque::new(),
            next_slot: 0,
            local,
            memories,
            sleep: None,
            last_head: None,
            idle_cycles: 0,
            links: 0,
        })
    }

    /// Links main, what is loaded and `more` into an image.
    fn link(&mut self, main: &Arc<DeviceMain>, more: &[Arc<UnitCode>]) -> Result<(), PlatformError> {
        self.links += 1;
        let main = Arc::clone(self.main.get_or_insert_with(|| Arc::clone(main)));
        let mut units = self.linked.units.clone();
        units.extend(more.iter().cloned());
        let all: Vec<&UnitCode> = [&main.code].into_iter().chain(units.iter().map(|u| &**u)).collect();
        let known = [
            (LAUNCH_SYMBOL, self.plan.launch.start),
            (SLOTS_SYMBOL, self.plan.slots.start),
            (SCRATCH_SYMBOL, self.plan.scratch.start),
            (STACK_SYMBOL, self.plan.stack_top()),
        ];
        let known = known.map(|(name, address)| (name.to_owned(), address)).into();
        let data = self.plan.data;
        let mut bases = DataBases::from([(self.plan.global, (data.start, data.start + data.size))]);
        if let Some(own) = self.plan.private_data {
            bases.insert(self.plan.private, (own.start, own.start + own.size));
        }
        let mut program = link_code(&self.machine, &self.digest, &all, &bases, &known, NAME)?;
        // What earlier images have put into memory may have changed since.
        program.data.retain(|area| self.linked.placed.insert((area.space, area.start)));
        let code = program.symbols.iter().filter_map(|s| match s.value {
            SymbolValue::Code(at) => Some((s.name.clone(), at)),
            SymbolValue::Data { .. } => None,
        });
        self.linked.entries = code.collect();
        let first = self.linked.entries.get(NAME).copied().unwrap_or(0);
        self.linked.heads = Some(main.heads.map(|head| first.saturating_add(head)));
        self.linked.loaded.extend(more.iter().map(|u| u.entry().to_owned()));
        self.linked.units = units;
        self.linked.image = Arc::new(Image { machine: Arc::clone(&self.machine), program });
        Ok(())
    }

    /// Forgets what is loaded.
    fn evict(&mut self) {
        self.linked.units.clear();
        self.linked.loaded.clear();
        self.linked.placed.clear();
    }

    /// Links what queued commands need. Where that does not fit beside what is loaded already, only what is needed stays, those
    /// that are `ready` first; what does not fit beside them is linked later. Gives the command whose units do not link even
    /// by themselves.
    fn link_queued(&mut self, ready: &dyn Fn(&Command) -> bool) -> Option<(Command, PlatformError)> {
        let main = Arc::clone(&self.queue.front()?.launch.kernel.main);
        let queued: Vec<Arc<UnitCode>> =
            self.queue.iter().flat_map(|c| &c.launch.kernel.units).map(Arc::clone).collect();
        if self.link_missing(&main, &queued).is_ok() {
            return None;
        }
        self.evict();
        let waits = |core: &Self, c: &Command| !c.loaded && ready(c) && !core.linked.has(c);
        let mut order: Vec<usize> = (0..self.queue.len()).collect();
        order.sort_by_key(|position| !waits(self, &self.queue[*position]));
        for (rank, position) in order.into_iter().enumerate() {
            let units: Vec<Arc<UnitCode>> = self.queue[position].launch.kernel.units.clone();
            if let Err(error) = self.link_missing(&main, &units)
                && rank == 0
            {
                return self.queue.remove(position).map(|command| (command, error));
            }
        }
        None
    }

    fn link_missing(&mut self, main: &Arc<DeviceMain>, units: &[Arc<UnitCode>]) -> Result<(), PlatformError> {
        let mut missing: Vec<Arc<UnitCode>> = Vec::new();
        for unit in units {
            let known = |other: &Arc<UnitCode>| other.entry() == unit.entry();
            if !self.linked.loaded.contains(unit.entry()) && !missing.iter().any(known) {
                missing.push(Arc::clone(unit));
            }
        }
        if missing.is_empty() { Ok(()) } else { self.link(main, &missing) }
    }

    /// Takes a command in.
    pub(crate) fn accept(&mut self, mut command: Command) {
        command.loaded = self.linked.has(&command);
        self.queue.push_back(command);
    }

    /// After linking: sees for which commands the image has the units.
    fn look_for_units(&mut self) {
        let Self { queue, linked, .. } = self;
        for command in queue {
            command.loaded = linked.has(command);
        }
    }

    /// Frees local memory.
    fn give_back(&mut self, chunks: Vec<Chunk>) {
        for chunk in chunks {
            let freed = self.local.free(chunk);
            debug_assert!(freed.is_ok(), "a chunk is freed once");
        }
    }

    /// Whether nothing is in a slot.
    fn is_drained(&self) -> bool {
        self.slots.is_empty()
    }

    pub(crate) fn memory_of(&self, space: SpaceId) -> usize {
        self.memories.get(space.index()).copied().unwrap_or(0)
    }
}

impl Simulation {
    pub(crate) fn new(machines: &[Machine], plans: &[Plan], engine: Engine) -> Result<Self, PlatformError> {
        // Memory 0 is the one that all share.
        let ends = machines.iter().zip(plans).map(|(m, p)| m.spaces[p.global.index()].max_address);
        let mut memories = vec![Memory::new(0, ends.min().unwrap_or(0).min(0xffff_ffff))];
        let mut cores = Vec::new();
        for (machine, plan) in machines.iter().zip(plans) {
            let mut places = Vec::new();
            for (space, facts) in machine.spaces() {
                if space == plan.global {
                    places.push(0);
                } else {
                    places.push(memories.len());
                    memories.push(Memory::new(facts.min_address, facts.max_address.min(0xffff_ffff)));
                }
            }
            cores.push(Core::new(machine, plan, places)?);
        }
        let mut simulation = Self {
            cores,
            system: None,
            memories,
            engine,
            before: 0,
            longest_command: LONGEST_COMMAND,
            host_accesses: 0,
            link_times: LinkTimes::default(),
        };
        for device in 0..simulation.cores.len() {
            let core = &simulation.cores[device];
            let (at, first) = (core.plan.launch.start + SLOT_AT, core.plan.slot(0));
            simulation.poke(0, at, first);
        }
        Ok(simulation)
    }

    /// Cycles since the platform began.
    pub(crate) fn cycle(&self) -> u64 {
        self.before + self.system.as_ref().map_or(0, System::cycle)
    }

    /// Makes a system of the current images, with the memories as they are.
    fn load(&mut self) -> Result<(), PlatformError> {
        self.host_accesses += 1;
        if let Some(system) = self.system.take() {
            self.before += system.cycle();
            self.memories = system.into_memories();
        }
        let setup = |core: &Core| CoreSetup {
            image: Arc::clone(&core.linked.image),
            memories: core.memories.clone(),
            // Units are held against the machine when the program is made of an archive.
            checked: true,
        };
        let setups = self.cores.iter().map(setup).collect();
        let system = System::over(setups, &mut self.memories, self.engine)
            .map_err(|error| PlatformError::Main { reason: error.to_string() });
        let system = self.system.insert(system?);
        for (device, core) in self.cores.iter_mut().enumerate() {
            (core.sleep, core.last_head) = (None, None);
            system.pause(device, core.linked.heads.is_none());
        }
        Ok(())
    }

    /// Bytes of the memory that all share.
    pub(crate) fn shared(&mut self) -> Option<&mut Memory> {
        let plan = &self.cores.first()?.plan;
        let global = plan.global;
        match &mut self.system {
            Some(system) => Some(system.memory_mut(0, global)),
            None => self.memories.first_mut(),
        }
    }

    /// All memories.
    pub(crate) fn memories(&self) -> &[Memory] {
        self.system.as_ref().map_or(self.memories.as_slice(), System::memories)
    }

    pub(crate) fn peek(&self, memory: usize, address: u64) -> u32 {
        let value = self.memories().get(memory).and_then(|m| m.load(address, 4, ByteOrder::Little).ok());
        u32::try_from(value.unwrap_or(0)).unwrap_or(0)
    }

    /// Writes a word of a memory by its position.
    pub(crate) fn poke(&mut self, memory: usize, address: u64, value: u64) {
        self.host_accesses += 1;
        let found = match &mut self.system {
            Some(system) => {
                let place = self.cores.iter().enumerate().find_map(|(device, core)| {
                    let space = core.memories.iter().position(|m| *m == memory)?;
                    Some((device, SpaceId(u16::try_from(space).ok()?)))
                });
                place.map(|(device, space)| system.memory_mut(device, space))
            }
            None => self.memories.get_mut(memory),
        };
        if let Some(memory) = found {
            let stored = memory.store(address, 4, ByteOrder::Little, value & 0xffff_ffff);
            debug_assert!(stored.is_ok(), "the map lies inside the memory");
        }
    }

    /// Sets the word of an event.
    pub(crate) fn set_event(&mut self, number: u64, value: u64) {
        if let Some(core) = self.cores.first() {
            let address = core.plan.event(number);
            self.poke(0, address, value);
        }
    }

    /// Links and loads once a command that is `ready` needs units that no image has, and what waits behind it at the same time.
    /// Nothing may be in a slot then; gives false while something is. A device whose units do not link keeps its image; the
    /// error is the commands'.
    pub(crate) fn renew(
        &mut self,
        ready: &dyn Fn(&Command) -> bool,
    ) -> (bool, Vec<(Command, PlatformError)>) {
        let mut failed = Vec::new();
        if !self.cores.iter().any(|core| core.queue.iter().any(|c| !c.loaded && ready(c))) {
            return (true, failed);
        }
        if !self.cores.iter().all(Core::is_drained) {
            return (false, failed);
        }
        let begin = Instant::now();
        let before: Vec<Linked> = self.cores.iter().map(|c| c.linked.clone()).collect();
        for core in self.cores.iter_mut().filter(|core| core.queue.iter().any(|c| !c.loaded)) {
            failed.extend(core.link_queued(ready));
            core.look_for_units();
        }
        if let Err(error) = self.load() {
            // A unit that no machine executes: everything as it was.
            for (core, linked) in self.cores.iter_mut().zip(before) {
                core.linked = linked;
                failed.extend(core.queue.drain(..).map(|c| (c, error.clone())));
            }
            if let Err(error) = self.load() {
                debug_assert!(false, "what ran before runs again: {error}");
            }
        }
        self.link_times.add(begin.elapsed());
        (true, failed)
    }

    /// Puts queued commands of a device into free slots, as far as `certain` says that what they wait for will end.
    pub(crate) fn fill_slots(&mut self, device: usize, certain: &mut dyn FnMut(&Command) -> bool) {
        loop {
            let core = &mut self.cores[device];
            if core.slots.len() as u64 >= SLOTS {
                return;
            }
            // A command that something holds back does not hold back those behind it.
            let Some(position) =
                core.queue.iter().position(|c| c.host_ready && c.loaded && !c.is_refused() && certain(c))
            else {
                return;
            };
            let command = &core.queue[position];
            let mut locals = Vec::new();
            let number = core.next_slot;
            let region = core.plan.block(number);
            let launch = Arc::clone(&command.launch);
            let mut room = true;
            for size in launch.local_blocks() {
                match core.local.allocate(size.max(1)) {
                    Ok(chunk) => locals.push(chunk),
                    Err(_) => room = false,
                }
            }
            let mut next = locals.iter();
            let block = launch.encode(region.start, &mut |_| next.next().map(|c| c.address));
            let (Some(block), true) = (block, room) else {
                core.give_back(locals);
                return;
            };
            let Some(command) = core.queue.remove(position) else { return };
            core.next_slot = (number + 1) % SLOTS;
            self.fill(device, number, &launch, &command, region.start, &block);
            let flight = InFlight { command, locals, started: None, reported: false };
            self.cores[device].slots.push_back((number, flight));
        }
    }

    fn fill(
        &mut self,
        device: usize,
        number: u64,
        launch: &TtaLaunch,
        command: &Command,
        start: u64,
        block: &[u8],
    ) {
        let core = &self.cores[device];
        let (slot, memory) = (core.plan.slot(number), core.memory_of(core.plan.queue));
        let entry = core.linked.entries.get(&launch.kernel.entry).copied().unwrap_or(0);
        let event = core.plan.event(command.event);
        let mut words = vec![
            (word::ENTRY, u64::from(entry)),
            (word::ARGS, start),
            (word::CONTEXT, start + launch.context_offset()),
            (word::GROUPS, u64::from(launch.groups[0])),
            (word::GROUPS + 1, u64::from(launch.groups[1])),
            (word::GROUPS + 2, u64::from(launch.groups[2])),
            (word::EVENT, event),
        ];
        let waits = command.waits.iter().map(|(_, number)| core.plan.event(*number));
        words.extend((word::WAITS..word::WAITS + WAITS).zip(waits.chain(std::iter::repeat(0))));
        // The state last: only the host and this device know the slot, and the device does not run now.
        words.push((word::STATE, u64::from(state::READY)));
        for (word, value) in words {
            self.poke(memory, slot + u64::from(word) * 4, value);
        }
        if let Some(memory) = self.shared() {
            let written = memory.write(start, block);
            debug_assert!(written.is_ok(), "blocks lie inside the shared memory");
        }
    }

    /// Commands in slots that have been refused before they began do nothing.
    pub(crate) fn disarm_refused(&mut self) {
        for device in 0..self.cores.len() {
            let core = &self.cores[device];
            let nothing = core.linked.entries.get(NOTHING).copied().unwrap_or(0);
            let memory = core.memory_of(core.plan.queue);
            let refused: Vec<u64> = core
                .slots
                .iter()
                .filter(|(_, f)| f.started.is_none() && f.command.submission.refusal().is_some())
                .map(|(number, _)| core.plan.slot(*number))
                .collect();
            for slot in refused {
                let entry = u64::from(word::ENTRY) * 4;
                self.poke(memory, slot + entry, u64::from(nothing));
                for k in 0..3 {
                    self.poke(memory, slot + u64::from(word::GROUPS + k) * 4, 1);
                }
            }
        }
    }

    /// Whether any device has a command in a slot.
    pub(crate) fn is_busy(&self) -> bool {
        self.cores.iter().any(|c| !c.slots.is_empty())
    }

    /// Simulates up to `cycles`, and notes what begins and ends.
    pub(crate) fn advance(&mut self, cycles: u64, notices: &mut Vec<Notice>) -> Pause {
        if let Some(run_away) = self.run_away() {
            return run_away;
        }
        for _ in 0..cycles {
            self.wake();
            let Some(system) = &mut self.system else { return Pause::Idle };
            if (0..system.cores()).all(|core| system.paused(core)) {
                // A word may have changed for a device whose round is not over.
                if !self.pass_time() {
                    return Pause::Idle;
                }
                continue;
            }
            if let Err(fault) = system.step() {
                return Pause::Fault(fault);
            }
            for device in 0..self.cores.len() {
                self.observe(device, notices);
            }
        }
        Pause::More
    }

    fn run_away(&self) -> Option<Pause> {
        let now = self.cycle();
        let found = self.cores.iter().enumerate().find_map(|(device, core)| {
            let (started, _) = core.slots.front()?.1.started?;
            let waits = core.sleep.is_some();
            (!waits && now - started > self.longest_command).then_some((device, now - started))
        });
        let (device, cycles) = found?;
        let at = self.system.as_ref().map_or(0, |system| system.program_counter(device));
        Some(Pause::RunAway { device, at, cycles })
    }

    /// Lets devices go on whose word has come and whose round is over.
    fn wake(&mut self) {
        let Some(now) = self.system.as_ref().map(System::cycle) else { return };
        for device in 0..self.cores.len() {
            let Some(sleep) = self.cores[device].sleep else { continue };
            let due = (now - sleep.since).is_multiple_of(sleep.round);
            if due && self.peek(sleep.memory, sleep.address) != 0 {
                let core = &mut self.cores[device];
                core.idle_cycles += now - sleep.since;
                (core.sleep, core.last_head) = (None, None);
                if let Some(system) = &mut self.system {
                    system.pause(device, false);
                }
            }
        }
    }

    /// Moves time to where the first device goes on; false if none will.
    fn pass_time(&mut self) -> bool {
        let Some(now) = self.system.as_ref().map(System::cycle) else { return false };
        let sleeps = self.cores.iter().filter_map(|c| c.sleep);
        let due = sleeps.filter(|s| self.peek(s.memory, s.address) != 0).map(|s| {
            let over = (now - s.since) % s.round;
            if over == 0 { 0 } else { s.round - over }
        });
        let Some(first) = due.min() else { return false };
        if let Some(system) = &mut self.system {
            system.skip(first);
        }
        true
    }

    /// Looks at what a device has done in the last cycle.
    fn observe(&mut self, device: usize, notices: &mut Vec<Notice>) {
        let Some(system) = &self.system else { return };
        if system.paused(device) {
            return;
        }
        let (pc, now) = (system.program_counter(device), system.cycle());
        let core = &self.cores[device];
        let heads = core.linked.heads;
        if let Some(heads) = heads.filter(|heads| heads.iter().any(|h| *h as usize == pc)) {
            let polled = u64::from(self.peek(0, core.plan.launch.start + POLLED_AT));
            // The first loop waits for a slot's state, the second for an event's word.
            let queue = core.memory_of(core.plan.queue);
            let memory = if pc == heads[0] as usize { queue } else { 0 };
            let waits = self.peek(memory, polled) == 0;
            let core = &mut self.cores[device];
            match core.last_head {
                Some((head, cycle)) if head == pc && waits && now - cycle <= LONGEST_ROUND => {
                    core.sleep = Some(Sleep { since: now, round: now - cycle, memory, address: polled });
                    if let Some(system) = &mut self.system {
                        system.pause(device, true);
                    }
                }
                _ => core.last_head = Some((pc, now)),
            }
        }
        self.look_at_slot(device, notices);
    }

    fn look_at_slot(&mut self, device: usize, notices: &mut Vec<Notice>) {
        let core = &self.cores[device];
        let Some((number, _)) = core.slots.front() else { return };
        let (at, memory) = (core.plan.slot(*number), core.memory_of(core.plan.queue));
        let found = self.peek(memory, at);
        let now = (self.cycle(), self.host_accesses);
        let core = &mut self.cores[device];
        let Some((_, flight)) = core.slots.front_mut() else { return };
        if found != state::READY && !flight.reported {
            flight.reported = true;
            flight.started = Some(now);
            notices.push(Notice::Started(Arc::clone(&flight.command.submission)));
        }
        if found == state::FREE {
            let Some((number, flight)) = core.slots.pop_front() else { return };
            core.give_back(flight.locals);
            let started = flight.started.unwrap_or(now);
            let context = core.context_of(number, flight.command.launch.context_offset());
            let (printed, command) = (self.drain_prints(device, context), flight.command);
            notices.push(Notice::Ended { device, command, printed, started, ended: now });
        }
    }

    /// After a fault: everything that was in a slot, with what it printed, and devices that begin anew.
    pub(crate) fn give_up(&mut self) -> Vec<(Command, Printed)> {
        let mut all = Vec::new();
        for device in 0..self.cores.len() {
            for (number, flight) in std::mem::take(&mut self.cores[device].slots) {
                let core = &mut self.cores[device];
                core.give_back(flight.locals);
                let context = core.context_of(number, flight.command.launch.context_offset());
                all.push((flight.command, self.drain_prints(device, context)));
            }
            let core = &mut self.cores[device];
            core.next_slot = 0;
            let (memory, plan) = (core.memory_of(core.plan.queue), core.plan.clone());
            for slot in 0..SLOTS {
                self.poke(memory, plan.slot(slot), u64::from(state::FREE));
            }
            self.poke(0, plan.launch.start + SLOT_AT, plan.slot(0));
        }
        drop(self.load());
        all
    }
}
