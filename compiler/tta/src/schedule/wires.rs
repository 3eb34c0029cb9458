//! Which bus joins what, as sets of buses: asked for every move that is tried, so worked out once a machine.
//!
//! In: a machine of at most 64 buses. Out: for every place that a value can come from or go to the buses that reach it, and
//! the order in which buses are tried: what joins little first, so that what joins much stays free.

use super::mir::Register;
use crate::check::fits;
use crate::model::{
    BusId, Direction, FileId, FilePort, Guard, ImmediateUnitId, Machine, SlotSource, Unit, UnitId, mask,
};
use crate::program::{Destination, Source};

/// A set of buses.
pub(super) type Buses = u64;

/// The buses of a machine by what they join.
#[derive(Debug)]
pub(super) struct Wires {
    /// The buses that bear each guard; there are few guards.
    guards: Vec<(Guard, Buses)>,
    always: Buses,
    files: Vec<(Buses, Buses)>,
    immediates: Vec<Buses>,
    ports: Vec<Vec<(Buses, Buses)>>,
    /// For each width in bits up to 64 the buses that carry it.
    wide: Vec<Buses>,
    /// The buses in the order in which they are tried.
    order: Vec<BusId>,
    every: Buses,
    formats: Vec<Format>,
    /// For each unit and operation the resources that it takes.
    resources: Vec<Vec<Vec<Hold>>>,
    places: Places,
}

/// Numbers from 0 on for all ports, registers, resources and immediate registers, so that what is known of each is in a list.
#[derive(Debug, Default)]
struct Places {
    ports: Numbers,
    registers: Numbers,
    resources: Numbers,
    immediates: Numbers,
}

/// The number of the first of each owner, and how many there are in all.
#[derive(Debug, Default)]
struct Numbers {
    first: Vec<usize>,
    count: usize,
}

impl Numbers {
    fn of(counts: impl Iterator<Item = usize>) -> Self {
        let mut all = Self::default();
        for count in counts {
            all.first.push(all.count);
            all.count += count;
        }
        all
    }
}

/// A resource of a unit, by the place of its first mention, that an operation holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hold {
    pub(super) resource: usize,
    pub(super) start: i64,
    pub(super) cycles: i64,
}

/// What each operation of a unit holds.
fn resources(unit: &Unit) -> Vec<Vec<Hold>> {
    let mut names: Vec<&str> = Vec::new();
    let mut all = Vec::new();
    for operation in &unit.operations {
        let mut held = Vec::new();
        for found in &operation.resources {
            let resource = names.iter().position(|n| *n == found.name).unwrap_or_else(|| {
                names.push(&found.name);
                names.len() - 1
            });
            held.push(Hold { resource, start: found.start.into(), cycles: found.cycles.into() });
        }
        all.push(held);
    }
    all
}

/// An instruction format that writes one long immediate: the unit, the buses that it takes, the immediate's bits.
#[derive(Debug)]
struct Format {
    unit: ImmediateUnitId,
    buses: Buses,
    width: u32,
}

