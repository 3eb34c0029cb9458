//! Private arrays whose elements lie beside those of the other lanes: structures of arrays.
//!
//! In: a kernel and where its variables live. Out: [`Woven`]: the private variables that are only read and written in *grains*, parts
//! of one size, and all addresses in them. Where W work-items run at a time, such a variable is an array of rows: row N has grain N
//! of each work-item, one behind the other. So an element of an index that all lanes share is one vector, where it would take a
//! gather if each lane's elements lay together; a gather of other indices is no dearer than that.
//!
//! A row has W grains on the stack; in scratch memory, for a variable that lives from one region to another, as many as the rounded
//! group has work-items. An address `o` bytes behind the variable's beginning is `o` rows' bytes behind it here, and lane `l` has
//! its grain `l` grains further on (`emit/woven.rs`). That is only so if every address is made from the variable by steps of whole
//! grains, nobody else gets to know it, and it is not asked how far apart two of them are.

use crate::emit::{component_offsets, is_simple_access};
use crate::prepare::Prepared;
use crate::privates::addresses;
use crate::slots::{Home, Slots, is_lifetime_marker};
use oxcl_ir::module::Layout;
use oxcl_ir::{Opcode, Type, TypeKind, Value};
use std::collections::{HashMap, HashSet};

/// The largest grain that is an element of a vector of lanes.
const LARGEST_GRAIN: u64 = 8;

/// How a variable is woven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Weave {
    /// Bytes of a grain.
    pub(crate) grain: u64,
    /// Whether its rows are the group's, in scratch memory, and not one row of lanes' on the stack.
    pub(crate) of_group: bool,
}

/// The addresses in woven variables.
#[derive(Debug, Default)]
pub(crate) struct Woven<'c> {
    weaves: HashMap<Value<'c>, Weave>,
}

impl<'c> Woven<'c> {
    /// Finds a kernel's woven variables.
    pub(crate) fn find(kernel: &Prepared<'_, 'c>, slots: &Slots<'c>) -> Self {
        let mut weaves = HashMap::new();
        for variable in kernel.function.instructions() {
            if variable.allocated().is_none() {
                continue;
            }
            let addresses = addresses(variable);
            if let Some(grain) = grain(kernel.layout, variable, &addresses) {
                let of_group = matches!(slots.home(variable), Some(Home::Item(_)));
                let weave = Weave { grain, of_group };
                weaves.extend(addresses.into_iter().map(|address| (address, weave)));
            }
        }
        Woven { weaves }
    }

    /// How the variable that an address is in is woven; `None`: it is in no such variable.
    pub(crate) fn of(&self, address: Value<'c>) -> Option<Weave> {
        self.weaves.get(&address).copied()
    }
}

/// The grain of a variable, if all that is done with its addresses goes by whole grains.
fn grain<'c>(layout: Layout<'_>, variable: Value<'c>, addresses: &HashSet<Value<'c>>) -> Option<u64> {
    let mut found = None;
    // All accesses first, for the steps are measured by their grain.
    for user in addresses.iter().flat_map(|address| address.users()) {
        if addresses.contains(&user) || is_lifetime_marker(user) {
            continue;
        }
        let ty = match user.opcode() {
            Some(Opcode::LLVMLoad) => user.ty(),
            Some(Opcode::LLVMStore) if !addresses.contains(&user.operand(0)) => user.operand(0).ty(),
            _ => return None,
        };
        let own = grain_of(layout, ty).filter(|_| is_simple_access(user, ty))?;
        if *found.get_or_insert(own) != own {
            return None;
        }
    }
    let grain = found?;
    let size = layout.size(variable.allocated()?);
    let whole = size > grain && size.is_multiple_of(grain);
    let steps =
        addresses.iter().all(|&address| address == variable || steps_by(layout, address, addresses, grain));
    (whole && steps).then_some(grain)
}

/// The size of the components of a type, if it is one for all, and they lie at multiples of it.
fn grain_of(layout: Layout<'_>, ty: Type<'_>) -> Option<u64> {
    let parts = component_offsets(layout, ty)?;
    let (first, _) = parts.first()?;
    let grain = layout.size(*first);
    let fits = |part: Type<'_>, offset: u64| {
        let bits = match part.kind() {
            TypeKind::Int(bits) => u64::from(bits),
            _ => layout.size(part) * 8,
        };
        bits == grain * 8 && offset.is_multiple_of(grain)
    };
    let usable = grain.is_power_of_two() && grain <= LARGEST_GRAIN;
    (usable && parts.iter().all(|&(part, offset)| fits(part, offset))).then_some(grain)
}

/// Whether an address is made from others in the same variable by steps of whole grains.
fn steps_by<'c>(layout: Layout<'_>, address: Value<'c>, addresses: &HashSet<Value<'c>>, grain: u64) -> bool {
    let pointers = |value: &Value<'c>| matches!(value.ty().scalar().kind(), TypeKind::Pointer(_));
    let own = match address.opcode() {
        Some(Opcode::LLVMPHI) => address.incoming().into_iter().map(|(value, _)| value).collect(),
        _ => address.operands(),
    };
    if !address.ty().is_scalar()
        || !own.iter().filter(|value| pointers(value)).all(|value| addresses.contains(value))
    {
        return false;
    }
    let Some(steps) = gep_steps(layout, address) else { return !address.is(Opcode::LLVMGetElementPtr) };
    let whole = |bytes: i64| bytes.unsigned_abs().is_multiple_of(grain);
    whole(steps.constant) && steps.variable.iter().all(|(_, bytes)| whole(*bytes))
}

/// What an address adds to the one that it is made from.
#[derive(Debug)]
pub(crate) struct GepSteps {
    /// Bytes.
    pub(crate) constant: i64,
    /// The operands that are indices of other numbers, and the bytes for which one counts.
    pub(crate) variable: Vec<(usize, i64)>,
}

/// The steps of a GEP; `None` of any other value, and where a number leaves 64 bits.
pub(crate) fn gep_steps(layout: Layout<'_>, gep: Value<'_>) -> Option<GepSteps> {
    if !gep.is(Opcode::LLVMGetElementPtr) {
        return None;
    }
    let mut steps = GepSteps { constant: 0, variable: Vec::new() };
    let mut ty = gep.gep_element()?;
    for (position, index) in gep.operands().into_iter().enumerate().skip(1) {
        if position > 1 {
            if let TypeKind::Struct(_) = ty.kind() {
                let field = u32::try_from(index.as_int()?).ok()?;
                steps.constant = steps.constant.checked_add(layout.field_offset(ty, field).cast_signed())?;
                ty = ty.field(field)?;
                continue;
            }
            ty = ty.element()?;
        }
        let size = layout.size(ty).cast_signed();
        match index.as_int() {
            Some(number) => steps.constant = steps.constant.checked_add(number.checked_mul(size)?)?,
            None => steps.variable.push((position, size)),
        }
    }
    Some(steps)
}
