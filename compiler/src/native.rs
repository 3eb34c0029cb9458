//! Calls of mathematics that stay calls.
//!
//! In: a program whose built-in functions are declared. Out: the same, in which those that the library has as machine code
//! for the processor at hand are known to compute and do nothing else, and carry the names of their vector forms; LLVM's
//! vectoriser calls these. The bodies are neither read nor compiled: the linker takes what is called.

use oxcl_builtins::{NativeLevel, native_levels};
use oxcl_codegen::CpuTarget;
use oxcl_ir::inkwell::GlobalVisibility;
use oxcl_ir::{Function, Module, Opcode, Place};

/// The attribute that LLVM knows vector forms by.
const WIDE_FORMS: &str = "vector-function-abi-variant";

/// What each level of x86-64 asks of a processor, in LLVM's names, beyond the levels below it.
const NEEDS: [(&str, &[&str]); 3] = [
    ("x86-64-v4", &["avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"]),
    ("x86-64-v3", &["avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"]),
    ("x86-64-v2", &["crc32", "cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"]),
];

/// The library's machine code for the processor of a request, and which of it calls may stay calls of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Native {
    level: &'static NativeLevel,
    /// All of it: bodies are compiled nowhere. Else what keeps loops from being widened when it is inlined.
    all: bool,
}

impl Native {
    /// Whether calls of a function stay calls.
    pub(crate) fn has(self, symbol: &str) -> bool {
        if self.all { self.object_of(symbol).is_some() } else { self.level.is_rugged(symbol) }
    }

    /// The object that defines a function or one of its vector forms.
    pub(crate) fn object_of(self, symbol: &str) -> Option<&'static [u8]> {
        Some(self.level.object_of(symbol)?.object)
    }
}

/// The machine code that programs may call on a processor; `all`: no bodies are compiled at all.
pub(crate) fn native(cpu: &CpuTarget, all: bool) -> Option<Native> {
    Some(Native { level: of(cpu)?, all })
}

/// The best level that a processor has all features of.
fn of(cpu: &CpuTarget) -> Option<&'static NativeLevel> {
    let has = |level: &str| {
        let place = NEEDS.iter().position(|(known, _)| *known == level);
        place.is_some_and(|place| NEEDS[place..].iter().all(|(_, needs)| needs.iter().all(|f| cpu.has(f))))
    };
    native_levels().iter().find(|level| has(level.cpu))
}

/// Marks a declared function of the library: calls of it may be moved, dropped and widened.
pub(crate) fn mark(module: &Module<'_>, native: Native, symbol: &str) {
    let Some(function) = Function::find(module, symbol) else { return };
    // It is linked from objects that nobody else sees: calls go straight.
    if let Some(declared) = module.get_function(symbol) {
        declared.as_global_value().set_visibility(GlobalVisibility::Hidden);
    }
    mark_pure(function, &native.level.wide_forms(symbol));
}

/// Says of a declared function that it computes from its arguments and does nothing else, and which functions do so for how many
/// lanes.
pub(crate) fn mark_pure(function: Function<'_>, forms: &[(u32, String)]) {
    for name in ["nounwind", "willreturn", "nofree", "nosync"] {
        function.add_attribute(Place::Function, name);
    }
    // Its value, 0, is what LLVM writes as `none`.
    function.add_attribute_value(Place::Function, "memory", 0);
    // The front end cannot tell that work-items do not meet in it.
    function.remove_attribute(Place::Function, "convergent");
    for user in function.value().users() {
        if user.is(Opcode::LLVMCall) {
            user.remove_call_attribute("convergent");
        }
    }
    let parameters = "v".repeat(function.parameters().len());
    let symbol = function.value().name();
    let forms: Vec<String> = forms
        .iter()
        .map(|(width, form)| format!("_ZGV_LLVM_N{width}{parameters}_{symbol}({form})"))
        .collect();
    if !forms.is_empty() {
        function.add_string_attribute(WIDE_FORMS, &forms.join(","));
    }
}

#[cfg(test)]
mod tests {
    use super::{NEEDS, of};
    use oxcl_codegen::CpuTarget;

    #[test]
    fn levels_need_what_llvm_says() {
        let mut below = CpuTarget::named("x86-64").unwrap().features().to_vec();
        for (level, needs) in NEEDS.iter().rev() {
            let cpu = CpuTarget::named(level).unwrap();
            let more: Vec<&String> = cpu.features().iter().filter(|f| !below.contains(f)).collect();
            assert_eq!(more, *needs, "{level}");
            below = cpu.features().to_vec();
        }
    }

    #[test]
    fn processors_have_their_level() {
        let level = |name: &str| of(&CpuTarget::named(name).unwrap()).map(|level| level.cpu);
        assert_eq!(level("x86-64"), None);
        assert_eq!(level("nehalem"), Some("x86-64-v2"));
        assert_eq!(level("sandybridge"), Some("x86-64-v2"));
        assert_eq!(level("haswell"), Some("x86-64-v3"));
        assert_eq!(level("znver4"), Some("x86-64-v4"));
    }
}
