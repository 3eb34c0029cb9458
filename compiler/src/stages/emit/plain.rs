//! What LLVM's SPIR-V back end writes as something else than OpenCL C means by it, in other words.
//!
//! In: a module as the front end leaves it. Out: the same, where `any` and `all` of integers are bits (the back end has
//! instructions on truth values for them), where the numbers of channel types are OpenCL's (it has SPIR-V's), where the fourth
//! size of a volume is 0 (it leaves that open), where conversions that change no bit are left out (it writes
//! instructions that must change the width), where integers are made wider by their own sign (it takes the result's, and that
//! the other way round), where integers saturate by comparisons (it takes unsigned ones for signed where the
//! result is unsigned, and signed ones for unsigned where it is signed), where integers are cut to narrower types by OpenCL C's
//! functions (it forgets that they are cut where they are made wider later on, and gives wide values to operations on narrower
//! ones), where the group copies to and from addresses that are no constants (it says of those what they lead to, and the copies are
//! not made of that), where the names of variables that pixels go through say that these have no sign, and which level of a mipmap they are of (it does not), and where
//! the names of variables say alignments that it has no room for.

use oxcl_ir::{Builder, Function, IntPredicate, Module, Opcode, TypeKind, Value};
use oxcl_spirv::{ALIGNED, LEVEL, UNSIGNED_READ, UNSIGNED_WRITTEN};
use std::cmp::Ordering;

/// What OpenCL's numbers of channel types begin with, where SPIR-V's begin with 0. (Orders are asked of a function, by its name in
/// OpenCL C.)
const FIRST_TYPE: i64 = 0x10D0;

/// The greatest alignment of a function's variable that the back end writes as it is.
const MOST_ALIGNED: u32 = 64;

/// Rewrites the module.
pub(super) fn run(module: &Module<'_>) {
    for function in Function::all(module).into_iter().filter(|function| function.is_declaration()) {
        let name = function.value().name();
        let rewrite: fn(Value<'_>) = if name.starts_with("_Z3any") {
            |call| votes(call, Opcode::LLVMOr)
        } else if name.starts_with("_Z3all") {
            |call| votes(call, Opcode::LLVMAnd)
        } else if name.starts_with("_Z27get_image_channel_data_type") {
            counted_from_type
        } else if name.starts_with("_Z13get_image_dim") {
            ended_by_zero
        } else if is_plain_conversion(&name) {
            not_narrower
        } else if saturates(&name) {
            within
        } else {
            continue;
        };
        function.value().users().into_iter().filter(|user| user.is(Opcode::LLVMCall)).for_each(rewrite);
    }
    let mut levels = 0;
    for function in Function::all(module) {
        for instruction in function.instructions() {
            if is_pixel(instruction) {
                marked_pixel(module, function, instruction, &mut levels);
                continue;
            }
            if instruction.is(Opcode::LLVMAlloca) && instruction.alignment() > MOST_ALIGNED {
                let name = format!("{}{ALIGNED}{}", instruction.name(), instruction.alignment());
                instruction.set_name(&name);
            }
            copied_by_group(function, instruction);
            converted(module, instruction);
        }
    }
}

/// Copies of arrays by the group: their addresses come out of a variable, so that the back end sees by the copy's name what they
/// lead to. Of a variable's own address it says that it leads to an array, which copies are not made of.
fn copied_by_group<'c>(function: Function<'c>, call: Value<'c>) {
    let copies = ["_Z21async_work_group_copy", "_Z29async_work_group_strided_copy"];
    let name = if call.is(Opcode::LLVMCall) { call.callee().map(|callee| callee.name()) } else { None };
    if !name.is_some_and(|name| copies.iter().any(|copy| name.starts_with(copy))) {
        return;
    }
    let arguments = (0..).zip(call.arguments());
    for (index, address) in arguments.filter(|(_, given)| given.ty().is_pointer() && given.is_constant()) {
        call.set_operand(index, by_way_of_variable(function, call, address, "address"));
    }
}

/// A value that came out of a variable of the function's, right before a call.
fn by_way_of_variable<'c>(
    function: Function<'c>,
    call: Value<'c>,
    value: Value<'c>,
    name: &str,
) -> Value<'c> {
    let Some(first) = function.instructions().into_iter().next() else { return value };
    let variable = Builder::before(first).alloca(value.ty(), name);
    let (builder, bytes) = (Builder::before(call), variable.alignment());
    builder.store(value, variable, bytes);
    builder.load(value.ty(), variable, bytes, "")
}

/// How the names of the library's functions begin that read or write a pixel.
const PIXELS: [&str; 4] = ["_Z11read_image", "_Z12read_imageui", "_Z12write_image", "_Z13write_imageui"];

fn is_pixel(call: Value<'_>) -> bool {
    let callee = if call.is(Opcode::LLVMCall) { call.callee() } else { None };
    callee.is_some_and(|callee| PIXELS.iter().any(|start| callee.name().starts_with(start)))
}

