//! A transport-triggered processor as data: buses, sockets, units, register files, immediates, address spaces.
//!
//! A [`Machine`] is what an ADF file describes, with every name resolved to an index. It holds no program and no state.
//! [`crate::adf`] makes one from text and writes it back, [`crate::validate`] judges it, everything else only reads it.
//! The order of every list is the file's order, because instructions name buses by position.

use crate::ops::Op;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub u16);

        impl $name {
            /// The position in the machine's list.
            #[must_use]
            pub fn index(self) -> usize {
                usize::from(self.0)
            }
        }
    };
}

index!(
    /// A bus, by its position in [`Machine::buses`].
    BusId
);
index!(
    /// A socket, by its position in [`Machine::sockets`].
    SocketId
);
index!(
    /// A function unit, by its position in [`Machine::units`]. The control unit is the last.
    UnitId
);
index!(
    /// A register file, by its position in [`Machine::register_files`].
    FileId
);
index!(
    /// An immediate unit, by its position in [`Machine::immediate_units`].
    ImmediateUnitId
);
index!(
    /// An address space, by its position in [`Machine::spaces`].
    SpaceId
);
index!(
    /// An instruction template, by its position in [`Machine::templates`].
    TemplateId
);

/// How a narrow immediate becomes a full word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extension {
    /// The upper bits are zero.
    Zero,
    /// The upper bits repeat the top bit.
    Sign,
}

impl Extension {
    /// The value that a field of `width` bits holding the low bits of `value` stands for.
    #[must_use]
    pub fn extend(self, value: u64, width: u32) -> u64 {
        if width == 0 {
            return 0;
        }
        if width >= 64 {
            return value;
        }
        let low = value & mask(width);
        match self {
            Self::Zero => low,
            Self::Sign => {
                let shift = 64 - width;
                (low.cast_signed() << shift >> shift).cast_unsigned()
            }
        }
    }
}

/// All ones in the low `width` bits; all 64 from 64 on.
#[must_use]
pub fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The short immediates of a bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShortImmediate {
    /// How the field is widened to the bus.
    pub extension: Extension,
    /// Bits of the field; 0 means that the bus carries no immediates.
    pub width: u32,
}

/// What a guard looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GuardSource {
    /// Bit 0 of a register.
    Register {
        /// The file.
        file: FileId,
        /// The register.
        index: u32,
    },
    /// Bit 0 of a unit's output port.
    Port {
        /// The unit.
        unit: UnitId,
        /// The port, by position.
        port: u16,
    },
}

/// A guard that a bus offers to the moves on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Guard {
    /// The move always happens.
    Always,
    /// The move never happens.
    Never,
    /// The move happens if bit 0 of the source is one (or, inverted, zero).
    If {
        /// What is looked at.
        source: GuardSource,
        /// True for "if zero".
        inverted: bool,
    },
}

/// A transport bus: one move an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bus {
    /// The name.
    pub name: String,
    /// Bits.
    pub width: u32,
    /// The guards that its moves may carry.
    pub guards: Vec<Guard>,
    /// The name of its only segment; sockets name it when they connect.
    pub segment: String,
    /// Its short immediates.
    pub short_immediate: ShortImmediate,
}

impl Bus {
    /// Whether an unguarded move may use this bus. A bus without any guard bears unguarded moves.
    #[must_use]
    pub fn bears(&self, guard: Guard) -> bool {
        self.guards.contains(&guard) || (guard == Guard::Always && self.guards.is_empty())
    }
}

/// Which way values pass through a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From buses to a unit.
    Input,
    /// From a unit to buses.
    Output,
    /// The socket names no bus.
    Unconnected,
}

/// What joins a port to buses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Socket {
    /// The name.
    pub name: String,
    /// The way.
    pub direction: Direction,
    /// The buses, in file order.
    pub buses: Vec<BusId>,
}

