//! What stands for one value of the kernel when W work-items run together.
//!
//! A value that is the same for all lanes stays one scalar (or one OpenCL vector, or one aggregate). A value whose lanes
//! differ by a constant is kept as lane 0's. Any other is taken apart into its scalar *components* (one for a scalar, N
//! for a vector of N, the leaves of an aggregate), each a vector of W lanes: operations on OpenCL vectors become
//! operations on whole lane vectors, whatever N is.

use oxcl_ir::{Builder, Opcode, Type, TypeKind, Value};

/// What stands for a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Lanes<'c> {
    /// The same for all lanes.
    One(Value<'c>),
    /// `first + step * lane`; bytes for pointers.
    Strided { first: Value<'c>, step: i64 },
    /// For each component, its lanes.
    Each(Vec<Value<'c>>),
}

/// The scalar components of a type, in order; `None` for types that have no lanes.
pub(super) fn components<'c>(ty: Type<'c>) -> Option<Vec<Type<'c>>> {
    match ty.kind() {
        TypeKind::Int(_) | TypeKind::Float | TypeKind::Pointer(_) => Some(vec![ty]),
        TypeKind::Vector(count) => Some(vec![ty.element()?; count as usize]),
        TypeKind::Array(count) if count <= 64 => {
            let one = components(ty.element()?)?;
            Some((0..count).flat_map(|_| one.clone()).collect())
        }
        TypeKind::Struct(count) => {
            let mut all = Vec::new();
            for index in 0..count {
                all.extend(components(ty.field(index)?)?);
            }
            Some(all)
        }
        _ => None,
    }
}

/// The number of components before field or element `indices` of an aggregate, and the type found there.
pub(super) fn component_of<'c>(ty: Type<'c>, indices: &[u32]) -> Option<(usize, Type<'c>)> {
    let Some((&first, rest)) = indices.split_first() else { return Some((0, ty)) };
    let mut before = 0;
    let inner = match ty.kind() {
        TypeKind::Struct(_) => {
            for field in 0..first {
                before += components(ty.field(field)?)?.len();
            }
            ty.field(first)?
        }
        _ => {
            let element = ty.element()?;
            before = components(element)?.len() * first as usize;
            element
        }
    };
    let (more, found) = component_of(inner, rest)?;
    Some((before + more, found))
}

/// Takes a scalar, vector or aggregate apart into its components.
pub(super) fn take_apart<'c>(b: &Builder<'c>, value: Value<'c>) -> Vec<Value<'c>> {
    match value.ty().kind() {
        TypeKind::Vector(count) => {
            (0..i64::from(count)).map(|index| b.extract_lane(value, b.i64(index), "")).collect()
        }
        TypeKind::Struct(count) => {
            (0..count).flat_map(|index| take_apart(b, b.extract_field(value, index, ""))).collect()
        }
        TypeKind::Array(count) => {
            let count = u32::try_from(count).unwrap_or(0);
            (0..count).flat_map(|index| take_apart(b, b.extract_field(value, index, ""))).collect()
        }
        _ => vec![value],
    }
}

/// Puts a scalar, vector or aggregate together from its components.
pub(super) fn put_together<'c>(
    b: &Builder<'c>,
    ty: Type<'c>,
    components: &mut impl Iterator<Item = Value<'c>>,
) -> Value<'c> {
    let mut whole = ty.poison();
    match ty.kind() {
        TypeKind::Vector(count) => {
            for index in 0..i64::from(count) {
                let Some(component) = components.next() else { break };
                whole = b.insert_lane(whole, component, b.i64(index), "");
            }
            whole
        }
        TypeKind::Struct(count) => {
            for index in 0..count {
                let Some(field) = ty.field(index) else { break };
                let inner = put_together(b, field, components);
                whole = b.insert_field(whole, inner, index, "");
            }
            whole
        }
        TypeKind::Array(count) => {
            let Some(element) = ty.element() else { return whole };
            for index in 0..u32::try_from(count).unwrap_or(0) {
                let inner = put_together(b, element, components);
                whole = b.insert_field(whole, inner, index, "");
            }
            whole
        }
        _ => components.next().unwrap_or(whole),
    }
}

/// `<0, step, 2*step, ...>` in a vector of integers.
fn steps<'c>(ty: Type<'c>, step: i64, width: u32) -> Value<'c> {
    let scalar = ty.scalar();
    let lanes: Vec<Value<'c>> =
        (0..i64::from(width)).map(|lane| scalar.int(lane.wrapping_mul(step))).collect();
    ty.types().const_vector(&lanes)
}

