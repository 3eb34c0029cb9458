//! Atomic operations. Scopes are all the system's: a narrower one would not be cheaper on the devices that there are.

use rspirv::spirv::Op;

use crate::error::{Result, invalid, not_supported};
use crate::function::{Function, Used};
use crate::mangle::Param;
use crate::types::Shape;
use crate::words::Instruction;

/// LLVM's order of memory semantics; the strongest where they are not known.
fn ordering(semantics: Option<u64>) -> &'static str {
    match semantics.map(|bits| bits & 0x1E) {
        Some(0) => "monotonic",
        Some(2) => "acquire",
        Some(4) => "release",
        Some(8) => "acq_rel",
        _ => "seq_cst",
    }
}

/// What a read may have of an order.
fn of_load(order: &'static str) -> &'static str {
    match order {
        "release" => "monotonic",
        "acq_rel" => "acquire",
        other => other,
    }
}

/// What a write may have of it.
fn of_store(order: &'static str) -> &'static str {
    match order {
        "acquire" => "monotonic",
        "acq_rel" => "release",
        other => other,
    }
}

/// The order in OpenCL C's numbers.
pub(crate) fn order_number(semantics: Option<u64>) -> u32 {
    match ordering(semantics) {
        "monotonic" => 0,
        "acquire" => 2,
        "release" => 3,
        "acq_rel" => 4,
        _ => 5,
    }
}

impl Function<'_, '_> {
    /// Atomic operations; false where it is another instruction.
    pub(crate) fn atomic(&mut self, i: &Instruction) -> Result<bool> {
        let name = match i.op {
            Op::AtomicIAdd | Op::AtomicIIncrement => "add",
            Op::AtomicISub | Op::AtomicIDecrement => "sub",
            Op::AtomicSMin => "min",
            Op::AtomicUMin => "umin",
            Op::AtomicSMax => "max",
            Op::AtomicUMax => "umax",
            Op::AtomicAnd => "and",
            Op::AtomicOr => "or",
            Op::AtomicXor => "xor",
            Op::AtomicExchange => "xchg",
            Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT => {
                return self.atomic_on_floats(i).map(|()| true);
            }
            Op::AtomicLoad => return self.atomic_load(i).map(|()| true),
            Op::AtomicStore => return self.atomic_store(i).map(|()| true),
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                return self.compare_exchange(i).map(|()| true);
            }
            Op::AtomicFlagTestAndSet | Op::AtomicFlagClear => return self.flag(i).map(|()| true),
            _ => return Ok(false),
        };
        let pointer = self.place_of(i, self.result_text(i)?.to_string().as_str())?;
        let order = ordering(self.constant_at(i, 2)?);
        let value = if matches!(i.op, Op::AtomicIIncrement | Op::AtomicIDecrement) {
            "1".to_owned()
        } else {
            let value = self.operand(i, 3)?;
            self.same_type(i, &value)?;
            value.text
        };
        if i.op != Op::AtomicExchange {
            self.t.types.int_bits(i.word, i.result_type()?)?;
        }
        let ty = self.result_text(i)?;
        self.define(i, &format!("atomicrmw {name} {}, {ty} {value} {order}", pointer.typed()))?;
        Ok(true)
    }

    /// The pointer of an atomic operation on a value of this type.
    fn place_of(&mut self, i: &Instruction, held: &str) -> Result<Used> {
        let pointer = self.operand(i, 0)?;
        let (_, to) = self.t.types.pointee(i.word, pointer.ty)?;
        let own = self.t.types.in_memory(i.word, to)?;
        if *own.text != *held {
            return Err(invalid(i.word, format!("an atomic operation on {held} in memory of {}", own.text)));
        }
        if own.size * 8 > 32 && self.t.bits() == 32 {
            return Err(not_supported(i.word, "an atomic operation on 64 bits where addresses have 32"));
        }
        // Processors of 32 bits have no halves in memory.
        let is_half = own.shape == Shape::Float(16) && self.t.bits() == 64;
        if own.size < 4 && !is_half {
            return Err(not_supported(i.word, format!("an atomic operation on {}", own.text)));
        }
        Ok(pointer)
    }

    fn atomic_load(&mut self, i: &Instruction) -> Result<()> {
        let ty = self.result_text(i)?;
        let pointer = self.place_of(i, &ty)?;
        let order = of_load(ordering(self.constant_at(i, 2)?));
        let bytes = self.t.types.get(i.word, i.result_type()?)?.size;
        self.define(i, &format!("load atomic {ty}, {} {order}, align {bytes}", pointer.typed()))
    }

    fn atomic_store(&mut self, i: &Instruction) -> Result<()> {
        let value = self.operand(i, 3)?;
        let pointer = self.place_of(i, &value.type_text)?;
        let order = of_store(ordering(self.constant_at(i, 2)?));
        let bytes = self.t.types.get(i.word, value.ty)?.size;
        self.line(i, &format!("store atomic {}, {} {order}, align {bytes}", value.typed(), pointer.typed()));
        Ok(())
    }

    fn compare_exchange(&mut self, i: &Instruction) -> Result<()> {
        let ty = self.result_text(i)?;
        let pointer = self.place_of(i, &ty)?;
        let (value, expected) = (self.operand(i, 4)?, self.operand(i, 5)?);
        self.same_type(i, &value)?;
        self.same_type(i, &expected)?;
        let order = ordering(self.constant_at(i, 2)?);
        let failed = of_load(ordering(self.constant_at(i, 3)?));
        let text =
            format!("cmpxchg {}, {}, {} {order} {failed}", pointer.typed(), expected.typed(), value.typed());
        let pair = self.temporary(i, &text);
        self.define(i, &format!("extractvalue {{ {ty}, i1 }} {pair}, 0"))
    }

    fn flag(&mut self, i: &Instruction) -> Result<()> {
        let pointer = self.place_of(i, "i32")?;
        let order = ordering(self.constant_at(i, 2)?);
        if i.op == Op::AtomicFlagClear {
            self.line(i, &format!("store atomic i32 0, {} {}, align 4", pointer.typed(), of_store(order)));
            return Ok(());
        }
        let old = self.temporary(i, &format!("atomicrmw xchg {}, i32 1 {order}", pointer.typed()));
        self.define(i, &format!("icmp ne i32 {old}, 0"))
    }

    /// Floating-point sums and extrema are the library's.
    fn atomic_on_floats(&mut self, i: &Instruction) -> Result<()> {
        let bits = self.t.types.float_bits(i.word, i.result_type()?)?;
        let ty = self.result_text(i)?;
        let pointer = self.place_of(i, &ty)?;
        let value = self.operand(i, 3)?;
        self.same_type(i, &value)?;
        let (space, _) = self.t.types.pointee(i.word, pointer.ty)?;
        let name = match i.op {
            Op::AtomicFAddEXT => "atomic_fetch_add_explicit",
            Op::AtomicFMinEXT => "atomic_fetch_min_explicit",
            _ => "atomic_fetch_max_explicit",
        };
        let held = Param::Atomic(Box::new(Param::Float(bits)));
        let place = Param::Pointer { space, qualifiers: "V", of: Box::new(held) };
        let params = [place, Param::Float(bits), Param::Enum("memory_order"), Param::Enum("memory_scope")];
        let order = order_number(self.constant_at(i, 2)?).to_string();
        let number = |number: &str| ("i32".to_owned(), number.to_owned());
        // The scope: all devices.
        let arguments = [pointer.argument(), value.argument(), number(&order), number("3")];
        let call = self.library(i, name, &params, &ty, &arguments)?;
        self.define(i, &call)
    }
}
