//! Machines from short plans: the project's own machine files and random machines for tests are written this way.
//!
//! In: a [`Plan`], which names only what differs from machine to machine. Out: a whole [`Machine`]. Operand 1 of every
//! operation is at the trigger port `t`, operands 2 and up at `o2`, `o3`, ..., results at `r1`, `r2`, ...; each port has a
//! socket `unit_port` that joins every bus unless the plan narrows it. Our own six machines and more are in
//! [`stock`].

pub mod stock;

use crate::model::{
    AddressSpace, Bus, BusId, Control, Direction, Extension, FileId, FileKind, FilePort, Guard, GuardSource,
    ImmediateUnit, ImmediateUnitId, Machine, OperandUse, Operation, Port, RegisterFile, ResourceUse,
    ShortImmediate, SlotSource, Socket, SocketId, SpaceId, Template, TemplateWrite, Unit,
};
use crate::ops::Op;

/// A register file of a plan.
#[derive(Debug, Clone)]
pub struct FilePlan {
    /// The name.
    pub name: String,
    /// Registers.
    pub size: u32,
    /// Bits of each.
    pub width: u32,
    /// Read ports.
    pub reads: u32,
    /// Write ports.
    pub writes: u32,
    /// Every bus offers a straight and an inverted guard on every register.
    pub guards: bool,
    /// Added to the control unit's guard latency.
    pub guard_latency: u32,
}

/// A function unit of a plan.
#[derive(Debug, Clone)]
pub struct UnitPlan {
    /// The name.
    pub name: String,
    /// Operations and their latencies.
    pub operations: Vec<(String, u32)>,
    /// Operations that hold the unit for their whole latency, so that no two overlap.
    pub exclusive: Vec<String>,
    /// The name of its address space.
    pub space: Option<String>,
}

/// Long immediates of a plan.
#[derive(Debug, Clone)]
pub struct LongPlan {
    /// Registers of the immediate unit.
    pub registers: u32,
    /// Buses by position and the bits that each gives.
    pub slots: Vec<(u16, u32)>,
    /// How a value is widened to 32 bits.
    pub extension: Extension,
    /// Cycles until it can be read.
    pub latency: u32,
}

/// What makes one machine differ from another.
#[derive(Debug, Clone)]
pub struct Plan {
    /// For each bus, how its short immediates are widened and their bits.
    pub buses: Vec<(Extension, u32)>,
    /// Register files.
    pub files: Vec<FilePlan>,
    /// Function units.
    pub units: Vec<UnitPlan>,
    /// Data address spaces: name, highest address, one memory for all cores, numbers.
    pub spaces: Vec<(String, u64, bool, Vec<u32>)>,
    /// Long immediates.
    pub long: Option<LongPlan>,
    /// Instructions that execute after a jump.
    pub delay_slots: u32,
    /// The control unit's guard latency.
    pub guard_latency: u32,
    /// Sockets that join only these buses.
    pub narrow: Vec<(String, Vec<u16>)>,
    /// The lowest byte of a word stands at the lowest address.
    pub little_endian: bool,
}

/// Builds machines step by step: sockets are made with the ports that need them.
struct Builder<'a> {
    plan: &'a Plan,
    sockets: Vec<Socket>,
}

impl Builder<'_> {
    fn socket(&mut self, name: String, direction: Direction) -> Option<SocketId> {
        let all = || (0..self.plan.buses.len()).filter_map(|i| u16::try_from(i).ok()).collect();
        let buses: Vec<u16> =
            self.plan.narrow.iter().find(|(n, _)| *n == name).map_or_else(all, |(_, b)| b.clone());
        let id = SocketId(u16::try_from(self.sockets.len()).ok()?);
        self.sockets.push(Socket { name, direction, buses: buses.into_iter().map(BusId).collect() });
        Some(id)
    }

    fn port(&mut self, unit: &str, name: String, width: u32, way: Direction) -> Port {
        let socket = self.socket(format!("{unit}_{name}"), way);
        let triggers = name == "t" || name == "pc";
        let (input, output) = if way == Direction::Input { (socket, None) } else { (None, socket) };
        Port { name, width, input, output, triggers, sets_opcode: triggers, registered: true, special: false }
    }

    fn unit(&mut self, plan: &UnitPlan, spaces: &[AddressSpace]) -> Unit {
        let facts = |name: &str| {
            let info = Op::named(name).map(Op::info);
            (info.map_or(2, |i| i.inputs), info.map_or(1, |i| i.outputs))
        };
        let most =
            plan.operations.iter().map(|(n, _)| facts(n)).fold((1, 0), |(i, o), (a, b)| (i.max(a), o.max(b)));
        let mut ports = vec![self.port(&plan.name, "t".to_owned(), 32, Direction::Input)];
        for k in 2..=most.0 {
            ports.push(self.port(&plan.name, format!("o{k}"), 32, Direction::Input));
        }
        for k in 1..=most.1 {
            ports.push(self.port(&plan.name, format!("r{k}"), 32, Direction::Output));
        }
        let operations = plan
            .operations
            .iter()
            .map(|(name, latency)| {
                let (inputs, outputs) = facts(name);
                let outs = (inputs + 1..=inputs + outputs).zip(most.0..);
                Operation {
                    name: name.clone(),
                    op: Op::named(name),
                    bindings: (1..=inputs).zip(0..).chain(outs).collect(),
                    reads: (1..=inputs).map(|operand| OperandUse { operand, start: 0, cycles: 1 }).collect(),
                    writes: (inputs + 1..=inputs + outputs)
                        .map(|operand| OperandUse { operand, start: latency.saturating_sub(1), cycles: 1 })
                        .collect(),
                    resources: plan
                        .exclusive
                        .contains(name)
                        .then(|| ResourceUse { name: "busy".to_owned(), start: 0, cycles: *latency })
                        .into_iter()
                        .collect(),
                }
            })
            .collect();
        let space = plan.space.as_ref().and_then(|name| space_named(spaces, name));
        Unit { name: plan.name.clone(), ports, operations, space }
    }

    fn control_unit(&mut self) -> Unit {
        let pc = self.port("gcu", "pc".to_owned(), 32, Direction::Input);
        let into = self.socket("gcu_ra_in".to_owned(), Direction::Input);
        let out = self.socket("gcu_ra_out".to_owned(), Direction::Output);
        let ra = Port {
            name: "ra".to_owned(),
            width: 32,
            input: into,
            output: out,
            triggers: false,
            sets_opcode: false,
            registered: true,
            special: true,
        };
        let operation = |name: &str| Operation {
            name: name.to_owned(),
            op: Op::named(name),
            bindings: vec![(1, 0)],
            reads: vec![OperandUse { operand: 1, start: 0, cycles: 1 }],
            writes: Vec::new(),
            resources: Vec::new(),
        };
        Unit {
            name: "gcu".to_owned(),
            ports: vec![pc, ra],
            operations: vec![operation("jump"), operation("call")],
            space: None,
        }
    }

    fn file(&mut self, plan: &FilePlan) -> RegisterFile {
        let mut ports = Vec::new();
        for k in 1..=plan.writes {
            let name = format!("w{k}");
            let socket = self.socket(format!("{}_{name}", plan.name), Direction::Input);
            ports.push(FilePort { name, socket });
        }
        for k in 1..=plan.reads {
            let name = format!("r{k}");
            let socket = self.socket(format!("{}_{name}", plan.name), Direction::Output);
            ports.push(FilePort { name, socket });
        }
        RegisterFile {
            name: plan.name.clone(),
            kind: FileKind::Normal,
            size: plan.size,
            width: plan.width,
            max_reads: plan.reads,
            max_writes: plan.writes,
            guard_latency: plan.guard_latency,
            ports,
            zero_register: false,
        }
    }
}