/// A port of a function unit or of the control unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// The name.
    pub name: String,
    /// Bits.
    pub width: u32,
    /// The socket that writes it.
    pub input: Option<SocketId>,
    /// The socket that reads it.
    pub output: Option<SocketId>,
    /// A write starts an operation.
    pub triggers: bool,
    /// A write selects the operation.
    pub sets_opcode: bool,
    /// The port keeps what was written until the next write. Without a register an operand must arrive with its trigger.
    pub registered: bool,
    /// A special port of the control unit (the return address).
    pub special: bool,
}

/// When an operation reads or writes an operand, in cycles after its trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperandUse {
    /// The operand's number, from 1.
    pub operand: u16,
    /// The first cycle.
    pub start: u32,
    /// How many cycles.
    pub cycles: u32,
}

/// When an operation holds a resource of its unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceUse {
    /// The resource's name, known within the unit.
    pub name: String,
    /// The first cycle.
    pub start: u32,
    /// How many cycles.
    pub cycles: u32,
}

/// An operation as a unit offers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The name in lower case.
    pub name: String,
    /// Its meaning, where we know the name. An unknown operation loads, but no program that uses it can run.
    pub op: Option<Op>,
    /// Operand number and port position, in file order.
    pub bindings: Vec<(u16, u16)>,
    /// Operand reads.
    pub reads: Vec<OperandUse>,
    /// Result writes.
    pub writes: Vec<OperandUse>,
    /// Resources held.
    pub resources: Vec<ResourceUse>,
}

impl Operation {
    /// The port that operand `number` (from 1) is bound to.
    #[must_use]
    pub fn port_of(&self, number: u16) -> Option<u16> {
        self.bindings.iter().find(|(k, _)| *k == number).map(|(_, port)| *port)
    }

    /// Cycles from the trigger to the first instruction that can read result `number`; `None` if it is no result.
    #[must_use]
    pub fn latency_of(&self, number: u16) -> Option<u32> {
        self.writes.iter().find(|w| w.operand == number).map(|w| w.start + w.cycles)
    }

    /// The numbers of the results, in order.
    #[must_use]
    pub fn results(&self) -> Vec<u16> {
        let mut all: Vec<u16> = self.writes.iter().map(|w| w.operand).collect();
        all.sort_unstable();
        all
    }

    /// The numbers of the inputs, in order.
    #[must_use]
    pub fn inputs(&self) -> Vec<u16> {
        let mut all: Vec<u16> =
            self.bindings.iter().map(|(k, _)| *k).filter(|k| self.latency_of(*k).is_none()).collect();
        all.sort_unstable();
        all
    }
}

/// A function unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The name.
    pub name: String,
    /// Its ports.
    pub ports: Vec<Port>,
    /// Its operations.
    pub operations: Vec<Operation>,
    /// The address space of its loads and stores.
    pub space: Option<SpaceId>,
}

impl Unit {
    /// The position of the port that starts operations.
    #[must_use]
    pub fn trigger(&self) -> Option<u16> {
        (0u16..).zip(&self.ports).find(|(_, p)| p.triggers).map(|(i, _)| i)
    }

    /// The port with this name.
    #[must_use]
    pub fn port(&self, name: &str) -> Option<u16> {
        (0u16..).zip(&self.ports).find(|(_, p)| p.name == name).map(|(i, _)| i)
    }

    /// The operation with this name, in any case.
    #[must_use]
    pub fn operation(&self, name: &str) -> Option<u16> {
        (0u16..).zip(&self.operations).find(|(_, o)| o.name.eq_ignore_ascii_case(name)).map(|(i, _)| i)
    }
}

/// What a register file is meant for. The tools treat all alike; the word is kept for writing the file back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Ordinary.
    Normal,
    /// Kept from the register allocator.
    Reserved,
    /// Its reads have effects.
    Volatile,
}

/// A port of a register file or of an immediate unit. Its direction is that of its socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePort {
    /// The name.
    pub name: String,
    /// The socket.
    pub socket: Option<SocketId>,
}

/// A register file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterFile {
    /// The name.
    pub name: String,
    /// What it is for.
    pub kind: FileKind,
    /// Registers.
    pub size: u32,
    /// Bits of each.
    pub width: u32,
    /// Declared, kept, never enforced: what limits accesses is the number of connected ports.
    pub max_reads: u32,
    /// As `max_reads`.
    pub max_writes: u32,
    /// Cycles that a guard on this file adds to the control unit's guard latency.
    pub guard_latency: u32,
    /// The ports.
    pub ports: Vec<FilePort>,
    /// Register 0 reads as zero.
    pub zero_register: bool,
}

