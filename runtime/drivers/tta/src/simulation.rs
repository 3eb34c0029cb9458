//! The devices as the simulator runs them: images of main and kernels, command slots, and time.
//!
//! All devices are cores of one system and execute in lock step. A device that waits for a word stands still until the word is no
//! longer zero and a whole number of rounds of its waiting loop has passed, so it goes on as if it had waited; the rounds
//! are counted as idle cycles. When every device waits for something that only the host can bring, nothing is simulated.

use crate::launch::TtaLaunch;
use crate::main_program::{NAME, WAITING, WAITS, main_program, polled_word, slot_word, state, word};
use crate::map::{Plan, SLOTS};
use crate::platform::PlatformError;
use oxcl_binary::abi::LAUNCH_SYMBOL;
use oxcl_binary::unit::{Needs, Unit};
use oxcl_driver::printer::Printed;
use oxcl_driver::{EventId, Submission};
use oxcl_memory::bufalloc::{BufAlloc, Chunk, Strategy};
use oxcl_tta::image::Image;
use oxcl_tta::link::DataBases;
use oxcl_tta::model::{Machine, SpaceId};
use oxcl_tta::ops::ByteOrder;
use oxcl_tta::program::{Program, SymbolValue};
use oxcl_tta::schedule::mir::{Block, Function, Operand, Terminator};
use oxcl_tta::schedule::{Options, schedule};
use oxcl_tta::unit::{Part, link_units, pack};
use oxcl_ttasim::{CoreSetup, Engine, Fault, Memory, System};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// A command that has been executed for so many cycles will not end any more.
const LONGEST_COMMAND: u64 = 20_000_000_000;
/// Rounds of a waiting loop are at most this long.
const LONGEST_ROUND: u64 = 1000;
/// The function that a slot calls instead of a kernel whose command has failed before it began.
const NOTHING: &str = "oxcl_nothing";

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
    units: Vec<Arc<Unit>>,
    loaded: BTreeSet<String>,
    entries: BTreeMap<String, u32>,
    /// Data that has been put into memory already.
    placed: BTreeSet<(SpaceId, u64)>,
    image: Arc<Image>,
}

/// A device.
pub(crate) struct Core {
    pub(crate) machine: Machine,
    pub(crate) plan: Plan,
    /// Main, linked with every image.
    main: Arc<Unit>,
    /// The first instructions of main's waiting loops, counted from main's.
    heads: [u32; 2],
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
    /// The image lacks units of queued commands.
    stale: bool,
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
}

fn uninhabited(error: &dyn std::fmt::Display) -> PlatformError {
    PlatformError::Main { reason: error.to_string() }
}

