//! What each opcode of machine IR becomes.

use super::expand::{Compare, ZERO, number};
use super::{Lifter, To, Wrong};
use crate::code::{Callee, Input, Node, Place, STACK_POINTER, Terminator, Value};
use crate::machine_ir::{self, Instruction, Operand, Part, Register};
use crate::schedule::mir::{Base, Memory};

/// Opcodes of two registers, or of a register and a number, that are one operation.
const BINARY: &[(&str, &str)] = &[
    ("ADD", "add"),
    ("ADDI", "add"),
    ("SUB", "sub"),
    ("AND", "and"),
    ("ANDI", "and"),
    ("OR", "ior"),
    ("ORI", "ior"),
    ("XOR", "xor"),
    ("XORI", "xor"),
    ("ANDN", "andn"),
    ("SLL", "shl"),
    ("SLLI", "shl"),
    ("SRL", "shru"),
    ("SRLI", "shru"),
    ("SRA", "shr"),
    ("SRAI", "shr"),
    ("MUL", "mul"),
    ("MULH", "mulhi"),
    ("MULHU", "mulhiu"),
    ("MULHSU", "mulhisu"),
    ("DIV", "div"),
    ("DIVU", "divu"),
    ("REM", "rem"),
    ("REMU", "remu"),
    ("SH1ADD", "shl1add"),
    ("SH2ADD", "shl2add"),
    ("SH3ADD", "shl3add"),
    ("MIN", "min"),
    ("MAX", "max"),
    ("MINU", "minu"),
    ("MAXU", "maxu"),
    ("ROL", "rotl"),
    ("ROR", "rotr"),
    ("RORI", "rotr"),
];

/// Opcodes of two floats and a rounding mode, which is always to the nearest.
const FLOAT: &[(&str, &str)] =
    &[("FADD_S_INX", "addf"), ("FSUB_S_INX", "subf"), ("FMUL_S_INX", "mulf"), ("FDIV_S_INX", "divf")];

/// Loads: bytes, whether a sign is repeated, the operation.
const LOADS: &[(&str, u32, &str)] = &[
    ("LB", 1, "ld8"),
    ("LBU", 1, "ldu8"),
    ("LH", 2, "ld16"),
    ("LHU", 2, "ldu16"),
    ("LW", 4, "ld32"),
    ("LW_INX", 4, "ld32"),
];

const STORES: &[(&str, u32, &str)] =
    &[("SB", 1, "st8"), ("SH", 2, "st16"), ("SW", 4, "st32"), ("SW_INX", 4, "st32")];

/// Atomic updates: our operation, and the one that computes the new value where the machine has no atomic one.
const ATOMICS: &[(&str, &str, &str)] = &[
    ("AMOADD_W", "atom_add32", "add"),
    ("AMOAND_W", "atom_and32", "and"),
    ("AMOOR_W", "atom_ior32", "ior"),
    ("AMOXOR_W", "atom_xor32", "xor"),
    ("AMOSWAP_W", "atom_xchg32", ""),
    ("AMOMIN_W", "atom_min32", "min"),
    ("AMOMAX_W", "atom_max32", "max"),
    ("AMOMINU_W", "atom_minu32", "minu"),
    ("AMOMAXU_W", "atom_maxu32", "maxu"),
];

/// What the names of functions begin with that stand for operations of the machine.
pub const OPERATION: &str = "__tta_op_";

/// The function that ends the program with its argument as the result.
const HALT: &str = "__tta_halt";

fn row<T: Copy>(table: &[(&str, T)], key: &str) -> Option<T> {
    table.iter().find(|r| r.0 == key).map(|r| r.1)
}

type Done = Result<bool, Wrong>;

