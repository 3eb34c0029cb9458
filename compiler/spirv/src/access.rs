//! Memory: variables of functions, loads, stores, copies, and addresses.

use rspirv::dr::Operand;
use rspirv::spirv::{MemoryAccess, Op, StorageClass};

use crate::constants::Value;
use crate::error::{Result, invalid, not_supported};
use crate::function::{Function, Used};
use crate::types::{Shape, pointer_text};
use crate::words::Instruction;

/// The most parts that a value may consist of which is loaded or stored as a whole: LLVM takes each by itself. Constants are copied,
/// however many parts they have.
pub(crate) const MOST_PARTS: u64 = 1 << 14;

/// How memory is accessed.
#[derive(Debug, Clone, Default)]
pub(crate) struct How {
    volatile: &'static str,
    /// In bytes, where it is said.
    pub(crate) alignment: Option<u32>,
    nontemporal: bool,
}

impl How {
    fn alignment(&self) -> String {
        self.alignment.map_or_else(String::new, |bytes| format!(", align {bytes}"))
    }
}

/// Reads the access from an operand on; gives the place behind it.
pub(crate) fn how(i: &Instruction, mut at: usize) -> Result<(How, usize)> {
    let mut how = How::default();
    let Some(Operand::MemoryAccess(access)) = i.operands.get(at) else { return Ok((how, at)) };
    at += 1;
    if access.contains(MemoryAccess::VOLATILE) {
        how.volatile = "volatile ";
    }
    if access.contains(MemoryAccess::ALIGNED) {
        let bytes = i.number_at(at)?;
        if !bytes.is_power_of_two() || bytes > 1 << 29 {
            return Err(invalid(i.word, format!("an alignment of {bytes} bytes")));
        }
        how.alignment = Some(bytes);
        at += 1;
    }
    how.nontemporal = access.contains(MemoryAccess::NONTEMPORAL);
    // They say of one work-item which accesses do not meet, and not where in its run: of the work-items of a group, which run
    // one after another in a loop, it would be said as well. So they are not used.
    for hint in [MemoryAccess::ALIAS_SCOPE_INTEL_MASK, MemoryAccess::NO_ALIAS_INTEL_MASK] {
        if access.contains(hint) {
            i.id_at(at)?;
            at += 1;
        }
    }
    let known = MemoryAccess::VOLATILE
        | MemoryAccess::ALIGNED
        | MemoryAccess::NONTEMPORAL
        | MemoryAccess::ALIAS_SCOPE_INTEL_MASK
        | MemoryAccess::NO_ALIAS_INTEL_MASK;
    if !known.contains(*access) {
        return Err(not_supported(i.word, format!("memory access {access:?}")));
    }
    Ok((how, at))
}

/// Refuses values of too many parts.
pub(crate) fn few_parts(i: &Instruction, parts: u64) -> Result<()> {
    if parts <= MOST_PARTS {
        return Ok(());
    }
    Err(not_supported(
        i.word,
        format!("a value of {parts} parts, where {MOST_PARTS} are the most, in one access"),
    ))
}

