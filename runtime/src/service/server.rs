//! One server: its socket, what it says on standard error, and the way of one job to it and back.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use oxcl_binary::pipe::{Done, Failed, Frame, FrameError, Hello, Kind, WireError, read_frame, write_frame};

use super::spawn::{Process, ProcessHandle, memory_file, spawn};

/// How much of a dead server's messages is kept.
const LAST_WORDS: u64 = 64 << 10;

/// A running server.
#[derive(Debug)]
pub(super) struct Server {
    stream: UnixStream,
    process: Process,
    messages: File,
    hello: Option<Hello>,
    jobs: u64,
    /// Whether it said that it has begun with the job at hand.
    begun: bool,
    /// When the job at hand must be done, and how long it was given.
    until: Instant,
    timeout: Duration,
}

/// A handle on a server, for others than who works with it.
#[derive(Debug)]
pub(super) struct ServerHandle {
    process: ProcessHandle,
    stream: Option<UnixStream>,
}

impl ServerHandle {
    /// Ends the server. Who waits for its answer learns that at once: a process at idle priority dies only when a processor
    /// is idle.
    pub(super) fn end(&self) {
        self.process.kill();
        if let Some(stream) = &self.stream {
            // A socket that is closed already is as good.
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }

    /// How much processor time the server has had; none where the system does not say.
    pub(super) fn processor_time(&self) -> Option<Duration> {
        self.process.processor_time()
    }
}

/// What a server answers.
#[derive(Debug)]
pub(super) enum Answer {
    Done(Done),
    Failed(Failed),
}

/// A server that did not answer. It is of no use any more.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub(super) struct Lost {
    reason: Reason,
    begun: bool,
    last_words: String,
}

#[derive(Debug, thiserror::Error)]
enum Reason {
    #[error("the compiler took longer than {} s and was ended; OXCL_BUILD_TIMEOUT changes the limit", .0.as_secs_f64())]
    TimedOut(Duration),
    #[error("the compiler ended unexpectedly: it crashed or was killed")]
    Ended,
    #[error("the compiler cannot be talked to: {0}")]
    Frame(FrameError),
    #[error("the compiler's answer cannot be read: {0}")]
    Wire(#[from] WireError),
    #[error("the compiler answered out of turn")]
    OutOfTurn,
}

impl Lost {
    /// Whether it took too long.
    pub(super) fn timed_out(&self) -> bool {
        matches!(self.reason, Reason::TimedOut(_))
    }

    /// Whether it ended before it had begun with the job, so that the job is not to blame.
    pub(super) fn before_it_began(&self) -> bool {
        !self.begun && matches!(self.reason, Reason::Ended)
    }

    /// What it wrote to standard error.
    pub(super) fn last_words(&self) -> &str {
        &self.last_words
    }
}

impl Server {
    /// Starts one. It may not be ready yet; a job waits until it is.
    pub(super) fn start(
        compiler: &Path,
        memory: u64,
        more: &[String],
        environment: &[CString],
    ) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let messages = memory_file()?;
        let mut arguments =
            vec!["serve".to_owned(), format!("--host={}", std::process::id()), format!("--memory={memory}")];
        arguments.extend(more.iter().cloned());
        let process = spawn(compiler, &arguments, environment, theirs.as_fd(), messages.as_fd())?;
        let (until, timeout) = (Instant::now(), Duration::ZERO);
        Ok(Self { stream: ours, process, messages, hello: None, jobs: 0, begun: false, until, timeout })
    }

    /// Whether its side of the socket is closed: it has ended.
    pub(super) fn has_ended(&self) -> bool {
        let mut socket = libc::pollfd { fd: self.stream.as_raw_fd(), events: libc::POLLRDHUP, revents: 0 };
        // SAFETY: one structure to read from and to write to.
        let ready = unsafe { libc::poll(&raw mut socket, 1, 0) };
        ready > 0 && socket.revents & (libc::POLLRDHUP | libc::POLLHUP | libc::POLLERR) != 0
    }

    /// Whether it has had no job.
    pub(super) fn is_fresh(&self) -> bool {
        self.jobs == 0
    }

    /// Whether the job at hand, or the last one, is its first.
    pub(super) fn is_first(&self) -> bool {
        self.jobs <= 1
    }

    /// The identity of the compiler in it, once that is known.
    pub(super) fn identity(&self) -> Option<[u8; 32]> {
        self.hello.as_ref().map(|hello| hello.identity)
    }

    /// Its process.
    pub(super) fn process(&self) -> u32 {
        self.process.id
    }

