//! The system's MPI as a transport. Who initialised MPI finalises it: an application that did so itself, with a level of
//! threads that lets another thread call, keeps it; else this does both, on the thread that talks.
//!
//! All messages go over a communicator of this library's own, whose errors come back as results. Waiting is looking now and
//! then, because MPI's own waiting keeps a processor busy: how often depends on how long nothing has come.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::ptr;
use std::sync::Mutex;
use std::time::Duration;

use mpi::ffi;
use oxcl_driver::{DriverError, HostSpan, lock};
use oxcl_scheduler::online_processors;

use crate::near::{self, Near};
use crate::stamp::{self, Step};
use crate::transport::{Happening, Rank, Ticket, Transport};

/// `off`, by which packets between ranks of one machine go as messages as well; or how many KiB their rings may take.
const WINDOW: &str = "OXCL_MPI_WINDOW";

/// How many bytes the rings of a machine may take.
fn allowed() -> Result<u64, DriverError> {
    let value = std::env::var_os(WINDOW).filter(|value| !value.is_empty());
    let Some(value) = value else { return Ok(near::BYTES) };
    let value = value.to_string_lossy();
    let value = value.trim();
    if value == "off" {
        return Ok(0);
    }
    let size = value.parse::<u64>().ok().and_then(|size| size.checked_mul(1024));
    size.ok_or_else(|| device(&format!("{WINDOW} is '{value}': it is 'off' or a number of KiB")))
}

/// The tag of packets; those of bytes are above.
const PACKET: c_int = 1;
/// The tag of bytes that are exchanged to measure that.
const EXCHANGE: c_int = 2;

/// What is under way.
struct Pending {
    ticket: Option<Ticket>,
    peer: Rank,
    request: ffi::MPI_Request,
    receives: bool,
    /// A packet's bytes, which MPI reads until it is sent.
    bytes: Vec<u8>,
}

/// MPI, used by one thread at a time.
pub(crate) struct System {
    comm: ffi::MPI_Comm,
    rank: Rank,
    ranks: u32,
    neighbours: usize,
    is_crowded: bool,
    /// It initialised MPI, and so finalises it.
    is_ours: bool,
    pending: Vec<Pending>,
    happened: VecDeque<Happening>,
    /// Room for a packet that comes.
    room: Vec<u8>,
    next: u64,
    /// The other ranks of this machine.
    near: Option<Near>,
    /// Looks since one that asked MPI.
    looks: u32,
    /// The last look has found a packet from a rank of this machine.
    has_heard: bool,
}

/// How often a look at what has come looks at what ranks of this machine have sent: everything else that comes with it takes longer.
const NEAR_LOOKS: usize = 4;

/// Where ranks of this machine are heard without MPI, and nothing is under way, one of so many looks asks MPI, which takes many times
/// as long; and one of so many where they say something all the time.
const SELDOM: u32 = 4;
const LONGEST: u32 = 64;

/// Room of more bytes is not kept for the next packet.
const KEPT: usize = 256 << 10;

// SAFETY: MPI was initialised for calls from several threads, of which one at a time calls: whoever has this. Its handles and
// requests belong to no thread.
unsafe impl Send for System {}

/// What is called before an application that initialised MPI itself finalises it.
static BEFORE_THE_END: Mutex<Option<fn()>> = Mutex::new(None);

unsafe extern "C" fn not_copied(
    _comm: ffi::MPI_Comm,
    _key: c_int,
    _extra: *mut std::ffi::c_void,
    _from: *mut std::ffi::c_void,
    _to: *mut std::ffi::c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: MPI gives an integer to write to.
    unsafe { flag.write(0) };
    0
}

unsafe extern "C" fn at_the_end(
    _comm: ffi::MPI_Comm,
    _key: c_int,
    _value: *mut std::ffi::c_void,
    _extra: *mut std::ffi::c_void,
) -> c_int {
    let call = lock(&BEFORE_THE_END).take();
    if let Some(call) = call {
        call();
    }
    0
}

