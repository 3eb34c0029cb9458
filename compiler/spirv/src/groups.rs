//! What work-items of a group or a sub-group compute together: the library's functions.

use rspirv::dr::Operand;
use rspirv::spirv::{GroupOperation, Op, Scope};

use crate::error::{Result, invalid, malformed, not_supported};
use crate::function::{Function, Used};
use crate::mangle::Param;
use crate::types::Shape;
use crate::words::Instruction;

/// How an instruction takes its operand, and what the library calls it.
#[derive(Debug, Clone, Copy)]
struct Combination {
    name: &'static str,
    signed: bool,
    /// By the work-items that are there, of a sub-group.
    uneven: bool,
}

fn combination(op: Op) -> Option<Combination> {
    let (name, signed, uneven) = match op {
        Op::GroupIAdd | Op::GroupFAdd => ("add", true, false),
        Op::GroupFMin | Op::GroupSMin => ("min", true, false),
        Op::GroupUMin => ("min", false, false),
        Op::GroupFMax | Op::GroupSMax => ("max", true, false),
        Op::GroupUMax => ("max", false, false),
        Op::GroupIMulKHR | Op::GroupFMulKHR => ("mul", true, false),
        Op::GroupBitwiseAndKHR => ("and", true, false),
        Op::GroupBitwiseOrKHR => ("or", true, false),
        Op::GroupBitwiseXorKHR => ("xor", true, false),
        Op::GroupLogicalAndKHR => ("logical_and", true, false),
        Op::GroupLogicalOrKHR => ("logical_or", true, false),
        Op::GroupLogicalXorKHR => ("logical_xor", true, false),
        Op::GroupNonUniformIAdd | Op::GroupNonUniformFAdd => ("add", true, true),
        Op::GroupNonUniformIMul | Op::GroupNonUniformFMul => ("mul", true, true),
        Op::GroupNonUniformSMin | Op::GroupNonUniformFMin => ("min", true, true),
        Op::GroupNonUniformUMin => ("min", false, true),
        Op::GroupNonUniformSMax | Op::GroupNonUniformFMax => ("max", true, true),
        Op::GroupNonUniformUMax => ("max", false, true),
        Op::GroupNonUniformBitwiseAnd => ("and", true, true),
        Op::GroupNonUniformBitwiseOr => ("or", true, true),
        Op::GroupNonUniformBitwiseXor => ("xor", true, true),
        Op::GroupNonUniformLogicalAnd => ("logical_and", true, true),
        Op::GroupNonUniformLogicalOr => ("logical_or", true, true),
        Op::GroupNonUniformLogicalXor => ("logical_xor", true, true),
        _ => return None,
    };
    Some(Combination { name, signed, uneven })
}

fn uint4() -> Param {
    Param::UINT.lanes(4)
}

