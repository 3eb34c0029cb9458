//! The account of the host's memory: what all blocks of this process ([`HostMemory`](crate::HostMemory)) have, held against
//! what it may have. Who asks for more than is left is refused, and the process lives: without that the system would end it
//! when the memory is touched, which is long after it was given.
//!
//! Two bounds. The device's memory: what the machine has, or `OXCL_MEMORY`. And every control group of the process that has
//! a limit: what others in it use (the rest of this process, the compilers, other processes) and all that blocks were
//! *promised* must fit, with some room to spare (`spare`) for what grows without asking. What programs ask for leaves a part
//! of both to what commands need to run (`Use`): a program that has filled its memory can still read it. Others' use is what the group
//! uses without the pages of blocks that have been touched; which those are is looked up (`present.rs`), as the system
//! gives pages when they are touched. Before a group's limit refuses anything the C library is asked to give back what
//! it keeps of memory that was freed.
//!
//! To look costs some ten microseconds, so an answer holds for some bytes more and for a short time (`Account::charge`):
//! most blocks cost two reads, a look at the clock and one addition. Launches ask for no block that is counted.
//!
//! Holds on exit: bytes are counted exactly while their block lives. Does not know devices, buffers or whose memory it is, and
//! does not count memory of the host program's own, stacks, or what simulated processors have.

mod present;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::control_group::MemoryGroup;

/// MiB that the process's devices in the host's memory may have.
const MEMORY_VARIABLE: &str = "OXCL_MEMORY";

/// How long an answer holds where a control group has a limit: others in it take memory meanwhile.
const ANSWER_HOLDS: Duration = Duration::from_millis(10);

/// How long it is known which control groups have limits.
const GROUPS_HOLD: Duration = Duration::from_secs(1);

/// How often the C library is asked to give memory back though no block has come back to it.
const TRIM_EVERY: Duration = Duration::from_millis(100);

/// Of what is left so much is given without looking again: a sixteenth.
const GRANT: u64 = 16;

/// What sets the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The machine's memory.
    Machine,
    /// `OXCL_MEMORY`.
    Variable,
    /// A control group's limit.
    Group,
}

/// Why memory was refused: what was left, and of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortage {
    /// Bytes that could have been had.
    pub left: u64,
    /// Bytes that there are in all.
    pub of: u64,
    /// Who says so.
    pub bound: Bound,
}

impl fmt::Display for Shortage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { left, of, bound } = self;
        let who = match bound {
            Bound::Machine => "the machine has",
            Bound::Variable => "OXCL_MEMORY allows",
            Bound::Group => "the control group allows this process and all others in it",
        };
        write!(out, "{left} are left of the {of} that {who}")
    }
}

impl Shortage {
    /// What follows the statement that something cannot be had.
    pub(crate) fn told(shortage: Option<Shortage>) -> String {
        shortage.map_or_else(String::new, |shortage| format!(": {shortage}"))
    }
}

/// What a block is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// What a program has asked for: buffers, shared memory, variables.
    Object,
    /// What a command needs while it runs. It may have half of the room to spare.
    Work,
}

impl Use {
    /// What it may have beyond what programs may, where there are `of` bytes in all.
    fn extra(self, of: u64) -> u64 {
        if self == Use::Work { spare(of) / 2 } else { 0 }
    }
}

/// Room that is left to others in a group of this limit: to this process's own growth outside of blocks, to compilers, to
/// the kernel's tables. Beside the device's memory that is no bound of the system's, it is room for commands alone.
fn spare(limit: u64) -> u64 {
    (limit / 8).min(256 << 20)
}

/// A mapped block, as far as it is known.
#[derive(Debug, Clone, Copy)]
struct Block {
    bytes: usize,
    /// All its pages have been touched: they stay.
    is_present: bool,
}

/// What looking goes by.
#[derive(Debug, Default)]
pub struct State {
    groups: Vec<MemoryGroup>,
    groups_found: Option<Instant>,
    /// Mapped blocks by their first address.
    blocks: BTreeMap<usize, Block>,
    /// When the C library gave back last, and how many blocks had come back by then.
    trimmed: Option<(Instant, u64)>,
}

/// A count of bytes against a bound.
#[derive(Debug)]
pub(crate) struct Account {
    /// Bytes of all blocks. This and the next two are numbers that guard nothing: all accesses are relaxed.
    counted: AtomicU64,
    /// Up to so many counted bytes nobody has to look,
    granted: AtomicU64,
    /// until then, in nanoseconds of `now`.
    until: AtomicU64,
    /// Bytes of the counted blocks that are not mapped. They are touched when they are made, where a group has a limit.
    small: AtomicU64,
    /// How often a block came back.
    returned: AtomicU64,
    /// A group has a limit.
    is_limited: AtomicBool,
    /// Counts the processes that this one came from by `fork`: blocks of a parent are counted there.
    generation: AtomicU32,
    bytes: u64,
    bound: Bound,
    find_groups: fn() -> Vec<MemoryGroup>,
    /// Inmost of all locks but those of the C library's allocator.
    state: Mutex<State>,
}