/// Registers that long immediates are written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImmediateUnit {
    /// The name.
    pub name: String,
    /// What it is for.
    pub kind: FileKind,
    /// Registers.
    pub size: u32,
    /// Bits of each.
    pub width: u32,
    /// Declared, kept, never enforced.
    pub max_reads: u32,
    /// As `max_reads`.
    pub max_writes: u32,
    /// As a register file's.
    pub guard_latency: u32,
    /// Cycles until an instruction can read what another wrote; 0 is the same instruction.
    pub latency: u32,
    /// How a value narrower than the register is widened.
    pub extension: Extension,
    /// Read ports.
    pub ports: Vec<FilePort>,
}

/// Where the bits of a long immediate stand in an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SlotSource {
    /// In the move slot of a bus, which then carries no move.
    Bus(BusId),
    /// In a slot of its own, by position in [`Machine::immediate_slots`].
    Immediate(u16),
}

/// A long immediate that a template writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateWrite {
    /// The unit written.
    pub unit: ImmediateUnitId,
    /// The slots whose bits form the value, most significant first, with their widths.
    pub slots: Vec<(SlotSource, u32)>,
}

impl TemplateWrite {
    /// Bits of the immediate.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.slots.iter().map(|(_, width)| width).sum()
    }
}

/// An instruction format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The name.
    pub name: String,
    /// The long immediates it writes; none for the ordinary format.
    pub writes: Vec<TemplateWrite>,
    /// The immediate units whose description mentions the template, also without slots; kept for writing the file back.
    pub listed_in: Vec<ImmediateUnitId>,
}

impl Template {
    /// Whether the template takes the move slot of `bus`.
    #[must_use]
    pub fn takes(&self, bus: BusId) -> bool {
        self.writes.iter().flat_map(|w| &w.slots).any(|(slot, _)| *slot == SlotSource::Bus(bus))
    }
}

/// A memory as the processor sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressSpace {
    /// The name.
    pub name: String,
    /// Bits of the smallest addressable unit.
    pub unit_width: u32,
    /// The lowest address.
    pub min_address: u64,
    /// The highest address.
    pub max_address: u64,
    /// One memory for all cores.
    pub shared: bool,
    /// The numbers of the C address spaces that it holds.
    pub numbers: Vec<u32>,
}

/// What the control unit has beyond a function unit's ports and operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// The port that holds the return address.
    pub return_address: Option<u16>,
    /// Instructions that still execute after a jump.
    pub delay_slots: u32,
    /// Cycles from a guard's value to the move it controls.
    pub guard_latency: u32,
    /// The address space of instructions.
    pub space: Option<SpaceId>,
}

/// A processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The lowest byte of a word stands at the lowest address.
    pub little_endian: bool,
    /// General registers and addresses have 64 bits.
    pub bits64: bool,
    /// The buses; an instruction has one move slot for each, in this order.
    pub buses: Vec<Bus>,
    /// The sockets.
    pub sockets: Vec<Socket>,
    /// The function units, and the control unit as the last.
    pub units: Vec<Unit>,
    /// The control unit's further facts.
    pub control: Control,
    /// The register files.
    pub register_files: Vec<RegisterFile>,
    /// The immediate units.
    pub immediate_units: Vec<ImmediateUnit>,
    /// Names of slots that only carry immediates.
    pub immediate_slots: Vec<String>,
    /// The instruction formats.
    pub templates: Vec<Template>,
    /// The address spaces.
    pub spaces: Vec<AddressSpace>,
}

impl Machine {
    /// The control unit.
    #[must_use]
    pub fn control_unit(&self) -> UnitId {
        UnitId(u16::try_from(self.units.len().saturating_sub(1)).unwrap_or(u16::MAX))
    }

