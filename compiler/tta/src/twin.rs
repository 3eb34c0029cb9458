//! The little-endian twin of a big-endian machine: the same units, buses, registers and latencies, with memory operations that
//! put the lowest byte first. Cycle counts for the one are cycle counts for the other.
//!
//! In: a machine. Out: one that programs can be compiled for, as far as byte order goes. Loads and stores of several words
//! have no little-endian form and stay as they are.

use crate::model::Machine;
use crate::ops::Op;

/// Big-endian memory operations and what they are called with the lowest byte first.
const NAMES: &[(&str, &str)] = &[
    ("ldq", "ld8"),
    ("ldqu", "ldu8"),
    ("ldh", "ld16"),
    ("ldhu", "ldu16"),
    ("ldw", "ld32"),
    ("ldd", "ld64"),
    ("stq", "st8"),
    ("sth", "st16"),
    ("stw", "st32"),
    ("std", "st64"),
];

/// The twin; of a little-endian machine a copy.
#[must_use]
pub fn little_endian(machine: &Machine) -> Machine {
    let mut twin = machine.clone();
    if twin.little_endian {
        return twin;
    }
    twin.little_endian = true;
    for operation in twin.units.iter_mut().flat_map(|u| &mut u.operations) {
        if let Some((_, name)) = NAMES.iter().find(|(big, _)| operation.name.eq_ignore_ascii_case(big)) {
            operation.name = (*name).to_owned();
            operation.op = Op::named(name);
        }
    }
    twin
}

#[cfg(test)]
mod tests {
    use super::little_endian;
    use crate::compose::{compose, stock};
    use crate::lift::Ability;

    #[test]
    fn a_twin_can_be_compiled_for() {
        let (_, plan) = stock::plans().into_iter().find(|(n, _)| *n == "big_endian").expect("it is in stock");
        let machine = compose(&plan);
        let twin = little_endian(&machine);
        assert!(Ability::of(&machine).is_err());
        assert!(Ability::of(&twin).is_ok_and(|a| a.has("ld32") && !a.has("ldw")));
        assert_eq!(little_endian(&twin), twin);
    }
}
