//! What a machine can do, in the compiler's words: which operations it has, in which space a load or store takes place, which
//! constants cost nothing, and what LLVM may therefore be asked to select.

use crate::model::{Guard, GuardSource, Machine, SpaceId};
use crate::ops::Op;
use std::collections::BTreeSet;

/// Why programs cannot be compiled for a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsuitable {
    /// Words are stored with their highest byte first.
    #[error(
        "the machine keeps the highest byte of a word at the lowest address; programs can be compiled for little-endian machines only"
    )]
    BigEndian,
    /// Registers have 64 bits.
    #[error("the machine computes in 64 bits; programs can be compiled for machines of 32 bits only")]
    Bits64,
    /// Nothing can be done on a condition.
    #[error("the machine has no guards on a register, so nothing can be done on a condition")]
    NoGuards,
    /// Too few registers.
    #[error("the machine has {count} registers of 32 bits; programs need at least {least}")]
    Registers {
        /// How many it has.
        count: u32,
        /// How many are needed.
        least: u32,
    },
    /// Operations that nothing can replace.
    #[error("the machine lacks operations that nothing can replace: {names}")]
    Operations {
        /// Their names.
        names: String,
    },
    /// No memory for an OpenCL address space.
    #[error("the machine has no address space for OpenCL's space {space}")]
    NoSpace {
        /// Its number.
        space: u32,
    },
}

/// Registers of 32 bits without which no program can be compiled.
const LEAST_REGISTERS: u32 = 5;

/// Operations that nothing replaces.
const NEEDED: &[&str] = &["add", "sub", "and", "ior", "xor", "ld32", "st32", "jump"];

/// What a machine can do.
#[derive(Debug, Clone)]
pub struct Ability {
    ops: BTreeSet<Op>,
    /// The machine's space of each OpenCL space 0 to 5.
    spaces: Vec<Option<SpaceId>>,
    signed_bits: u32,
    unsigned_bits: u32,
    words: u32,
}

impl Ability {
    /// Looks a machine over.
    ///
    /// # Errors
    /// No program can be compiled for it.
    pub fn of(machine: &Machine) -> Result<Self, Unsuitable> {
        if machine.bits64 {
            return Err(Unsuitable::Bits64);
        }
        if !machine.little_endian {
            return Err(Unsuitable::BigEndian);
        }
        let guarded = machine
            .buses
            .iter()
            .flat_map(|b| &b.guards)
            .any(|g| matches!(g, Guard::If { source: GuardSource::Register { .. }, .. }));
        if !guarded {
            return Err(Unsuitable::NoGuards);
        }
        let words: u32 = machine.register_files.iter().filter(|f| f.width == 32).map(|f| f.size).sum();
        if words < LEAST_REGISTERS {
            return Err(Unsuitable::Registers { count: words, least: LEAST_REGISTERS });
        }
        let ops: BTreeSet<Op> =
            machine.units.iter().flat_map(|u| &u.operations).filter_map(|o| o.op).collect();
        let has = |name: &str| Op::named(name).is_some_and(|op| ops.contains(&op));
        let mut missing: Vec<&str> = NEEDED.iter().copied().filter(|n| !has(n)).collect();
        for (what, any) in [
            ("a comparison for equality", &["eq", "ne"][..]),
            ("a signed comparison", &["gt", "lt", "ge", "le"]),
            ("an unsigned comparison", &["gtu", "ltu", "geu", "leu"]),
            ("an arithmetic shift to the right", &["shr", "shr1_32"]),
            ("a logical shift to the right", &["shru", "shru1_32"]),
            ("loads of bytes", &["ld8", "ldu8"]),
            ("loads of half words", &["ld16", "ldu16"]),
            ("stores of bytes", &["st8"]),
            ("stores of half words", &["st16"]),
        ] {
            if !any.iter().any(|n| has(n)) {
                missing.push(what);
            }
        }
        if !missing.is_empty() {
            return Err(Unsuitable::Operations { names: missing.join(", ") });
        }
        let data: BTreeSet<SpaceId> = machine.units.iter().filter_map(|u| u.space).collect();
        let only = if data.len() == 1 { data.first().copied() } else { None };
        let listing = |n: u32| {
            machine.spaces().find(|(id, s)| data.contains(id) && s.numbers.contains(&n)).map(|(id, _)| id)
        };
        let spaces: Vec<Option<SpaceId>> = (0..6)
            .map(|n| {
                let global = || if [2, 3, 5].contains(&n) { listing(1) } else { None };
                listing(n).or_else(global).or(only)
            })
            .collect();
        for space in [0, 1] {
            if spaces[space].is_none() {
                return Err(Unsuitable::NoSpace { space: space as u32 });
            }
        }
        let short = |sign: bool| {
            let is = |e| (e == crate::model::Extension::Sign) == sign;
            let widths = machine.buses.iter().map(|b| b.short_immediate).filter(|s| is(s.extension));
            widths.map(|s| s.width).max().unwrap_or(0)
        };
        Ok(Self { ops, spaces, signed_bits: short(true), unsigned_bits: short(false), words })
    }

    /// The operation of this name, if the machine has it.
    #[must_use]
    pub fn op(&self, name: &str) -> Option<Op> {
        Op::named(name).filter(|op| self.ops.contains(op))
    }

    /// Whether the machine has the operation.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.op(name).is_some()
    }

    /// The machine's space for an OpenCL address space. The generic space is the private one where both are one.
    #[must_use]
    pub fn space(&self, number: u32) -> Option<SpaceId> {
        match number {
            4 => self.spaces[1].filter(|s| self.spaces[0] == Some(*s)),
            _ => self.spaces.get(number as usize).copied().flatten(),
        }
    }

    /// Whether a constant needs neither a register nor a long immediate.
    #[must_use]
    pub fn is_cheap(&self, constant: u32) -> bool {
        let signed = self.signed_bits >= 32 || {
            let half = 1_i64 << self.signed_bits.saturating_sub(1);
            self.signed_bits > 0 && (-half..half).contains(&i64::from(constant.cast_signed()))
        };
        signed || self.unsigned_bits >= 32 || u64::from(constant) < 1 << self.unsigned_bits
    }

    /// Whether there are so few registers that a constant had better be written again than kept.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.words < 12
    }

    /// What LLVM may select, in its notation.
    #[must_use]
    pub fn features(&self) -> String {
        let mut features = vec!["+a", "+short-forward-branch-ialu", "+no-default-unroll", "+zbb"];
        let all = |names: &[&str]| names.iter().all(|n| self.has(n));
        if self.has("mul") {
            let divides = all(&["div", "divu"]) && (all(&["mod", "modu"]) || all(&["rem", "remu"]));
            features.push(if divides { "+m" } else { "+zmmul" });
        }
        if self.has_float() {
            features.push("+zfinx");
        }
        if all(&["shl1add", "shl2add"]) {
            features.push("+zba");
        }
        features.join(",")
    }

    /// Whether the machine computes with floats of 32 bits.
    #[must_use]
    pub fn has_float(&self) -> bool {
        let names = ["addf", "subf", "mulf", "divf", "sqrtf", "cif", "cifu", "cfi", "cfiu", "eqf"];
        names.iter().all(|n| self.has(n))
            && ["ltf", "gtf"].iter().any(|n| self.has(n))
            && ["lef", "gef"].iter().any(|n| self.has(n))
    }
}
