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
use crate::slots::{Home, is_lifetime_marker};
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
    /// Finds a kernel's woven variables, where `home` says what lives in scratch memory.
    pub(crate) fn find(kernel: &Prepared<'_, 'c>, home: impl Fn(Value<'c>) -> Option<Home>) -> Self {
        let mut weaves = HashMap::new();
        for variable in kernel.function.instructions() {
            if variable.allocated().is_none() {
                continue;
            }
            let addresses = addresses(variable);
            if let Some(grain) = grain(kernel.layout, variable, &addresses) {
                let of_group = matches!(home(variable), Some(Home::Item(_)));
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
    let Some(steps) = address.gep_steps(layout) else { return !address.is(Opcode::LLVMGetElementPtr) };
    let whole = |bytes: i64| bytes.unsigned_abs().is_multiple_of(grain);
    whole(steps.constant) && steps.variable.iter().all(|(_, bytes)| whole(*bytes))
}