impl Lifter<'_> {
    /// Lifts an instruction; whether the block ends with it.
    pub(super) fn instruction(&mut self, instruction: &Instruction) -> Done {
        let opcode = instruction.opcode.as_str();
        let operands = instruction.operands.as_slice();
        match opcode {
            "ADJCALLSTACKDOWN" => {
                if let Some(Operand::Number(bytes)) = operands.first() {
                    self.function.outgoing = self.function.outgoing.max(u32::try_from(*bytes).unwrap_or(0));
                }
                return Ok(false);
            }
            "ADJCALLSTACKUP" | "LIFETIME_START" | "LIFETIME_END" | "KILL" | "DBG_VALUE" => return Ok(false),
            "FENCE" | "FENCE_TSO" => {
                let next = self.label();
                self.end_block(Terminator::Jump(next), next);
                return Ok(false);
            }
            "PseudoRET" | "PseudoBR" | "PseudoTAIL" | "PseudoTAILIndirect" | "UNIMP" | "EBREAK" => {
                return self.leave(instruction);
            }
            "PseudoCALL" | "PseudoCALLIndirect" => {
                if let Some(Operand::Symbol { name, .. }) = operands.first() {
                    if name == HALT {
                        return Ok(self.leave_with(Terminator::Halt { results: vec![Value(10)] }));
                    }
                    if let Some(op) = name.strip_prefix(OPERATION) {
                        return self.named_operation(op).map(|()| false);
                    }
                }
                let callee = self.callee(operands)?;
                self.call(callee, instruction);
                return Ok(false);
            }
            _ => {}
        }
        if let Some(compare) = branch(opcode) {
            return self.branch(compare, operands);
        }
        if let Some((_, bytes, op)) = STORES.iter().find(|s| s.0 == opcode) {
            return self.store(instruction, *bytes, op).map(|()| false);
        }
        let Some(output) = instruction.outputs.first().copied() else { return Err(Wrong::Opcode) };
        if let Register::Virtual(n) = output
            && self.known.contains_key(&n)
        {
            return Ok(false);
        }
        let to = To::plain(value(output));
        if let Some((_, bytes, op)) = LOADS.iter().find(|l| l.0 == opcode) {
            return self.load(instruction, *bytes, op, to).map(|()| false);
        }
        if opcode.starts_with("AMO") || opcode == "PseudoCmpXchg32" {
            return self.atomic(instruction, to).map(|()| false);
        }
        if let Some(name) = opcode.strip_prefix("PseudoCC") {
            return self.conditional(name, operands, to).map(|()| false);
        }
        self.compute(opcode, operands, to).map(|()| false)
    }

    /// A word that an operand stands for.
    fn word(&mut self, operand: &Operand) -> Result<Input, Wrong> {
        Ok(match operand {
            Operand::Register(Register::Physical(0)) => ZERO,
            Operand::Register(Register::Virtual(n)) => match self.known.get(n) {
                Some(known) => *known,
                None => Input::Value(value(Register::Virtual(*n))),
            },
            Operand::Register(r) => Input::Value(value(*r)),
            Operand::Number(n) => number(*n),
            // The upper part of an address is lifted to the whole of it; whoever adds the lower part looks at both.
            Operand::Symbol { part: Part::Low, .. } => return Err(Wrong::Operands),
            Operand::Symbol { name, addend, .. } => self.symbol(name, *addend),
            Operand::Stack(id) => self.place(Place::Object(self.object(*id)?), 0),
            Operand::Argument(id) => {
                let argument = self.source.arguments.iter().find(|a| a.id == *id).ok_or(Wrong::Operands)?;
                self.place(Place::Caller, argument.offset)
            }
            Operand::Block(_) => return Err(Wrong::Operands),
        })
    }

    fn object(&self, id: u32) -> Result<u32, Wrong> {
        let at = self.source.stack.iter().position(|o| o.id == id).ok_or(Wrong::Operands)?;
        u32::try_from(at).map_err(|_| Wrong::Operands)
    }

    /// The address of a place in the frame.
    fn place(&mut self, place: Place, offset: i32) -> Input {
        let distance = Input::Frame { place, offset };
        self.sum(distance)
    }

    /// The stack pointer plus a distance; once in a block.
    fn sum(&mut self, distance: Input) -> Input {
        let key = (distance, 0);
        if let Some((sum, _, version)) = self.sums.get(&key)
            && self.versions[sum.0 as usize] == *version
        {
            return Input::Value(*sum);
        }
        let sum = self.fresh();
        self.operation("add", &[Input::Value(STACK_POINTER), distance], To::plain(sum));
        self.sums.insert(key, (sum, 0, self.versions[sum.0 as usize]));
        Input::Value(sum)
    }

    /// The address whose upper part is in `high` and whose lower part is that of the same symbol and `addend`. The upper part
    /// may stand for several addends.
    fn whole(&mut self, high: &Operand, addend: i32) -> Result<Input, Wrong> {
        match self.word(high)? {
            Input::Symbol { symbol, .. } => Ok(Input::Symbol { symbol, addend }),
            _ => Err(Wrong::Operands),
        }
    }

    /// The address that a base and an offset make.
    fn address(&mut self, base: &Operand, offset: &Operand) -> Result<Input, Wrong> {
        let offset = match offset {
            Operand::Number(n) => i32::try_from(*n).map_err(|_| Wrong::Operands)?,
            Operand::Symbol { part: Part::Low, addend, .. } => return self.whole(base, *addend),
            _ => return Err(Wrong::Operands),
        };
        match base {
            Operand::Stack(id) => {
                let place = Place::Object(self.object(*id)?);
                return Ok(self.place(place, offset));
            }
            Operand::Argument(id) => {
                let argument = self.source.arguments.iter().find(|a| a.id == *id).ok_or(Wrong::Operands)?;
                let whole = argument.offset + offset;
                return Ok(self.place(Place::Caller, whole));
            }
            _ => {}
        }
        let base = self.word(base)?;
        Ok(match base {
            Input::Symbol { symbol, addend } => Input::Symbol { symbol, addend: addend.wrapping_add(offset) },
            Input::Constant(c) => Input::Constant(c.wrapping_add_signed(offset)),
            _ if offset == 0 => base,
            _ => {
                let key = (base, offset.cast_unsigned());
                let version = self.version(base);
                if let Some((sum, of, made)) = self.sums.get(&key)
                    && *of == version
                    && self.versions[sum.0 as usize] == *made
                {
                    return Ok(Input::Value(*sum));
                }
                let sum = self.fresh();
                self.operation("add", &[base, number(i64::from(offset))], To::plain(sum));
                self.sums.insert(key, (sum, version, self.versions[sum.0 as usize]));
                Input::Value(sum)
            }
        })
    }

    fn memory(&mut self, instruction: &Instruction, bytes: u32) -> Result<Memory, Wrong> {
        let access = instruction.memory.first();
        let number = access.map_or(0, |a| a.space);
        let space = self.ability.space(number).ok_or(Wrong::Space(number))?;
        let mut memory = Memory::unknown(space, bytes);
        let Some(access) = access else { return Ok(memory) };
        memory.volatile = instruction.memory.iter().any(|a| a.volatile);
        memory.read_only = access.invariant;
        memory.base = match &access.base {
            machine_ir::Base::Unknown => Base::Unknown,
            machine_ir::Base::Stack(id) => Base::Stack(self.object(*id)?),
            machine_ir::Base::Symbol(name) => match self.symbol(name, 0) {
                Input::Symbol { symbol, .. } => Base::Symbol(symbol),
                _ => Base::Unknown,
            },
            machine_ir::Base::Value(name) => {
                let next = u32::try_from(self.bases.len()).unwrap_or(u32::MAX);
                Base::Value(*self.bases.entry(name.clone()).or_insert(next))
            }
        };
        memory.offset = access.offset;
        Ok(memory)
    }

    fn load(&mut self, instruction: &Instruction, bytes: u32, name: &str, to: To) -> Result<(), Wrong> {
        let [base, offset] = instruction.operands.as_slice() else { return Err(Wrong::Operands) };
        let memory = self.memory(instruction, bytes)?;
        let address = self.address(base, offset)?;
        self.load_from(address, memory, name, to);
        Ok(())
    }

    fn load_from(&mut self, address: Input, memory: Memory, name: &str, to: To) {
        let other = match name {
            "ld8" => "ldu8",
            "ldu8" => "ld8",
            "ld16" => "ldu16",
            _ => "ld16",
        };
        let direct = self.ability.op(name);
        let target = if direct.is_some() { to } else { To::plain(self.fresh()) };
        let Some(op) = direct.or_else(|| self.ability.op(other)) else {
            self.missing.get_or_insert_with(|| name.to_owned());
            return;
        };
        self.push(Node {
            op: Some(op),
            inputs: vec![address],
            outputs: vec![target.value],
            condition: target.condition,
            memory: Some(memory),
        });
        if direct.is_none() {
            let loaded = Input::Value(target.value);
            match name {
                "ld8" => self.operation("sxqw", &[loaded], to),
                "ldu8" => self.operation("and", &[loaded, Input::Constant(0xff)], to),
                "ld16" => self.operation("sxhw", &[loaded], to),
                _ => self.operation("and", &[loaded, Input::Constant(0xffff)], to),
            }
        }
    }

    fn store(&mut self, instruction: &Instruction, bytes: u32, name: &str) -> Result<(), Wrong> {
        let [stored, base, offset] = instruction.operands.as_slice() else { return Err(Wrong::Operands) };
        let memory = self.memory(instruction, bytes)?;
        let stored = self.word(stored)?;
        let address = self.address(base, offset)?;
        self.store_to(address, stored, memory, name);
        Ok(())
    }

    fn store_to(&mut self, address: Input, stored: Input, memory: Memory, name: &str) {
        let Some(op) = self.ability.op(name) else {
            self.missing.get_or_insert_with(|| name.to_owned());
            return;
        };
        let inputs = vec![address, stored];
        self.push(Node { op: Some(op), inputs, outputs: Vec::new(), condition: None, memory: Some(memory) });
    }

    /// A read and a write of a word. Where the machine has no operation for it, nothing else can come between them either:
    /// no other core reaches its memory.
    fn atomic(&mut self, instruction: &Instruction, to: To) -> Result<(), Wrong> {
        let mut memory = self.memory(instruction, 4)?;
        memory.volatile = true;
        let emit = |s: &mut Self, name: &str, inputs: Vec<Input>| {
            let op = s.ability.op(name);
            if let Some(op) = op {
                let (outputs, memory) = (vec![to.value], Some(memory.clone()));
                s.push(Node { op: Some(op), inputs, outputs, condition: None, memory });
            }
            op.is_some()
        };
        if instruction.opcode == "PseudoCmpXchg32" {
            let [address, expected, new, ..] = instruction.operands.as_slice() else {
                return Err(Wrong::Operands);
            };
            let (address, expected, new) = (self.word(address)?, self.word(expected)?, self.word(new)?);
            if emit(self, "atom_cas32", vec![address, expected, new]) {
                return Ok(());
            }
            let old = self.fresh();
            self.load_from(address, memory.clone(), "ld32", To::plain(old));
            let same = self.condition(Compare::Equal, Input::Value(old), expected);
            let written = self.fresh();
            self.copy(Input::Value(old), To::plain(written));
            self.copy(new, To { value: written, condition: Some(same) });
            self.store_to(address, Input::Value(written), memory, "st32");
            self.copy(Input::Value(old), to);
            return Ok(());
        }
        let name = instruction.opcode.trim_end_matches("_RL").trim_end_matches("_AQ");
        let name = name.trim_end_matches("_AQRL");
        let (_, op, combine) = ATOMICS.iter().find(|a| a.0 == name).ok_or(Wrong::Opcode)?;
        let [with, address, ..] = instruction.operands.as_slice() else { return Err(Wrong::Operands) };
        let (with, address) = (self.word(with)?, self.word(address)?);
        if emit(self, op, vec![address, with]) {
            return Ok(());
        }
        let old = self.fresh();
        self.load_from(address, memory.clone(), "ld32", To::plain(old));
        let new = if combine.is_empty() { with } else { self.made(combine, &[Input::Value(old), with]) };
        self.store_to(address, new, memory, "st32");
        self.copy(Input::Value(old), to);
        Ok(())
    }

    /// `output = lhs cc rhs ? operation : output`.
    fn conditional(&mut self, name: &str, operands: &[Operand], to: To) -> Result<(), Wrong> {
        let [left, right, Operand::Number(compare), otherwise, rest @ ..] = operands else {
            return Err(Wrong::Operands);
        };
        let (left, right, otherwise) = (self.word(left)?, self.word(right)?, self.word(otherwise)?);
        let compare = Compare::from_number(*compare).ok_or(Wrong::Operands)?;
        let condition = self.condition(compare, left, right);
        if otherwise != Input::Value(to.value) {
            // What is kept must be in the output first; the operands may still need its old value.
            let kept = self.fresh();
            self.copy(otherwise, To::plain(kept));
            self.conditional_result(name, rest, To { value: kept, condition: Some(condition) })?;
            self.copy(Input::Value(kept), to);
            return Ok(());
        }
        self.conditional_result(name, rest, To { condition: Some(condition), ..to })
    }

    fn conditional_result(&mut self, name: &str, rest: &[Operand], to: To) -> Result<(), Wrong> {
        match (name, rest) {
            ("MOVGPR" | "MOVGPRNoX0", [with]) => {
                let with = self.word(with)?;
                self.copy(with, to);
                Ok(())
            }
            ("LI", [Operand::Number(n)]) => {
                self.copy(number(*n), to);
                Ok(())
            }
            _ => self.compute(name, rest, to),
        }
    }

    fn compute(&mut self, opcode: &str, operands: &[Operand], to: To) -> Result<(), Wrong> {
        match (opcode, operands) {
            ("ADDI", [high, Operand::Symbol { part: Part::Low, addend, .. }]) => {
                let address = self.whole(high, *addend)?;
                self.copy(address, to);
                return Ok(());
            }
            ("PseudoMovAddr" | "PseudoLLA", [whole, ..]) => {
                let address = self.word(whole)?;
                self.copy(address, to);
                return Ok(());
            }
            _ => {}
        }
        if let (Some(name), [a, b]) = (row(BINARY, opcode), operands) {
            let (a, b) = (self.word(a)?, self.word(b)?);
            if name == "shr" && self.is_extension(a, b, to) {
                return Ok(());
            }
            self.operation(name, &[a, b], to);
            return Ok(());
        }
        if let (Some(name), [a, b, ..]) = (row(FLOAT, opcode), operands) {
            let (a, b) = (self.word(a)?, self.word(b)?);
            self.operation(name, &[a, b], to);
            return Ok(());
        }
        let all = operands.iter().map(|o| self.word(o)).collect::<Result<Vec<Input>, Wrong>>()?;
        match (opcode, all.as_slice()) {
            ("COPY", [a, ..]) => self.copy(*a, to),
            ("LUI", [Input::Constant(n)]) => self.copy(Input::Constant(n << 12), to),
            ("LUI", [a]) => self.copy(*a, to),
            ("IMPLICIT_DEF", []) => self.copy(ZERO, to),
            ("INSERT_SUBREG", [_, a, _]) | ("SUBREG_TO_REG", [_, a, _]) | ("SUBREG_TO_REG", [a, _]) => {
                self.copy(*a, to)
            }
            ("SLT" | "SLTI", [a, b]) => self.comparison(Compare::Less, *a, *b, to),
            ("SLTIU", [a, Input::Constant(1)]) => self.comparison(Compare::Equal, *a, ZERO, to),
            ("SLTU", [ZERO, b]) => self.comparison(Compare::NotEqual, *b, ZERO, to),
            ("SLTU" | "SLTIU", [a, b]) => self.comparison(Compare::LessUnsigned, *a, *b, to),
            ("XNOR", [a, b]) => {
                let x = self.made("xor", &[*a, *b]);
                self.operation("not", &[x], to);
            }
            ("ORN", [a, b]) => {
                let x = self.made("not", &[*b]);
                self.operation("ior", &[*a, x], to);
            }
            ("SEXT_B", [a]) => self.operation("sxqw", &[*a], to),
            ("SEXT_H", [a]) => self.operation("sxhw", &[*a], to),
            ("CLZ", [a]) => self.leading_zeros(*a, to),
            ("CTZ", [a]) => self.trailing_zeros(*a, to),
            ("CPOP", [a]) => self.ones(*a, to),
            ("REV8_RV32", [a]) => self.reversed(*a, to),
            ("ORC_B", [a]) => self.bytes_that_are_not_zero(*a, to),
            ("ZEXT_H_RV32", [a]) => self.operation("and", &[*a, Input::Constant(0xffff)], to),
            ("FSQRT_S_INX", [a, ..]) => self.operation("sqrtf", &[*a], to),
            ("FEQ_S_INX", [a, b]) => self.float_comparison("eqf", *a, *b, to),
            ("FLT_S_INX", [a, b]) => self.float_comparison("ltf", *a, *b, to),
            ("FLE_S_INX", [a, b]) => self.float_comparison("lef", *a, *b, to),
            ("FCVT_S_W_INX", [a, ..]) => self.operation("cif", &[*a], to),
            ("FCVT_S_WU_INX", [a, ..]) => self.operation("cifu", &[*a], to),
            ("FCVT_W_S_INX", [a, mode]) => self.integer_of("cfi", *a, *mode, to)?,
            ("FCVT_WU_S_INX", [a, mode]) => self.integer_of("cfiu", *a, *mode, to)?,
            ("FSGNJ_S_INX" | "FSGNJN_S_INX" | "FSGNJX_S_INX", [a, b]) => self.sign(opcode, *a, *b, to),
            ("FMIN_S_INX", [a, b]) => self.float_extreme(true, *a, *b, to),
            ("FMAX_S_INX", [a, b]) => self.float_extreme(false, *a, *b, to),
            ("FCLASS_S_INX", [a]) => self.classify(*a, to),
            ("PseudoFROUND_S_INX", [a, _, mode]) | ("PseudoFROUND_S_INX", [a, mode]) => {
                let rounded = self.round(*a, *mode)?;
                self.copy(rounded, to);
            }
            ("Select_GPR_Using_CC_GPR", [a, b, Input::Constant(compare), yes, no]) => {
                let compare = Compare::from_number(i64::from(*compare)).ok_or(Wrong::Operands)?;
                let condition = self.condition(compare, *a, *b);
                let chosen = self.fresh();
                self.copy(*no, To::plain(chosen));
                self.copy(*yes, To { value: chosen, condition: Some(condition) });
                self.copy(Input::Value(chosen), to);
            }
            _ => return Err(if known_opcode(opcode) { Wrong::Operands } else { Wrong::Opcode }),
        }
        Ok(())
    }

    /// A shift to the right of what was just shifted to the left by as much extends a sign.
    fn is_extension(&mut self, a: Input, by: Input, to: To) -> bool {
        let name = match by {
            Input::Constant(24) => "sxqw",
            Input::Constant(16) => "sxhw",
            _ => return false,
        };
        let Input::Value(shifted) = a else { return false };
        let Some(last) = self.nodes.iter().rev().find(|n| n.outputs.contains(&shifted)) else { return false };
        let shift = last.op.is_some_and(|op| op.info().name == "shl") && last.inputs.get(1) == Some(&by);
        let Some(source) = last.inputs.first().copied() else { return false };
        // The source must still have the value that was shifted.
        let position = self.nodes.iter().rposition(|n| n.outputs.contains(&shifted)).unwrap_or(0);
        let changed = matches!(source, Input::Value(v) if self.nodes[position..].iter().any(|n| n.outputs.contains(&v)));
        let fits = shift && last.condition.is_none() && !changed && self.ability.has(name);
        if fits {
            self.operation(name, &[source], to);
        }
        fits
    }

    /// A call that stands for an operation of the machine.
    fn named_operation(&mut self, name: &str) -> Result<(), Wrong> {
        let Some(op) = self.ability.op(name) else {
            self.missing.get_or_insert_with(|| name.to_owned());
            return Ok(());
        };
        let info = op.info();
        if info.inputs > 8 || info.outputs > 1 || info.is_memory() || info.is_control() {
            return Err(Wrong::Operands);
        }
        self.push(Node {
            op: Some(op),
            inputs: (10..10 + u32::from(info.inputs)).map(|n| Input::Value(Value(n))).collect(),
            outputs: (10..10 + u32::from(info.outputs)).map(Value).collect(),
            condition: None,
            memory: None,
        });
        Ok(())
    }

    fn callee(&mut self, operands: &[Operand]) -> Result<Callee, Wrong> {
        match operands.first().map(|o| self.word(o)).transpose()? {
            Some(Input::Symbol { symbol, addend: 0 }) => Ok(Callee::Symbol(symbol)),
            Some(Input::Value(value)) => Ok(Callee::Value(value)),
            _ => Err(Wrong::Operands),
        }
    }

    /// The end of a block.
    fn leave(&mut self, instruction: &Instruction) -> Done {
        let words = |all: &[u8]| -> Vec<Value> {
            all.iter().filter(|n| (10..18).contains(*n)).map(|n| Value(u32::from(*n))).collect()
        };
        let end = match instruction.opcode.as_str() {
            "PseudoBR" => match instruction.operands.as_slice() {
                [Operand::Block(to)] => Terminator::Jump(self.block(*to)?),
                _ => return Err(Wrong::Operands),
            },
            "PseudoRET" => Terminator::Return {
                address: Input::ReturnAddress,
                results: words(&instruction.implied_inputs),
            },
            "PseudoTAIL" | "PseudoTAILIndirect" => match instruction.operands.first() {
                Some(Operand::Symbol { name, .. }) if name == HALT => {
                    Terminator::Halt { results: vec![Value(10)] }
                }
                Some(Operand::Symbol { name, .. }) if name.starts_with(OPERATION) => {
                    self.named_operation(&name[OPERATION.len()..])?;
                    Terminator::Return { address: Input::ReturnAddress, results: vec![Value(10)] }
                }
                _ => {
                    let callee = self.callee(&instruction.operands)?;
                    self.call(callee, instruction);
                    // Whatever the callee leaves is the caller's result.
                    Terminator::Return { address: Input::ReturnAddress, results: vec![Value(10), Value(11)] }
                }
            },
            _ => Terminator::Halt { results: Vec::new() },
        };
        Ok(self.leave_with(end))
    }

    /// Ends the block for good: nothing of the block comes after it.
    fn leave_with(&mut self, end: Terminator) -> bool {
        let after = self.current;
        self.end_block(end, after);
        true
    }

    fn block(&self, number: u32) -> Result<usize, Wrong> {
        self.source.blocks.iter().position(|b| b.number == number).ok_or(Wrong::Operands)
    }

    fn branch(&mut self, compare: Compare, operands: &[Operand]) -> Done {
        let [a, b, Operand::Block(to)] = operands else { return Err(Wrong::Operands) };
        let taken = self.block(*to)?;
        let (a, b) = (self.word(a)?, self.word(b)?);
        let condition = self.condition(compare, a, b);
        let otherwise = self.label();
        self.end_block(Terminator::Branch { condition, taken, otherwise }, otherwise);
        Ok(false)
    }
}

fn value(register: Register) -> Value {
    match register {
        Register::Physical(n) => Value(u32::from(n)),
        Register::Virtual(n) => Value(crate::code::FIXED + n),
    }
}

fn branch(opcode: &str) -> Option<Compare> {
    Some(match opcode {
        "BEQ" => Compare::Equal,
        "BNE" => Compare::NotEqual,
        "BLT" => Compare::Less,
        "BGE" => Compare::GreaterEqual,
        "BLTU" => Compare::LessUnsigned,
        "BGEU" => Compare::GreaterEqualUnsigned,
        _ => return None,
    })
}

fn known_opcode(opcode: &str) -> bool {
    row(BINARY, opcode).is_some() || row(FLOAT, opcode).is_some()
}