fn error(what: &str, code: c_int) -> DriverError {
    let mut text = vec![0_u8; 1024];
    let mut length: c_int = 0;
    // SAFETY: the buffer is longer than any of MPI's messages (MPI_MAX_ERROR_STRING).
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &raw mut length) };
    text.truncate(usize::try_from(length).unwrap_or(0));
    DriverError::Device { reason: format!("{what}: {}", String::from_utf8_lossy(&text)) }
}

fn check(what: &str, code: c_int) -> Result<(), DriverError> {
    if code == 0 { Ok(()) } else { Err(error(what, code)) }
}

fn device(reason: &str) -> DriverError {
    DriverError::Device { reason: reason.to_owned() }
}

/// MPICH's starter, where it is to let a job live on that a process has left, tells the others so with this signal. It would
/// end them; and MPICH's own handler for it, which is there once MPI is initialised, has MPICH ask the starter who is gone while
/// other calls are under way, which ends them as well. It is ignored from here on, unless the application handles it: that
/// a rank is gone shows in its silence.
fn outlive_others() {
    // SAFETY: all bytes of the structure may be zero.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is there to be written to, and nothing is changed.
    let asked = unsafe { libc::sigaction(libc::SIGUSR1, ptr::null(), &raw mut action) };
    let handler = action.sa_sigaction;
    let is_mpis = || library_of(handler).is_some_and(|one| Some(one) == library_of(mpis_own()));
    if asked == 0 && (handler == libc::SIG_DFL || is_mpis()) {
        // SAFETY: no function is installed.
        unsafe { libc::signal(libc::SIGUSR1, libc::SIG_IGN) };
    }
}

/// MPI asks hwloc for the machine's topology, and hwloc, where its plugins are installed, all OpenCL platforms for devices: so it
/// loads other implementations into this process, with compilers of their own whose names are those of this one's, and asks this
/// library for devices that are waited for here. It is told not to, unless somebody has said what it is to use.
fn keep_topology_plain() {
    // SAFETY: both texts end with a zero byte, and the C library guards its environment against other writers. Against who reads
    // it at this very moment it does not: it may give up a list of variables that it has made longer before. Of the nodes' processes,
    // which are this library's own, nobody does.
    unsafe { libc::setenv(c"HWLOC_COMPONENTS".as_ptr(), c"-opencl".as_ptr(), 0) };
}

/// The address of a function of MPI's.
fn mpis_own() -> usize {
    let function: unsafe extern "C" fn(*mut c_int) -> c_int = ffi::MPI_Initialized;
    function as usize
}

/// Where the library was loaded that a function is in.
fn library_of(function: usize) -> Option<usize> {
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be asked for, and the structure is there to be written to.
    let is_in_one = unsafe { libc::dladdr(function as *const _, found.as_mut_ptr()) } != 0;
    // SAFETY: the call has filled it where it says so, and zeros are one.
    is_in_one.then(|| unsafe { found.assume_init() }.dli_fbase as usize)
}

/// A question that MPI answers with an integer, also before it is initialised.
fn asked(question: unsafe extern "C" fn(*mut c_int) -> c_int) -> c_int {
    let mut answer: c_int = 0;
    // SAFETY: an integer to write to.
    unsafe { question(&raw mut answer) };
    answer
}

