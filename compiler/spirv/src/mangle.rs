//! Names of the library's functions, as clang mangles them (Itanium's rules with OpenCL's address spaces).

use std::fmt::Write as _;

use crate::words::COMMON_WIDTHS;

/// A parameter's type in OpenCL C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Param {
    Int {
        bits: u32,
        signed: bool,
    },
    Float(u32),
    Vector(Box<Param>, u32),
    Pointer {
        space: u32,
        qualifiers: &'static str,
        of: Box<Param>,
    },
    /// `_Atomic`
    Atomic(Box<Param>),
    /// An enumeration.
    Enum(&'static str),
    /// A type of OpenCL's own.
    Opaque(String),
    Void,
}

impl Param {
    pub(crate) const INT: Param = Param::Int { bits: 32, signed: true };
    pub(crate) const UINT: Param = Param::Int { bits: 32, signed: false };

    /// A pointer to what is not qualified.
    pub(crate) fn pointer(space: u32, of: Param) -> Param {
        Param::Pointer { space, qualifiers: "", of: Box::new(of) }
    }

    /// A pointer to what is constant.
    pub(crate) fn const_pointer(space: u32, of: Param) -> Param {
        Param::Pointer { space, qualifiers: "K", of: Box::new(of) }
    }

    /// The same with so many lanes, where there are several.
    pub(crate) fn lanes(self, lanes: u32) -> Param {
        if lanes > 1 { Param::Vector(Box::new(self), lanes) } else { self }
    }

    /// The bits of integers that OpenCL C has no type for.
    pub(crate) fn other_width(&self) -> Option<u32> {
        match self {
            Param::Int { bits, .. } => (!COMMON_WIDTHS.contains(bits)).then_some(*bits),
            Param::Vector(of, _) | Param::Pointer { of, .. } | Param::Atomic(of) => of.other_width(),
            _ => None,
        }
    }

    /// The type in LLVM's words; `opaque` types have none here.
    pub(crate) fn llvm(&self) -> String {
        match self {
            Param::Int { bits, .. } => format!("i{bits}"),
            Param::Float(16) => "half".to_owned(),
            Param::Float(32) => "float".to_owned(),
            Param::Float(_) => "double".to_owned(),
            Param::Vector(of, lanes) => format!("<{lanes} x {}>", of.llvm()),
            Param::Pointer { space: 0, .. } => "ptr".to_owned(),
            Param::Pointer { space, .. } => format!("ptr addrspace({space})"),
            Param::Atomic(of) => of.llvm(),
            Param::Enum(_) => "i32".to_owned(),
            Param::Opaque(_) | Param::Void => "void".to_owned(),
        }
    }
}

/// A function's mangled name.
pub(crate) fn mangled(name: &str, params: &[Param]) -> String {
    let mut out = format!("_Z{}{name}", name.len());
    let mut seen = Vec::new();
    if params.is_empty() {
        out.push('v');
    }
    for param in params {
        encode(param, &mut out, &mut seen);
    }
    out
}

/// The type without substitutions: what tells types apart.
fn key(param: &Param) -> String {
    match param {
        Param::Int { bits, signed } => match (bits, signed) {
            (8, true) => "c",
            (8, false) => "h",
            (16, true) => "s",
            (16, false) => "t",
            (32, true) => "i",
            (32, false) => "j",
            (_, true) => "l",
            (_, false) => "m",
        }
        .to_owned(),
        Param::Float(16) => "Dh".to_owned(),
        Param::Float(32) => "f".to_owned(),
        Param::Float(_) => "d".to_owned(),
        Param::Vector(of, lanes) => format!("Dv{lanes}_{}", key(of)),
        Param::Pointer { space, qualifiers, of } => format!("P{}{}", prefix(*space, qualifiers), key(of)),
        Param::Atomic(of) => format!("U7_Atomic{}", key(of)),
        Param::Enum(name) => format!("{}{name}", name.len()),
        Param::Opaque(name) => format!("{}{name}", name.len()),
        Param::Void => "v".to_owned(),
    }
}

