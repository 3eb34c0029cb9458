//! Faults of kernels as results instead of the end of the process.
//!
//! Off until [`catch_faults`] is called. From then on a SIGSEGV, SIGBUS, SIGFPE or SIGILL whose instruction lies in
//! the kernel image that the thread is running is taken on an alternate stack, noted, and left by a non-local exit to
//! the launch (`nonlocal`). The same goes for functions of the C library that move memory and for the maths library,
//! which hold no locks: compilers turn loops into calls of them. Any other fault goes to the handler that was installed
//! before ours.

use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::io;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use libc::{siginfo_t, ucontext_t};

use crate::image;
use crate::nonlocal::{self, Frame};
use crate::stack::KernelStack;
use oxcl_driver::HostMemory;
use oxcl_driver::fault::FaultSignal;

/// A fault as the signal handler saw it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawFault {
    pub(crate) signal: FaultSignal,
    pub(crate) address: Option<u64>,
    pub(crate) instruction: Option<u64>,
    pub(crate) stack_overflow: bool,
}

/// How a call into a kernel ended.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ended {
    /// It returned.
    Returned,
    /// A callback left it.
    Left,
    /// It faulted.
    Faulted(RawFault),
}

/// The call that a thread is in.
#[derive(Debug)]
struct Call {
    image: (u64, u64),
    frame: *mut Frame,
    /// The lowest address of the stack that it runs on; 0 where that is not known.
    low: u64,
    fault: Option<RawFault>,
}

thread_local! {
    /// The call that this thread is in; null between calls, and while faults are not caught.
    static CALL: Cell<*mut Call> = const { Cell::new(ptr::null_mut()) };
    /// The lowest address of this thread's stack, once it has run a kernel; 0 before.
    static STACK_LOW: Cell<u64> = const { Cell::new(0) };
    static ALTERNATE: RefCell<Option<AlternateStack>> = const { RefCell::new(None) };
}

/// `si_code` of a signal that the system sends without a memory access that it could name.
const SI_KERNEL: c_int = 0x80;

const SIGNALS: [(c_int, FaultSignal); 4] = [
    (libc::SIGSEGV, FaultSignal::Segmentation),
    (libc::SIGBUS, FaultSignal::Bus),
    (libc::SIGFPE, FaultSignal::Arithmetic),
    (libc::SIGILL, FaultSignal::IllegalInstruction),
];

/// Code outside kernels' images that counts as a kernel's while it runs one: first addresses, and those past the last.
static BORROWED: OnceLock<Vec<(u64, u64)>> = OnceLock::new();

/// The functions that move memory lie together with others of their kind, none of which holds a lock; so far past the
/// beginning of one there is nothing else.
const MEMORY_FUNCTION_BYTES: u64 = 2048;

static CAUGHT: AtomicBool = AtomicBool::new(false);
static PREVIOUS: [OnceLock<libc::sigaction>; 4] = [const { OnceLock::new() }; 4];

/// Has faults of kernels caught from now on, in the whole process. Later calls change nothing.
///
/// # Errors
/// The system's, when a signal handler cannot be installed.
pub fn catch_faults() -> io::Result<()> {
    static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
    let result =
        INSTALLED.get_or_init(|| install().map_err(|error| error.raw_os_error().unwrap_or_default()));
    result.map_err(io::Error::from_raw_os_error)
}

/// Whether faults of kernels are caught.
#[must_use]
pub fn faults_are_caught() -> bool {
    CAUGHT.load(Ordering::Acquire) // pairs with the release store in `install`
}

fn borrowed() -> Vec<(u64, u64)> {
    let memory = ["memcpy", "memmove", "memset", "memcmp"].iter().filter_map(|name| image::provided(name));
    let memory = memory.map(|start| (start as u64, start as u64 + MEMORY_FUNCTION_BYTES));
    // One function of the maths library and one of the vector maths library.
    let maths =
        ["sinf", "_ZGVbN4v_sinf"].iter().filter_map(|name| image::range_around(image::provided(name)?));
    memory.chain(maths.map(|(start, end)| (start as u64, end as u64))).collect()
}

