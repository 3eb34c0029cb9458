//! The driver conformance tests: behaviour that every driver must show, whatever the device. A driver's own tests call
//! [`run`] and assert that the report [`Report::passed`]. What a driver says that it does not support is skipped and
//! listed; what it claims in its capabilities and refuses is a failure.

use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::capability::Features;
use crate::command::{EventId, Lane, Launch, QueueToken, Submission};
use crate::driver::Driver;
use crate::error::{DriverError, Failure, Outcome};
use crate::memory::{Allocation, AllocationRequest, HostSpan};
use crate::rect::{Rect, RectSide};

/// What one test found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// As it should be.
    Passed,
    /// The driver does not have the operation and does not claim to.
    Skipped(String),
    /// Not as it should be.
    Failed(String),
}

/// What all tests found, in order.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// A line for each test.
    pub lines: Vec<(&'static str, Finding)>,
}

impl Report {
    /// No test failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        !self.lines.iter().any(|(_, finding)| matches!(finding, Finding::Failed(_)))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, finding) in &self.lines {
            match finding {
                Finding::Passed => writeln!(f, "pass  {name}")?,
                Finding::Skipped(why) => writeln!(f, "skip  {name}: {why}")?,
                Finding::Failed(why) => writeln!(f, "FAIL  {name}: {why}")?,
            }
        }
        Ok(())
    }
}

/// Why a test did not pass.
enum Problem {
    Skip(String),
    Fail(String),
}

impl From<DriverError> for Problem {
    fn from(error: DriverError) -> Problem {
        match error {
            DriverError::Unsupported { .. } => Problem::Skip(error.to_string()),
            _ => Problem::Fail(error.to_string()),
        }
    }
}

type Test = fn(&Arc<dyn Driver>) -> Result<(), Problem>;

/// The tests, in order.
const TESTS: &[(&str, Test)] = &[
    ("probe finds a device and init makes it ready", probe_and_init),
    ("the capability table is sensible", capabilities),
    ("allocations are aligned, distinct and freed", allocations),
    ("what is too large is refused", too_large),
    ("what was written is read", write_then_read),
    ("ranges that leave the memory are refused", ranges),
    ("copies move the bytes they name", copies),
    ("memory of the host stands for a device's", host_memory),
    ("fills repeat the pattern", fills),
    ("rectangles move their rows", rectangles),
    ("a submitted command starts and ends", submitted),
    ("a failing or panicking command ends with its cause", failing),
    ("a refused command is not executed", refused),
    ("shared virtual memory", svm),
];

/// Runs every test on `driver`, which must not have been initialised yet.
#[must_use]
pub fn run(driver: &Arc<dyn Driver>) -> Report {
    let mut report = Report::default();
    for (name, test) in TESTS {
        let finding = match test(driver) {
            Ok(()) => Finding::Passed,
            Err(Problem::Skip(why)) => Finding::Skipped(why),
            Err(Problem::Fail(why)) => Finding::Failed(why),
        };
        report.lines.push((name, finding));
    }
    report
}

fn ensure(condition: bool, what: impl FnOnce() -> String) -> Result<(), Problem> {
    if condition { Ok(()) } else { Err(Problem::Fail(what())) }
}

/// A span over a vector that the caller keeps alive and untouched until the operation returns.
fn span(bytes: &mut [u8]) -> HostSpan {
    let length = bytes.len() as u64;
    // SAFETY: every use below is synchronous and the vector outlives the call.
    unsafe { HostSpan::new(NonNull::from(bytes).cast(), length) }
}

/// Bytes that differ from their neighbours and from run to run of the seed.
fn sample(length: usize, seed: u8) -> Vec<u8> {
    (0..length).map(|i| (i as u64).wrapping_mul(31).wrapping_add(u64::from(seed)).to_le_bytes()[0]).collect()
}

