//! What accesses claim of the alignment of variables.
//!
//! In: a module in parts, with its types. Out: by id, the largest alignment that an access claims of the address, or of an address
//! that is made of it, as far as the module shows it: through casts, choices of parts and of branches, and arguments of calls.
//!
//! Variables and structures passed by value are given at least that. A module may say less of them: compilers that make variables
//! anew forget what alignment they had, and leave the accesses as they were (AdaptiveCpp 24.06 does, with every vector of more than
//! 8 bytes). An address that is loaded from memory, or was an integer on the way, claims nothing here.

use std::collections::BTreeMap;

use rspirv::dr::Operand;
use rspirv::spirv::Op;

use crate::access::how;
use crate::module::Module;
use crate::types::Types;
use crate::words::Instruction;

/// The alignment of the widest type. Whoever claims more has to say so of the variable.
const MOST: u64 = 128;

/// By id, in bytes.
#[derive(Debug, Default)]
pub(crate) struct Claims(BTreeMap<u32, u64>);

impl Claims {
    /// Reads a module. What is wrong in it is passed over: it is refused where it is translated.
    pub(crate) fn of(module: &Module, types: &Types) -> Self {
        let mut reader = Reader::of(module);
        for i in &module.instructions {
            reader.take(types, i);
        }
        reader.spread()
    }

    /// An alignment, made as large as what is claimed of the id.
    pub(crate) fn raised(&self, id: u32, alignment: u64) -> u64 {
        alignment.max(self.0.get(&id).copied().unwrap_or(1))
    }
}

struct Reader {
    claims: BTreeMap<u32, u64>,
    /// What an address is made of.
    made_of: BTreeMap<u32, Vec<u32>>,
    /// The types of values.
    types: BTreeMap<u32, u32>,
    /// The parameters of functions.
    params: BTreeMap<u32, Vec<u32>>,
}

impl Reader {
    fn of(module: &Module) -> Self {
        let typed = module.instructions.iter().filter_map(|i| Some((i.id?, i.ty?)));
        let params = module.functions.iter().map(|body| {
            let head = module.instructions[body.instructions.clone()].iter();
            let params = head.take_while(|i| i.op != Op::Label).filter(|i| i.op == Op::FunctionParameter);
            (body.id, params.filter_map(|param| param.id).collect())
        });
        Self {
            claims: BTreeMap::new(),
            made_of: BTreeMap::new(),
            types: typed.collect(),
            params: params.collect(),
        }
    }

    fn take(&mut self, types: &Types, i: &Instruction) {
        match i.op {
            Op::Load => self.access(types, i, 0, 1),
            Op::Store => self.access(types, i, 0, 2),
            Op::CopyMemory => self.copy(i, 2),
            Op::CopyMemorySized => self.copy(i, 3),
            Op::Bitcast
            | Op::CopyObject
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::GenericCastToPtrExplicit
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain => self.make(i, [0]),
            Op::Select => self.make(i, [1, 2]),
            // Values and the blocks that they come from.
            Op::Phi => self.make(i, (0..i.operands.len()).step_by(2)),
            Op::SpecConstantOp => self.constant(i),
            Op::FunctionCall => self.call(i),
            Op::ExtInst => self.used(types, i),
            _ if i.name.starts_with("Atomic") || i.name.starts_with("Group") => self.used(types, i),
            _ => {}
        }
    }

    fn claim(&mut self, id: u32, bytes: u64) {
        let claimed = self.claims.entry(id).or_insert(1);
        *claimed = (*claimed).max(bytes.min(MOST));
    }

    /// A load or a store: what it says, or else what its type has.
    fn access(&mut self, types: &Types, i: &Instruction, pointer: usize, at: usize) {
        let (Ok(id), Ok((how, _))) = (i.id_at(pointer), how(i, at)) else { return };
        match how.alignment {
            Some(bytes) => self.claim(id, u64::from(bytes)),
            None => self.natural(types, i, id),
        }
    }

    /// A copy claims what it says: one access is said of both sides, two of the target and the source.
    fn copy(&mut self, i: &Instruction, at: usize) {
        let (Ok(to), Ok(from), Ok((first, behind))) = (i.id_at(0), i.id_at(1), how(i, at)) else { return };
        let second = if behind < i.operands.len() { how(i, behind).ok() } else { None };
        let second = second.map_or(first.alignment, |(second, _)| second.alignment);
        for (id, alignment) in [(to, first.alignment), (from, second)] {
            self.claim(id, u64::from(alignment.unwrap_or(1)));
        }
    }

    /// Addresses among the operands are those of whole values of their types.
    fn used(&mut self, types: &Types, i: &Instruction) {
        for id in i.operands.iter().filter_map(Operand::id_ref_any) {
            self.natural(types, i, id);
        }
    }

    fn natural(&mut self, types: &Types, i: &Instruction, id: u32) {
        let Some(ty) = self.types.get(&id) else { return };
        if let Ok((_, to)) = types.pointee(i.word, *ty)
            && let Ok(held) = types.get(i.word, to)
        {
            self.claim(id, held.alignment);
        }
    }

    /// The result is made of the operands in these places.
    fn make(&mut self, i: &Instruction, places: impl IntoIterator<Item = usize>) {
        let Some(id) = i.id else { return };
        let bases = places.into_iter().filter_map(|place| i.id_at(place).ok());
        self.made_of.entry(id).or_default().extend(bases);
    }

    /// An address that is computed of a constant one: the operation is the first operand, all are numbers.
    fn constant(&mut self, i: &Instruction) {
        if let (Some(id), Ok(base)) = (i.id, i.number_at(1)) {
            self.made_of.entry(id).or_default().push(base);
        }
    }

    fn call(&mut self, i: &Instruction) {
        let (Ok(callee), Ok(arguments)) = (i.id_at(0), i.ids_from(1)) else { return };
        let params = self.params.get(&callee).map_or(&[][..], Vec::as_slice);
        for (param, argument) in params.iter().zip(arguments) {
            self.made_of.entry(*param).or_default().push(argument);
        }
    }

    /// Takes what is claimed of addresses to what they are made of, until nothing is new. Each id grows seven times at most.
    fn spread(mut self) -> Claims {
        let mut changed: Vec<u32> = self.claims.keys().copied().collect();
        while let Some(id) = changed.pop() {
            let bytes = self.claims.get(&id).copied().unwrap_or(1);
            for base in self.made_of.get(&id).map_or(&[][..], Vec::as_slice) {
                let claimed = self.claims.entry(*base).or_insert(1);
                if *claimed < bytes {
                    *claimed = bytes;
                    changed.push(*base);
                }
            }
        }
        Claims(self.claims)
    }
}