impl System {
    /// As the host, in an application that may have initialised MPI. `before_the_end` is called before that finalises it.
    pub(crate) fn host(before_the_end: fn()) -> Result<Self, DriverError> {
        // SAFETY: the levels are constants of MPI's.
        let multiple = unsafe { ffi::RSMPI_THREAD_MULTIPLE };
        if asked(ffi::MPI_Finalized) != 0 {
            return Err(device("the application has finalised MPI"));
        }
        if asked(ffi::MPI_Initialized) == 0 {
            return Self::initialised(multiple);
        }
        if asked(ffi::MPI_Query_thread) < multiple {
            return Err(device(
                "the application has initialised MPI for fewer threads than MPI_THREAD_MULTIPLE, so no thread of this \
                 library can use it beside the application's",
            ));
        }
        *lock(&BEFORE_THE_END) = Some(before_the_end);
        let mut key: c_int = 0;
        // SAFETY: both functions have the types that MPI calls them with.
        let made = unsafe {
            ffi::MPI_Comm_create_keyval(Some(not_copied), Some(at_the_end), &raw mut key, ptr::null_mut())
        };
        check("MPI_Comm_create_keyval", made)?;
        // SAFETY: MPI is initialised, and the key was made.
        check("MPI_Comm_set_attr", unsafe {
            ffi::MPI_Comm_set_attr(ffi::RSMPI_COMM_SELF, key, ptr::null_mut())
        })?;
        Self::joined(false)
    }

    /// As a node, which nobody else uses MPI in.
    pub(crate) fn node() -> Result<Self, DriverError> {
        // SAFETY: the levels are constants of MPI's.
        Self::initialised(unsafe { ffi::RSMPI_THREAD_SERIALIZED })
    }

    fn initialised(level: c_int) -> Result<Self, DriverError> {
        keep_topology_plain();
        let mut provided: c_int = 0;
        // SAFETY: MPI takes no arguments from the command line where it is given none.
        let code =
            unsafe { ffi::MPI_Init_thread(ptr::null_mut(), ptr::null_mut(), level, &raw mut provided) };
        check("MPI_Init_thread", code)?;
        // SAFETY: the levels are constants of MPI's.
        if provided < unsafe { ffi::RSMPI_THREAD_SERIALIZED } {
            return Err(device("the system's MPI cannot be called from several threads one after another"));
        }
        Self::joined(true)
    }

