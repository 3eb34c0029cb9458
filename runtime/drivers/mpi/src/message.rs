//! What ranks say to each other. A packet is a row of messages, each behind its length in four bytes: what is to be said to
//! one rank at about the same time travels together.
//!
//! The host names everything: events by the scheduler's numbers, and memories, programs, launches and transfers by numbers of
//! its own. Between two ranks messages come in the order in which they were given; the bytes of transfers come beside them.

use oxcl_driver::capability::{AddressSpace, DeviceKind, Execution, Features};
use oxcl_driver::program::ArgValue;
use oxcl_driver::rect::RectSide;
use oxcl_driver::{Capabilities, Failure, Geometry};

use crate::wire::{Malformed, Reader, Wire, wire_enum, wire_struct};

/// Memory of a device, and where in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) memory: u64,
    pub(crate) offset: u64,
    pub(crate) writes: bool,
}

/// Bytes of a memory that go to another rank or come from one, where they are all in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Region {
    Linear { offset: u64, length: u64 },
    Rectangle { size: [u64; 3], side: RectSide },
}

impl Region {
    /// How many bytes they are.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Linear { length, .. } => *length,
            Self::Rectangle { size, .. } => size.iter().fold(1, |all, one| all.saturating_mul(*one)),
        }
    }

    /// A rectangle whose other side is the row of bytes on its way.
    pub(crate) fn packed(size: [u64; 3]) -> RectSide {
        RectSide { offset: 0, row_pitch: size[0], slice_pitch: size[0].saturating_mul(size[1]) }
    }
}

/// Work of a command on a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Work {
    Nothing {},
    Kernel {
        launch: u64,
    },
    Fill {
        memory: u64,
        offset: u64,
        length: u64,
        pattern: Box<[u8]>,
    },
    Copy {
        from: u64,
        from_offset: u64,
        to: u64,
        to_offset: u64,
        length: u64,
    },
    CopyRectangle {
        from: u64,
        to: u64,
        size: [u64; 3],
        from_side: RectSide,
        to_side: RectSide,
    },
    /// Sends bytes of a memory to a rank.
    Send {
        memory: u64,
        region: Region,
        to: u32,
        transfer: u64,
    },
    /// Takes bytes that a rank sends.
    Receive {
        memory: u64,
        region: Region,
        from: u32,
        transfer: u64,
    },
}

/// A device of a node, as it tells the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeviceFacts {
    /// Its driver's word.
    pub(crate) word: String,
    pub(crate) capabilities: Capabilities,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hello {
    /// The name of its machine.
    pub(crate) machine: String,
    /// The version of the program.
    pub(crate) version: String,
    /// Which portable level its CPU has.
    pub(crate) level: String,
    pub(crate) devices: Vec<DeviceFacts>,
}

/// How a command went.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ending {
    pub(crate) outcome: Result<(), Failure>,
    /// Nanoseconds since it began and since it ended, when this was said.
    pub(crate) ages: [u64; 2],
    pub(crate) printed: Box<[u8]>,
    pub(crate) dropped: u64,
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    /// I am here. From everyone, now and then.
    Alive {},
    /// A node begins.
    Hello {
        hello: Hello,
    },
    /// To nodes: there is a memory of a device's.
    Create {
        device: u32,
        memory: u64,
        size: u64,
    },
    /// It is gone.
    Free {
        memory: u64,
    },
    /// There is a program; answered by `Built`.
    Program {
        program: u64,
        archive: Box<[u8]>,
    },
    DropProgram {
        program: u64,
    },
    /// There is a launch.
    Launch {
        launch: u64,
        device: u32,
        program: u64,
        kernel: u64,
        geometry: Geometry,
        args: Vec<ArgValue<At, Box<[u8]>>>,
    },
    DropLaunch {
        launch: u64,
    },
    /// A command, with the events that it waits for. Half of one has no event.
    Run {
        event: Option<u64>,
        waits: Vec<u64>,
        work: Work,
    },
    /// Tell that rank when the event has ended.
    Tell {
        event: u64,
        to: u32,
    },
    /// Nothing that comes later names the event.
    Forget {
        event: u64,
    },
    /// A rank is gone, and why.
    Lost {
        rank: u32,
        failure: Failure,
    },
    /// The job is over.
    Stop {},
    /// Among nodes: an event has ended.
    Done {
        event: u64,
        outcome: Result<(), Failure>,
    },
    /// Bytes of a transfer: here, or beside if there are so many; or none come.
    Data {
        transfer: u64,
        length: u64,
        bytes: Option<Box<[u8]>>,
    },
    NoData {
        transfer: u64,
        failure: Failure,
    },
    /// To the host: a program was built on all devices, or not.
    Built {
        program: u64,
        outcome: Result<(), Failure>,
    },
    /// A command has ended.
    Ended {
        event: u64,
        ending: Ending,
    },
    /// Exchange so many bytes with that rank, so many times there and back; `first`: begin. Nothing else is said meanwhile.
    Exchange {
        with: u32,
        bytes: u64,
        turns: u64,
        first: bool,
    },
    /// To the host: how long who began took, in nanoseconds; 0 where there is nothing to exchange bytes with.
    Exchanged {
        nanoseconds: u64,
    },
}