impl Wires {
    /// Works the sets out; `None` for machines of more than 64 buses.
    pub(super) fn new(machine: &Machine) -> Option<Self> {
        if machine.buses.len() > 64 {
            return None;
        }
        let set = |member: &dyn Fn(BusId) -> bool| -> Buses {
            machine.buses().filter(|(bus, _)| member(*bus)).map(|(bus, _)| 1 << bus.0).sum()
        };
        let file =
            |ports: &[FilePort], way| set(&|bus| ports.iter().any(|p| machine.joins(p.socket, bus, way)));
        let mut guards: Vec<(Guard, Buses)> = Vec::new();
        for (bus, facts) in machine.buses() {
            for guard in facts.guards.iter().copied().filter(|guard| facts.bears(*guard)) {
                match guards.iter_mut().find(|(known, _)| *known == guard) {
                    Some((_, buses)) => *buses |= 1 << bus.0,
                    None => guards.push((guard, 1 << bus.0)),
                }
            }
        }
        let always = set(&|bus| machine.buses[bus.index()].bears(Guard::Always));
        let files: Vec<_> = machine
            .register_files
            .iter()
            .map(|f| (file(&f.ports, Direction::Input), file(&f.ports, Direction::Output)))
            .collect();
        let immediates = machine.immediate_units.iter().map(|u| file(&u.ports, Direction::Output)).collect();
        let ports: Vec<Vec<_>> = machine
            .units
            .iter()
            .map(|unit| {
                let sets = unit.ports.iter().map(|p| {
                    let input = set(&|bus| machine.joins(p.input, bus, Direction::Input));
                    (input, set(&|bus| machine.joins(p.output, bus, Direction::Output)))
                });
                sets.collect()
            })
            .collect();
        let wide = (0..=64).map(|width| set(&|bus| machine.buses[bus.index()].width >= width)).collect();
        let degree = |bus: BusId| {
            let on = |s: Buses| u32::from(s >> bus.0 & 1 == 1);
            let joined: u32 = files.iter().chain(ports.iter().flatten()).map(|(i, o)| on(*i) + on(*o)).sum();
            (joined, machine.buses[bus.index()].short_immediate.width, bus)
        };
        let mut order: Vec<BusId> = machine.buses().map(|(bus, _)| bus).collect();
        order.sort_by_key(|bus| degree(*bus));
        let formats = machine.templates.iter().filter_map(|t| match t.writes.as_slice() {
            [write] => {
                let taken = |bus| write.slots.iter().any(|(slot, _)| *slot == SlotSource::Bus(bus));
                Some(Format { unit: write.unit, buses: set(&taken), width: write.width() })
            }
            _ => None,
        });
        let formats = formats.collect();
        let resources: Vec<_> = machine.units.iter().map(resources).collect();
        let held = |unit: &Vec<Vec<Hold>>| unit.iter().flatten().map(|h| h.resource + 1).max().unwrap_or(0);
        let places = Places {
            ports: Numbers::of(machine.units.iter().map(|u| u.ports.len())),
            registers: Numbers::of(machine.register_files.iter().map(|f| f.size as usize)),
            resources: Numbers::of(resources.iter().map(held)),
            immediates: Numbers::of(machine.immediate_units.iter().map(|u| u.size as usize)),
        };
        let every = order.iter().map(|bus| 1 << bus.0).sum();
        Some(Self {
            guards,
            always,
            files,
            immediates,
            ports,
            wide,
            order,
            every,
            formats,
            resources,
            places,
        })
    }

    /// Whether an instruction whose moves take the buses `used` can write `value` to an immediate unit.
    pub(super) fn holds(&self, machine: &Machine, unit: ImmediateUnitId, value: u64, used: Buses) -> bool {
        let facts = &machine.immediate_units[unit.index()];
        self.formats.iter().any(|f| {
            f.unit == unit
                && f.buses & used == 0
                && facts.extension.extend(value, f.width) & mask(facts.width) == value
        })
    }

    /// Which formats can hold `value`.
    pub(super) fn formats_of(&self, machine: &Machine, value: u64) -> Vec<bool> {
        let holds = |f: &Format| {
            let facts = &machine.immediate_units[f.unit.index()];
            facts.extension.extend(value, f.width) & mask(facts.width) == value
        };
        self.formats.iter().map(holds).collect()
    }

