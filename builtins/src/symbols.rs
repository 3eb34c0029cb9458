//! Which unit defines a symbol.
//!
//! The index is text, sorted, one `symbol unit-number` a line, and is searched in place: a table of strings would cost
//! a relocation for each of some ten thousand symbols at every start of the program.

/// The size of a pointer of the device, which decides the type of `size_t` and with it the names of some functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressBits {
    /// `spir-unknown-unknown`.
    Bits32,
    /// `spir64-unknown-unknown`.
    Bits64,
}

/// One module of the library.
#[derive(Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its name, for messages.
    pub name: &'static str,
    /// The LLVM bitcode.
    pub bitcode: &'static [u8],
    /// Whether what it brings calls functions of other units, which call no further ones.
    pub calls_others: bool,
}

include!(concat!(env!("OUT_DIR"), "/units.rs"));

const SYMBOLS_32: &str = include_str!(concat!(env!("OUT_DIR"), "/symbols.32.txt"));
const SYMBOLS_64: &str = include_str!(concat!(env!("OUT_DIR"), "/symbols.64.txt"));

/// The unit that [`reference_work_items`] gives.
const REFERENCE_UNIT: &str = "ref_workitem";

/// All units, in the order of their names.
#[must_use]
pub fn units(bits: AddressBits) -> &'static [Unit] {
    match bits {
        AddressBits::Bits32 => UNITS_32,
        AddressBits::Bits64 => UNITS_64,
    }
}

/// The sorted index text of one address size.
fn index(bits: AddressBits) -> &'static str {
    match bits {
        AddressBits::Bits32 => SYMBOLS_32,
        AddressBits::Bits64 => SYMBOLS_64,
    }
}

/// The unit that defines `symbol` (a mangled name); `None` where the library does not define it.
#[must_use]
pub fn unit_of(bits: AddressBits, symbol: &str) -> Option<&'static Unit> {
    units(bits).get(entry_of(index(bits), symbol)?.parse::<usize>().ok()?)
}

/// What stands behind `symbol` in a sorted index text.
pub(crate) fn entry_of<'i>(index: &'i str, symbol: &str) -> Option<&'i str> {
    let mut rest = index;
    while !rest.is_empty() {
        // Symbols and numbers are ASCII, so every byte is a character of its own.
        let middle = rest.len() / 2;
        let start = rest[..middle].rfind('\n').map_or(0, |newline| newline + 1);
        let end = rest[middle..].find('\n').map_or(rest.len(), |newline| middle + newline);
        let (found, entry) = rest[start..end].split_once(' ')?;
        match symbol.cmp(found) {
            std::cmp::Ordering::Less => rest = &rest[..start],
            std::cmp::Ordering::Greater => rest = rest.get(end + 1..).unwrap_or(""),
            std::cmp::Ordering::Equal => return Some(entry),
        }
    }
    None
}

/// The units that define any of `undefined`, each once, in the order of their names. Symbols that the library does not
/// define are passed over.
#[must_use]
pub fn units_for<'a>(bits: AddressBits, undefined: impl IntoIterator<Item = &'a str>) -> Vec<&'static Unit> {
    let mut found: Vec<&Unit> = undefined.into_iter().filter_map(|symbol| unit_of(bits, symbol)).collect();
    found.sort_by_key(|unit| unit.name);
    found.dedup();
    found
}

/// The work-item functions and barriers of the reference executor, over `oxcl_binary::abi::RefItem`; `None` where the
/// address size has none. They call `oxcl_ref_current_item`, which the reference compile path defines.
#[must_use]
pub fn reference_work_items(bits: AddressBits) -> Option<&'static Unit> {
    units(bits).iter().find(|unit| unit.name == REFERENCE_UNIT)
}

/// Every symbol that the library defines, in sorted order.
pub fn symbols(bits: AddressBits) -> impl Iterator<Item = &'static str> {
    index(bits).lines().filter_map(|line| line.split_once(' ')).map(|(symbol, _)| symbol)
}

#[cfg(test)]
mod tests {
    use super::{AddressBits, symbols, unit_of, units_for};

    #[test]
    fn every_symbol_is_found() {
        for bits in [AddressBits::Bits32, AddressBits::Bits64] {
            for symbol in symbols(bits) {
                assert!(unit_of(bits, symbol).is_some(), "{symbol}");
            }
        }
    }

    #[test]
    fn absent_symbols_are_not_found() {
        for symbol in ["", "_Z", "zzz", "_Z13get_global_idj", "_Z7barrierj", "printf"] {
            assert_eq!(unit_of(AddressBits::Bits64, symbol), None, "{symbol}");
        }
    }

    #[test]
    fn the_type_of_size_t_is_in_the_name() {
        let vload4 = |size: char| format!("_Z6vload4{size}PU3AS1Kf");
        assert!(unit_of(AddressBits::Bits64, &vload4('m')).is_some());
        assert!(unit_of(AddressBits::Bits64, &vload4('j')).is_none());
        assert!(unit_of(AddressBits::Bits32, &vload4('j')).is_some());
    }

    #[test]
    fn a_unit_is_given_once() {
        let names: Vec<_> = units_for(AddressBits::Bits64, ["_Z3maxii", "_Z3minii", "_Z3dotff", "nothing"])
            .iter()
            .map(|unit| unit.name)
            .collect();
        assert_eq!(names, ["geometric", "integer"]);
    }
}