wire_struct!(At { memory, offset, writes });
wire_enum!(Region { 0 => Linear { offset, length }, 1 => Rectangle { size, side } });
wire_enum!(Work {
    0 => Nothing {},
    1 => Kernel { launch },
    2 => Fill { memory, offset, length, pattern },
    3 => Copy { from, from_offset, to, to_offset, length },
    4 => CopyRectangle { from, to, size, from_side, to_side },
    5 => Send { memory, region, to, transfer },
    6 => Receive { memory, region, from, transfer },
});
wire_struct!(DeviceFacts { word, capabilities });
wire_struct!(Hello { machine, version, level, devices });
// The ages stand first: see `older`.
wire_struct!(Ending { ages, outcome, printed, dropped });
wire_enum!(Message {
    0 => Alive {},
    1 => Hello { hello },
    2 => Create { device, memory, size },
    3 => Free { memory },
    4 => Program { program, archive },
    5 => DropProgram { program },
    6 => Launch { launch, device, program, kernel, geometry, args },
    7 => DropLaunch { launch },
    8 => Run { event, waits, work },
    9 => Tell { event, to },
    10 => Forget { event },
    11 => Lost { rank, failure },
    12 => Stop {},
    13 => Done { event, outcome },
    14 => Data { transfer, length, bytes },
    15 => NoData { transfer, failure },
    16 => Built { program, outcome },
    17 => Ended { event, ending },
    18 => Exchange { with, bytes, turns, first },
    19 => Exchanged { nanoseconds },
});

/// Features that a node's device may have and a host can use over messages.
const FEATURES: [Features; 4] = [Features::IMAGES, Features::FP64, Features::FP16, Features::OUT_OF_ORDER];

impl Wire for Capabilities {
    fn put(&self, out: &mut Vec<u8>) {
        [&self.device_name, &self.vendor, &self.triple].into_iter().for_each(|text| text.put(out));
        let kind = match self.kind {
            DeviceKind::Cpu => 0_u8,
            DeviceKind::Gpu => 1,
            DeviceKind::Accelerator => 2,
            DeviceKind::Custom => 3,
        };
        kind.put(out);
        FEATURES.iter().for_each(|feature| self.features.has(*feature).put(out));
        [self.address_bits, self.compute_units].put(out);
        self.max_work_item_sizes.put(out);
        let sizes = [
            self.max_work_group_size,
            self.global_memory,
            self.max_allocation,
            self.local_memory,
            self.base_alignment,
            self.printf_buffer,
        ];
        sizes.put(out);
    }

    /// The address space and who executes are the host's to say.
    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let (device_name, vendor, triple) = (String::take(from)?, String::take(from)?, String::take(from)?);
        let kind = match u8::take(from)? {
            0 => DeviceKind::Cpu,
            1 => DeviceKind::Gpu,
            2 => DeviceKind::Accelerator,
            3 => DeviceKind::Custom,
            _ => return Err(Malformed),
        };
        let mut features = Features::NONE;
        for feature in FEATURES {
            if bool::take(from)? {
                features = features | feature;
            }
        }
        let [address_bits, compute_units] = Wire::take(from)?;
        let max_work_item_sizes = Wire::take(from)?;
        let [max_work_group_size, global_memory, max_allocation, local_memory, base_alignment, printf_buffer] =
            Wire::take(from)?;
        Ok(Self {
            device_name,
            vendor,
            kind,
            execution: Execution::DeviceOrdered,
            features,
            address_space: AddressSpace(u64::MAX),
            address_bits,
            compute_units,
            max_work_group_size,
            max_work_item_sizes,
            global_memory,
            max_allocation,
            local_memory,
            base_alignment,
            printf_buffer,
            triple,
        })
    }
}

/// Adds a message to a packet.
pub(crate) fn append(packet: &mut Vec<u8>, message: &Message) {
    let at = packet.len();
    0_u32.put(packet);
    message.put(packet);
    let length = u32::try_from(packet.len() - at - 4).unwrap_or(u32::MAX);
    packet[at..at + 4].copy_from_slice(&length.to_le_bytes());
}

/// Of the end of a command, which begins there in a packet: so many nanoseconds have passed since it was said.
pub(crate) fn older(packet: &mut [u8], begin: usize, nanoseconds: u64) {
    // Behind the length, the variant, and the event's number.
    const AGES: usize = 4 + 1 + 8;
    let Some(ages) = packet.get_mut(begin + AGES..begin + AGES + 16) else { return };
    let (ages, _) = ages.as_chunks_mut::<8>();
    // 0 says that it was never begun.
    if ages[0] != [0; 8] {
        for age in ages {
            *age = u64::from_le_bytes(*age).saturating_add(nanoseconds).to_le_bytes();
        }
    }
}