fn allocate(driver: &Arc<dyn Driver>, size: u64) -> Result<Allocation, Problem> {
    // A refusal to allocate is never a skip: memory is required.
    driver.allocate(&AllocationRequest::bytes(size)).map_err(|e| Problem::Fail(e.to_string()))
}

fn filled(driver: &Arc<dyn Driver>, bytes: &mut [u8]) -> Result<Allocation, Problem> {
    let memory = allocate(driver, bytes.len() as u64)?;
    driver.write(&memory, 0, span(bytes))?;
    Ok(memory)
}

fn content(driver: &Arc<dyn Driver>, memory: &Allocation) -> Result<Vec<u8>, Problem> {
    let mut bytes = vec![0; usize::try_from(memory.size).unwrap_or(0)];
    driver.read(memory, 0, span(&mut bytes))?;
    Ok(bytes)
}

fn probe_and_init(driver: &Arc<dyn Driver>) -> Result<(), Problem> {
    ensure(!driver.name().is_empty(), || "the driver has no name".to_owned())?;
    let count = driver.probe()?;
    ensure(count > 0, || "no device of this kind".to_owned())?;
    driver.init().map_err(|e| Problem::Fail(e.to_string()))
}

fn capabilities(driver: &Arc<dyn Driver>) -> Result<(), Problem> {
    let c = driver.capabilities();
    ensure(!c.device_name.is_empty(), || "no device name".to_owned())?;
    ensure(c.compute_units > 0, || "no compute unit".to_owned())?;
    ensure(c.base_alignment.is_power_of_two(), || {
        format!("base alignment {} is no power of two", c.base_alignment)
    })?;
    ensure(c.address_bits == 32 || c.address_bits == 64, || format!("{} address bits", c.address_bits))?;
    ensure(c.max_allocation <= c.global_memory, || "an allocation may exceed the memory".to_owned())?;
    ensure(c.max_work_group_size > 0, || "no work-group size is allowed".to_owned())?;
    // Compiled code rests on it: products of two local ids or sizes fit into 31 bits.
    ensure(c.max_work_group_size <= 1 << 15, || {
        format!("groups of {} work-items are larger than kernels are compiled for", c.max_work_group_size)
    })?;
    ensure(driver.capabilities() == c, || "the table changes between calls".to_owned())
}

fn allocations(driver: &Arc<dyn Driver>) -> Result<(), Problem> {
    let mut live = Vec::new();
    for size in [1u64, 127, 128, 4096, 100_000] {
        let a = allocate(driver, size)?;
        ensure(a.size == size, || format!("asked for {size} bytes, got {}", a.size))?;
        ensure(a.address % oxcl_binary::abi::MAX_ALIGNMENT as u64 == 0, || {
            format!("{size} bytes at {:#x}", a.address)
        })?;
        let apart = live
            .iter()
            .all(|b: &Allocation| a.address + a.size <= b.address || b.address + b.size <= a.address);
        ensure(apart, || "two allocations overlap".to_owned())?;
        live.push(a);
    }
    for a in live {
        driver.free(a);
    }
    for _ in 0..64 {
        let a = allocate(driver, 4096)?;
        driver.free(a);
    }
    Ok(())
}

fn too_large(driver: &Arc<dyn Driver>) -> Result<(), Problem> {
    let Some(size) = driver.capabilities().max_allocation.checked_add(1) else { return Ok(()) };
    match driver.allocate(&AllocationRequest::bytes(size)) {
        Err(DriverError::OutOfMemory { needed, .. }) => {
            ensure(needed == size, || format!("the error says {needed} for {size} bytes"))
        }
        Err(other) => Err(Problem::Fail(format!("expected an out-of-memory error, got: {other}"))),
        Ok(memory) => {
            driver.free(memory);
            Err(Problem::Fail(format!("{size} bytes were allocated, above the largest allocation")))
        }
    }
}