impl Function<'_, '_> {
    /// Instructions on memory and addresses; false where it is another one.
    pub(crate) fn memory(&mut self, i: &Instruction) -> Result<bool> {
        match i.op {
            Op::Variable => self.local_variable(i)?,
            Op::Load => self.load(i)?,
            Op::Store => self.store(i)?,
            Op::CopyMemory => {
                let (to, from) = (self.operand(i, 0)?, self.operand(i, 1)?);
                let (_, held) = self.t.types.pointee(i.word, from.ty)?;
                let size = self.t.types.in_memory(i.word, held)?.size;
                self.t.types.pointee(i.word, to.ty)?;
                let size = (self.t.size_type(), size.to_string());
                self.copy(i, &to, &from, &size, 2)?;
            }
            Op::CopyMemorySized => {
                let (to, from, size) = (self.operand(i, 0)?, self.operand(i, 1)?, self.operand(i, 2)?);
                self.t.types.int_bits(i.word, size.ty)?;
                let size = size.argument();
                self.copy(i, &to, &from, &size, 3)?;
            }
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                self.access_chain(i)?;
            }
            Op::PtrEqual | Op::PtrNotEqual => {
                let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
                let how = if i.op == Op::PtrEqual { "eq" } else { "ne" };
                self.define(i, &format!("icmp {how} {}, {}", a.typed(), b.text))?;
            }
            Op::PtrDiff => self.difference(i)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Fails where a value has another type than the result.
    pub(crate) fn same_type(&self, i: &Instruction, value: &Used) -> Result<()> {
        if self.result_text(i)? == value.type_text {
            return Ok(());
        }
        Err(invalid(i.word, format!("Op{} gives another type than its operand has", i.name)))
    }

    fn local_variable(&mut self, i: &Instruction) -> Result<()> {
        if i.storage_at(0)? != StorageClass::Function {
            return Err(invalid(i.word, "a function's variable is in another storage class"));
        }
        let (id, ty) = (i.result()?, i.result_type()?);
        let (space, held) = self.t.types.pointee(i.word, ty)?;
        if space != 0 {
            return Err(invalid(i.word, "a variable in another storage class than its type says"));
        }
        let own = self.t.types.in_memory(i.word, held)?;
        let (text, natural) = (own.text.clone(), own.alignment.max(1));
        let said = self.t.alignment(id)?.unwrap_or(natural);
        let alignment = self.t.claims.raised(id, said.max(natural));
        self.entry.line(i.word, &format!("  %v{id} = alloca {text}, align {alignment}"));
        self.values.insert(id, ty);
        if i.operands.len() > 1 {
            let initial = self.operand(i, 1)?;
            if initial.type_text != text {
                return Err(invalid(i.word, "an initial value of another type than the variable"));
            }
            let how = How { alignment: u32::try_from(alignment).ok(), ..How::default() };
            let variable = self.used(i, id)?;
            self.put(i, &how, &variable, i.id_at(1)?, &initial)?;
        }
        Ok(())
    }

    fn load(&mut self, i: &Instruction) -> Result<()> {
        if self.load_built_in(i)? {
            return Ok(());
        }
        let pointer = self.operand(i, 0)?;
        let (_, held) = self.t.types.pointee(i.word, pointer.ty)?;
        let ty = self.t.types.in_memory(i.word, held)?;
        let text = ty.text.clone();
        few_parts(i, ty.parts)?;
        if self.result_text(i)? != text {
            return Err(invalid(i.word, "a load of another type than the pointer's"));
        }
        let (how, _) = how(i, 1)?;
        let hint = self.nontemporal(&how);
        self.define(i, &format!("load {}{text}, {}{}{hint}", how.volatile, pointer.typed(), how.alignment()))
    }

    fn nontemporal(&mut self, how: &How) -> String {
        if !how.nontemporal {
            return String::new();
        }
        let node = self.t.metadata.node("!{i32 1}");
        format!(", !nontemporal {node}")
    }

    fn store(&mut self, i: &Instruction) -> Result<()> {
        let (pointer, value) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let (_, held) = self.t.types.pointee(i.word, pointer.ty)?;
        if self.t.types.in_memory(i.word, held)?.text != value.type_text {
            return Err(invalid(i.word, "a store of another type than the pointer's"));
        }
        let (how, _) = how(i, 2)?;
        self.put(i, &how, &pointer, i.id_at(1)?, &value)
    }

    /// Stores a value: arrays and structures that are constant are copied from one, or filled with zeros.
    fn put(&mut self, i: &Instruction, how: &How, to: &Used, id: u32, value: &Used) -> Result<()> {
        let ty = self.t.types.get(i.word, value.ty)?;
        let (is_aggregate, parts, size, natural) = (ty.is_aggregate(), ty.parts, ty.size, ty.alignment);
        let constant =
            self.t.constants.get(id).filter(|_| is_aggregate).map(|constant| constant.value.clone());
        let (space, _) = self.t.types.pointee(i.word, to.ty)?;
        let (bits, volatile) = (self.t.size_type(), !how.volatile.is_empty());
        let alignment = how.alignment.map_or(natural, u64::from).max(1);
        let to_text = format!("{} align {alignment} {}", to.type_text, to.text);
        match constant.as_deref() {
            Some(Value::Null) => {
                let name = format!("llvm.memset.p{space}.{bits}");
                let declared = format!("declare void @{name}({}, i8, {bits}, i1 immarg)", to.type_text);
                self.t.declared.entry(name.clone()).or_insert((i.word, declared));
                self.line(i, &format!("call void @{name}({to_text}, i8 0, {bits} {size}, i1 {volatile})"));
            }
            Some(Value::Parts(_)) => {
                let from = format!("spirv.constant.{id}");
                let kept = format!("@{from} = private unnamed_addr addrspace(2) constant {}", value.typed());
                let kept = format!("{kept}, align {}", natural.max(1));
                self.t.declared.entry(from.clone()).or_insert((i.word, kept));
                let name = format!("llvm.memcpy.p{space}.p2.{bits}");
                let constants = pointer_text(2);
                let declared =
                    format!("declare void @{name}({}, {constants}, {bits}, i1 immarg)", to.type_text);
                self.t.declared.entry(name.clone()).or_insert((i.word, declared));
                let from = format!("{constants} align {} @{from}", natural.max(1));
                self.line(i, &format!("call void @{name}({to_text}, {from}, {bits} {size}, i1 {volatile})"));
            }
            _ => {
                few_parts(i, parts)?;
                let hint = self.nontemporal(how);
                let (value, to) = (value.typed(), to.typed());
                self.line(i, &format!("store {}{value}, {to}{}{hint}", how.volatile, how.alignment()));
            }
        }
        Ok(())
    }

    fn copy(
        &mut self,
        i: &Instruction,
        to: &Used,
        from: &Used,
        size: &(String, String),
        at: usize,
    ) -> Result<()> {
        let (to_space, _) = self.t.types.pointee(i.word, to.ty)?;
        let (from_space, _) = self.t.types.pointee(i.word, from.ty)?;
        let (first, behind) = how(i, at)?;
        // One access is said of both sides, two of the target and the source.
        let second = if behind < i.operands.len() { how(i, behind)?.0 } else { first.clone() };
        let volatile = !first.volatile.is_empty() || !second.volatile.is_empty();
        let aligned = |how: &How| how.alignment.map_or_else(String::new, |bytes| format!(" align {bytes}"));
        let name = format!("llvm.memcpy.p{to_space}.p{from_space}.{}", size.0);
        let declared =
            format!("declare void @{name}({}, {}, {}, i1 immarg)", to.type_text, from.type_text, size.0);
        self.t.declared.entry(name.clone()).or_insert((i.word, declared));
        let text = format!(
            "call void @{name}({}{} {}, {}{} {}, {} {}, i1 {volatile})",
            to.type_text,
            aligned(&first),
            to.text,
            from.type_text,
            aligned(&second),
            from.text,
            size.0,
            size.1
        );
        self.line(i, &text);
        Ok(())
    }

    fn access_chain(&mut self, i: &Instruction) -> Result<()> {
        let base = self.operand(i, 0)?;
        let (space, held) = self.t.types.pointee(i.word, base.ty)?;
        let (result_space, result) = self.t.types.pointee(i.word, i.result_type()?)?;
        if space != result_space {
            return Err(invalid(i.word, "an address in another storage class than its base"));
        }
        let mut indices = Vec::new();
        let mut ids = i.ids_from(1)?.into_iter();
        if matches!(i.op, Op::AccessChain | Op::InBoundsAccessChain) {
            indices.push("i32 0".to_owned());
        } else {
            let element = ids.next().ok_or_else(|| invalid(i.word, "an address without an element"))?;
            indices.push(self.index(i, element)?);
        }
        let mut at = held;
        for id in ids {
            match self.shape(i, at)? {
                Shape::Struct { members, .. } => {
                    let number = self.t.constants.integer(i.word, id)?;
                    let member = usize::try_from(number).ok().and_then(|number| members.get(number));
                    at = *member
                        .ok_or_else(|| invalid(i.word, format!("the structure has no member {number}")))?;
                    indices.push(format!("i32 {number}"));
                }
                Shape::Array { of, .. } | Shape::Vector { of, .. } => {
                    indices.push(self.index(i, id)?);
                    at = of;
                }
                _ => return Err(invalid(i.word, "an index into what has no parts")),
            }
        }
        let reached = self.t.types.in_memory(i.word, at)?.text.clone();
        if reached != self.t.types.in_memory(i.word, result)?.text {
            return Err(invalid(i.word, "an address of another type than what it leads to"));
        }
        let is_whole = indices.iter().all(|index| index.ends_with(" 0"));
        if is_whole && let Some(root) = self.string_root(i.id_at(0)?) {
            self.strings.insert(i.result()?, root);
        }
        let inbounds = matches!(i.op, Op::InBoundsAccessChain | Op::InBoundsPtrAccessChain);
        let inbounds = if inbounds { "inbounds " } else { "" };
        let element = self.t.types.in_memory(i.word, held)?.text.clone();
        self.define(
            i,
            &format!("getelementptr {inbounds}{element}, {}, {}", base.typed(), indices.join(", ")),
        )
    }

    fn index(&mut self, i: &Instruction, id: u32) -> Result<String> {
        let index = self.used(i, id)?;
        match self.shape(i, index.ty)? {
            Shape::Int(_) => Ok(index.typed()),
            _ => Err(invalid(i.word, "an index that is no integer")),
        }
    }

    /// The variable that a pointer leads to the beginning of.
    pub(crate) fn string_root(&self, id: u32) -> Option<std::rc::Rc<str>> {
        self.strings.get(&id).or_else(|| self.t.variables.get(&id)).cloned()
    }

    /// Elements between two pointers.
    fn difference(&mut self, i: &Instruction) -> Result<()> {
        let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let (_, held) = self.t.types.pointee(i.word, a.ty)?;
        let size = self.t.types.in_memory(i.word, held)?.size.max(1);
        let (int, result) = (self.t.size_type(), self.result_text(i)?);
        let a = self.temporary(i, &format!("ptrtoint {} to {int}", a.typed()));
        let b = self.temporary(i, &format!("ptrtoint {} to {int}", b.typed()));
        let bytes = self.temporary(i, &format!("sub {int} {a}, {b}"));
        let elements = self.temporary(i, &format!("sdiv exact {int} {bytes}, {size}"));
        let wanted = self.t.types.int_bits(i.word, i.result_type()?)?;
        match wanted.cmp(&self.t.bits()) {
            std::cmp::Ordering::Less => self.define(i, &format!("trunc {int} {elements} to {result}")),
            std::cmp::Ordering::Equal => self.alias(i, &elements),
            std::cmp::Ordering::Greater => self.define(i, &format!("sext {int} {elements} to {result}")),
        }
    }
}