/// Pixels of which the back end must be told more: what is read is stored to a variable whose name says it, what is written comes out of one.
/// (The back end keeps the names of variables, and not of other values.) So it is with pixels without a sign, and with those of a level of
/// a mipmap, of which it reads the first level, and writes the level for the pixel: what names the level is stored to variables too.
/// `levels` counts these.
fn marked_pixel<'c>(module: &Module<'c>, function: Function<'c>, call: Value<'c>, levels: &mut u32) {
    let name = call.callee().map(|callee| callee.name()).unwrap_or_default();
    let (arguments, is_read) = (call.arguments(), name.contains("read_image"));
    let unsigned = name.starts_with(PIXELS[1]) || name.starts_with(PIXELS[3]);
    // Behind an image, a sampler and coordinates, or between coordinates and a pixel.
    let steps = match arguments.as_slice() {
        [_, _, _, steps @ ..] if is_read => steps,
        [_, _, level, _] if !is_read => std::slice::from_ref(level),
        _ => &[],
    };
    if !unsigned && steps.is_empty() {
        return;
    }
    let mut mark = match (unsigned, is_read) {
        (true, true) => format!("pixel{UNSIGNED_READ}"),
        (true, false) => format!("pixel{UNSIGNED_WRITTEN}"),
        (false, true) => "pixel.read".to_owned(),
        (false, false) => "pixel.written".to_owned(),
    };
    let Some(first) = function.instructions().into_iter().next() else { return };
    if !steps.is_empty() {
        for (index, step) in steps.iter().enumerate() {
            let name = format!("step.{index}{LEVEL}{levels}");
            let variable = Builder::before(first).alloca(step.ty(), &name);
            Builder::before(call).store(*step, variable, variable.alignment());
        }
        mark.push_str(&format!("{LEVEL}{levels}"));
        *levels += 1;
    }
    if is_read {
        let Some(next) = call.next() else { return };
        let variable = Builder::before(first).alloca(call.ty(), &mark);
        Builder::before(next).store(call, variable, variable.alignment());
    } else if let [image, coordinates, .., pixel] = arguments[..] {
        let pixel = by_way_of_variable(function, call, pixel, &mark);
        if steps.is_empty() {
            call.set_operand(2, pixel);
            return;
        }
        // The function for the first level.
        let Some(name) = without_level(&name) else { return };
        let of_first = Function::find(module, &name).unwrap_or_else(|| {
            let ty = pixel.ty().types();
            let types = [image.ty(), coordinates.ty(), pixel.ty()];
            Function::add(module, &name, ty.function(ty.void(), &types))
        });
        Builder::before(call).call(of_first, &[image, coordinates, pixel], "");
        call.erase();
    }
}

/// The name of a function that writes pixels without the level among its parameters, which stands behind the coordinates.
fn without_level(name: &str) -> Option<String> {
    let end = ["_wo", "_rw"].iter().find_map(|access| Some(name.find(access)? + access.len()))?;
    let (image, rest) = name.split_at(end);
    let coordinates =
        ["Dv2_i", "Dv4_i", "i"].into_iter().find(|coordinates| rest.starts_with(coordinates))?;
    let pixel = rest[coordinates.len()..].strip_prefix('i')?;
    Some(format!("{image}{coordinates}{pixel}"))
}

/// An integer that is cut to a narrower type of OpenCL C, by OpenCL C's function for that.
fn converted<'c>(module: &Module<'c>, cut: Value<'c>) {
    if !cut.is(Opcode::LLVMTrunc) {
        return;
    }
    let (from, to) = (cut.operand(0).ty(), cut.ty());
    let names = |bits: u32| {
        [(8, "uchar", 'h'), (16, "ushort", 't'), (32, "uint", 'j'), (64, "ulong", 'm')]
            .into_iter()
            .find(|name| name.0 == bits)
    };
    let name_of = |ty: oxcl_ir::Type<'_>| match ty.scalar().kind() {
        TypeKind::Int(bits) => names(bits),
        _ => None,
    };
    let lanes = match to.kind() {
        TypeKind::Vector(lanes) => Some(lanes),
        _ => None,
    };
    let (Some((_, _, from_letter)), Some((_, to_name, _))) = (name_of(from), name_of(to)) else { return };
    let (count, given) = match lanes {
        None => (String::new(), from_letter.to_string()),
        Some(lanes @ (2 | 3 | 4 | 8 | 16)) => (lanes.to_string(), format!("Dv{lanes}_{from_letter}")),
        Some(_) => return,
    };
    let plain = format!("convert_{to_name}{count}");
    let name = format!("_Z{}{plain}{given}", plain.len());
    let function = Function::find(module, &name)
        .unwrap_or_else(|| Function::add(module, &name, to.types().function(to, &[from])));
    let result = Builder::before(cut).call(function, &[cut.operand(0)], "");
    cut.replace_uses_with(result);
    cut.erase();
}

