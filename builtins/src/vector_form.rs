//! The vector forms of scalar functions: which overload does for W lanes what a call does for one.
//!
//! Names are mangled by the Itanium rules: a vector of 16 floats is `Dv16_f`, and a type that occurs again is referred
//! to as `S_`, `S0_`, `S1_` and so on.

use crate::catalog;
use crate::symbols::{AddressBits, unit_of};

/// Sources whose functions do by element what they do on scalars. Comparisons do not (true is 1 on a scalar and -1 in
/// an element), nor does whatever looks at a vector as a whole.
const BY_ELEMENT: [&str; 17] = [
    "basic",
    "bits",
    "common",
    "convert",
    "erf",
    "exp",
    "gamma",
    "hyperbolic",
    "integer",
    "inverse",
    "log",
    "native_functions",
    "pow",
    "remainder",
    "root",
    "trig",
    "trigpi",
];

/// The symbol of the overload that takes and gives `width` lanes where `symbol`, the mangled name of a function of the
/// library, takes and gives scalars. `None` where `symbol` is no such function, has pointer parameters, or there is no
/// overload of this width.
///
/// All lanes get the bits that the scalar function gives.
#[must_use]
pub fn vector_form(bits: AddressBits, symbol: &str, width: u32) -> Option<String> {
    let (name, parameters) = split(symbol)?;
    let source = catalog::find(name)?.source;
    if !BY_ELEMENT.contains(&source) && name != "bitselect" {
        return None;
    }
    let types = types(parameters)?;
    let name = if source == "convert" { wide_conversion(name, width)? } else { name.to_owned() };
    let mut seen = Vec::new();
    let mut mangled = format!("_Z{}{name}", name.len());
    for ty in types {
        match seen.iter().position(|known| *known == ty) {
            Some(0) => mangled.push_str("S_"),
            // More than ten different types do not occur, so one digit is enough.
            Some(index) => mangled.push_str(&format!("S{}_", index - 1)),
            None => {
                mangled.push_str(&format!("Dv{width}_{ty}"));
                seen.push(ty);
            }
        }
    }
    unit_of(bits, &mangled).map(|_| mangled)
}

/// The mangled scalar types of parameters; `None` where there is none, or another one among them.
fn types(mut parameters: &str) -> Option<Vec<&str>> {
    let mut types = Vec::new();
    while let Some(first) = parameters.bytes().next() {
        let length = if parameters.starts_with("Dh") { 2 } else { 1 };
        if length == 1 && !b"ahcstijlmfd".contains(&first) {
            return None;
        }
        let (ty, rest) = parameters.split_at(length);
        types.push(ty);
        parameters = rest;
    }
    (!types.is_empty()).then_some(types)
}

/// The name and the parameters of a mangled function.
fn split(symbol: &str) -> Option<(&str, &str)> {
    let rest = symbol.strip_prefix("_Z")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let length: usize = rest[..digits].parse().ok()?;
    let end = digits.checked_add(length)?;
    Some((rest.get(digits..end)?, rest.get(end..)?))
}

/// `convert_int16_sat` from `convert_int_sat` and 16.
fn wide_conversion(name: &str, width: u32) -> Option<String> {
    let rest = name.strip_prefix("convert_")?;
    let end = rest.find('_').unwrap_or(rest.len());
    let (ty, modes) = rest.split_at(end);
    Some(format!("convert_{ty}{width}{modes}"))
}

#[cfg(test)]
mod tests {
    use super::vector_form;
    use crate::symbols::{AddressBits, symbols};

    fn form(symbol: &str, width: u32) -> Option<String> {
        vector_form(AddressBits::Bits64, symbol, width)
    }

    #[test]
    fn repeated_types_are_referred_to() {
        assert_eq!(form("_Z3sinf", 16).as_deref(), Some("_Z3sinDv16_f"));
        assert_eq!(form("_Z3powff", 8).as_deref(), Some("_Z3powDv8_fS_"));
        assert_eq!(form("_Z5ldexpfi", 4).as_deref(), Some("_Z5ldexpDv4_fDv4_i"));
        assert_eq!(form("_Z3fmaddd", 2).as_deref(), Some("_Z3fmaDv2_dS_S_"));
        assert_eq!(form("_Z6rotatejj", 16).as_deref(), Some("_Z6rotateDv16_jS_"));
        assert_eq!(form("_Z5ldexpDhi", 8).as_deref(), Some("_Z5ldexpDv8_DhDv8_i"));
        assert_eq!(form("_Z4fmaxDhDh", 4).as_deref(), Some("_Z4fmaxDv4_DhS_"));
        assert_eq!(form("_Z8upsampleij", 4).as_deref(), Some("_Z8upsampleDv4_iDv4_j"));
    }

    #[test]
    fn conversions_carry_the_width_in_their_names() {
        assert_eq!(form("_Z11convert_intf", 16).as_deref(), Some("_Z13convert_int16Dv16_f"));
        assert_eq!(form("_Z21convert_uchar_sat_rted", 2).as_deref(), Some("_Z22convert_uchar2_sat_rteDv2_d"));
        assert_eq!(form("_Z12convert_halff", 4).as_deref(), Some("_Z13convert_half4Dv4_f"));
    }

    #[test]
    fn what_is_not_by_element_has_none() {
        for symbol in
            ["_Z3dotff", "_Z6lengthf", "_Z7isequalff", "_Z3anyi", "_Z6selectffi", "_Z5fractfPU3AS1f", "main"]
        {
            assert_eq!(form(symbol, 4), None, "{symbol}");
        }
        assert_eq!(form("_Z3sinf", 32), None);
        assert_eq!(form("_Z3sinDv4_f", 4), None);
    }

    #[test]
    fn every_scalar_function_of_one_type_has_all_widths() {
        let scalars = symbols(AddressBits::Bits64).filter(|symbol| form(symbol, 2).is_some());
        let mut count = 0;
        for symbol in scalars {
            for width in [2, 3, 4, 8, 16] {
                assert!(form(symbol, width).is_some(), "{symbol} at width {width}");
            }
            count += 1;
        }
        assert!(count > 1000, "{count}");
    }
}
