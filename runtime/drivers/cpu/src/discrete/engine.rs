//! The device's threads beside its coordinator: each takes jobs from a list of its own and reports every end.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use oxcl_driver::Failure;
use oxcl_memory::Fence;
use oxcl_scheduler::thread::{SMALL_STACK, spawn};

use super::coordinator::Message;

/// Which thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Engine {
    /// Copies into the device's memory.
    Upload,
    /// Copies out of it.
    Download,
    /// Runs kernels, and copies within the memory.
    Kernel,
}

/// Something to do for a command.
pub(super) struct Job {
    pub(super) fence: Fence,
    pub(super) run: Box<dyn FnOnce() -> Result<(), Failure> + Send>,
}

/// The three threads.
#[derive(Debug)]
pub(super) struct Engines {
    lists: [Sender<Job>; 3],
    threads: Vec<JoinHandle<()>>,
}

fn work(jobs: &Receiver<Job>, done: &Sender<Message>) {
    while let Ok(Job { fence, run }) = jobs.recv() {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run))
            .unwrap_or_else(|payload| Err(Failure::from_panic(payload.as_ref())));
        if done.send(Message::Done { fence, result }).is_err() {
            return;
        }
    }
}

impl Engines {
    /// Starts the threads; they report to `done`.
    pub(super) fn start(name: &str, done: &Sender<Message>) -> std::io::Result<Self> {
        let mut threads = Vec::new();
        let mut list = |suffix: &str| {
            let (sender, jobs) = channel();
            let done = done.clone();
            threads.push(spawn(format!("{name}-{suffix}"), SMALL_STACK, move || work(&jobs, &done))?);
            std::io::Result::Ok(sender)
        };
        let lists = [list("upload")?, list("download")?, list("kernel")?];
        Ok(Self { lists, threads })
    }

    /// Gives a thread a job. It is lost only where the thread is gone, which ends when the device does.
    pub(super) fn post(&self, engine: Engine, job: Job) {
        let list = match engine {
            Engine::Upload => &self.lists[0],
            Engine::Download => &self.lists[1],
            Engine::Kernel => &self.lists[2],
        };
        let _ = list.send(job);
    }

    /// Ends the threads after the jobs that they have.
    pub(super) fn stop(self) {
        let Self { lists, threads } = self;
        drop(lists);
        for thread in threads {
            let _ = thread.join();
        }
    }
}