/// `first + step * lane` for every lane.
pub(super) fn spread<'c>(b: &Builder<'c>, first: Value<'c>, step: i64, width: u32) -> Value<'c> {
    match first.ty().kind() {
        TypeKind::Pointer(_) => {
            let offsets = steps(b.types().i64(), step, width);
            b.gep(b.types().i8(), first, &[offsets], 0, "")
        }
        _ => {
            let all = b.splat(first, width, "");
            b.add(all, steps(first.ty(), step, width), "")
        }
    }
}

/// Each component's lanes.
pub(super) fn widen<'c>(b: &Builder<'c>, lanes: &Lanes<'c>, width: u32) -> Vec<Value<'c>> {
    match lanes {
        Lanes::One(value) if value.is_undef() => components(value.ty())
            .unwrap_or_default()
            .into_iter()
            .map(|component| component.vector(width).poison())
            .collect(),
        Lanes::One(value) => {
            take_apart(b, *value).into_iter().map(|component| b.splat(component, width, "")).collect()
        }
        Lanes::Strided { first, step } => vec![spread(b, *first, *step, width)],
        Lanes::Each(components) => components.clone(),
    }
}

/// One lane's whole value; `lane` is an `i64`.
pub(super) fn pick<'c>(b: &Builder<'c>, lanes: &Lanes<'c>, ty: Type<'c>, lane: Value<'c>) -> Value<'c> {
    match lanes {
        Lanes::One(value) => *value,
        Lanes::Strided { first, step } => {
            let distance = b.mul(lane, b.i64(*step), "");
            match first.ty().kind() {
                TypeKind::Pointer(_) => b.gep(b.types().i8(), *first, &[distance], 0, ""),
                TypeKind::Int(64) => b.add(*first, distance, ""),
                _ => b.add(*first, resize(b, distance, first.ty()), ""),
            }
        }
        Lanes::Each(components) => {
            let mut scalars = components.iter().map(|component| b.extract_lane(*component, lane, ""));
            put_together(b, ty, &mut scalars)
        }
    }
}

/// A 64-bit number in an integer type.
pub(super) fn resize<'c>(b: &Builder<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
    let opcode = match ty.kind() {
        TypeKind::Int(64) => return value,
        TypeKind::Int(bits) if bits > 64 => Opcode::LLVMSExt,
        _ => Opcode::LLVMTrunc,
    };
    b.cast(opcode, value, ty, "")
}

/// One vector that holds the components lane after lane: `a0 b0 a1 b1 ...`, as memory does.
pub(super) fn interleave<'c>(b: &Builder<'c>, components: &[Value<'c>], width: u32) -> Value<'c> {
    let count = components.len();
    let joined = join(b, components, width);
    if count == 1 {
        return joined;
    }
    let width = width as usize;
    let order: Vec<i32> = (0..width * count).map(|at| ((at % count) * width + at / count) as i32).collect();
    b.shuffle(joined, joined.ty().poison(), &order, "")
}

/// The components of a vector that holds them lane after lane.
pub(super) fn deinterleave<'c>(
    b: &Builder<'c>,
    joined: Value<'c>,
    count: usize,
    width: u32,
) -> Vec<Value<'c>> {
    if count == 1 {
        return vec![joined];
    }
    (0..count)
        .map(|component| {
            let order: Vec<i32> = (0..width as usize).map(|lane| (lane * count + component) as i32).collect();
            b.shuffle(joined, joined.ty().poison(), &order, "")
        })
        .collect()
}

/// The vectors one after another.
pub(super) fn join<'c>(b: &Builder<'c>, vectors: &[Value<'c>], width: u32) -> Value<'c> {
    let Some((&first, rest)) = vectors.split_first() else {
        return b.types().i8().vector(width).poison();
    };
    let mut joined = first;
    let width = width as usize;
    for (done, &next) in (1..).zip(rest) {
        // Both sides of a shuffle have one type: the newcomer is first stretched to the length so far.
        let stretch: Vec<i32> = (0..done * width).map(|at| if at < width { at as i32 } else { -1 }).collect();
        let stretched = b.shuffle(next, next.ty().poison(), &stretch, "");
        let order: Vec<i32> = (0..(done + 1) * width).map(|at| at as i32).collect();
        joined = b.shuffle(joined, stretched, &order, "");
    }
    joined
}
