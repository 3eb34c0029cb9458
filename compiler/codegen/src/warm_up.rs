//! Making the first compilation of a process nearly as fast as the later ones.
//!
//! LLVM and lld are large: the first time that a part of them runs, its pages are mapped one by one and its tables are
//! made. A core that is idle while the front end reads the source can do that in the meantime.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;

use crate::emit::Output;
use crate::link::link_shared;
use crate::machine::{Level, Machine};
use crate::optimise::Passes;
use crate::target::CpuTarget;

/// A loop that the vectoriser takes, in a function of the shape that work-group functions have.
const SAMPLE: &[u8] = b"define void @warm(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %q = getelementptr inbounds float, ptr %b, i64 %i
  %x = load float, ptr %p, align 4
  %y = fadd float %x, %x
  store float %y, ptr %q, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
\0";

/// A warm-up that may still be running. Dropping it waits for its end, so that no thread is inside LLVM when the process
/// ends.
#[derive(Debug)]
pub struct WarmUp {
    thread: Option<JoinHandle<()>>,
    unwanted: Arc<AtomicBool>,
}

impl WarmUp {
    /// Starts one, the first time in a process, if there is a second core to run it; else does nothing.
    #[must_use]
    pub fn start() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        // Relaxed: the flag guards nothing but itself.
        let unwanted = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&unwanted);
        // Relaxed: as above; a stage too many is run at worst.
        let work = move || run(&|| seen.load(Ordering::Relaxed));
        let thread = (cores > 1 && !STARTED.swap(true, Ordering::Relaxed))
            .then(|| thread::Builder::new().name("warm-up".into()).spawn(work).ok())
            .flatten();
        Self { thread, unwanted }
    }

    /// There will be none in this process: it has compiled something already, or the other cores have something better to do.
    pub fn forgo() {
        // Relaxed: the flag guards nothing but itself.
        STARTED.store(true, Ordering::Relaxed);
    }

    /// Ends it after the stage that it is in: the other cores have something better to do.
    pub fn give_up(&self) {
        // Relaxed: see `start`.
        self.unwanted.store(true, Ordering::Relaxed);
    }
}

impl Drop for WarmUp {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported and concerns nobody here.
            let _ = thread.join();
        }
    }
}

/// Whether there is none to come in this process.
static STARTED: AtomicBool = AtomicBool::new(false);

/// Takes the sample through every stage and throws the result away. What fails here fails again, and is reported, where
/// it matters.
fn run(unwanted: &dyn Fn() -> bool) {
    let context = Context::create();
    let sample = MemoryBuffer::create_from_memory_range_copy(SAMPLE, "warm-up");
    let Ok(module) = context.create_module_from_ir(sample) else { return };
    let Ok(machine) = Machine::new(&CpuTarget::host(), Level::O3) else { return };
    machine.retarget(&module);
    let passes = Passes { exports: &["warm"], ..Passes::default() };
    if unwanted() || machine.optimise(&module, &passes).is_err() || unwanted() {
        return;
    }
    if let Ok(object) = machine.emit(&module, Output::Object)
        && !unwanted()
    {
        let _ = link_shared(&[&object], &["warm"]);
    }
}

#[cfg(test)]
mod tests {
    use super::{WarmUp, run};

    #[test]
    fn only_the_first_one_runs() {
        run(&|| false);
        run(&|| true);
        drop(WarmUp::start());
        let second = WarmUp::start();
        second.give_up();
        assert!(second.thread.is_none());
    }
}