    /// Makes the communicator, with all other ranks.
    fn joined(is_ours: bool) -> Result<Self, DriverError> {
        let allowed = allowed()?;
        outlive_others();
        // SAFETY: MPI is initialised.
        let world = unsafe { ffi::RSMPI_COMM_WORLD };
        let (mut rank, mut ranks): (c_int, c_int) = (0, 0);
        // SAFETY: an integer to write to.
        unsafe { ffi::MPI_Comm_rank(world, &raw mut rank) };
        // SAFETY: as above.
        unsafe { ffi::MPI_Comm_size(world, &raw mut ranks) };
        let mut comm = world;
        if ranks > 1 {
            // SAFETY: a request to write to.
            let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
            // SAFETY: both stay where they are until the loop below has seen the end.
            check("MPI_Comm_idup", unsafe { ffi::MPI_Comm_idup(world, &raw mut comm, &raw mut request) })?;
            // A node waits here until the host's application first uses OpenCL.
            let mut pause = Duration::from_micros(100);
            while !tested(&mut request)? {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(10));
            }
            // SAFETY: the communicator is ours.
            unsafe { ffi::MPI_Comm_set_errhandler(comm, ffi::RSMPI_ERRORS_RETURN) };
        }
        let mut system = Self {
            comm,
            rank: Rank::try_from(rank).unwrap_or(Rank::MAX),
            ranks: u32::try_from(ranks).unwrap_or(1),
            neighbours: 1,
            is_crowded: true,
            is_ours,
            pending: Vec::new(),
            happened: VecDeque::new(),
            room: Vec::new(),
            next: 0,
            near: None,
            looks: 0,
            has_heard: false,
        };
        if system.ranks == 1 {
            system.close(true);
            return Err(device(
                "this is the only rank of its job: nodes are started beside it, as with `mpirun -n 1 PROGRAM : -n 3 oxcl node`",
            ));
        }
        system.meet_neighbours(allowed)?;
        system.is_crowded = system.neighbours > online_processors();
        // Naps are short: the system is not to make them longer.
        // SAFETY: the call changes nothing but this thread's timers.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1000_u64) };
        Ok(system)
    }

    /// Finds out which ranks are on this machine.
    fn meet_neighbours(&mut self, allowed: u64) -> Result<(), DriverError> {
        // SAFETY: a communicator to write to.
        let mut local = unsafe { ffi::RSMPI_COMM_NULL };
        // SAFETY: all ranks of the communicator come here.
        let code = unsafe {
            ffi::MPI_Comm_split_type(
                self.comm,
                ffi::RSMPI_COMM_TYPE_SHARED,
                0,
                ffi::RSMPI_INFO_NULL,
                &raw mut local,
            )
        };
        check("MPI_Comm_split_type", code)?;
        let mut size: c_int = 1;
        // SAFETY: the communicator was made, and an integer is there to write to.
        unsafe { ffi::MPI_Comm_size(local, &raw mut size) };
        self.neighbours = usize::try_from(size).unwrap_or(1);
        self.near = Near::open(local, self.neighbours, self.rank, self.ranks, allowed);
        // SAFETY: nobody uses it any more.
        unsafe { ffi::MPI_Comm_free(&raw mut local) };
        Ok(())
    }

    fn begin(
        &mut self,
        peer: Rank,
        receives: bool,
        bytes: Vec<u8>,
        begun: impl FnOnce(*mut ffi::MPI_Request) -> c_int,
    ) -> Ticket {
        self.next += 1;
        let ticket = Ticket(self.next);
        // SAFETY: a request to write to.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        let code = begun(&raw mut request);
        if code == 0 {
            self.pending.push(Pending { ticket: Some(ticket), peer, request, receives, bytes });
        } else {
            let reason = error("MPI", code).to_string();
            self.happened.push_back(Happening::Over { ticket, failed: Some(reason.clone()) });
            self.happened.push_back(Happening::Unreachable { rank: peer, reason });
        }
        ticket
    }

    /// Begins to send bytes, which stay as they are until that is over: those of `kept`, or whoever gave them keeps them.
    fn isend(&mut self, to: Rank, tag: c_int, start: *const u8, length: u64, kept: Vec<u8>) -> Ticket {
        let (comm, length) = (self.comm, c_int::try_from(length).unwrap_or(c_int::MAX));
        self.begin(to, false, kept, |request| {
            // SAFETY: the bytes stay as they are until the request is over, as said above.
            unsafe {
                ffi::MPI_Isend(start.cast(), length, ffi::RSMPI_UINT8_T, to.cast_signed(), tag, comm, request)
            }
        })
    }

    /// The bytes of what was begun last, if they are away already, as those of a short packet mostly are: nobody looks at it again.
    fn sent_at_once(&mut self, ticket: Ticket) -> Option<Vec<u8>> {
        let last = self.pending.last_mut().filter(|last| last.ticket == Some(ticket))?;
        let outcome = tested(&mut last.request);
        if matches!(outcome, Ok(false)) {
            return None;
        }
        let Pending { peer, bytes, .. } = self.pending.pop()?;
        if let Err(error) = outcome {
            self.happened.push_back(Happening::Unreachable { rank: peer, reason: error.to_string() });
        }
        Some(bytes)
    }

    /// Takes a packet that has come.
    fn probe(&mut self) -> Option<Happening> {
        let begun = stamp::now();
        let mut flag: c_int = 0;
        // SAFETY: a message to write to.
        let mut message = unsafe { ffi::RSMPI_MESSAGE_NULL };
        let mut status = std::mem::MaybeUninit::<ffi::MPI_Status>::zeroed();
        // SAFETY: the communicator is ours, and all places are there to write to.
        let code = unsafe {
            ffi::MPI_Improbe(
                ffi::RSMPI_ANY_SOURCE,
                PACKET,
                self.comm,
                &raw mut flag,
                &raw mut message,
                status.as_mut_ptr(),
            )
        };
        if code != 0 || flag == 0 {
            return None;
        }
        let mut count: c_int = 0;
        // SAFETY: the probe has filled the status.
        unsafe { ffi::MPI_Get_count(status.as_ptr(), ffi::RSMPI_UINT8_T, &raw mut count) };
        stamp::at(Step::Look, begun);
        let mut bytes = std::mem::take(&mut self.room);
        bytes.resize(usize::try_from(count).unwrap_or(0), 0);
        // SAFETY: the buffer has room for the message that was probed.
        let code = unsafe {
            ffi::MPI_Mrecv(
                bytes.as_mut_ptr().cast(),
                count,
                ffi::RSMPI_UINT8_T,
                &raw mut message,
                ffi::RSMPI_STATUS_IGNORE,
            )
        };
        // SAFETY: as above; zeros are a status.
        let from = Rank::try_from(unsafe { status.assume_init() }.MPI_SOURCE).unwrap_or(Rank::MAX);
        if code == 0 {
            stamp::mark(Step::Take);
            return Some(Happening::Packet { from, bytes });
        }
        Some(Happening::Unreachable { rank: from, reason: error("MPI_Mrecv", code).to_string() })
    }

    /// Looks at everything that is under way.
    fn look(&mut self) {
        let mut at = 0;
        while at < self.pending.len() {
            let outcome = tested(&mut self.pending[at].request);
            if matches!(outcome, Ok(false)) {
                at += 1;
                continue;
            }
            let Pending { ticket, peer, .. } = self.pending.swap_remove(at);
            let failed = outcome.err().map(|error| error.to_string());
            if let Some(reason) = failed.clone() {
                self.happened.push_back(Happening::Unreachable { rank: peer, reason });
            }
            if let Some(ticket) = ticket {
                self.happened.push_back(Happening::Over { ticket, failed });
            }
        }
    }
}

