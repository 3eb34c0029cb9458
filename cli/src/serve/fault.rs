//! Faults on purpose, so that tests can see what a host makes of them. Nothing here runs unless it is asked for on the
//! command line.

use std::io::Write;
use std::str::FromStr;
use std::time::Duration;

use oxcl_binary::pipe::FrameError;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Ends as by a bug in C++.
    Abort,
    /// Ends as by a bad address.
    Segv,
    /// Ends as by the system, for want of memory.
    Kill,
    /// Never answers.
    Hang,
    /// Answers with something that is no frame.
    Garbage,
    /// Answers with half a frame, and ends.
    Half,
    /// Takes memory without end.
    Memory,
}

/// A fault, and at which job it strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    kind: Kind,
    /// From 1; 0: at every job.
    job: u64,
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, job) = match text.split_once('@') {
            Some((kind, job)) => (kind, job.parse().map_err(|_| format!("'{job}' is no number"))?),
            None => (text, 0),
        };
        let kind = match kind {
            "abort" => Kind::Abort,
            "segv" => Kind::Segv,
            "kill" => Kind::Kill,
            "hang" => Kind::Hang,
            "garbage" => Kind::Garbage,
            "half" => Kind::Half,
            "memory" => Kind::Memory,
            other => return Err(format!("'{other}' is no fault")),
        };
        Ok(Self { kind, job })
    }
}

impl Fault {
    /// Goes wrong if `job` is the one to go wrong at.
    pub(super) fn strike(self, job: u64, output: &mut impl Write) -> Result<(), FrameError> {
        if self.job != 0 && self.job != job {
            return Ok(());
        }
        match self.kind {
            Kind::Abort => std::process::abort(),
            Kind::Segv => raise(libc::SIGSEGV),
            Kind::Kill => raise(libc::SIGKILL),
            Kind::Hang => loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
            Kind::Garbage => {
                output.write_all(b"this is no frame of any kind at all")?;
                output.flush()?;
            }
            Kind::Half => {
                output.write_all(b"oxcl\x03\0\x03\0\xff\xff\0\0\0\0\0\0only a part of it")?;
                output.flush()?;
                std::process::exit(0);
            }
            Kind::Memory => {
                let mut taken = Vec::new();
                loop {
                    taken.push(vec![1_u8; 16 << 20]);
                    std::hint::black_box(&taken);
                }
            }
        }
        Ok(())
    }
}

fn raise(signal: libc::c_int) {
    // SAFETY: a number of a signal.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
    // SAFETY: a number of a signal.
    unsafe { libc::raise(signal) };
}

#[cfg(test)]
mod tests {
    use super::{Fault, Kind};

    #[test]
    fn faults_are_read() {
        assert_eq!("hang".parse(), Ok(Fault { kind: Kind::Hang, job: 0 }));
        assert_eq!("abort@3".parse(), Ok(Fault { kind: Kind::Abort, job: 3 }));
        assert!("abort@x".parse::<Fault>().is_err() && "none".parse::<Fault>().is_err());
    }
}