fn write_then_read(driver: &Arc<dyn Driver>) -> Result<(), Problem> {
    let mut bytes = sample(10_000, 7);
    let memory = filled(driver, &mut bytes)?;
    ensure(content(driver, &memory)? == bytes, || "the bytes differ".to_owned())?;
    let mut part = sample(100, 99);
    driver.write(&memory, 333, span(&mut part))?;
    bytes[333..433].copy_from_slice(&part);
    ensure(content(driver, &memory)? == bytes, || "a partial write went elsewhere".to_owned())?;
    let mut back = vec![0; 50];
    driver.read(&memory, 350, span(&mut back))?;
    ensure(back == bytes[350..400], || "a partial read came from elsewhere".to_owned())?;
    driver.free(memory);
    Ok(())
}

fn ranges(driver: &Arc<dyn Driver>) -> Result<(), Problem> {
    let memory = allocate(driver, 64)?;
    let mut bytes = vec![0; 32];
    for offset in [33, 64, u64::MAX] {
        for result in
            [driver.read(&memory, offset, span(&mut bytes)), driver.write(&memory, offset, span(&mut bytes))]
        {
            match result {
                Err(DriverError::OutOfRange { .. }) => {}
                Err(other) => {
                    return Err(Problem::Fail(format!("expected an out-of-range error, got: {other}")));
                }
                Ok(()) => return Err(Problem::Fail(format!("32 bytes at {offset} of 64 were accepted"))),
            }
        }
    }
    driver.free(memory);
    Ok(())
}

fn copies(driver: &Arc<dyn Driver>) -> Result<(), Problem> {
    let (mut a, mut b) = (sample(200_000, 1), sample(200_000, 2));
    let (from, to) = (filled(driver, &mut a)?, filled(driver, &mut b)?);
    driver.copy(&from, 1000, &to, 17, 150_001)?;
    b[17..150_018].copy_from_slice(&a[1000..151_001]);
    ensure(content(driver, &to)? == b, || "the bytes differ".to_owned())?;
    ensure(content(driver, &from)? == a, || "the source changed".to_owned())?;
    driver.free(from);
    driver.free(to);
    Ok(())
}

/// Content that only the host has is read and written where it is.
fn host_memory(driver: &Arc<dyn Driver>) -> Result<(), Problem> {
    let mut bytes = sample(5000, 7);
    let host = span(&mut bytes);
    let address = host.pointer() as u64;
    let at_host = Allocation { size: host.length(), address, host: Some(host), token: 0 };
    let mut read = vec![0; 4000];
    driver.read(&at_host, 500, span(&mut read))?;
    ensure(read == sample(5000, 7)[500..4500], || "the bytes read differ".to_owned())?;
    let mut new = sample(3000, 8);
    driver.write(&at_host, 1000, span(&mut new))?;
    let mut device = sample(2000, 9);
    let memory = filled(driver, &mut device)?;
    driver.copy(&at_host, 900, &memory, 100, 300)?;
    device[100..200].copy_from_slice(&sample(5000, 7)[900..1000]);
    device[200..400].copy_from_slice(&new[..200]);
    ensure(content(driver, &memory)? == device, || "the bytes copied differ".to_owned())?;
    driver.copy(&memory, 0, &at_host, 0, 100)?;
    driver.free(memory);
    ensure(bytes[..100] == device[..100] && bytes[1000..4000] == new, || {
        "the bytes written differ".to_owned()
    })
}

fn fills(driver: &Arc<dyn Driver>) -> Result<(), Problem> {
    let mut bytes = sample(300_000, 3);
    let memory = filled(driver, &mut bytes)?;
    let patterns: [&[u8]; 3] = [&[5], &[1, 2, 3, 4], &[9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6]];
    for pattern in patterns {
        let length = 16 * 15_000;
        driver.fill(&memory, 32, length, pattern)?;
        for (i, byte) in bytes[32..32 + 16 * 15_000].iter_mut().enumerate() {
            *byte = pattern[i % pattern.len()];
        }
        ensure(content(driver, &memory)? == bytes, || {
            format!("wrong bytes for a pattern of {}", pattern.len())
        })?;
    }
    driver.free(memory);
    Ok(())
}

