//! What a launch prints: from the threads' print buffers to whoever shows it.
//!
//! In: the records (or, from archives of the older PoCLs, the text) that work-groups have written. Out: text, in the
//! order in which work-groups ended, given to the launch's sink at once, or kept until somebody takes it.

use std::ffi::CStr;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use oxcl_binary::abi::PrintBlock;
use oxcl_driver::print;

/// Takes text that a kernel has printed, and how many printf calls found no room in the buffer. Called by the threads
/// that execute, possibly by several at the same time, before the launch is complete.
pub type PrintSink = Arc<dyn Fn(&[u8], u64) + Send + Sync>;

/// What a launch has printed and nobody has taken.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Printed {
    /// The text.
    pub text: Vec<u8>,
    /// Calls of printf that found no room.
    pub dropped: u64,
}

/// Collects what the threads of a launch print.
#[derive(Default)]
pub(crate) struct Printer {
    kept: Mutex<Printed>,
    sink: OnceLock<PrintSink>,
}

impl fmt::Debug for Printer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Printer").field("kept", &self.kept).finish_non_exhaustive()
    }
}

impl Printer {
    /// Gives all further text to `sink`; the first one given stays.
    pub(crate) fn print_to(&self, sink: PrintSink) {
        let _ = self.sink.set(sink);
    }

    pub(crate) fn take(&self) -> Printed {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn add(&self, text: &[u8], dropped: u64) {
        if text.is_empty() && dropped == 0 {
            return;
        }
        if let Some(sink) = self.sink.get() {
            sink(text, dropped);
            return;
        }
        // Nothing under the lock is left half-changed by a panic.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.text.extend_from_slice(text);
        kept.dropped += dropped;
    }

    /// Takes the records out of a block and leaves it empty. `image` is where the kernel's constants lie.
    ///
    /// # Safety
    /// The block's buffer and position are valid, and nobody else uses the block meanwhile. A format that a record
    /// points to inside the image is a constant of the kernel's, which ends with a zero.
    pub(crate) unsafe fn drain(&self, block: *mut PrintBlock, image: (usize, usize)) {
        // SAFETY: by the caller's promise.
        let PrintBlock { buffer, position, capacity, dropped } = unsafe { block.read() };
        // SAFETY: by the caller's promise.
        let used = unsafe { position.read() }.min(capacity);
        if used > 0 {
            // SAFETY: the kernel has written that many bytes from the buffer's start, and they do not exceed its size.
            let records = unsafe { std::slice::from_raw_parts(buffer, used as usize) };
            let text_at = |address: u64| {
                let address = usize::try_from(address).ok()?;
                let inside = (image.0..image.1).contains(&address);
                // SAFETY: by the caller's promise about formats.
                inside.then(|| unsafe { CStr::from_ptr(address as *const std::ffi::c_char) }.to_bytes())
            };
            self.add(&print::text(records, &text_at), 0);
        }
        self.add(&[], u64::from(dropped));
        // SAFETY: by the caller's promise.
        unsafe { position.write(0) };
        // SAFETY: the field lies inside the block.
        let dropped = unsafe { &raw mut (*block).dropped };
        // SAFETY: by the caller's promise.
        unsafe { dropped.write(0) };
    }
}
