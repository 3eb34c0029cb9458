//! Whatever uses LLVM first in a process may do so beside others: each thread finds the targets that it needs.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{hint, thread};

use oxcl_codegen::{CpuTarget, Level, Machine, link_shared};
use oxcl_frontend::{BuildOptions, Source, describe};

const SOURCE: Source<'static> = Source { name: "f.cl", text: "kernel void k(global int *a) { *a = 1; }" };

/// Set for the processes that this test starts.
const INNER: &str = "OXCL_TEST_FIRST_USES";

/// Processes that are started. One in a few hundred lost a target, or looked for one without end, where each back end was
/// entered when it was first used.
const PROCESSES: usize = 200;

#[test]
fn first_uses_in_many_threads_find_their_targets() {
    if let Ok(process) = std::env::var(INNER) {
        return use_two(process.parse().unwrap());
    }
    let program = std::env::current_exe().unwrap();
    for process in 0..PROCESSES {
        let mut command = Command::new(&program);
        command.env(INNER, process.to_string());
        command
            .args(["--exact", "first_uses_in_many_threads_find_their_targets", "--nocapture"])
            .stdout(Stdio::null());
        let mut child = command.spawn().unwrap();
        let begun = Instant::now();
        // Without the order a lookup may go round LLVM's list for ever.
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if begun.elapsed() > Duration::from_secs(60) {
                child.kill().unwrap();
            }
            thread::sleep(Duration::from_millis(2));
        };
        assert!(status.success(), "process {process} ended with {status}");
    }
}

/// Two of those that enter targets into LLVM's list, at the same time: which two is told by the process's number.
fn use_two(process: usize) {
    const USES: [fn(); 5] = [
        || drop(Machine::new(&CpuTarget::named("x86-64-v3").unwrap(), Level::O2).unwrap()),
        || drop(Machine::riscv32("+m", Level::O2).unwrap()),
        || drop(Machine::new(&CpuTarget::named("armv8-a").unwrap(), Level::O2).unwrap()),
        // lld, which has nothing to link, and libclang enter them on their own.
        || drop(link_shared(&[], &[])),
        || drop(describe(&SOURCE, &BuildOptions::default(), &[]).unwrap()),
    ];
    let (first, second) = (process % USES.len(), process / USES.len() % (USES.len() - 1));
    // SeqCst: the threads only wait for each other; nothing else hangs on it.
    let waiting = AtomicUsize::new(2);
    let start = |work: fn()| {
        waiting.fetch_sub(1, Ordering::SeqCst);
        while waiting.load(Ordering::SeqCst) > 0 {
            hint::spin_loop();
        }
        work();
    };
    thread::scope(|scope| {
        scope.spawn(|| start(USES[first]));
        start(USES[(first + 1 + second) % USES.len()]);
    });
    for work in USES {
        work();
    }
}