    /// The memory for instructions, and how many it holds, where the machine says so.
    #[must_use]
    pub fn instruction_room(&self) -> Option<(&str, u64)> {
        let space = self.spaces.get(self.control.space?.index())?;
        Some((&space.name, space.max_address.saturating_add(1)))
    }

    /// Every unit with its id, the control unit last.
    pub fn units(&self) -> impl Iterator<Item = (UnitId, &Unit)> {
        (0..).map(UnitId).zip(&self.units)
    }

    /// Every bus with its id.
    pub fn buses(&self) -> impl Iterator<Item = (BusId, &Bus)> {
        (0..).map(BusId).zip(&self.buses)
    }

    /// Every register file with its id.
    pub fn register_files(&self) -> impl Iterator<Item = (FileId, &RegisterFile)> {
        (0..).map(FileId).zip(&self.register_files)
    }

    /// Every immediate unit with its id.
    pub fn immediate_units(&self) -> impl Iterator<Item = (ImmediateUnitId, &ImmediateUnit)> {
        (0..).map(ImmediateUnitId).zip(&self.immediate_units)
    }

    /// Every template with its id.
    pub fn templates(&self) -> impl Iterator<Item = (TemplateId, &Template)> {
        (0..).map(TemplateId).zip(&self.templates)
    }

    /// Every address space with its id.
    pub fn spaces(&self) -> impl Iterator<Item = (SpaceId, &AddressSpace)> {
        (0..).map(SpaceId).zip(&self.spaces)
    }

    /// Whether `socket` joins `bus` in this direction.
    #[must_use]
    pub fn joins(&self, socket: Option<SocketId>, bus: BusId, direction: Direction) -> bool {
        socket.is_some_and(|id| {
            let socket = &self.sockets[id.index()];
            socket.direction == direction && socket.buses.contains(&bus)
        })
    }

    /// How many ports of a file connect to `bus` in this direction.
    #[must_use]
    pub fn file_ports(&self, ports: &[FilePort], bus: BusId, direction: Direction) -> usize {
        ports.iter().filter(|port| self.joins(port.socket, bus, direction)).count()
    }

    /// Cycles from a write of a register of `file` to the first move that a guard on it controls; never 0.
    #[must_use]
    pub fn register_guard_latency(&self, file: FileId) -> u32 {
        (self.register_files[file.index()].guard_latency + self.control.guard_latency).max(1)
    }

    /// The guard with this name, as `file.index` or `unit.port` name it.
    #[must_use]
    pub fn guard_name(&self, source: GuardSource) -> String {
        match source {
            GuardSource::Register { file, index } => {
                format!("{}.{index}", self.register_files[file.index()].name)
            }
            GuardSource::Port { unit, port } => {
                let unit = &self.units[unit.index()];
                format!("{}.{}", unit.name, unit.ports[usize::from(port)].name)
            }
        }
    }

    /// Every unit that offers an operation, in order.
    pub fn offering<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (UnitId, u16)> + 'a {
        self.units().filter_map(move |(id, unit)| unit.operation(name).map(|op| (id, op)))
    }

    /// The longest time in cycles that any result, immediate or jump is on its way.
    #[must_use]
    pub fn longest_latency(&self) -> u32 {
        let results = self
            .units
            .iter()
            .flat_map(|u| &u.operations)
            .flat_map(|o| &o.writes)
            .map(|w| w.start.saturating_add(w.cycles));
        let immediates = self.immediate_units.iter().map(|iu| iu.latency);
        let guards = self.register_files().map(|(id, _)| self.register_guard_latency(id));
        results
            .chain(immediates)
            .chain(guards)
            .chain(std::iter::once(self.control.delay_slots.saturating_add(1)))
            .max()
            .unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::Extension;

    #[test]
    fn immediates_are_widened_by_their_extension() {
        assert_eq!(Extension::Zero.extend(0xff, 4), 0xf);
        assert_eq!(Extension::Sign.extend(0x8, 4), u64::MAX - 7);
        assert_eq!(Extension::Sign.extend(0x7, 4), 7);
        assert_eq!(Extension::Sign.extend(5, 0), 0);
        assert_eq!(Extension::Zero.extend(u64::MAX, 64), u64::MAX);
    }
}
