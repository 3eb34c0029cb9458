//! Where each part of a core's state stands in one array of words.
//!
//! Registers, immediate registers, and for every port of every unit one word for what was last written to it and one for
//! the result it shows. Guards whose latency is longer than the way from a register to a move look at words of their
//! own, which follow the register at a distance.

use oxcl_tta::model::{FileId, Guard, GuardSource, ImmediateUnitId, Machine, UnitId};

/// A guard that sees its source some cycles late.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Follower {
    /// The source's word.
    pub(crate) source: usize,
    /// The follower's word.
    pub(crate) slot: usize,
    /// How many cycles late.
    pub(crate) delay: u32,
}

/// The layout of a machine's state.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    files: Vec<usize>,
    immediates: Vec<usize>,
    units: Vec<usize>,
    guards: Vec<(GuardSource, usize)>,
    /// Guards that see their source late.
    pub(crate) followers: Vec<Follower>,
    /// Words in all.
    pub(crate) size: usize,
}

impl Layout {
    pub(crate) fn new(machine: &Machine) -> Self {
        let mut next = 0;
        let mut take = |count: usize| {
            let at = next;
            next += count;
            at
        };
        let files = machine.register_files.iter().map(|f| take(f.size as usize)).collect();
        let immediates = machine.immediate_units.iter().map(|u| take(u.size as usize)).collect();
        let units = machine.units.iter().map(|u| take(2 * u.ports.len())).collect();
        let mut layout =
            Self { files, immediates, units, guards: Vec::new(), followers: Vec::new(), size: next };
        for guard in machine.buses.iter().flat_map(|b| &b.guards) {
            let Guard::If { source, .. } = *guard else { continue };
            if layout.guards.iter().any(|(s, _)| *s == source) {
                continue;
            }
            let (word, delay) = match source {
                // A register's new value can be read by the next instruction anyway: that is latency 1.
                GuardSource::Register { file, index } => {
                    (layout.register(file, index), machine.register_guard_latency(file) - 1)
                }
                GuardSource::Port { unit, port } => {
                    (layout.output(unit, port), machine.control.guard_latency)
                }
            };
            if delay == 0 {
                layout.guards.push((source, word));
            } else {
                layout.guards.push((source, layout.size));
                layout.followers.push(Follower { source: word, slot: layout.size, delay });
                layout.size += 1;
            }
        }
        layout
    }

    /// The word of a register.
    pub(crate) fn register(&self, file: FileId, index: u32) -> usize {
        self.files[file.index()] + index as usize
    }

    /// The word of an immediate register.
    pub(crate) fn immediate(&self, unit: ImmediateUnitId, index: u32) -> usize {
        self.immediates[unit.index()] + index as usize
    }

    /// The word of what was last written to a port.
    pub(crate) fn input(&self, unit: UnitId, port: u16) -> usize {
        self.units[unit.index()] + 2 * usize::from(port)
    }

    /// The word of what a port shows. The special ports of the control unit show what was written to them.
    pub(crate) fn output(&self, unit: UnitId, port: u16) -> usize {
        self.input(unit, port) + 1
    }

    /// The word that a guard looks at.
    pub(crate) fn guard(&self, source: GuardSource) -> Option<usize> {
        self.guards.iter().find(|(s, _)| *s == source).map(|(_, word)| *word)
    }
}