impl Function<'_, '_> {
    /// Instructions of groups; false where it is another one.
    pub(crate) fn group(&mut self, i: &Instruction) -> Result<bool> {
        if let Some(combination) = combination(i.op) {
            return self.combined(i, combination).map(|()| true);
        }
        let group = |this: &Self| -> Result<&'static str> {
            Ok(if this.group_scope(i)? == Scope::Subgroup { "sub_group" } else { "work_group" })
        };
        match i.op {
            Op::GroupAll | Op::GroupAny => {
                let vote = if i.op == Op::GroupAll { "all" } else { "any" };
                let name = format!("{}_{vote}", group(self)?);
                self.plain(i, &name, &[1])?;
            }
            Op::GroupBroadcast => self.broadcast(i)?,
            Op::GroupNonUniformElect => {
                self.sub_group(i)?;
                self.plain(i, "sub_group_elect", &[])?;
            }
            Op::GroupNonUniformAll => self.uneven(i, "sub_group_non_uniform_all", &[1])?,
            Op::GroupNonUniformAny => self.uneven(i, "sub_group_non_uniform_any", &[1])?,
            Op::GroupNonUniformAllEqual => self.uneven(i, "sub_group_non_uniform_all_equal", &[1])?,
            Op::GroupNonUniformBroadcast => self.uneven(i, "sub_group_non_uniform_broadcast", &[1, 2])?,
            Op::GroupNonUniformBroadcastFirst => self.uneven(i, "sub_group_broadcast_first", &[1])?,
            Op::GroupNonUniformBallot => self.uneven(i, "sub_group_ballot", &[1])?,
            Op::GroupNonUniformInverseBallot => self.uneven(i, "sub_group_inverse_ballot", &[1])?,
            Op::GroupNonUniformBallotBitExtract => self.uneven(i, "sub_group_ballot_bit_extract", &[1, 2])?,
            Op::GroupNonUniformBallotBitCount => {
                let name = match operation(i, 1)? {
                    GroupOperation::Reduce => "sub_group_ballot_bit_count",
                    GroupOperation::InclusiveScan => "sub_group_ballot_inclusive_scan",
                    GroupOperation::ExclusiveScan => "sub_group_ballot_exclusive_scan",
                    other => return Err(not_supported(i.word, format!("{other:?} of a ballot"))),
                };
                self.uneven(i, name, &[2])?;
            }
            Op::GroupNonUniformBallotFindLSB => self.uneven(i, "sub_group_ballot_find_lsb", &[1])?,
            Op::GroupNonUniformBallotFindMSB => self.uneven(i, "sub_group_ballot_find_msb", &[1])?,
            Op::GroupNonUniformShuffle => self.uneven(i, "sub_group_shuffle", &[1, 2])?,
            Op::GroupNonUniformShuffleXor => self.uneven(i, "sub_group_shuffle_xor", &[1, 2])?,
            Op::GroupNonUniformShuffleUp => self.uneven(i, "sub_group_shuffle_up", &[1, 2])?,
            Op::GroupNonUniformShuffleDown => self.uneven(i, "sub_group_shuffle_down", &[1, 2])?,
            Op::GroupNonUniformRotateKHR => self.rotate(i)?,
            Op::SubgroupShuffleINTEL => self.plain(i, "intel_sub_group_shuffle", &[0, 1])?,
            Op::SubgroupShuffleXorINTEL => self.plain(i, "intel_sub_group_shuffle_xor", &[0, 1])?,
            Op::SubgroupShuffleDownINTEL => self.plain(i, "intel_sub_group_shuffle_down", &[0, 1, 2])?,
            Op::SubgroupShuffleUpINTEL => self.plain(i, "intel_sub_group_shuffle_up", &[0, 1, 2])?,
            Op::SubgroupBlockReadINTEL
            | Op::SubgroupBlockWriteINTEL
            | Op::SubgroupImageBlockReadINTEL
            | Op::SubgroupImageBlockWriteINTEL => self.block(i)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn sub_group(&self, i: &Instruction) -> Result<()> {
        match self.group_scope(i)? {
            Scope::Subgroup => Ok(()),
            other => Err(not_supported(i.word, format!("Op{} of scope {other:?}", i.name))),
        }
    }

    fn uneven(&mut self, i: &Instruction, name: &str, operands: &[usize]) -> Result<()> {
        self.sub_group(i)?;
        self.plain(i, name, operands)
    }

    /// Values as the library takes them: truth values as integers.
    fn given(&mut self, i: &Instruction, value: &Used, signed: bool) -> Result<(Param, (String, String))> {
        let param = self.t.types.param(i.word, value.ty, signed)?;
        if !matches!(self.shape(i, value.ty)?, Shape::Bool) {
            return Ok((param, value.argument()));
        }
        let number = self.temporary(i, &format!("zext {} to i32", value.typed()));
        Ok((Param::INT, ("i32".to_owned(), number)))
    }

    /// The result of a call, a truth value where the library gives an integer.
    fn taken(
        &mut self,
        i: &Instruction,
        name: &str,
        params: &[Param],
        arguments: &[(String, String)],
    ) -> Result<()> {
        if matches!(self.shape(i, i.result_type()?)?, Shape::Bool) {
            let call = self.library(i, name, params, "i32", arguments)?;
            let number = self.temporary(i, &call);
            return self.define(i, &format!("icmp ne i32 {number}, 0"));
        }
        let result = self.result_text(i)?;
        let call = self.library(i, name, params, &result, arguments)?;
        self.define(i, &call)
    }

    /// A call whose arguments are operands: the first as it is, then work-items' numbers.
    fn plain(&mut self, i: &Instruction, name: &str, operands: &[usize]) -> Result<()> {
        let (mut params, mut arguments) = (Vec::new(), Vec::new());
        for (position, index) in operands.iter().enumerate() {
            let value = self.operand(i, *index)?;
            let is_mask =
                matches!(self.shape(i, value.ty)?, Shape::Vector { lanes: 4, .. }) && name.contains("ballot");
            let is_pair = name.ends_with("intel_sub_group_shuffle_down")
                || name.ends_with("intel_sub_group_shuffle_up");
            let (param, argument) = if is_mask {
                (uint4(), value.argument())
            } else if position == 0 || (is_pair && position == 1) {
                self.given(i, &value, true)?
            } else {
                (Param::UINT, ("i32".to_owned(), self.resized_to(i, &value, 32)?))
            };
            params.push(param);
            arguments.push(argument);
        }
        self.taken(i, name, &params, &arguments)
    }

    fn combined(&mut self, i: &Instruction, how: Combination) -> Result<()> {
        let scope = self.group_scope(i)?;
        let value = self.operand(i, 2)?;
        let is_truth = matches!(self.shape(i, value.ty)?, Shape::Bool);
        self.same_type(i, &value)?;
        let (param, argument) = self.given(i, &value, how.signed || is_truth)?;
        let (mut params, mut arguments) = (vec![param], vec![argument]);
        let operation = match operation(i, 1)? {
            GroupOperation::Reduce => "reduce",
            GroupOperation::InclusiveScan => "scan_inclusive",
            GroupOperation::ExclusiveScan => "scan_exclusive",
            GroupOperation::ClusteredReduce if how.uneven => {
                let size = self.operand(i, 3)?;
                params.push(Param::UINT);
                arguments.push(("i32".to_owned(), self.resized_to(i, &size, 32)?));
                "clustered_reduce"
            }
            other => return Err(not_supported(i.word, format!("group operation {other:?}"))),
        };
        // Sums and extrema have functions for whole sub-groups; the others those for whoever is there.
        let is_whole = !how.uneven && matches!(how.name, "add" | "min" | "max");
        let prefix = match scope {
            Scope::Workgroup if how.uneven => {
                return Err(not_supported(i.word, format!("Op{} of scope Workgroup", i.name)));
            }
            Scope::Workgroup => "work_group",
            _ if is_whole || operation == "clustered_reduce" => "sub_group",
            _ => "sub_group_non_uniform",
        };
        let name = format!("{prefix}_{operation}_{}", how.name);
        self.taken(i, &name, &params, &arguments)
    }

    fn broadcast(&mut self, i: &Instruction) -> Result<()> {
        let scope = self.group_scope(i)?;
        let (value, place) = (self.operand(i, 1)?, self.operand(i, 2)?);
        self.same_type(i, &value)?;
        let (param, argument) = self.given(i, &value, true)?;
        let (mut params, mut arguments) = (vec![param], vec![argument]);
        let (element, lanes) = self.scalar(i, place.ty)?;
        let own = self.t.types.int_bits(i.word, place.ty)?;
        let wanted = if scope == Scope::Subgroup { 32 } else { self.t.bits() };
        if lanes > 3 || (lanes > 1 && scope == Scope::Subgroup) {
            return Err(invalid(i.word, "a work-item of more dimensions than groups have"));
        }
        for lane in 0..lanes {
            let one = match lanes {
                1 => place.text.clone(),
                _ => self.temporary(i, &format!("extractelement {}, i32 {lane}", place.typed())),
            };
            let one = match own.cmp(&wanted) {
                std::cmp::Ordering::Less => self.temporary(i, &format!("zext {element} {one} to i{wanted}")),
                std::cmp::Ordering::Equal => one,
                std::cmp::Ordering::Greater => {
                    self.temporary(i, &format!("trunc {element} {one} to i{wanted}"))
                }
            };
            params.push(Param::Int { bits: wanted, signed: false });
            arguments.push((format!("i{wanted}"), one));
        }
        let name = if scope == Scope::Subgroup { "sub_group_broadcast" } else { "work_group_broadcast" };
        self.taken(i, name, &params, &arguments)
    }

    fn rotate(&mut self, i: &Instruction) -> Result<()> {
        self.sub_group(i)?;
        let (value, delta) = (self.operand(i, 1)?, self.operand(i, 2)?);
        let (param, argument) = self.given(i, &value, true)?;
        let delta = self.resized_to(i, &delta, 32)?;
        let (mut params, mut arguments) =
            (vec![param, Param::INT], vec![argument, ("i32".to_owned(), delta)]);
        let mut name = "sub_group_rotate";
        if i.operands.len() > 3 {
            let size = self.operand(i, 3)?;
            params.push(Param::UINT);
            arguments.push(("i32".to_owned(), self.resized_to(i, &size, 32)?));
            name = "sub_group_clustered_rotate";
        }
        self.taken(i, name, &params, &arguments)
    }

    /// Blocks of memory or of an image, one element or a few for each work-item of a sub-group.
    fn block(&mut self, i: &Instruction) -> Result<()> {
        let reads = matches!(i.op, Op::SubgroupBlockReadINTEL | Op::SubgroupImageBlockReadINTEL);
        let of_image = matches!(i.op, Op::SubgroupImageBlockReadINTEL | Op::SubgroupImageBlockWriteINTEL);
        let place = self.operand(i, 0)?;
        let data = if reads { None } else { Some(self.operand(i, if of_image { 2 } else { 1 })?) };
        let ty = data.as_ref().map_or_else(|| i.result_type(), |data| Ok(data.ty))?;
        let (bits, lanes) = (self.t.types.int_bits(i.word, ty)?, self.t.types.scalar(i.word, ty)?.1);
        let suffix = match bits {
            8 => "uc",
            16 => "us",
            32 => "ui",
            _ => "ul",
        };
        let count = if lanes > 1 { lanes.to_string() } else { String::new() };
        let verb = if reads { "read" } else { "write" };
        let name = format!("intel_sub_group_block_{verb}_{suffix}{count}");
        let element = Param::Int { bits, signed: false };
        let (mut params, mut arguments) = (Vec::new(), vec![place.argument()]);
        if of_image {
            if !matches!(self.shape(i, place.ty)?, Shape::Image(_)) {
                return Err(invalid(i.word, "an image was expected"));
            }
            let at = self.operand(i, 1)?;
            if &*at.type_text != "<2 x i32>" {
                return Err(invalid(i.word, "a block of an image is at two coordinates"));
            }
            params.extend([self.t.types.param(i.word, place.ty, true)?, Param::INT.lanes(2)]);
            arguments.push(at.argument());
        } else {
            let (space, _) = self.t.types.pointee(i.word, place.ty)?;
            let to = element.clone();
            params.push(if reads { Param::const_pointer(space, to) } else { Param::pointer(space, to) });
        }
        let Some(data) = data else {
            let result = self.result_text(i)?;
            let call = self.library(i, &name, &params, &result, &arguments)?;
            return self.define(i, &call);
        };
        params.push(element.lanes(lanes));
        arguments.push(data.argument());
        let call = self.library(i, &name, &params, "void", &arguments)?;
        self.line(i, &call);
        Ok(())
    }
}

fn operation(i: &Instruction, index: usize) -> Result<GroupOperation> {
    match i.operands.get(index) {
        Some(Operand::GroupOperation(operation)) => Ok(*operation),
        _ => Err(malformed(i.word, "a group operation was expected")),
    }
}
