//! Jobs whose results other processes will want and that are not done yet, where servers find them when their host has ended.
//!
//! In: jobs, as soon as they are wanted, and word when they are done. Out: a file in memory that servers open when they start
//! and read when their host is no more. It may hold jobs that are done: whoever reads it looks into the cache first.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsRawFd as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxcl_binary::pipe::{Job, Kind, write_frame};

use super::spawn::memory_file;

/// The jobs that are not done.
#[derive(Debug)]
pub(super) struct Waiting {
    file: File,
    /// How many.
    count: Mutex<u32>,
}

/// A job that is in the list, while this lives.
#[derive(Debug)]
pub(crate) struct Announced {
    waiting: Arc<Waiting>,
}

impl Waiting {
    /// None where the system gives no such file.
    pub(super) fn new() -> Option<Self> {
        Some(Self { file: memory_file().ok()?, count: Mutex::new(0) })
    }

    /// Where other processes of this user's find it while this one lives.
    pub(super) fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd())
    }

    /// Adds a job.
    pub(super) fn announce(self: Arc<Self>, job: &Job) -> Announced {
        let mut frame = Vec::new();
        let framed = write_frame(&mut frame, Kind::Job, &job.encode());
        let mut count = self.lock();
        *count += 1;
        // At the end. What has no room, or is too long, the next process asks for.
        let _ = framed.map(|()| (&self.file).write_all(&frame));
        drop(count);
        Announced { waiting: self }
    }

    fn lock(&self) -> MutexGuard<'_, u32> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        let mut count = self.waiting.lock();
        *count -= 1;
        if *count == 0 {
            // What stays is looked for in the cache before anything else.
            let _ = self.waiting.file.set_len(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use oxcl_binary::pipe::{FrameError, read_frame};

    use super::*;
    use crate::compiler::{BuildRequest, BuildTarget};

    #[test]
    fn others_read_the_list_until_all_is_done() {
        let waiting = Arc::new(Waiting::new().unwrap());
        let open = || File::open(waiting.path()).unwrap();
        let mut other = open();
        let job = crate::service::job(&BuildRequest::new("a.cl", "text", BuildTarget::Cpu), 0);
        let announced = [(); 2].map(|()| Arc::clone(&waiting).announce(&job));
        for _ in 0..2 {
            assert_eq!(Job::decode(&read_frame(&mut other).unwrap().payload), Ok(job.clone()));
        }
        assert!(matches!(read_frame(&mut other), Err(FrameError::Closed)));
        let [one, another] = announced;
        drop(one);
        assert!(read_frame(&mut open()).is_ok());
        drop(another);
        assert!(matches!(read_frame(&mut open()), Err(FrameError::Closed)));
    }
}
