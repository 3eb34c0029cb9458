//! How far the code of a machine can reach, and what that costs.
//!
//! In: a machine. Out: the largest instruction addresses that jumps may be scheduled for, the cheapest first. An address is a
//! constant as any other: a short immediate of some buses, or a long one of some instruction formats. Widths that the same of
//! these bear cost the same, so of each kind the largest is taken.

use super::wires::{Buses, Wires};
use crate::model::{Guard, Machine, mask};
use crate::program::{Destination, Source};

/// Bits of an instruction address that nearly every program gets along with.
const USUAL: u32 = 15;
/// Bits of an instruction address at most.
const MOST: u32 = 31;

/// What can bring an address: the buses that carry it to the control unit at once, those that carry it anywhere, and the formats
/// that hold it.
type Ways = (Buses, Buses, Vec<bool>);

/// The largest instruction addresses that jumps may be scheduled for, each larger and dearer than the one before; at least one.
///
/// The first is what nearly every program gets along with, or the largest that the machine has a constant for. None is beyond
/// the memory for instructions.
#[must_use]
pub fn reaches(machine: &Machine) -> Vec<u64> {
    let room = machine.control.space.and_then(|s| machine.spaces.get(s.index()));
    let room = room.map_or(mask(MOST), |space| space.max_address).clamp(1, mask(MOST));
    let Some(wires) = Wires::new(machine) else { return vec![mask(USUAL).min(room)] };
    let ways: Vec<Ways> = (1..=MOST + 1).map(|bits| ways(machine, &wires, mask(bits))).collect();
    let (mut short, mut limits) = (None, Vec::new());
    for (bits, pair) in (1..=MOST).zip(ways.windows(2)) {
        let (at_once, anywhere, formats) = &pair[0];
        let borne = at_once | anywhere != 0 || formats.contains(&true);
        let last = bits == MOST || pair[0] != pair[1];
        let limit = mask(bits).min(room);
        match borne && last {
            true if bits < USUAL => short = Some(limit),
            true if limits.last() != Some(&limit) => limits.push(limit),
            _ => {}
        }
    }
    if limits.is_empty() {
        limits.push(short.unwrap_or(mask(USUAL).min(room)));
    }
    limits
}

fn ways(machine: &Machine, wires: &Wires, value: u64) -> Ways {
    let unit = machine.control_unit();
    let trigger = machine.units.last().and_then(|control| control.trigger());
    let at_once = trigger.map_or(0, |port| {
        let destination = Destination::Port { unit, port, operation: Some(0) };
        wires.between(machine, Source::Constant(value), destination, Guard::Always)
    });
    (at_once, wires.fitting(machine, value), wires.formats_of(machine, value))
}