fn install() -> io::Result<()> {
    BORROWED.get_or_init(borrowed);
    for (slot, (signal, _)) in PREVIOUS.iter().zip(SIGNALS) {
        // SAFETY: all zeros is a valid value of this plain C structure.
        let mut previous: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: with no new action the call only writes the current one to `previous`.
        let result = unsafe { libc::sigaction(signal, ptr::null(), &raw mut previous) };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        // Kept before the handler can run for the first time.
        slot.get_or_init(|| previous);
        // SAFETY: all zeros is a valid value of this plain C structure.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: `action` is complete, and the handler calls only what may be called in a signal handler.
        let result = unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    CAUGHT.store(true, Ordering::Release); // pairs with the acquire load in `faults_are_caught`
    Ok(())
}

/// Calls `function(data)`, kernel code whose instructions lie in `image`, on `stack` or else on the thread's own; `frame` is
/// what a callback may leave by.
///
/// # Safety
/// As for [`nonlocal::enter`]; nobody else runs on `stack`; and where faults are caught, no frame of code inside `image` has a destructor.
pub(crate) unsafe fn call(
    image: (usize, usize),
    frame: *mut Frame,
    stack: Option<&KernelStack>,
    function: unsafe extern "C" fn(*mut c_void),
    data: *mut c_void,
) -> Ended {
    let top = stack.map_or(0, KernelStack::top);
    if !faults_are_caught() {
        // SAFETY: by the caller's promise.
        let left = unsafe { nonlocal::enter(frame, function, data, top) };
        return if left { Ended::Left } else { Ended::Returned };
    }
    prepare_thread();
    let low = stack.map_or_else(|| STACK_LOW.get(), KernelStack::low);
    let mut record = Call { image: (image.0 as u64, image.1 as u64), frame, low, fault: None };
    let record = &raw mut record;
    let outer = CALL.replace(record);
    // SAFETY: by the caller's promise; the handler leaves by this frame only while `CALL` names this record.
    let left = unsafe { nonlocal::enter(frame, function, data, top) };
    CALL.set(outer);
    // SAFETY: the record is this function's own, and the handler that writes it has returned.
    let fault = unsafe { (*record).fault };
    match (left, fault) {
        (_, Some(fault)) => Ended::Faulted(fault),
        (true, None) => Ended::Left,
        (false, None) => Ended::Returned,
    }
}

extern "C" fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes its description of the signal and of the interrupted code, valid for this handler.
    let caught = unsafe { leave_kernel(signal, info, context.cast()) };
    if !caught {
        // SAFETY: these are the system's own arguments.
        unsafe { chain(signal, info, context) };
    }
}

/// Arranges for the interrupted kernel to be left. Gives false where it is not a kernel that was interrupted.
///
/// # Safety
/// The arguments are those of a signal handler.
unsafe fn leave_kernel(signal: c_int, info: *mut siginfo_t, context: *mut ucontext_t) -> bool {
    let record = CALL.get();
    // SAFETY: a record that `CALL` names belongs to a call that this thread is in.
    let Some(call) = (unsafe { record.as_mut() }) else { return false };
    // SAFETY: the context belongs to this handler alone while it runs.
    let context = unsafe { &mut *context };
    let registers = &mut context.uc_mcontext.gregs;
    let instruction = registers[libc::REG_RIP as usize] as u64;
    let known = SIGNALS.iter().find(|(number, _)| *number == signal);
    let own = (call.image.0..call.image.1).contains(&instruction);
    let borrowed =
        || BORROWED.get().is_some_and(|code| code.iter().any(|code| (code.0..code.1).contains(&instruction)));
    let (Some((_, signal)), true) = (known, own || borrowed()) else { return false };
    // SAFETY: the system's description of the signal is valid for this handler.
    let info = unsafe { &*info };
    // SAFETY: the four signals that we handle carry an address.
    let address = unsafe { info.si_addr() } as u64;
    // The system knows no address where the processor could not form one.
    let address = (info.si_code != SI_KERNEL).then_some(address);
    let low = call.low;
    // A frame may reach past the guard page; nothing of ours lies within a mebibyte below a stack.
    let overflow = *signal == FaultSignal::Segmentation
        && low != 0
        && address.is_some_and(|at| (low.saturating_sub(1 << 20)..low.saturating_add(1 << 16)).contains(&at));
    call.fault = Some(RawFault {
        signal: *signal,
        address,
        instruction: own.then(|| instruction - call.image.0),
        stack_overflow: overflow,
    });
    // SAFETY: the frame outlives the call that it belongs to.
    let stack = unsafe { (*call.frame).stack() };
    registers[libc::REG_RIP as usize] = nonlocal::resume_address().cast_signed();
    registers[libc::REG_RSP as usize] = stack.cast_signed();
    registers[libc::REG_RDI as usize] = call.frame as i64;
    // A second fault before the call is over would not be the kernel's.
    CALL.set(ptr::null_mut());
    true
}