    /// The buses that carry from `source` to `destination` under `guard`.
    pub(super) fn between(
        &self,
        machine: &Machine,
        source: Source,
        destination: Destination,
        guard: Guard,
    ) -> Buses {
        let (to, room) = match destination {
            Destination::Register { file, .. } => {
                (self.files[file.index()].0, machine.register_files[file.index()].width)
            }
            Destination::Port { unit, port, .. } => {
                let facts = &machine.units[unit.index()].ports[usize::from(port)];
                (self.ports[unit.index()][usize::from(port)].0, facts.width)
            }
        };
        let candidates = to & self.under(guard);
        let (from, bits) = match source {
            Source::Register { file, .. } => {
                (self.files[file.index()].1, machine.register_files[file.index()].width)
            }
            Source::Immediate { unit, .. } => {
                (self.immediates[unit.index()], machine.immediate_units[unit.index()].width)
            }
            Source::Port { unit, port } => {
                let facts = &machine.units[unit.index()].ports[usize::from(port)];
                (self.ports[unit.index()][usize::from(port)].1, facts.width)
            }
            Source::Constant(value) => {
                let (mut left, mut fitting) = (candidates, 0);
                while left != 0 {
                    let bus = left.trailing_zeros();
                    left &= left - 1;
                    fitting |= Buses::from(fits(&machine.buses[bus as usize], value)) << bus;
                }
                return fitting;
            }
        };
        // Values have 32 bits at most, whatever the ports have.
        candidates & from & self.wide[bits.min(room).min(32) as usize]
    }

    /// The buses that bear a guard.
    fn under(&self, guard: Guard) -> Buses {
        if guard == Guard::Always {
            return self.always;
        }
        self.guards.iter().find(|(known, _)| *known == guard).map_or(0, |(_, buses)| *buses)
    }

    /// What an operation of a unit holds.
    pub(super) fn holds_resources(&self, unit: UnitId, operation: u16) -> &[Hold] {
        &self.resources[unit.index()][usize::from(operation)]
    }

    /// The number of a port among all.
    pub(super) fn port_number(&self, unit: UnitId, port: u16) -> usize {
        self.places.ports.first[unit.index()] + usize::from(port)
    }

    /// How many ports there are.
    pub(super) fn port_count(&self) -> usize {
        self.places.ports.count
    }

    /// The number of a register among all.
    pub(super) fn register_number(&self, register: Register) -> usize {
        self.places.registers.first[register.file.index()] + register.index as usize
    }

    /// How many registers there are.
    pub(super) fn register_count(&self) -> usize {
        self.places.registers.count
    }

    /// The number of a unit's resource among all.
    pub(super) fn resource_number(&self, unit: UnitId, resource: usize) -> usize {
        self.places.resources.first[unit.index()] + resource
    }

    /// How many resources there are.
    pub(super) fn resource_count(&self) -> usize {
        self.places.resources.count
    }

    /// The number of an immediate register among all.
    pub(super) fn immediate_number(&self, unit: ImmediateUnitId, index: u32) -> usize {
        self.places.immediates.first[unit.index()] + index as usize
    }

    /// How many immediate registers there are.
    pub(super) fn immediate_count(&self) -> usize {
        self.places.immediates.count
    }

    /// The buses that write a register file.
    pub(super) fn file_input(&self, file: FileId) -> Buses {
        self.files[file.index()].0
    }

    /// The buses that read a register file.
    pub(super) fn file_output(&self, file: FileId) -> Buses {
        self.files[file.index()].1
    }

    /// The buses that read an immediate unit.
    pub(super) fn out_of_immediate(&self, unit: ImmediateUnitId) -> Buses {
        self.immediates[unit.index()]
    }

    /// The buses that write and that read a unit's port.
    pub(super) fn port(&self, unit: UnitId, port: u16) -> (Buses, Buses) {
        self.ports[unit.index()].get(usize::from(port)).copied().unwrap_or((0, 0))
    }

    /// The buses whose short immediates can be this value.
    pub(super) fn fitting(&self, machine: &Machine, value: u64) -> Buses {
        let fitting = self.order.iter().filter(|bus| fits(&machine.buses[bus.index()], value));
        fitting.map(|bus| 1 << bus.0).sum()
    }

    /// Every bus.
    pub(super) fn every(&self) -> Buses {
        self.every
    }

    /// The place of the first bus of a set in the order in which they are tried.
    pub(super) fn rank(&self, set: Buses) -> Option<usize> {
        self.order.iter().position(|bus| set >> bus.0 & 1 == 1)
    }

    /// The buses of a set in the order in which they are tried.
    pub(super) fn list(&self, set: Buses) -> impl Iterator<Item = BusId> + '_ {
        self.order.iter().copied().filter(move |bus| set >> bus.0 & 1 == 1)
    }
}