/// Whether a request is over.
fn tested(request: &mut ffi::MPI_Request) -> Result<bool, DriverError> {
    let mut flag: c_int = 0;
    // SAFETY: the request is one, or null, which is over.
    let code = unsafe { ffi::MPI_Test(request, &raw mut flag, ffi::RSMPI_STATUS_IGNORE) };
    check("MPI_Test", code)?;
    Ok(flag != 0)
}

impl Transport for System {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn is_crowded(&self) -> bool {
        self.is_crowded
    }

    fn neighbours(&self) -> usize {
        self.neighbours
    }

    fn backlog(&self) -> usize {
        self.pending.len()
    }

    fn has_ended(&self, rank: Rank) -> bool {
        self.near.as_ref().is_some_and(|near| near.has_ended(rank))
    }

    fn nap(&self, idle: Duration) -> Option<Duration> {
        let micros = match idle.as_millis() {
            0..2 => 20,
            2..100 => 200,
            100..5000 => 1000,
            _ => 5000,
        };
        Some(Duration::from_micros(micros))
    }

    fn packet(&mut self, to: Rank, mut bytes: Vec<u8>) -> Vec<u8> {
        stamp::mark(Step::Send);
        if self.near.as_mut().is_some_and(|near| near.send(to, &mut bytes)) {
            stamp::mark(Step::Sent);
            bytes.clear();
            return bytes;
        }
        let (start, length) = (bytes.as_ptr(), bytes.len() as u64);
        // A vector that is moved keeps its bytes where they are.
        let ticket = self.isend(to, PACKET, start, length, bytes);
        let mut room = self.sent_at_once(ticket).filter(|room| room.capacity() <= KEPT).unwrap_or_default();
        stamp::mark(Step::Sent);
        room.clear();
        room
    }

    fn heard(&mut self, bytes: Vec<u8>) {
        if bytes.capacity() <= KEPT {
            self.room = bytes;
        }
    }

    fn send(&mut self, to: Rank, tag: u32, bytes: HostSpan) -> Ticket {
        self.isend(to, tag.cast_signed(), bytes.pointer().cast_const(), bytes.length(), Vec::new())
    }

    fn receive(&mut self, from: Rank, tag: u32, room: HostSpan) -> Ticket {
        let (comm, length) = (self.comm, c_int::try_from(room.length()).unwrap_or(c_int::MAX));
        self.begin(from, true, Vec::new(), |request| {
            // SAFETY: whoever gave the span leaves it to this until it is over.
            unsafe {
                ffi::MPI_Irecv(
                    room.pointer().cast(),
                    length,
                    ffi::RSMPI_UINT8_T,
                    from.cast_signed(),
                    tag.cast_signed(),
                    comm,
                    request,
                )
            }
        })
    }

