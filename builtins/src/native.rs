//! The mathematics as machine code: objects for x86-64's levels, made at build time.
//!
//! A program that calls a function here and is linked with its object needs nothing of the function's body: neither time
//! to compile it nor, where loops are vectorised, room to inline it, because each function of scalars has its forms for
//! the vectors of its level. All of them give the bits that the bitcode's functions give where that is compiled for the
//! same level.

use crate::symbols::{AddressBits, entry_of};
use crate::vector_form::vector_form;

/// The functions of one unit, as an ELF object.
#[derive(Debug, PartialEq, Eq)]
pub struct NativeObject {
    /// The unit's name.
    pub name: &'static str,
    /// The object, for x86-64 and any place in memory; its functions are hidden and have a section each.
    pub object: &'static [u8],
}

/// The mathematics for one level of x86-64.
#[derive(Debug, PartialEq, Eq)]
pub struct NativeLevel {
    /// LLVM's name of the level. Code that calls must be made for a processor with all features of it.
    pub cpu: &'static str,
    /// The size of its widest vector registers.
    pub register_bits: u32,
    index: &'static str,
    objects: &'static [NativeObject],
}

include!(concat!(env!("OUT_DIR"), "/native.rs"));

/// All levels, the one with the widest registers first.
#[must_use]
pub fn native_levels() -> &'static [NativeLevel] {
    LEVELS
}

impl NativeLevel {
    /// The object that defines `symbol`, a mangled name. Whatever is found is a function of numbers alone: it neither
    /// reads nor writes memory of others, and it returns.
    #[must_use]
    pub fn object_of(&self, symbol: &str) -> Option<&'static NativeObject> {
        let entry = entry_of(self.index, symbol)?;
        self.objects.get(entry.split(' ').next()?.parse::<usize>().ok()?)
    }

    /// Whether the level defines `symbol` and its body has loops or calls: where that is inlined into a loop, LLVM does not
    /// widen it, but it does widen a call.
    #[must_use]
    pub fn is_rugged(&self, symbol: &str) -> bool {
        entry_of(self.index, symbol).is_some_and(|entry| entry.contains(' '))
    }

    /// The vector forms of a function of scalars: how many elements, and the symbol; the shortest first.
    #[must_use]
    pub fn wide_forms(&self, symbol: &str) -> Vec<(u32, String)> {
        let forms = [2, 4, 8, 16]
            .into_iter()
            .filter_map(|width| Some((width, vector_form(AddressBits::Bits64, symbol, width)?)));
        forms.filter(|(_, form)| self.object_of(form).is_some()).collect()
    }

    /// Every symbol that the level defines, in sorted order.
    pub fn symbols(&self) -> impl Iterator<Item = &'static str> {
        self.index.lines().filter_map(|line| line.split_once(' ')).map(|(symbol, _)| symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::native_levels;

    #[test]
    fn forms_fill_the_registers_of_their_level() {
        let widths = |level: usize, symbol: &str| -> Vec<u32> {
            native_levels()[level].wide_forms(symbol).into_iter().map(|(width, _)| width).collect()
        };
        assert_eq!(native_levels().iter().map(|l| l.register_bits).collect::<Vec<_>>(), [512, 256, 128]);
        assert_eq!(widths(0, "_Z3expf"), [4, 8, 16]);
        assert_eq!(widths(0, "_Z3powdd"), [2, 4, 8]);
        assert_eq!(widths(1, "_Z3powff"), [4, 8]);
        assert_eq!(widths(1, "_Z4pownfi"), [4, 8]);
        assert_eq!(widths(2, "_Z5rootndi"), [2]);
        for level in native_levels() {
            let rugged: Vec<&str> =
                level.symbols().filter(|s| level.is_rugged(s) && s.ends_with('d')).collect();
            let wanted = ["_Z3cosd", "_Z3sind", "_Z3tand", "_Z4fmoddd", "_Z9remainderdd"];
            assert!(wanted.iter().all(|symbol| rugged.contains(symbol)), "{rugged:?}");
            assert!(!level.is_rugged("_Z3expf") && !level.is_rugged("main"));
            assert!(level.object_of("_Z5fractfPU3AS1f").is_none(), "pointers");
            assert!(level.object_of("_Z3expDv3_f").is_none(), "no register has three");
            assert!(level.wide_forms("_Z3expDv4_f").is_empty(), "no scalars");
            for symbol in level.symbols() {
                assert!(level.object_of(symbol).is_some(), "{symbol}");
            }
        }
    }
}