    /// Sends a job; the answer is to be there before `timeout` is over.
    pub(super) fn send(&mut self, job: &[u8], timeout: Duration) -> Result<(), Lost> {
        // The messages of earlier jobs are not this one's. What fails here only makes them longer.
        let _ = self.messages.set_len(0);
        self.timeout = timeout;
        self.until = Instant::now() + timeout;
        self.jobs += 1;
        self.begun = false;
        let mut stream = Timed { stream: &self.stream, until: self.until };
        write_frame(&mut stream, Kind::Job, job).map_err(|error| self.lost(self.reason(error)))
    }

    /// Waits for the answer to the job that was sent.
    pub(super) fn receive(&mut self) -> Result<Answer, Lost> {
        self.answer().map_err(|reason| self.lost(reason))
    }

    fn answer(&mut self) -> Result<Answer, Reason> {
        let mut frame = self.read()?;
        if self.hello.is_none() && frame.kind == Kind::Hello {
            self.hello = Some(Hello::decode(&frame.payload)?);
            frame = self.read()?;
        }
        if !self.begun && frame.kind == Kind::Begun {
            self.begun = true;
            frame = self.read()?;
        }
        match frame.kind {
            Kind::Done => Ok(Answer::Done(Done::decode(&frame.payload)?)),
            Kind::Failed => Ok(Answer::Failed(Failed::decode(&frame.payload)?)),
            Kind::Hello | Kind::Job | Kind::Tidy | Kind::Begun | Kind::StepBack | Kind::Keep => {
                Err(Reason::OutOfTurn)
            }
        }
    }

    fn read(&self) -> Result<Frame, Reason> {
        let mut stream = Timed { stream: &self.stream, until: self.until };
        read_frame(&mut stream).map_err(|error| self.reason(error))
    }

    fn reason(&self, error: FrameError) -> Reason {
        match error {
            FrameError::Closed => Reason::Ended,
            FrameError::Broken(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Reason::TimedOut(self.timeout),
                io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof => {
                    Reason::Ended
                }
                _ => Reason::Frame(FrameError::Broken(error)),
            },
            other => Reason::Frame(other),
        }
    }

    fn lost(&self, reason: Reason) -> Lost {
        self.process.kill();
        Lost { reason, begun: self.begun, last_words: self.last_words() }
    }

    /// Asks the server to look after the cache when it has nothing else to do. There is no answer.
    pub(super) fn tidy(&mut self) {
        self.tell(Kind::Tidy);
    }

    /// Tells the server to keep the result of its next job itself, and to finish that job though this process ends. There is
    /// no answer.
    pub(super) fn keep(&mut self) {
        self.tell(Kind::Keep);
    }

    /// Tells the server to let everything else on the machine go first from now on. There is no answer.
    pub(super) fn step_back(&mut self) {
        self.tell(Kind::StepBack);
    }

    fn tell(&mut self, kind: Kind) {
        let mut stream = Timed { stream: &self.stream, until: Instant::now() + Duration::from_secs(1) };
        // What is wrong with the server is found out by its next job.
        let _ = write_frame(&mut stream, kind, &[]);
    }

    /// A handle on the server, for others than who works with it.
    pub(super) fn handle(&self) -> ServerHandle {
        ServerHandle { process: self.process.handle(), stream: self.stream.try_clone().ok() }
    }

    /// What the server said of itself; waits for it if it has just been started.
    pub(super) fn hello(&mut self, timeout: Duration) -> Result<&Hello, Lost> {
        if self.hello.is_none() {
            self.timeout = timeout;
            self.until = Instant::now() + timeout;
            let hello = self.read().and_then(|frame| match frame.kind {
                Kind::Hello => Ok(Hello::decode(&frame.payload)?),
                _ => Err(Reason::OutOfTurn),
            });
            self.hello = Some(hello.map_err(|reason| self.lost(reason))?);
        }
        self.hello.as_ref().ok_or_else(|| self.lost(Reason::OutOfTurn))
    }

    fn last_words(&self) -> String {
        let length = self.messages.metadata().map_or(0, |data| data.len());
        let begin = length.saturating_sub(LAST_WORDS);
        let mut bytes = vec![0; usize::try_from(length - begin).unwrap_or(0)];
        match self.messages.read_exact_at(&mut bytes, begin) {
            Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(_) => String::new(),
        }
    }
}

/// A socket that is given up at a point in time, and that never raises a signal.
struct Timed<'a> {
    stream: &'a UnixStream,
    until: Instant,
}

impl Timed<'_> {
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(into)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        // SAFETY: a valid descriptor, and a pointer to as many bytes as are given with it.
        let sent = unsafe {
            libc::send(self.stream.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL)
        };
        usize::try_from(sent).map_err(|_| io::Error::last_os_error())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