/// Bytes that were counted.
#[derive(Debug)]
pub(crate) struct Charge {
    bytes: u64,
    generation: u32,
    is_small: bool,
}

/// The process's account.
pub(crate) fn account() -> &'static Account {
    static ACCOUNT: OnceLock<Account> = OnceLock::new();
    ACCOUNT.get_or_init(|| {
        let machine = physical_memory();
        let asked = std::env::var(MEMORY_VARIABLE).ok().and_then(|text| parse(&text));
        match asked.filter(|&bytes| bytes < machine) {
            Some(bytes) => Account::new(bytes, Bound::Variable, MemoryGroup::of_this_process),
            None => Account::new(machine, Bound::Machine, MemoryGroup::of_this_process),
        }
    })
}

/// The bytes that the variable's value stands for; none where it is not a number of MiB.
fn parse(text: &str) -> Option<u64> {
    text.trim().parse::<u64>().ok().filter(|&number| number > 0)?.checked_mul(1 << 20)
}

/// Bytes of memory that devices in the host's memory can have at best: the machine's, what `OXCL_MEMORY` says, or what
/// control groups allow less what is left to others there.
#[must_use]
pub fn device_memory() -> u64 {
    let account = account();
    let mut state = account.state();
    // A program's first blocks are asked for soon after.
    state.find_groups(account.find_groups);
    let rooms =
        state.groups.iter().filter_map(MemoryGroup::read).map(|group| group.limit - spare(group.limit));
    rooms.min().unwrap_or(u64::MAX).min(account.bytes)
}

/// A number that changes whenever memory comes back.
#[must_use]
pub fn returns() -> u64 {
    account().returned.load(Ordering::Relaxed)
}

/// Takes the account's lock, for who holds all locks around `fork`.
pub fn hold_at_fork() -> MutexGuard<'static, State> {
    account().state()
}

/// In a child of `fork`, with the lock held: its parent's blocks are counted there, and shared until they are written.
pub fn mend_in_child(state: &mut State) {
    let account = account();
    *state = State::default();
    account.generation.fetch_add(1, Ordering::Relaxed);
    for number in [&account.counted, &account.granted, &account.until, &account.small] {
        number.store(0, Ordering::Relaxed);
    }
}

/// Bytes of memory that the machine has.
fn physical_memory() -> u64 {
    // SAFETY: the call takes a number and returns one.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    // SAFETY: the call takes a number and returns one.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let bytes = u64::try_from(pages).ok().zip(u64::try_from(size).ok());
    bytes.map_or(1 << 30, |(pages, size)| pages.saturating_mul(size)).max(1)
}