    fn cancel(&mut self, ticket: Ticket) {
        let found = self.pending.iter().position(|pending| pending.ticket == Some(ticket));
        let Some(found) = found else { return };
        let pending = &mut self.pending[found];
        pending.ticket = None;
        if pending.receives {
            // SAFETY: the request is under way.
            unsafe { ffi::MPI_Cancel(&raw mut pending.request) };
            // A receive that was cancelled is over at once, wherever its sender is.
            for _ in 0..1000 {
                if tested(&mut pending.request).is_ok_and(|over| !over) {
                    std::thread::yield_now();
                    continue;
                }
                self.pending.swap_remove(found);
                return;
            }
        }
    }

    fn poll(&mut self) -> Option<Happening> {
        if let Some(happening) = self.happened.pop_front() {
            return Some(happening);
        }
        if let Some(near) = &mut self.near {
            self.looks += 1;
            for _ in 0..NEAR_LOOKS {
                if let Some(heard) = near.hear(&mut self.room) {
                    stamp::mark(Step::Take);
                    self.has_heard = true;
                    return Some(heard);
                }
            }
            // Who has just heard something looks once more, and has something to do.
            let often = if std::mem::take(&mut self.has_heard) { LONGEST } else { SELDOM };
            if self.looks < often && !self.is_crowded && self.pending.is_empty() {
                return None;
            }
            self.looks = 0;
        }
        while let Some(found) = self.probe() {
            let (near, from, bytes) = match (&mut self.near, found) {
                (Some(near), Happening::Packet { from, bytes }) => (near, from, bytes),
                (_, found) => return Some(found),
            };
            // Those before one that comes early lie in a ring.
            if let Some(heard) = near.came(from, bytes).or_else(|| near.hear(&mut self.room)) {
                return Some(heard);
            }
        }
        self.look();
        self.happened.pop_front()
    }

    fn exchange(&mut self, with: Rank, bytes: u64, turns: u64, first: bool) -> Option<Duration> {
        let length = c_int::try_from(bytes).ok()?;
        let (peer, comm) = (with.cast_signed(), self.comm);
        let mut room = vec![1_u8; usize::try_from(bytes).ok()?];
        let start = room.as_mut_ptr();
        let byte = || {
            // SAFETY: the constant is MPI's.
            unsafe { ffi::RSMPI_UINT8_T }
        };
        let send = || {
            // SAFETY: the vector has so many bytes, and nothing else uses it until the call is over.
            unsafe { ffi::MPI_Send(start.cast(), length, byte(), peer, EXCHANGE, comm) }
        };
        let receive = || {
            // SAFETY: as above.
            unsafe {
                ffi::MPI_Recv(start.cast(), length, byte(), peer, EXCHANGE, comm, ffi::RSMPI_STATUS_IGNORE)
            }
        };
        let begin = std::time::Instant::now();
        for _ in 0..turns {
            let codes = if first { [send(), receive()] } else { [receive(), send()] };
            if codes != [0, 0] {
                return None;
            }
        }
        Some(begin.elapsed())
    }

    /// Where somebody is gone MPI cannot be finalised, as that waits for all.
    fn close(&mut self, all: bool) {
        if !all {
            return;
        }
        while self.pending.iter().any(|pending| !pending.receives) {
            self.look();
            std::thread::yield_now();
        }
        if let Some(mut near) = self.near.take() {
            near.close();
        }
        if self.ranks > 1 {
            // SAFETY: nobody uses it any more.
            unsafe { ffi::MPI_Comm_free(&raw mut self.comm) };
        }
        if self.is_ours && asked(ffi::MPI_Finalized) == 0 {
            // SAFETY: this initialised MPI, on this thread.
            unsafe { ffi::MPI_Finalize() };
        }
    }
}