/// The messages of a packet, until one that is none.
pub(crate) fn messages(packet: &[u8]) -> impl Iterator<Item = Result<Message, Malformed>> + '_ {
    let mut rest = Reader(packet);
    std::iter::from_fn(move || {
        if rest.0.is_empty() {
            return None;
        }
        let mut next = || {
            let length = u32::take(&mut rest)?;
            let mut body = Reader(rest.bytes(usize::try_from(length).map_err(|_| Malformed)?)?);
            let message = Message::take(&mut body)?;
            if body.0.is_empty() { Ok(message) } else { Err(Malformed) }
        };
        let message = next();
        if message.is_err() {
            rest.0 = &[];
        }
        Some(message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxcl_driver::DriverError;
    use oxcl_driver::image::{Addressing, ImageDescription, ImageFormat, ImageKind, Mip, SamplerDescription};

    fn samples() -> Vec<Message> {
        let kernel = Failure::Kernel { kernel: "k".to_owned(), reason: "fell over".to_owned() };
        let side = RectSide { offset: 3, row_pitch: 64, slice_pitch: 640 };
        let image = ImageDescription {
            kind: ImageKind::Image2dArray,
            format: ImageFormat { channel_order: 0x10b5, channel_type: 0x10de },
            size: [5, 6, 1],
            array_size: 7,
            element_size: 16,
            row_pitch: 80,
            slice_pitch: 480,
            levels: 3,
        };
        let mip = Mip { linear: true, lowest: 7, highest: 9 };
        let sampler = SamplerDescription { mip, ..SamplerDescription::new(true, Addressing::Repeat, false) };
        let at = At { memory: 9, offset: 128, writes: true };
        let geometry = Geometry {
            work_dim: 2,
            groups: [2, 3, 1],
            local: [4, 5, 1],
            global: [8, 15, 1],
            offset: [1, 0, 0],
        };
        let args = vec![
            ArgValue::Buffer(at),
            ArgValue::Null,
            ArgValue::Pointer(77),
            ArgValue::Local(256),
            ArgValue::Value([1, 2, 3].into()),
            ArgValue::Image(at, image),
            ArgValue::Sampler(sampler),
        ];
        let failures = [
            kernel.clone(),
            Failure::Panicked { message: "oh".to_owned() },
            DriverError::OutOfMemory { needed: 1, available: 2 }.into(),
            DriverError::DeviceMemory { needed: 1, available: 2, pinned: 3 }.into(),
            DriverError::Device { reason: "gone".to_owned() }.into(),
            Failure::UserEvent { status: -7 },
            Failure::Abandoned,
            Failure::OutOfHostMemory,
            Failure::ShutDown,
            Failure::Elsewhere { place: "rank 2".to_owned(), cause: Box::new(kernel) },
        ];
        let rectangle = Region::Rectangle { size: [4, 2, 2], side };
        let mut all = vec![
            Message::Alive {},
            Message::Create { device: 1, memory: 2, size: 3 },
            Message::Program { program: 4, archive: vec![5; 300].into() },
            Message::Launch { launch: 1, device: 0, program: 4, kernel: 2, geometry, args },
            Message::Run { event: None, waits: vec![1, 2, 3], work: Work::Nothing {} },
            Message::Run {
                event: Some(9),
                waits: vec![],
                work: Work::Send { memory: 1, region: rectangle, to: 2, transfer: 3 },
            },
            Message::Data { transfer: 8, length: 3, bytes: Some([1, 2, 3].into()) },
            Message::Data { transfer: 8, length: 1 << 40, bytes: None },
        ];
        for failure in failures {
            all.push(Message::Done { event: 5, outcome: Err(failure.clone()) });
            let ending = Ending { outcome: Err(failure), ages: [5, 4], printed: Box::default(), dropped: 1 };
            all.push(Message::Ended { event: 6, ending });
        }
        all
    }

    #[test]
    fn what_is_written_is_read() {
        let all = samples();
        let mut packet = Vec::new();
        all.iter().for_each(|message| append(&mut packet, message));
        let read: Vec<Message> = messages(&packet).collect::<Result<_, _>>().unwrap();
        assert_eq!(read, all);
    }

    #[test]
    fn a_table_of_capabilities_arrives() {
        let sent = Capabilities {
            kind: DeviceKind::Accelerator,
            features: Features::FP64 | Features::IMAGES,
            execution: Execution::DeviceOrdered,
            address_space: AddressSpace(u64::MAX),
            triple: "x86_64".to_owned(),
            ..Capabilities::host("a device")
        };
        let mut bytes = Vec::new();
        sent.put(&mut bytes);
        assert_eq!(Capabilities::take(&mut Reader(&bytes)), Ok(sent));
    }

    #[test]
    fn bytes_that_were_cut_or_changed_are_an_error_and_no_panic() {
        for message in samples() {
            let mut packet = Vec::new();
            append(&mut packet, &message);
            for end in 0..packet.len() {
                assert!(messages(&packet[..end]).all(|read| read.is_err()), "{message:?} cut at {end}");
            }
            for at in 0..packet.len().min(200) {
                let mut changed = packet.clone();
                changed[at] ^= 0x81;
                messages(&changed).for_each(drop);
            }
        }
    }
}
