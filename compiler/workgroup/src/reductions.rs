//! Sums of a vector's own elements, and products, joined bits, least and greatest ones: LLVM makes one operation of
//! `v.x + v.y + v.z + v.w` in functions of the library, which it has optimised for one work-item.
//!
//! Lanes keep each element of a vector in a vector of its own. The sum is operations between these then, where a call of
//! `llvm.vector.reduce` would have to be made by one lane after the other, with its elements brought together first.
//!
//! In and out: a prepared kernel for several lanes. Floats stay as they are: their order counts.

use oxcl_ir::{Builder, Function, Opcode, TypeKind, Value};

/// How the names of LLVM's functions for it begin.
const REDUCE: &str = "llvm.vector.reduce.";

/// The most elements that an OpenCL vector has.
const MOST: u32 = 16;

/// Two elements to one.
enum Step {
    Operation(Opcode),
    Intrinsic(&'static str),
}

impl Step {
    /// By the word behind the beginning of a function's name.
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "add" => Step::Operation(Opcode::LLVMAdd),
            "mul" => Step::Operation(Opcode::LLVMMul),
            "and" => Step::Operation(Opcode::LLVMAnd),
            "or" => Step::Operation(Opcode::LLVMOr),
            "xor" => Step::Operation(Opcode::LLVMXor),
            "smax" => Step::Intrinsic("llvm.smax"),
            "smin" => Step::Intrinsic("llvm.smin"),
            "umax" => Step::Intrinsic("llvm.umax"),
            "umin" => Step::Intrinsic("llvm.umin"),
            _ => return None,
        })
    }

    fn make<'c>(&self, b: &Builder<'c>, left: Value<'c>, right: Value<'c>) -> Option<Value<'c>> {
        match self {
            Step::Operation(opcode) => Some(b.binary(*opcode, left, right, "both")),
            Step::Intrinsic(name) => b.intrinsic(name, &[left.ty()], &[left, right], "both"),
        }
    }
}

/// Takes the reductions of a kernel apart.
pub(crate) fn take_apart(kernel: Function<'_>) {
    for call in kernel.instructions() {
        if let Some(result) = apart(call) {
            call.replace_uses_with(result);
            call.erase();
        }
    }
}

fn apart(call: Value<'_>) -> Option<Value<'_>> {
    if !call.is(Opcode::LLVMCall) {
        return None;
    }
    let name = call.callee().filter(|callee| callee.is_intrinsic())?.name();
    let step = Step::of(name.strip_prefix(REDUCE)?.split('.').next()?)?;
    let vector = *call.arguments().first()?;
    let TypeKind::Vector(count @ 2..=MOST) = vector.ty().kind() else { return None };
    let b = Builder::before(call);
    let element = |index: u32| b.extract_lane(vector, b.types().i32().int(index.into()), "element");
    let mut left: Vec<Value<'_>> = (0..count).map(element).collect();
    // Neighbours first, so that no chain is longer than it must be.
    while left.len() > 1 {
        let pairs = left.chunks(2).map(|pair| match *pair {
            [first, second] => step.make(&b, first, second),
            _ => pair.first().copied(),
        });
        left = pairs.collect::<Option<_>>()?;
    }
    left.first().copied()
}
