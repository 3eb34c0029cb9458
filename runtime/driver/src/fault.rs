//! Why a launch ended before all its work was done, with all that is known: kernels' faults, and memory or threads that were
//! not to be had. What depends on the launch is told the cause in words only ([`crate::Failure`]).

use std::fmt;

use crate::account::Shortage;
use crate::block::{HostMemory, NoBlock};

/// What there was too little of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// Memory of a buffer.
    Buffer,
    /// Memory for values that live across a barrier.
    Scratch,
    /// `__local` memory.
    Local,
    /// Memory for arguments.
    Arguments,
    /// Memory for printf text.
    Printf,
    /// Memory of variables at program scope.
    Variables,
    /// The stack of a thread that runs kernels.
    Stack,
    /// Threads.
    Threads,
}

impl fmt::Display for Resource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Buffer => "bytes for a buffer",
            Self::Scratch => "bytes of scratch memory",
            Self::Local => "bytes of local memory",
            Self::Arguments => "bytes for arguments",
            Self::Printf => "bytes for printf text",
            Self::Variables => "bytes for variables at program scope",
            Self::Stack => "bytes for a stack",
            Self::Threads => "threads",
        })
    }
}

/// A command could not get the memory or the threads that it needs; nothing of it has run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("out of resources: {amount} {resource} cannot be had{}", Shortage::told(*shortage))]
pub struct OutOfResources {
    /// What there was too little of.
    pub resource: Resource,
    /// How much was asked for.
    pub amount: u64,
    /// Of memory: what was left, where that is known.
    pub shortage: Option<Shortage>,
}

/// Work-groups `(first[0] .. first[0] + count, first[1], first[2])`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupRun {
    /// The first group's id.
    pub first: [u64; 3],
    /// Number of groups.
    pub count: u64,
}

impl fmt::Display for GroupRun {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.first;
        if self.count == 1 {
            write!(out, "work-group ({x}, {y}, {z})")
        } else {
            write!(out, "work-groups ({x} to {}, {y}, {z})", x.saturating_add(self.count - 1))
        }
    }
}

/// A signal by which a kernel's fault shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultSignal {
    /// `SIGSEGV`.
    Segmentation,
    /// `SIGBUS`.
    Bus,
    /// `SIGFPE`.
    Arithmetic,
    /// `SIGILL`.
    IllegalInstruction,
}

impl FaultSignal {
    /// The signal's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Segmentation => "SIGSEGV",
            Self::Bus => "SIGBUS",
            Self::Arithmetic => "SIGFPE",
            Self::IllegalInstruction => "SIGILL",
        }
    }
}

/// A kernel faulted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The signal.
    pub signal: FaultSignal,
    /// The address that could not be accessed; for [`FaultSignal::Arithmetic`] and
    /// [`FaultSignal::IllegalInstruction`] that of the instruction. `None` where it is one that the processor cannot
    /// even form.
    pub address: Option<u64>,
    /// Whether the address lies on the stack's guard page or just below the stack pointer: the stack overflowed.
    pub stack_overflow: bool,
    /// The instruction, as an offset into the kernel's shared object; `None` where it is in a function of the C or maths
    /// library that the kernel called.
    pub instruction: Option<u64>,
    /// The kernel's name.
    pub kernel: String,
    /// The work-groups that were running on the faulting thread: one, or a run of which one faulted.
    pub groups: GroupRun,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, kernel, groups, .. } = self;
        let name = self.signal.name();
        match self.signal {
            _ if self.stack_overflow => {
                write!(out, "kernel '{kernel}' overflowed its stack in {groups} ({name})")
            }
            FaultSignal::Segmentation | FaultSignal::Bus => match address {
                Some(address) => {
                    write!(out, "kernel '{kernel}' accessed address {address:#x} in {groups} ({name})")
                }
                None => write!(out, "kernel '{kernel}' accessed an impossible address in {groups} ({name})"),
            },
            FaultSignal::Arithmetic => {
                write!(out, "kernel '{kernel}' divided by zero or overflowed a division in {groups} ({name})")
            }
            FaultSignal::IllegalInstruction => {
                write!(out, "kernel '{kernel}' ran an instruction that this CPU lacks in {groups} ({name})")
            }
        }
    }
}

/// A launch ended before all its work was done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KernelFailure {
    /// The kernel faulted.
    #[error("{0}")]
    Fault(Fault),
    /// The kernel said that it cannot go on.
    #[error("kernel '{kernel}' gave up in {groups}")]
    ExecutionFailed {
        /// The kernel's name.
        kernel: String,
        /// The group.
        groups: GroupRun,
    },
    /// A barrier was not met by every work-item of its group.
    #[error(
        "kernel '{kernel}': a barrier in {groups} is met by {waiting} of {items} work-items; the others have ended"
    )]
    BarrierNotMet {
        /// The kernel's name.
        kernel: String,
        /// The group.
        groups: GroupRun,
        /// Work-items that wait at a barrier.
        waiting: u64,
        /// Work-items in the group.
        items: u64,
    },
    /// The kernel called a barrier although its archive says that it has none.
    #[error("kernel '{kernel}' has a barrier that its archive does not mention")]
    UnexpectedBarrier {
        /// The kernel's name.
        kernel: String,
    },
    /// Memory or threads could not be had; nothing has run.
    #[error(transparent)]
    OutOfResources(#[from] OutOfResources),
}

impl OutOfResources {
    /// The system has not so much of it.
    #[must_use]
    pub fn of(resource: Resource, amount: u64) -> OutOfResources {
        OutOfResources { resource, amount, shortage: None }
    }

    /// The block for `resource` cannot be had.
    #[must_use]
    pub fn no_block(resource: Resource, NoBlock { bytes, shortage }: NoBlock) -> OutOfResources {
        OutOfResources { resource, amount: bytes, shortage }
    }

    /// A block of `bytes` bytes, all zero, for `resource`.
    ///
    /// # Errors
    /// It names the resource when the memory cannot be had.
    pub fn zeroed(bytes: u64, resource: Resource) -> Result<HostMemory, OutOfResources> {
        HostMemory::zeroed(bytes).map_err(|error| OutOfResources::no_block(resource, error))
    }
}