/// Hands a fault that is not a kernel's to whoever handled it before.
///
/// # Safety
/// The arguments are those of a signal handler.
unsafe fn chain(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let index = SIGNALS.iter().position(|(number, _)| *number == signal);
    let previous = index.and_then(|index| PREVIOUS[index].get());
    let handler = previous.map_or(libc::SIG_DFL, |previous| previous.sa_sigaction);
    let takes_info = previous.is_some_and(|previous| previous.sa_flags & libc::SA_SIGINFO != 0);
    match handler {
        libc::SIG_DFL | libc::SIG_IGN => {
            // The instruction runs again and meets the system's default.
            // SAFETY: `signal` is one of the four, and the default action needs nothing.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        _ if takes_info => {
            type Handler = unsafe extern "C" fn(c_int, *mut siginfo_t, *mut c_void);
            // SAFETY: a handler installed with SA_SIGINFO has this type.
            let handler = unsafe { std::mem::transmute::<usize, Handler>(handler) };
            // SAFETY: these are the system's own arguments.
            unsafe { handler(signal, info, context) };
        }
        _ => {
            // SAFETY: a handler installed without SA_SIGINFO has this type.
            let handler = unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(c_int)>(handler) };
            // SAFETY: this is the system's own argument.
            unsafe { handler(signal) };
        }
    }
}

/// A stack for the handler, so that it can run when the thread's own is used up.
#[derive(Debug)]
struct AlternateStack {
    memory: HostMemory,
}

const ALTERNATE_BYTES: u64 = 64 * 1024;

/// Gives the calling thread an alternate stack and notes where its own ends, once.
fn prepare_thread() {
    if STACK_LOW.get() != 0 {
        return;
    }
    STACK_LOW.set(stack_low().unwrap_or(1));
    // Without memory for it the thread goes on: only an overflow of its stack then ends the process.
    let Ok(memory) = HostMemory::arbitrary(ALTERNATE_BYTES) else { return };
    let stack = libc::stack_t { ss_sp: memory.as_ptr().cast(), ss_flags: 0, ss_size: memory.len() };
    // SAFETY: the memory is kept until the thread ends, and is taken off the thread before it is given back.
    let result = unsafe { libc::sigaltstack(&raw const stack, ptr::null_mut()) };
    if result == 0 {
        ALTERNATE.with_borrow_mut(|slot| *slot = Some(AlternateStack { memory }));
    }
}

impl Drop for AlternateStack {
    fn drop(&mut self) {
        let mut current = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: 0, ss_size: 0 };
        // SAFETY: with no new stack the call only writes the current one to `current`.
        let result = unsafe { libc::sigaltstack(ptr::null(), &raw mut current) };
        if result == 0 && current.ss_sp == self.memory.as_ptr().cast() {
            let none = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
            // SAFETY: the thread is not on its alternate stack: it runs destructors.
            unsafe { libc::sigaltstack(&raw const none, ptr::null_mut()) };
        }
    }
}

/// The lowest address of the calling thread's stack.
fn stack_low() -> Option<u64> {
    // SAFETY: all zeros is a valid value of this plain C structure; the call below fills it.
    let mut attributes: libc::pthread_attr_t = unsafe { std::mem::zeroed() };
    // SAFETY: always succeeds.
    let this = unsafe { libc::pthread_self() };
    // SAFETY: `attributes` is writable, and the thread is the calling one.
    let result = unsafe { libc::pthread_getattr_np(this, &raw mut attributes) };
    if result != 0 {
        return None;
    }
    let mut low = ptr::null_mut();
    let mut bytes = 0;
    // SAFETY: the attributes were filled above.
    let result = unsafe { libc::pthread_attr_getstack(&raw const attributes, &raw mut low, &raw mut bytes) };
    // SAFETY: the attributes were filled above and are not used again.
    unsafe { libc::pthread_attr_destroy(&raw mut attributes) };
    (result == 0).then_some(low as u64)
}
