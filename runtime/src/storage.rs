//! The memory behind buffers and their sub-buffers: made when it is first used, in each address space that uses it.
//!
//! The host's part is one block that all devices in the host's address space share: the program's own memory, memory
//! shared with kernels by address, or a block that is allocated zeroed at its first use. What
//! devices with memory of their own hold is in `residence.rs`.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock, RwLockReadGuard, RwLockWriteGuard};

use oxcl_driver::fault::{OutOfResources, Resource};
use oxcl_driver::{Allocation, HostMemory, HostSpan};
use oxcl_memory::NoMemory;
use oxcl_scheduler::{ALL_BANDS, Access, ResourceId, Touch};

use crate::exclusion::{Exclusion, UsedByHost};
use crate::mapped::{self, Mapped};
use crate::residence::Residences;
use crate::shared::SharedMemory;

/// Memory of the host that a storage has.
#[derive(Debug)]
struct HostPart {
    /// What keeps it, unless it is the program's.
    owner: Owner,
    allocation: Arc<Allocation>,
    span: HostSpan,
}

#[derive(Debug)]
enum Owner {
    /// A block of ours.
    Block(#[expect(dead_code, reason = "kept for its drop")] HostMemory),
    /// The program's memory, which is shared memory of ours if it is known.
    Program(#[expect(dead_code, reason = "kept for its drop")] Option<SharedMemory>),
}

/// One buffer's memory. Sub-buffers are parts of it.
#[derive(Debug)]
pub(crate) struct Storage {
    /// Differs between storages; locks of several are taken in this order.
    number: u64,
    size: u64,
    /// What devices with memory of their own hold. Before the host's part, which they may copy from until they are gone.
    residences: OnceLock<Mutex<Residences>>,
    /// Commands were enqueued that are not in the residences.
    untracked: AtomicBool,
    /// It has content from the beginning.
    defined: bool,
    host: OnceLock<HostPart>,
    /// Commands name its bytes by address, because others may lie over the same memory.
    by_address: bool,
    /// What columns are in it, where commands have named some: bytes from row to row, and how far into a row its first byte is.
    columns: OnceLock<[u64; 2]>,
    /// Held shared to read the memory, alone to change it and during a launch. Lock rank 1.
    access: RwLock<()>,
    /// Held shared while a piece of a command is executed, alone by the host's commands. Lock rank 2: whoever holds it
    /// waits for no command.
    pieces: Exclusion,
}

fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    // Relaxed: the number only has to differ from all others.
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Storage {
    /// Storage of `size` bytes; its memory comes with its first use.
    pub(crate) fn lazy(size: u64) -> Self {
        Self::with(size, false)
    }

    fn with(size: u64, by_address: bool) -> Self {
        let (access, pieces) = (RwLock::new(()), Exclusion::default());
        let (residences, untracked) = (OnceLock::new(), AtomicBool::new(false));
        let (number, host, columns, defined) = (number(), OnceLock::new(), OnceLock::new(), true);
        Self { number, size, residences, untracked, defined, host, by_address, columns, access, pieces }
    }

    /// The same, without content worth bringing anywhere.
    pub(crate) fn undefined(size: u64) -> Self {
        Self { defined: false, ..Self::lazy(size) }
    }

    /// Storage in a block of ours that others may know by address: `size` bytes from `start` on.
    pub(crate) fn in_block(block: HostMemory, start: NonNull<u8>, size: u64) -> Self {
        let storage = Self::with(size, true);
        // SAFETY: the block contains the bytes and lives as long as the storage.
        let span = unsafe { HostSpan::new(start, size) };
        let _ = storage.host.set(HostPart::new(Owner::Block(block), span, storage.number));
        storage
    }

    /// Storage in memory of the program, which keeps its promise to `span` as long as the storage lives.
    pub(crate) fn over_host(span: HostSpan) -> Self {
        let storage = Self::with(span.length(), true);
        let shared = SharedMemory::find(span.pointer()).map(|(shared, _)| shared);
        let _ = storage.host.set(HostPart::new(Owner::Program(shared), span, storage.number));
        storage
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    fn host(&self) -> Result<&HostPart, OutOfResources> {
        if let Some(host) = self.host.get() {
            return Ok(host);
        }
        let block = OutOfResources::zeroed(self.size, Resource::Buffer)?;
        let start = NonNull::new(block.as_ptr()).unwrap_or(NonNull::dangling());
        // SAFETY: the block lives as long as the storage, which every command that uses the span keeps, and pieces of
        // commands and the host's commands exclude each other.
        let span = unsafe { HostSpan::new(start, self.size) };
        // Of two threads that come here at once, one's block is kept.
        Ok(self.host.get_or_init(|| HostPart::new(Owner::Block(block), span, self.number)))
    }

    /// Bytes that belong to the memory of the host from its beginning on, those behind what was asked for included.
    pub(crate) fn padded(&self) -> u64 {
        let is_the_programs = |host: &HostPart| matches!(host.owner, Owner::Program(_));
        if self.host.get().is_some_and(is_the_programs) {
            return self.size;
        }
        HostMemory::padded(self.size).unwrap_or(self.size)
    }

    /// The host's memory as drivers know it.
    pub(crate) fn host_allocation(&self) -> Result<&Arc<Allocation>, OutOfResources> {
        Ok(&self.host()?.allocation)
    }

    /// The host's memory.
    pub(crate) fn host_span(&self) -> Result<HostSpan, OutOfResources> {
        Ok(self.host()?.span)
    }

    /// What devices with memory of their own hold, if anybody keeps track.
    pub(crate) fn tracked(&self) -> Option<&Mutex<Residences>> {
        self.residences.get()
    }

    /// The same; from now on somebody keeps track.
    pub(crate) fn residences(&self) -> Result<&Mutex<Residences>, NoMemory> {
        if let Some(known) = self.residences.get() {
            return Ok(known);
        }
        let new = Residences::new(self.size, self.defined || self.has_host())?;
        // Of two threads that come here at once, one's is kept.
        Ok(self.residences.get_or_init(|| Mutex::new(new)))
    }

    /// A command is enqueued of which nobody keeps track.
    pub(crate) fn use_untracked(&self) {
        // Relaxed: whoever begins to keep track was ordered behind this by the program.
        self.untracked.store(true, Ordering::Relaxed);
    }

    /// Whether there were such commands since the last call.
    pub(crate) fn take_untracked(&self) -> bool {
        self.untracked.load(Ordering::Relaxed) && self.untracked.swap(false, Ordering::Relaxed)
    }

    /// Whether the host's part has ever been needed.
    pub(crate) fn has_host(&self) -> bool {
        self.host.get().is_some()
    }

    /// What a command does to bytes `start..end`, as queues know them.
    pub(crate) fn touch(&self, start: u64, end: u64, access: Access) -> Touch {
        match self.host.get().filter(|_| self.by_address) {
            Some(host) => host_touch(host.span, start, end, access),
            None => Touch { resource: ResourceId(self.number), start, end, access, bands: ALL_BANDS },
        }
    }

    /// Whether commands may name columns of rows of `pitch` bytes, one of which begins at `start`: the first who asks with `decides` says
    /// what columns are, and nobody does where others may lie over the same memory.
    pub(crate) fn has_columns(&self, pitch: u64, start: u64, decides: bool) -> bool {
        let asked = [pitch, start % pitch];
        let known = if decides { Some(self.columns.get_or_init(|| asked)) } else { self.columns.get() };
        !self.by_address && known == Some(&asked)
    }

    /// Has commands that name its memory of the host touch it, as long as the result exists.
    ///
    /// # Errors
    /// There is no memory.
    pub(crate) fn map(&self) -> Result<Option<Mapped>, OutOfResources> {
        let span = self.host_span()?;
        Ok((!self.by_address).then(|| Mapped::new(self.number, span)))
    }

    pub(crate) fn shared(&self) -> RwLockReadGuard<'_, ()> {
        // The locks guard bytes, which a panic cannot leave invalid.
        self.access.read().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn exclusive(&self) -> RwLockWriteGuard<'_, ()> {
        self.access.write().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// What keeps the host's commands away while a piece of a command is executed.
    pub(crate) fn pieces(&self) -> &Exclusion {
        &self.pieces
    }

    /// Keeps pieces of commands away.
    pub(crate) fn used_by_host(&self) -> UsedByHost<'_> {
        UsedByHost::new(&self.pieces)
    }
}

impl HostPart {
    fn new(owner: Owner, span: HostSpan, number: u64) -> Self {
        let (size, address) = (span.length(), span.pointer() as u64);
        let allocation = Allocation { size, address, host: Some(span), token: number };
        Self { owner, allocation: Arc::new(allocation), span }
    }
}

/// What a command does to memory of the host that the program names, as queues know it: the memory, and the buffer that it
/// is a mapping of.
pub(crate) type HostTouches = [Option<Touch>; 2];

/// What a command does to bytes `start..end` of memory of the host that the program names.
pub(crate) fn host_touches(span: HostSpan, start: u64, end: u64, access: Access) -> HostTouches {
    let buffer = mapped::find(span).map(|(number, at)| Touch {
        resource: ResourceId(number),
        start: at.saturating_add(start),
        end: at.saturating_add(end),
        access,
        bands: ALL_BANDS,
    });
    [Some(host_touch(span, start, end, access)), buffer]
}

/// What a command does to bytes `start..end` of a span of the host's memory.
fn host_touch(span: HostSpan, start: u64, end: u64, access: Access) -> Touch {
    let at = span.pointer() as u64;
    let (start, end) = (at.saturating_add(start), at.saturating_add(end));
    Touch { resource: ResourceId::HOST_MEMORY, start, end, access, bands: ALL_BANDS }
}
