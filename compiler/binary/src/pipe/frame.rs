//! Frames: what carries a message over a pipe. In: any byte stream. Out: whole messages or an error that says what is
//! wrong; after an error the stream is of no use any more.

use std::io::{self, Read, Write};

/// Version of everything in this module and its messages. Both sides come from one build as a rule; when they do not,
/// this number says so before anything is misread.
pub const PROTOCOL: u16 = 9;

/// Longest message, in bytes.
pub const MAX_FRAME: u64 = 1 << 30;

/// What every frame begins with.
const MAGIC: [u8; 4] = *b"oxcl";

/// Bytes before a frame's contents.
const HEADER: usize = 16;

/// Memory is taken in steps of this size while the contents arrive.
const STEP: u64 = 1 << 20;

/// What a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// [`Hello`](super::Hello)
    Hello = 1,
    /// [`Job`](super::Job)
    Job = 2,
    /// [`Done`](super::Done)
    Done = 3,
    /// [`Failed`](super::Failed)
    Failed = 4,
    /// The server looks after its cache; nothing in it, and no answer.
    Tidy = 5,
    /// A server has taken the job and begins; nothing in it.
    Begun = 6,
    /// From now on the server lets everything else on the machine go first; nothing in it, and no answer.
    StepBack = 7,
    /// The server itself keeps the next job's result in its cache, and finishes this job though its host ends; nothing in it,
    /// and no answer.
    Keep = 8,
}

impl Kind {
    fn of(number: u16) -> Option<Self> {
        const ALL: [Kind; 8] = [
            Kind::Hello,
            Kind::Job,
            Kind::Done,
            Kind::Failed,
            Kind::Tidy,
            Kind::Begun,
            Kind::StepBack,
            Kind::Keep,
        ];
        ALL.into_iter().find(|kind| *kind as u16 == number)
    }
}

/// A message's bytes and what they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// What it holds.
    pub kind: Kind,
    /// The message.
    pub payload: Vec<u8>,
}

/// A frame that did not arrive.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The stream ended where a frame would begin: the other side has gone.
    #[error("the other side closed the pipe")]
    Closed,
    /// The stream ended inside a frame, or failed.
    #[error("the pipe broke: {0}")]
    Broken(#[from] io::Error),
    /// The bytes are no frame.
    #[error("what arrived is no frame of the compile service")]
    Magic,
    /// The other side speaks another version.
    #[error("the other side speaks version {found} of the protocol, this one {PROTOCOL}")]
    Version {
        /// Its version.
        found: u16,
    },
    /// A kind of message that there is not.
    #[error("there is no message of kind {0}")]
    Kind(u16),
    /// A message that is too long.
    #[error("a message of {0} bytes is longer than {MAX_FRAME}")]
    TooLong(u64),
}

/// Reads one frame.
///
/// # Errors
/// [`FrameError::Closed`] at a clean end of the stream; else the stream failed or carries something else.
pub fn read_frame(from: &mut impl Read) -> Result<Frame, FrameError> {
    let mut header = [0; HEADER];
    let mut have = 0;
    while have < HEADER {
        match from.read(&mut header[have..]) {
            Ok(0) if have == 0 => return Err(FrameError::Closed),
            Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            Ok(more) => have += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    let [m0, m1, m2, m3, v0, v1, k0, k1, length @ ..] = header;
    if [m0, m1, m2, m3] != MAGIC {
        return Err(FrameError::Magic);
    }
    let version = u16::from_le_bytes([v0, v1]);
    if version != PROTOCOL {
        return Err(FrameError::Version { found: version });
    }
    let number = u16::from_le_bytes([k0, k1]);
    let kind = Kind::of(number).ok_or(FrameError::Kind(number))?;
    let length = u64::from_le_bytes(length);
    if length > MAX_FRAME {
        return Err(FrameError::TooLong(length));
    }
    let mut payload = Vec::new();
    let mut left = length;
    while left > 0 {
        let step = left.min(STEP);
        let read = from.by_ref().take(step).read_to_end(&mut payload)? as u64;
        if read < step {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        left -= step;
    }
    Ok(Frame { kind, payload })
}

/// Writes one frame, header and contents in one call as far as the stream takes them.
///
/// # Errors
/// The message is too long, or the stream failed.
pub fn write_frame(to: &mut impl Write, kind: Kind, payload: &[u8]) -> Result<(), FrameError> {
    let length = payload.len() as u64;
    if length > MAX_FRAME {
        return Err(FrameError::TooLong(length));
    }
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&PROTOCOL.to_le_bytes());
    bytes.extend_from_slice(&(kind as u16).to_le_bytes());
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(payload);
    to.write_all(&bytes)?;
    to.flush()?;
    Ok(())
}