fn space_named(spaces: &[AddressSpace], name: &str) -> Option<SpaceId> {
    (0u16..).zip(spaces).find(|(_, s)| s.name == name).map(|(i, _)| SpaceId(i))
}

/// Builds the machine of a plan.
#[must_use]
pub fn compose(plan: &Plan) -> Machine {
    let mut spaces: Vec<AddressSpace> = plan
        .spaces
        .iter()
        .map(|(name, max, shared, numbers)| AddressSpace {
            name: name.clone(),
            unit_width: 8,
            min_address: 0,
            max_address: *max,
            shared: *shared,
            numbers: numbers.clone(),
        })
        .collect();
    spaces.push(AddressSpace {
        name: "instructions".to_owned(),
        unit_width: 8,
        min_address: 0,
        max_address: 0xf_ffff,
        shared: false,
        numbers: Vec::new(),
    });

    let mut guards = vec![Guard::Always];
    for (file, facts) in (0u16..).zip(&plan.files).filter(|(_, f)| f.guards) {
        for index in 0..facts.size {
            let source = GuardSource::Register { file: FileId(file), index };
            guards.extend([false, true].map(|inverted| Guard::If { source, inverted }));
        }
    }
    let buses = plan
        .buses
        .iter()
        .enumerate()
        .map(|(i, (extension, width))| Bus {
            name: format!("B{i}"),
            width: 32,
            guards: guards.clone(),
            segment: "s".to_owned(),
            short_immediate: ShortImmediate { extension: *extension, width: *width },
        })
        .collect();

    let mut builder = Builder { plan, sockets: Vec::new() };
    let mut units: Vec<Unit> = plan.units.iter().map(|u| builder.unit(u, &spaces)).collect();
    units.push(builder.control_unit());
    let register_files = plan.files.iter().map(|f| builder.file(f)).collect();
    let (mut immediate_units, mut templates) = (Vec::new(), Vec::new());
    if let Some(long) = &plan.long {
        let id = ImmediateUnitId(0);
        let socket = builder.socket("imm_r1".to_owned(), Direction::Output);
        immediate_units.push(ImmediateUnit {
            name: "imm".to_owned(),
            kind: FileKind::Normal,
            size: long.registers,
            width: 32,
            max_reads: 1,
            max_writes: 1,
            guard_latency: 0,
            latency: long.latency,
            extension: long.extension,
            ports: vec![FilePort { name: "r1".to_owned(), socket }],
        });
        templates.push(Template { name: "moves".to_owned(), writes: Vec::new(), listed_in: vec![id] });
        let slots = long.slots.iter().map(|(bus, bits)| (SlotSource::Bus(BusId(*bus)), *bits)).collect();
        let writes = vec![TemplateWrite { unit: id, slots }];
        templates.push(Template { name: "long".to_owned(), writes, listed_in: vec![id] });
    }
    let control = Control {
        return_address: Some(1),
        delay_slots: plan.delay_slots,
        guard_latency: plan.guard_latency,
        space: space_named(&spaces, "instructions"),
    };
    Machine {
        little_endian: plan.little_endian,
        bits64: false,
        buses,
        sockets: builder.sockets,
        units,
        control,
        register_files,
        immediate_units,
        immediate_slots: Vec::new(),
        templates,
        spaces,
    }
}