fn rectangles(driver: &Arc<dyn Driver>) -> Result<(), Problem> {
    let (mut a, mut b) = (sample(4096, 4), sample(4096, 5));
    let rect = Rect {
        size: [7, 5, 3],
        from: RectSide { offset: 11, row_pitch: 20, slice_pitch: 200 },
        to: RectSide { offset: 100, row_pitch: 9, slice_pitch: 64 },
    };
    let (from, to) = (filled(driver, &mut a)?, filled(driver, &mut b)?);
    let moved = |source: &[u8], mut target: Vec<u8>| {
        for row in rect.rows() {
            let [f, t, n] = [row.from, row.to, row.length].map(|v| usize::try_from(v).unwrap_or(0));
            target[t..t + n].copy_from_slice(&source[f..f + n]);
        }
        target
    };
    let expected = moved(&a, b.clone());
    driver.copy_rect(&from, &to, &rect)?;
    ensure(content(driver, &to)? == expected, || "copy_rect moved other bytes".to_owned())?;
    let mut host = b.clone();
    driver.read_rect(&from, span(&mut host), &rect)?;
    ensure(host == expected, || "read_rect moved other bytes".to_owned())?;
    driver.write(&to, 0, span(&mut b))?;
    driver.write_rect(&to, span(&mut a), &rect)?;
    ensure(content(driver, &to)? == expected, || "write_rect moved other bytes".to_owned())?;
    driver.free(from);
    driver.free(to);
    Ok(())
}

/// A launch that counts its pieces, or fails, or panics.
struct Probe {
    pieces: AtomicU64,
    behaviour: Behaviour,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Behaviour {
    Count,
    Fail,
    Panic,
}

const PROBE_PIECES: u64 = 10;

impl Launch for Probe {
    fn groups(&self) -> u64 {
        PROBE_PIECES
    }

    fn run(&self, _first: u64, count: u64, _lane: Lane) -> Result<(), Failure> {
        self.pieces.fetch_add(count, Ordering::Relaxed);
        match self.behaviour {
            Behaviour::Count => Ok(()),
            Behaviour::Fail => {
                Err(Failure::Kernel { kernel: "probe".to_owned(), reason: "told to fail".to_owned() })
            }
            Behaviour::Panic => std::panic::resume_unwind(Box::new("told to panic")),
        }
    }

    fn label(&self) -> &str {
        "probe"
    }
}

/// The test's side of a submitted command.
struct Ticket {
    driver: Arc<dyn Driver>,
    launch: Arc<dyn Launch>,
    refusal: Option<Arc<Failure>>,
    claimed: AtomicBool,
    starts: AtomicU32,
    ended: Mutex<Option<Outcome>>,
    signal: Condvar,
}

impl Submission for Ticket {
    fn event(&self) -> EventId {
        EventId(1)
    }

    fn queue(&self) -> QueueToken {
        QueueToken(1)
    }

    fn work(&self) -> Option<&Arc<dyn Launch>> {
        Some(&self.launch)
    }

    fn driver(&self) -> &Arc<dyn Driver> {
        &self.driver
    }

    fn holders(&self) -> u32 {
        0
    }

    fn claim(&self) -> bool {
        !self.claimed.swap(true, Ordering::Relaxed)
    }

    fn refusal(&self) -> Option<Arc<Failure>> {
        self.refusal.clone()
    }

    fn started(&self) {
        self.starts.fetch_add(1, Ordering::Relaxed);
    }

    fn ended(&self, outcome: Outcome) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.get_or_insert(outcome);
        self.signal.notify_all();
    }
}