/// Nanoseconds since somebody first asked.
fn now() -> u64 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(BEGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

impl Account {
    fn new(bytes: u64, bound: Bound, find_groups: fn() -> Vec<MemoryGroup>) -> Self {
        Self {
            counted: AtomicU64::new(0),
            granted: AtomicU64::new(0),
            until: AtomicU64::new(0),
            small: AtomicU64::new(0),
            returned: AtomicU64::new(0),
            is_limited: AtomicBool::new(false),
            generation: AtomicU32::new(0),
            bytes,
            bound,
            find_groups,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic leaves each field whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts bytes of a block that is about to be made; `is_small`: not mapped.
    ///
    /// # Errors
    /// So many are not left; nothing was counted.
    pub(crate) fn charge(&self, bytes: u64, purpose: Use, is_small: bool) -> Result<Charge, Shortage> {
        let granted = self.granted.load(Ordering::Relaxed);
        let within = |counted: u64| counted.checked_add(bytes).filter(|&sum| sum <= granted);
        let known = now() < self.until.load(Ordering::Relaxed)
            && self.counted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, within).is_ok();
        if !known {
            self.look(bytes, purpose)?;
        }
        if is_small {
            self.small.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(Charge { bytes, generation: self.generation.load(Ordering::Relaxed), is_small })
    }

    /// The block is gone.
    pub(crate) fn give_back(&self, charge: &Charge) {
        if charge.generation != self.generation.load(Ordering::Relaxed) {
            return;
        }
        if charge.is_small {
            self.small.fetch_sub(charge.bytes, Ordering::Relaxed);
        }
        self.counted.fetch_sub(charge.bytes, Ordering::Relaxed);
        self.returned.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether what is made must be touched at once, so that the group's use shows it.
    pub(crate) fn is_limited(&self) -> bool {
        self.is_limited.load(Ordering::Relaxed)
    }

    /// A block was mapped.
    pub(crate) fn mapped(&self, start: usize, bytes: usize) {
        self.state().blocks.insert(start, Block { bytes, is_present: false });
    }

    /// It is about to be unmapped.
    pub(crate) fn unmapped(&self, start: usize) {
        self.state().blocks.remove(&start);
    }

    /// Looks what is left, and counts bytes if that is enough.
    fn look(&self, bytes: u64, purpose: Use) -> Result<(), Shortage> {
        let mut state = self.state();
        // What others count meanwhile they count here.
        self.granted.store(0, Ordering::Relaxed);
        let counted = self.counted.load(Ordering::Relaxed);
        let sum = counted.saturating_add(bytes);
        let most = self.bytes.saturating_add(purpose.extra(self.bytes));
        if sum > most {
            let left = most.saturating_sub(counted);
            return Err(Shortage { left, of: self.bytes, bound: self.bound });
        }
        state.find_groups(self.find_groups);
        self.is_limited.store(!state.groups.is_empty(), Ordering::Relaxed);
        let (granted, holds) = match state.room_for(sum, self, purpose) {
            None => (self.bytes, GROUPS_HOLD),
            Some((room, of)) => {
                let most = room.saturating_add(purpose.extra(of));
                if sum > most {
                    let left = most.saturating_sub(counted);
                    return Err(Shortage { left, of, bound: Bound::Group });
                }
                // Where a command has some of what is spared nothing more is given without looking.
                ((sum + room.saturating_sub(sum) / GRANT).min(room), ANSWER_HOLDS)
            }
        };
        self.counted.fetch_add(bytes, Ordering::Relaxed);
        self.granted.store(granted.min(self.bytes), Ordering::Relaxed);
        let holds = u64::try_from(holds.as_nanos()).unwrap_or(u64::MAX);
        self.until.store(now().saturating_add(holds), Ordering::Relaxed);
        Ok(())
    }
}

impl State {
    /// Knows the groups with limits.
    fn find_groups(&mut self, find: fn() -> Vec<MemoryGroup>) {
        if self.groups_found.is_none_or(|when| when.elapsed() > GROUPS_HOLD) {
            self.groups = find();
            self.groups_found = Some(Instant::now());
        }
    }

    /// How many bytes all blocks of programs may have together, and the limit of the group that says so. Looks closer step by
    /// step while that is less than is wanted. None where no group has a limit.
    fn room_for(&mut self, wanted: u64, account: &Account, purpose: Use) -> Option<(u64, u64)> {
        // As if nothing had been touched: cheap, and enough while little is used.
        let is_enough = |(room, of): (u64, u64)| room.saturating_add(purpose.extra(of)) >= wanted;
        let first = self.room(0)?;
        if is_enough(first) {
            return Some(first);
        }
        // What has been touched comes before what the groups use: what is touched in between is counted twice, and not never.
        let present = account.small.load(Ordering::Relaxed) + self.present();
        let second = self.room(present)?;
        if is_enough(second) || !self.trim(account.returned.load(Ordering::Relaxed)) {
            return Some(second);
        }
        self.room(present)
    }

    /// The same if `present` bytes of what the groups use are blocks'.
    fn room(&self, present: u64) -> Option<(u64, u64)> {
        let uses = self.groups.iter().filter_map(MemoryGroup::read);
        let rooms = uses.map(|group| {
            let others = group.used.saturating_sub(present);
            (group.limit.saturating_sub(spare(group.limit)).saturating_sub(others), group.limit)
        });
        rooms.min()
    }

    /// Bytes of mapped blocks that have memory.
    fn present(&mut self) -> u64 {
        let Ok(map) = File::open("/proc/self/pagemap") else { return 0 };
        let mut sum = 0;
        for (&start, block) in &mut self.blocks {
            let bytes = if block.is_present { block.bytes } else { present::bytes(&map, start, block.bytes) };
            block.is_present = bytes == block.bytes;
            sum += bytes as u64;
        }
        sum
    }

    /// Has the C library give back what it keeps of memory that was freed. False where it was asked a moment ago, and no
    /// block has come back since (`returned`).
    fn trim(&mut self, returned: u64) -> bool {
        if self.trimmed.is_some_and(|(when, known)| known == returned && when.elapsed() < TRIM_EVERY) {
            return false;
        }
        // SAFETY: takes a number, and touches only what the allocator has free.
        unsafe { libc::malloc_trim(0) };
        self.trimmed = Some((Instant::now(), returned));
        true
    }
}

#[cfg(test)]
mod tests;