impl Core {
    fn new(machine: &Machine, plan: &Plan, memories: Vec<usize>) -> Result<Self, PlatformError> {
        let function = main_program(machine, plan).ok_or_else(|| PlatformError::Main {
            reason: "it has too few registers or no guards".to_owned(),
        })?;
        let options = Options::new(machine);
        let code = schedule(machine, &function, &options).map_err(|e| uninhabited(&e))?;
        let head = |block| code.blocks.iter().find(|b| b.block == Some(block)).map_or(0, |b| b.start);
        let heads = WAITING.map(head);
        let back = Terminator::Return { to: Operand::ReturnAddress, reads: Vec::new() };
        let nothing = Function {
            name: NOTHING.to_owned(),
            blocks: vec![Block { nodes: Vec::new(), terminator: back, weight: 1 }],
            ..Function::default()
        };
        let nothing_code = schedule(machine, &nothing, &options).map_err(|e| uninhabited(&e))?;
        let part = |function: Function, code| Part { name: function.name, symbols: function.symbols, code };
        let parts = [part(function, code), part(nothing, nothing_code)];
        let main = Arc::new(pack(machine, &parts, &[], &[], Needs::default()));
        let region = plan.local_memory;
        let local = BufAlloc::new(region.start, region.size, 128, Strategy::Tight);
        let local = local.map_err(|e| uninhabited(&e))?;
        let image = Arc::new(Image { machine: machine.clone(), program: Program::default() });
        let mut core = Self {
            machine: machine.clone(),
            plan: plan.clone(),
            main,
            heads,
            linked: Linked {
                units: Vec::new(),
                loaded: BTreeSet::new(),
                entries: BTreeMap::new(),
                placed: BTreeSet::new(),
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
            stale: false,
        };
        core.link(&[])?;
        Ok(core)
    }

    /// Links main, what is loaded and `more` into an image.
    fn link(&mut self, more: &[Arc<Unit>]) -> Result<(), PlatformError> {
        self.links += 1;
        let mut units = self.linked.units.clone();
        units.extend(more.iter().cloned());
        let all: Vec<&Unit> = [&*self.main].into_iter().chain(units.iter().map(|u| &**u)).collect();
        let known = BTreeMap::from([(LAUNCH_SYMBOL.to_owned(), self.plan.launch.start)]);
        let data = self.plan.data;
        let mut bases = DataBases::from([(self.plan.global, (data.start, data.start + data.size))]);
        if let Some(own) = self.plan.private_data {
            bases.insert(self.plan.private, (own.start, own.start + own.size));
        }
        let mut program = link_units(&self.machine, &self.main.machine, &all, &bases, &known, NAME)?;
        // What earlier images have put into memory may have changed since.
        program.data.retain(|area| self.linked.placed.insert((area.space, area.start)));
        let code = program.symbols.iter().filter_map(|s| match s.value {
            SymbolValue::Code(at) => Some((s.name.clone(), at)),
            SymbolValue::Data { .. } => None,
        });
        self.linked.entries = code.collect();
        self.linked.loaded.extend(more.iter().map(|u| u.entry.clone()));
        self.linked.units = units;
        self.linked.image = Arc::new(Image { machine: self.machine.clone(), program });
        Ok(())
    }

    /// Forgets what is loaded.
    fn evict(&mut self) {
        self.linked.units.clear();
        self.linked.loaded.clear();
        self.linked.placed.clear();
    }

    /// Links what queued commands need. Where that does not fit beside what is loaded already, only what is needed stays;
    /// gives the commands whose units do not link even so.
    fn link_queued(&mut self) -> Vec<(Command, PlatformError)> {
        let queued: Vec<Arc<Unit>> =
            self.queue.iter().flat_map(|c| &c.launch.kernel.units).map(Arc::clone).collect();
        if self.link_missing(&queued).is_ok() {
            return Vec::new();
        }
        self.evict();
        let mut failed = Vec::new();
        for _ in 0..self.queue.len() {
            let Some(command) = self.queue.pop_front() else { break };
            match self.link_missing(&command.launch.kernel.units) {
                Ok(()) => self.queue.push_back(command),
                Err(error) => failed.push((command, error)),
            }
        }
        failed
    }

    fn link_missing(&mut self, units: &[Arc<Unit>]) -> Result<(), PlatformError> {
        let mut missing: Vec<Arc<Unit>> = Vec::new();
        for unit in units {
            let known = |other: &Arc<Unit>| other.entry == unit.entry;
            if !self.linked.loaded.contains(&unit.entry) && !missing.iter().any(known) {
                missing.push(Arc::clone(unit));
            }
        }
        if missing.is_empty() { Ok(()) } else { self.link(&missing) }
    }

    /// Takes a command in; says whether the image has what it needs.
    pub(crate) fn accept(&mut self, command: Command) {
        self.stale |= command.launch.kernel.units.iter().any(|u| !self.linked.loaded.contains(&u.entry));
        self.queue.push_back(command);
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
        };
        for device in 0..simulation.cores.len() {
            let core = &simulation.cores[device];
            let (at, first) = (slot_word(&core.plan), core.plan.slot(0));
            simulation.poke(0, at, first);
        }
        simulation.load()?;
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
        };
        let setups = self.cores.iter().map(setup).collect();
        let memories = std::mem::take(&mut self.memories);
        let kept = memories.clone();
        let system = System::new(setups, memories, self.engine)
            .map_err(|error| PlatformError::Main { reason: error.to_string() });
        match system {
            Ok(system) => self.system = Some(system),
            Err(error) => {
                self.memories = kept;
                return Err(error);
            }
        }
        for core in &mut self.cores {
            (core.sleep, core.last_head) = (None, None);
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

    /// Links and loads where commands wait for units that no image has. Nothing may be in a slot then; gives false while
    /// something is. A device whose units do not link keeps its image; the error is the commands'.
    pub(crate) fn renew(&mut self) -> (bool, Vec<(Command, PlatformError)>) {
        let mut failed = Vec::new();
        if !self.cores.iter().any(|c| c.stale) {
            return (true, failed);
        }
        if !self.cores.iter().all(Core::is_drained) {
            return (false, failed);
        }
        let before: Vec<Linked> = self.cores.iter().map(|c| c.linked.clone()).collect();
        for core in self.cores.iter_mut().filter(|core| core.stale) {
            core.stale = false;
            failed.extend(core.link_queued());
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
        (true, failed)
    }

    /// Puts queued commands of a device into free slots, as far as `certain` says that what they wait for will end.
    pub(crate) fn fill_slots(&mut self, device: usize, certain: &mut dyn FnMut(&Command) -> bool) {
        loop {
            let core = &mut self.cores[device];
            if core.stale || core.slots.len() as u64 >= SLOTS {
                return;
            }
            // A command that something holds back does not hold back those behind it.
            let Some(position) = core.queue.iter().position(|c| c.host_ready && certain(c)) else { return };
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
        if core.heads.iter().any(|h| *h as usize == pc) {
            let polled = u64::from(self.peek(0, polled_word(&core.plan)));
            // The first loop waits for a slot's state, the second for an event's word.
            let queue = core.memory_of(core.plan.queue);
            let memory = if pc == core.heads[0] as usize { queue } else { 0 };
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
            self.poke(0, slot_word(&plan), plan.slot(0));
        }
        drop(self.load());
        all
    }
}