/// A pointee's address space and qualifiers.
fn prefix(space: u32, qualifiers: &str) -> String {
    if space == 0 { qualifiers.to_owned() } else { format!("U3AS{space}{qualifiers}") }
}

/// Writes the reference to a type that was written before.
fn substituted(key: &str, out: &mut String, seen: &[String]) -> bool {
    let Some(index) = seen.iter().position(|one| one == key) else { return false };
    match index {
        0 => out.push_str("S_"),
        _ => {
            // Digits to the base 36.
            let digit = |n: usize| char::from_digit(u32::try_from(n % 36).unwrap_or(0), 36).unwrap_or('0');
            let mut number = index - 1;
            let mut digits = vec![digit(number)];
            while number >= 36 {
                number /= 36;
                digits.push(digit(number));
            }
            let text: String = digits.iter().rev().map(char::to_ascii_uppercase).collect();
            let _ = write!(out, "S{text}_");
        }
    }
    true
}

fn encode(param: &Param, out: &mut String, seen: &mut Vec<String>) {
    let own = key(param);
    match param {
        Param::Int { .. } | Param::Float(_) | Param::Void => {
            out.push_str(&own);
            return;
        }
        _ if substituted(&own, out, seen) => return,
        Param::Vector(of, lanes) => {
            let _ = write!(out, "Dv{lanes}_");
            encode(of, out, seen);
        }
        Param::Atomic(of) => {
            out.push_str("U7_Atomic");
            encode(of, out, seen);
        }
        Param::Enum(_) | Param::Opaque(_) => out.push_str(&own),
        Param::Pointer { space, qualifiers, of } => {
            out.push('P');
            let prefix = prefix(*space, qualifiers);
            if prefix.is_empty() {
                encode(of, out, seen);
            } else {
                let qualified = format!("{prefix}{}", key(of));
                if !substituted(&qualified, out, seen) {
                    out.push_str(&prefix);
                    encode(of, out, seen);
                    seen.push(qualified);
                }
            }
        }
    }
    seen.push(own);
}

#[cfg(test)]
mod tests {
    use super::{Param, mangled};

    #[test]
    fn names_are_clangs() {
        let float4 = || Param::Float(32).lanes(4);
        assert_eq!(mangled("get_work_dim", &[]), "_Z12get_work_dimv");
        assert_eq!(mangled("fract", &[float4(), Param::pointer(3, float4())]), "_Z5fractDv4_fPU3AS3S_");
        assert_eq!(mangled("fract", &[float4(), Param::pointer(0, float4())]), "_Z5fractDv4_fPS_");
        let event = || Param::Opaque("ocl_event".to_owned());
        let size = Param::Int { bits: 64, signed: false };
        let copy = [Param::pointer(1, float4()), Param::const_pointer(3, float4()), size, event()];
        assert_eq!(
            mangled("async_work_group_copy", &copy),
            "_Z21async_work_group_copyPU3AS1Dv4_fPU3AS3KS_m9ocl_event"
        );
        // Types of OpenCL's own are counted where types come again.
        let image = || Param::Opaque("ocl_image2d_ro".to_owned());
        let float2 = || Param::Float(32).lanes(2);
        let sampler = Param::Opaque("ocl_sampler".to_owned());
        assert_eq!(
            mangled("read_imagef", &[image(), sampler, float2(), float2(), float2()]),
            "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_fS1_S1_"
        );
        assert_eq!(mangled("both", &[image(), image()]), "_Z4both14ocl_image2d_roS_");
        let atomic = Param::Atomic(Box::new(Param::INT));
        let atomic = Param::Pointer { space: 1, qualifiers: "V", of: Box::new(atomic) };
        let order = || Param::Enum("memory_order");
        let exchange = [atomic, Param::pointer(4, Param::INT), Param::INT, order(), order()];
        assert_eq!(
            mangled("atomic_compare_exchange_strong_explicit", &exchange),
            "_Z39atomic_compare_exchange_strong_explicitPU3AS1VU7_AtomiciPU3AS4ii12memory_orderS4_"
        );
    }
}