/// Whether a function's name is that of a conversion without saturation.
fn is_plain_conversion(name: &str) -> bool {
    let plain = name.trim_start_matches("_Z").trim_start_matches(|digit: char| digit.is_ascii_digit());
    plain.starts_with("convert_") && !plain.contains("_sat")
}

/// Whether a conversion's name says that it takes signed integers, where it takes integers.
fn takes_signed(name: &str) -> bool {
    !name.ends_with(['h', 't', 'j', 'm'])
}

/// What a conversion between numbers of one LLVM type gives: its argument; and an integer made wider by its own sign.
fn not_narrower(call: Value<'_>) {
    let ([given], Some(callee)) = (&call.arguments()[..], call.callee()) else { return };
    let result = match (given.ty().scalar().kind(), call.ty().scalar().kind()) {
        _ if given.ty() == call.ty() => *given,
        (TypeKind::Int(from), TypeKind::Int(to)) if from < to => {
            let how = if takes_signed(&callee.name()) { Opcode::LLVMSExt } else { Opcode::LLVMZExt };
            Builder::before(call).cast(how, *given, call.ty(), "")
        }
        _ => return,
    };
    call.replace_uses_with(result);
    call.erase();
}

/// Whether a function's name is that of a conversion that saturates.
fn saturates(name: &str) -> bool {
    name.contains("convert_") && name.contains("_sat")
}

/// An integer, or what is next to it of what the result's type has. Floating-point numbers are left as they are.
fn within(call: Value<'_>) {
    let (Some(&given), Some(name)) = (call.arguments().first(), call.callee().map(|callee| callee.name()))
    else {
        return;
    };
    let (TypeKind::Int(from), TypeKind::Int(to)) = (given.ty().scalar().kind(), call.ty().scalar().kind())
    else {
        return;
    };
    let (from_signed, to_signed) = (takes_signed(&name), !name.contains("convert_u"));
    let builder = Builder::before(call);
    // Bits of a number without its sign.
    let (room, given_bits) = (to - u32::from(to_signed), from - u32::from(from_signed));
    let mut near = given;
    if from_signed && (!to_signed || to < from) {
        let least = given.ty().int(if to_signed { i64::MIN >> (64 - to) } else { 0 });
        let is_below = builder.compare(IntPredicate::LLVMIntSLT, near, least, "");
        near = builder.select(is_below, least, near, "");
    }
    if room < given_bits {
        let greatest = given.ty().int(i64::MAX >> (63 - room));
        let above = if from_signed { IntPredicate::LLVMIntSGT } else { IntPredicate::LLVMIntUGT };
        let exceeds = builder.compare(above, near, greatest, "");
        near = builder.select(exceeds, greatest, near, "");
    }
    let result = match to.cmp(&from) {
        Ordering::Less => builder.cast(Opcode::LLVMTrunc, near, call.ty(), ""),
        Ordering::Equal => near,
        Ordering::Greater if from_signed => builder.cast(Opcode::LLVMSExt, near, call.ty(), ""),
        Ordering::Greater => builder.cast(Opcode::LLVMZExt, near, call.ty(), ""),
    };
    call.replace_uses_with(result);
    call.erase();
}

/// The highest bits of all elements joined, as 0 or 1.
fn votes(call: Value<'_>, join: Opcode) {
    let (Some(&given), builder) = (call.arguments().first(), Builder::before(call)) else { return };
    let types = builder.types();
    let joined = match given.ty().kind() {
        TypeKind::Vector(lanes) => {
            let lane = |lane: u32| builder.extract_lane(given, types.i32().int(i64::from(lane)), "");
            (1..lanes).fold(lane(0), |sum, next| builder.binary(join, sum, lane(next), ""))
        }
        _ => given,
    };
    let is_set = builder.compare(IntPredicate::LLVMIntSLT, joined, joined.ty().zero(), "");
    let number = builder.cast(Opcode::LLVMZExt, is_set, call.ty(), "");
    call.replace_uses_with(number);
    call.erase();
}

/// Four sizes that a call gives, of which the last is 0.
fn ended_by_zero(call: Value<'_>) {
    let (Some(next), TypeKind::Vector(4)) = (call.next(), call.ty().kind()) else { return };
    let builder = Builder::before(next);
    let types = builder.types();
    let ended = builder.insert_lane(call, types.i32().zero(), types.i32().int(3), "");
    call.replace_uses_with(ended);
    ended.set_operand(0, call);
}

/// What a call gives, counted from the first of OpenCL's numbers.
fn counted_from_type(call: Value<'_>) {
    let Some(next) = call.next() else { return };
    let sum = Builder::before(next).add(call, call.ty().int(FIRST_TYPE), "");
    call.replace_uses_with(sum);
    sum.set_operand(0, call);
}
