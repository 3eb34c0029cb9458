//! How many stops a value must make where no bus joins its source with its destination.
//!
//! A stop is a register file or a unit: whatever takes a value from a bus and gives it to one later. Each costs a move and a
//! cycle at least, whichever it is, so the least number of stops is a bound for every way of routing the value.

use crate::model::{Machine, SlotSource};
use crate::schedule::wires::{Buses, Wires};
use std::collections::HashMap;

/// The least numbers of stops of a machine.
#[derive(Debug)]
pub(super) struct Distances {
    /// The buses into and out of each place that a value can stop at.
    stops: Vec<(Buses, Buses)>,
    /// For sets of buses that a value can leave its source on: those that it reaches with 0, 1, ... stops. Looked up only.
    reached: HashMap<Buses, Vec<Buses>>,
    /// The ways to write long immediates.
    longs: Vec<LongWay>,
}

/// A way to write a long immediate.
#[derive(Debug)]
pub(super) struct LongWay {
    unit: usize,
    latency: i64,
    out: Buses,
    pub(super) taken: Buses,
    width: u32,
}

impl Distances {
    pub(super) fn new(machine: &Machine, wires: &Wires) -> Self {
        let mut stops: Vec<(Buses, Buses)> = Vec::new();
        for (file, _) in machine.register_files() {
            stops.push((wires.file_input(file), wires.file_output(file)));
        }
        for (unit, facts) in machine.units() {
            let ports = || (0u16..).zip(&facts.ports).map(|(port, _)| wires.port(unit, port));
            stops.push((
                ports().map(|p| p.0).fold(0, |a, b| a | b),
                ports().map(|p| p.1).fold(0, |a, b| a | b),
            ));
        }
        let mut longs = Vec::new();
        for write in machine.templates.iter().flat_map(|t| &t.writes) {
            let facts = &machine.immediate_units[write.unit.index()];
            let bus = |slot: &SlotSource| match slot {
                SlotSource::Bus(bus) if bus.0 < 64 => 1 << bus.0,
                _ => 0,
            };
            longs.push(LongWay {
                unit: write.unit.index(),
                latency: i64::from(facts.latency),
                out: wires.out_of_immediate(write.unit),
                taken: write.slots.iter().map(|(slot, _)| bus(slot)).fold(0, |a, b| a | b),
                width: write.width(),
            });
        }
        Self { stops, reached: HashMap::new(), longs }
    }

    /// The least number of stops from one of the buses `from` to one of the buses `to`.
    pub(super) fn between(&mut self, from: Buses, to: Buses) -> i64 {
        if from & to != 0 {
            return 0;
        }
        let stops = &self.stops;
        let levels = self.reached.entry(from).or_insert_with(|| {
            let mut levels = vec![from];
            loop {
                let last = levels[levels.len() - 1];
                let next = stops.iter().filter(|s| s.0 & last != 0).map(|s| s.1).fold(last, |a, b| a | b);
                if next == last {
                    return levels;
                }
                levels.push(next);
            }
        });
        let found = levels.iter().position(|reached| reached & to != 0);
        // Where there is no way at all there is no schedule either.
        i64::try_from(found.unwrap_or(levels.len())).unwrap_or(0)
    }

    /// Whether one stop suffices for all of `to`.
    pub(super) fn one_stop(&self, from: Buses, to: &[Buses]) -> bool {
        self.stops.iter().any(|(into, out)| into & from != 0 && to.iter().all(|t| out & t != 0))
    }

    /// The ways to write a number as a long immediate.
    pub(super) fn ways(&self, machine: &Machine, value: u64) -> impl Iterator<Item = &LongWay> {
        self.longs.iter().filter(move |way| {
            let facts = &machine.immediate_units[way.unit];
            facts.extension.extend(value, way.width) & crate::model::mask(facts.width) == value
        })
    }

    /// In which cycle a number can be moved over one of the buses `to` at the earliest.
    pub(super) fn number(&mut self, machine: &Machine, wires: &Wires, value: u64, to: Buses) -> i64 {
        let short = wires.fitting(machine, value);
        if short & to != 0 {
            return 0;
        }
        let long: Vec<(i64, Buses)> = self.ways(machine, value).map(|w| (w.latency, w.out)).collect();
        let mut least = (short != 0).then(|| self.between(short, to));
        for (latency, out) in long {
            let found = latency + self.between(out, to);
            least = Some(least.map_or(found, |l| l.min(found)));
        }
        least.unwrap_or(0)
    }
}

impl LongWay {
    /// Cycles from the instruction that writes it to the first that reads it.
    pub(super) fn latency(&self) -> i64 {
        self.latency
    }
}
