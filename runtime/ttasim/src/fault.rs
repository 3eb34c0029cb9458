//! Why a run ended before its program did: what, when, where.

use oxcl_tta::program::Program;

/// A run that cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("core {core}, cycle {cycle}, instruction {instruction}{}: {kind}", shown(.place.as_ref()))]
pub struct Fault {
    /// The core.
    pub core: usize,
    /// The cycle, from 0.
    pub cycle: u64,
    /// The instruction that was executing.
    pub instruction: u32,
    /// The nearest symbol before it and the distance.
    pub place: Option<(String, u32)>,
    /// What happened.
    pub kind: FaultKind,
}

fn shown(place: Option<&(String, u32)>) -> String {
    match place {
        Some((name, 0)) => format!(" ({name})"),
        Some((name, distance)) => format!(" ({name}+{distance})"),
        None => String::new(),
    }
}

impl Fault {
    /// Names the place of a fault by the symbols of its program.
    pub(crate) fn locate(mut self: Box<Self>, core: usize, program: &Program) -> Box<Self> {
        self.core = core;
        self.place = program.place(self.instruction).map(|(name, distance)| (name.to_owned(), distance));
        self
    }
}

/// What a fault is about. Parts are named as the machine file names them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// An access that is no multiple of its size.
    #[error("unit '{unit}' accesses {bytes} bytes at {address:#x} of '{space}', which is not aligned")]
    Misaligned {
        /// The unit.
        unit: String,
        /// The address space.
        space: String,
        /// The address.
        address: u64,
        /// Bytes of the access.
        bytes: u8,
    },
    /// An access outside its space.
    #[error("unit '{unit}' accesses {bytes} bytes at {address:#x}, outside '{space}'")]
    OutOfRange {
        /// The unit.
        unit: String,
        /// The address space.
        space: String,
        /// The address.
        address: u64,
        /// Bytes of the access.
        bytes: u8,
    },
    /// A jump to where no instruction is.
    #[error("a jump to instruction {target}, but the program has {count}")]
    BadTarget {
        /// Where to.
        target: u64,
        /// Instructions of the program.
        count: usize,
    },
    /// Hazard: a read of a register or immediate register that nothing has written.
    #[error("'{part}' is read before anything is written to it")]
    Unwritten {
        /// The register.
        part: String,
    },
    /// Hazard: a read of an output port before its first result.
    #[error("port '{part}' is read before its first result")]
    NoResult {
        /// The port.
        part: String,
    },
    /// Hazard: an operation that starts with an operand that nothing has written.
    #[error("unit '{unit}' starts '{operation}', but its operand port '{port}' holds nothing")]
    NoOperand {
        /// The unit.
        unit: String,
        /// The operation.
        operation: String,
        /// The port.
        port: String,
    },
    /// Hazard: a guard that looks while a new value is on its way to it.
    #[error("the guard on '{part}' acts before the value written {ago} cycles ago has reached it")]
    GuardEarly {
        /// The register.
        part: String,
        /// Cycles since the write.
        ago: u64,
    },
    /// Hazard: two results that reach one port in one cycle.
    #[error("two results reach port '{part}' in one cycle; the second is of '{operation}'")]
    ResultCollision {
        /// The port.
        part: String,
        /// The operation that was started last.
        operation: String,
    },
    /// Hazard: an operation that needs a part of its unit that another still holds.
    #[error("unit '{unit}' starts '{operation}' while its resource '{resource}' is still in use")]
    ResourceConflict {
        /// The unit.
        unit: String,
        /// The operation.
        operation: String,
        /// The resource.
        resource: String,
    },
    /// Hazard: a second jump before the first has taken effect.
    #[error("a jump in the delay slots of another")]
    JumpOverlap,
    /// Hazard: a move that reads another result than the program says.
    #[error("the move reads the result of instruction {found} from '{part}', not of instruction {wanted}")]
    WrongProducer {
        /// The port.
        part: String,
        /// The instruction that the program names.
        wanted: u32,
        /// The instruction that made the value.
        found: u32,
    },
}

impl FaultKind {
    /// Whether the fault is a hazard: a strict run ends with it, a fast run does not see it.
    #[must_use]
    pub fn is_hazard(&self) -> bool {
        !matches!(self, Self::Misaligned { .. } | Self::OutOfRange { .. } | Self::BadTarget { .. })
    }
}

/// Why a program cannot be simulated at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// An operation whose meaning we do not know.
    #[error("instruction {instruction} uses '{operation}' of unit '{unit}', which has no known meaning")]
    UnknownOperation {
        /// The instruction.
        instruction: u32,
        /// The unit.
        unit: String,
        /// The operation.
        operation: String,
    },
    /// An operation whose operands the machine binds in another way than the operation set says.
    #[error(
        "instruction {instruction} uses '{operation}' of unit '{unit}', whose operands are not all bound to ports"
    )]
    UnboundOperand {
        /// The instruction.
        instruction: u32,
        /// The unit.
        unit: String,
        /// The operation.
        operation: String,
    },
    /// A memory operation of a unit without an address space.
    #[error("instruction {instruction} uses '{operation}' of unit '{unit}', which has no address space")]
    NoSpace {
        /// The instruction.
        instruction: u32,
        /// The unit.
        unit: String,
        /// The operation.
        operation: String,
    },
    /// An instruction that the machine cannot execute.
    #[error(transparent)]
    Illegal(#[from] oxcl_tta::check::Illegal),
    /// Initial data that its memory does not hold.
    #[error("initial data at {address:#x} of '{space}' is outside the memory")]
    DataOutside {
        /// The address space.
        space: String,
        /// The address.
        address: u64,
    },
    /// The program begins where no instruction is.
    #[error("the program begins at instruction {entry}, but has {count}")]
    NoEntry {
        /// The entry.
        entry: u32,
        /// Instructions.
        count: usize,
    },
}