/// Submits a probe and waits for its end.
fn submit(
    driver: &Arc<dyn Driver>,
    behaviour: Behaviour,
    refusal: Option<Arc<Failure>>,
) -> Result<(Outcome, u64, u32), Problem> {
    let probe = Arc::new(Probe { pieces: AtomicU64::new(0), behaviour });
    let ticket = Arc::new(Ticket {
        driver: Arc::clone(driver),
        launch: Arc::clone(&probe) as Arc<dyn Launch>,
        refusal,
        claimed: AtomicBool::new(false),
        starts: AtomicU32::new(0),
        ended: Mutex::new(None),
        signal: Condvar::new(),
    });
    driver.init_queue(QueueToken(1))?;
    driver.submit(Arc::clone(&ticket) as Arc<dyn Submission>)?;
    driver.flush(QueueToken(1))?;
    driver.join(QueueToken(1))?;
    let ended = ticket.ended.lock().unwrap_or_else(PoisonError::into_inner);
    let wait = ticket.signal.wait_timeout_while(ended, Duration::from_secs(10), |ended| ended.is_none());
    let (mut ended, _) = wait.unwrap_or_else(PoisonError::into_inner);
    driver.free_queue(QueueToken(1));
    let outcome =
        ended.take().ok_or_else(|| Problem::Fail("the command did not end within 10 s".to_owned()))?;
    Ok((outcome, probe.pieces.load(Ordering::Relaxed), ticket.starts.load(Ordering::Relaxed)))
}

fn submitted(driver: &Arc<dyn Driver>) -> Result<(), Problem> {
    let (outcome, pieces, starts) = submit(driver, Behaviour::Count, None)?;
    ensure(outcome.is_ok(), || "the command failed".to_owned())?;
    ensure(pieces == PROBE_PIECES, || format!("{pieces} of {PROBE_PIECES} pieces were executed"))?;
    ensure(starts == 1, || format!("the command was started {starts} times"))
}

fn failing(driver: &Arc<dyn Driver>) -> Result<(), Problem> {
    let (outcome, ..) = submit(driver, Behaviour::Fail, None)?;
    let kernel = outcome.is_err_and(|cause| matches!(*cause, Failure::Kernel { .. }));
    ensure(kernel, || "a kernel's failure was lost".to_owned())?;
    let (outcome, ..) = submit(driver, Behaviour::Panic, None)?;
    let panicked = outcome.is_err_and(|cause| matches!(*cause, Failure::Panicked { .. }));
    ensure(panicked, || "a panic was lost".to_owned())?;
    submitted(driver)
}

fn refused(driver: &Arc<dyn Driver>) -> Result<(), Problem> {
    let cause = Arc::new(Failure::UserEvent { status: -5 });
    let (outcome, pieces, starts) = submit(driver, Behaviour::Count, Some(Arc::clone(&cause)))?;
    ensure(pieces == 0 && starts == 0, || "the command was executed".to_owned())?;
    ensure(outcome == Err(cause), || "the cause was lost".to_owned())
}

fn svm(driver: &Arc<dyn Driver>) -> Result<(), Problem> {
    let claimed = driver.capabilities().features.has(Features::SVM_COARSE);
    let memory = match driver.svm_alloc(4096, 128) {
        Err(DriverError::Unsupported { .. }) if !claimed => {
            return Err(Problem::Skip("not claimed".to_owned()));
        }
        Err(error) => return Err(Problem::Fail(error.to_string())),
        Ok(memory) => memory,
    };
    let whole = memory.host_span(0, 4096)?;
    ensure(whole.pointer() as u64 == memory.address, || "host and device addresses differ".to_owned())?;
    driver.svm_fill(whole, &[1, 2])?;
    driver.svm_map(whole)?;
    let mut seen = vec![0; 4];
    span(&mut seen).copy_from(whole.part(0, 4)?);
    driver.svm_unmap(whole)?;
    ensure(seen == [1, 2, 1, 2], || "svm_fill wrote other bytes".to_owned())?;
    driver.svm_copy(whole.part(0, 2)?, whole.part(100, 2)?)?;
    driver.svm_free(memory);
    Ok(())
}
