//! The launchers: the two entries over one body, and the kernel's constants.
//!
//! In: the body. Out: `oxcl_wg_<kernel>` (loops over a run of groups), `_pocl_kernel_<kernel>_workgroup` (one group, in
//! PoCL's context layout) and `oxcl_meta_<kernel>`; for 32-bit devices `oxcl_start_<kernel>` instead of the last two. The
//! kernel itself and whatever else nobody needs are gone.

use crate::bodies::Bodies;
use crate::context::Fields;
use crate::cut::Cut;
use crate::emit::clean_up;
use crate::error::FormError;
use crate::locals::Local;
use crate::plan::space::{PIECE, Space};
use crate::pocl_print;
use crate::prepare::{Prepared, mark_target};
use crate::slots::Slots;
use crate::{Options, PoclAbi, space};
use oxcl_binary::abi::{
    self, ABI_VERSION, Context, KernelConstants, MAX_ALIGNMENT, POCL_STACK_SCRATCH, PoclContext96,
    PoclContext112,
};
use oxcl_ir::module as ir_module;
use oxcl_ir::{Builder, Function, IntPredicate, Opcode, Place, Value};
use std::mem::{align_of, offset_of};

/// Adds the entries and the constants, and cleans the module up.
pub(crate) fn finish<'c>(
    cut: &Cut<'_, 'c>,
    bodies: Bodies<'c>,
    rows: Space,
    options: &Options,
) -> Result<(), FormError> {
    let Cut { kernel, locals, slots, .. } = cut;
    // A kernel may have the name of a function that the entries call.
    kernel.function.value().set_name(&format!("oxcl_kernel_{}", kernel.name));
    if options.pocl == PoclAbi::Context60 {
        native_entry(kernel, bodies, rows, locals, options);
        start_entry(kernel, options);
    } else {
        // One copy of the body is optimised and emitted, which halves the time that a build takes; a call for each group
        // costs a few nanoseconds. PoCL's entry calls the other one, from up to three places: what reads the arguments and
        // chooses the body is there once.
        for body in [Some(bodies.first), bodies.short_rows.map(|(body, _)| body)].into_iter().flatten() {
            body.add_attribute(Place::Function, "noinline");
        }
        let native = native_entry(kernel, bodies, rows, locals, options);
        native.add_attribute(Place::Function, "noinline");
        pocl_entry(cut, native, options);
        constants(kernel, slots, options);
    }
    kernel.function.set_internal(true);
    clean_up(kernel)?;
    ir_module::verify(kernel.module)?;
    Ok(())
}

fn entry<'c>(
    kernel: &Prepared<'_, 'c>,
    name: &str,
    ints: usize,
    scratch: bool,
    options: &Options,
) -> Function<'c> {
    let types = kernel.function.types();
    let fields = Fields::of(options.pocl);
    let integer = if fields.word == 8 { types.i64() } else { types.i32() };
    let mut parameters = vec![types.pointer(fields.space), types.pointer(fields.space)];
    parameters.extend(std::iter::repeat_n(integer, ints));
    if scratch {
        parameters.push(types.pointer(0));
    }
    let function = Function::add(kernel.module, name, types.function(types.void(), &parameters));
    mark_target(function, &options.target);
    function.add_attribute(Place::Function, "nounwind");
    function
}

/// The kernel's arguments, from the cells that `args` points to.
fn arguments<'c>(
    b: &Builder<'c>,
    kernel: &Prepared<'_, 'c>,
    locals: &[Local<'c>],
    args: Value<'c>,
    fields: Fields,
) -> Vec<Value<'c>> {
    let pointer = b.types().pointer(fields.space);
    let cell = |index: usize| {
        let at = b.byte_offset(args, b.i64(i64::from(fields.word) * index as i64), "");
        b.load(pointer, at, fields.word, "cell")
    };
    let own = kernel.function.parameters();
    let mut values = Vec::with_capacity(own.len() + locals.len());
    for (index, parameter) in own.iter().enumerate() {
        let by_value = u32::try_from(index).ok().and_then(|index| kernel.function.by_value(index));
        values.push(match by_value {
            Some(_) if fields.space == 0 => cell(index),
            // The body takes the address of private memory.
            Some(ty) => {
                let copy = b.alloca(ty, &parameter.name());
                let alignment = kernel.layout.alignment(ty);
                copy.set_alignment(alignment);
                b.copy_memory(copy, cell(index), alignment, kernel.layout.size(ty));
                copy
            }
            None => {
                let ty = parameter.ty();
                b.load(ty, cell(index), kernel.layout.alignment(ty), &parameter.name())
            }
        });
    }
    for (index, local) in locals.iter().enumerate() {
        values.push(b.load(
            local.variable.ty(),
            cell(own.len() + index),
            fields.word,
            &local.variable.name(),
        ));
    }
    values
}

fn native_entry<'c>(
    kernel: &Prepared<'_, 'c>,
    bodies: Bodies<'c>,
    rows: Space,
    locals: &[Local<'c>],
    options: &Options,
) -> Function<'c> {
    let function = entry(kernel, &abi::native_symbol(&kernel.name), 4, true, options);
    let parameters = function.parameters();
    let &[args, context, gx, gy, gz, count, scratch] = parameters.as_slice() else { return function };
    let b = Builder::at_end(function.append_block("entry"));
    let fields = Fields::of(options.pocl);
    let wide = |value: Value<'c>| match fields.word {
        8 => value,
        _ => b.cast(Opcode::LLVMZExt, value, b.types().i64(), ""),
    };
    let [gx, gy, gz, count] = [gx, gy, gz, count].map(wide);
    let mut values = arguments(&b, kernel, locals, args, fields);
    let at = b.byte_offset(context, b.i64(fields.work_dim as i64), "");
    let dimensions = b.load(b.types().i32(), at, 4, "work_dim");
    let launch = bodies.ask(&b, context, options);
    let piece = (rows == Space::Pieces).then(|| groups_of_a_piece(&b, context, fields, options));
    let (head, exit) = (function.append_block("group"), function.append_block("exit"));
    let none = b.compare(IntPredicate::LLVMIntEQ, count, b.i64(0), "");
    let before = b.block();
    b.conditional_branch(none, exit, head);
    b.position_at_end(head);
    if rows == Space::Run {
        values.extend([context, gx, gy, gz, dimensions, scratch, count]);
        bodies.call(&b, function, launch, &values);
        b.branch(exit);
        b.position_at_end(exit);
        b.return_void();
        return function;
    }
    let done = b.phi(b.types().i64(), "done");
    done.add_incoming(b.i64(0), before);
    let group = b.add_no_wrap(gx, done, "group");
    values.extend([context, group, gy, gz, dimensions, scratch]);
    let step = match piece {
        Some(piece) => {
            let left = b.binary(Opcode::LLVMSub, count, done, "left");
            let is_last = b.compare(IntPredicate::LLVMIntULT, left, piece, "");
            let step = b.select(is_last, left, piece, "step");
            values.push(step);
            step
        }
        None => b.i64(1),
    };
    bodies.call(&b, function, launch, &values);
    let next = b.add_no_wrap(done, step, "");
    done.add_incoming(next, b.block());
    let more = b.compare(IntPredicate::LLVMIntULT, next, count, "");
    b.conditional_branch(more, head, exit);
    b.position_at_end(exit);
    b.return_void();
    function
}

/// The groups of a piece of a row: as many as have [`PIECE`] work-items in dimension 0, at least one.
fn groups_of_a_piece<'c>(
    b: &Builder<'c>,
    context: Value<'c>,
    fields: Fields,
    options: &Options,
) -> Value<'c> {
    let length = match options.local_size {
        Some([x, ..]) => return b.i64((PIECE / x.cast_signed().max(1)).max(1)),
        None => fields.load(b, context, fields.local_size, 0, "local.0"),
    };
    let groups = b.binary(Opcode::LLVMUDiv, b.i64(PIECE), length, "");
    let none = b.compare(IntPredicate::LLVMIntEQ, groups, b.i64(0), "");
    b.select(none, b.i64(1), groups, "piece")
}

/// The start-up: the native entry with what the device's program left at [`abi::LAUNCH_SYMBOL`].
fn start_entry(kernel: &Prepared<'_, '_>, options: &Options) {
    let types = kernel.function.types();
    let Some(native) = Function::find(kernel.module, &abi::native_symbol(&kernel.name)) else { return };
    let words = types.i32().array(abi::LAUNCH_WORDS);
    let launch = ir_module::declare_variable(kernel.module, abi::LAUNCH_SYMBOL, words, space::GLOBAL);
    let name = abi::start_symbol(&kernel.name);
    let function = Function::add(kernel.module, &name, types.function(types.void(), &[]));
    mark_target(function, &options.target);
    function.add_attribute(Place::Function, "nounwind");
    let b = Builder::at_end(function.append_block("entry"));
    let values: Vec<Value<'_>> = (0_i64..)
        .zip(native.parameters())
        .map(|(number, parameter)| {
            let at = b.byte_offset(launch, b.i64(4 * number), "");
            b.load(parameter.ty(), at, 4, &parameter.name())
        })
        .collect();
    b.call(native, &values, "");
    b.return_void();
}

fn pocl_entry<'c>(cut: &Cut<'_, 'c>, native: Function<'c>, options: &Options) {
    let &Cut { ref kernel, ref variables, ref slots, prints, .. } = cut;
    let function = entry(kernel, &abi::pocl_symbol(&kernel.name), 3, false, options);
    let parameters = function.parameters();
    let &[args, context, gx, gy, gz] = parameters.as_slice() else { return };
    let b = Builder::at_end(function.append_block("entry"));
    if slots.fixed > 0 {
        leave_without_ranges(&b, context, options.pocl);
        return;
    }
    if !variables.is_empty() {
        leave_without_variables(&b, function, context, options.pocl);
    }
    let is_as_ours = options.pocl == PoclAbi::Context112 && !options.has_edges();
    let own = if is_as_ours { context } else { own_context(&b, context, options.pocl) };
    let run = |b: &Builder<'c>, scratch: Value<'c>| {
        b.call(native, &[args, own, gx, gy, gz, b.i64(1), scratch], "");
    };
    let leave = || {
        if prints && options.pocl == PoclAbi::Context112 {
            pocl_print::print(&b, kernel.module, context);
        }
        b.return_void();
    };
    if slots.per_item == 0 {
        run(&b, b.types().pointer(0).poison());
        leave();
        return;
    }
    let bytes = scratch_bytes(&b, context, slots, options);
    let block = |name: &str| function.append_block(name);
    let (small, large, heap, failed, exit) =
        (block("small"), block("large"), block("heap"), block("failed"), block("exit"));
    let fits = b.compare(IntPredicate::LLVMIntULE, bytes, b.i64(POCL_STACK_SCRATCH.cast_signed()), "");
    b.conditional_branch(fits, small, large);
    let from_stack = |b: &Builder<'c>| {
        let memory = b.array_alloca(b.types().i8(), bytes, "scratch");
        memory.set_alignment(MAX_ALIGNMENT as u32);
        run(b, memory);
        b.branch(exit);
    };
    b.position_at_end(small);
    from_stack(&b);
    b.position_at_end(large);
    let (allocate, free) = allocator(kernel);
    let memory = b.call(allocate, &[b.i64(MAX_ALIGNMENT as i64), bytes], "scratch");
    let null = b.types().pointer(0).zero();
    let is_null = b.compare(IntPredicate::LLVMIntEQ, memory, null, "");
    b.conditional_branch(is_null, failed, heap);
    b.position_at_end(heap);
    run(&b, memory);
    b.call(free, &[memory], "");
    b.branch(exit);
    b.position_at_end(failed);
    match options.pocl {
        // This layout has no way to tell of the failure.
        PoclAbi::Context96 => from_stack(&b),
        PoclAbi::Context112 | PoclAbi::Context60 => {
            let at = b.byte_offset(context, b.i64(offset_of!(PoclContext112, execution_failed) as i64), "");
            b.store(b.types().i32().int(1), at, 4);
            b.branch(exit);
        }
    }
    b.position_at_end(exit);
    leave();
}

/// Nothing runs: PoCL does not say where local and private memory lie. Its older layout has no way to tell of the failure.
fn leave_without_ranges<'c>(b: &Builder<'c>, context: Value<'c>, pocl: PoclAbi) {
    if pocl == PoclAbi::Context112 {
        let at = b.byte_offset(context, b.i64(offset_of!(PoclContext112, execution_failed) as i64), "");
        b.store(b.types().i32().int(1), at, 4);
    }
    b.return_void();
}

/// Nothing runs where PoCL has no memory for the program's variables: it knows neither their sizes nor their values. The
/// builder goes on where it has some.
fn leave_without_variables<'c>(b: &Builder<'c>, function: Function<'c>, context: Value<'c>, pocl: PoclAbi) {
    let (absent, present) = (function.append_block("absent"), function.append_block("present"));
    let at = |offset: usize| b.byte_offset(context, b.i64(offset as i64), "");
    let null = b.types().pointer(0).zero();
    match pocl {
        PoclAbi::Context96 => {
            b.branch(absent);
            b.position_at_end(absent);
        }
        PoclAbi::Context112 | PoclAbi::Context60 => {
            let memory =
                b.load(b.types().pointer(0), at(offset_of!(PoclContext112, global_var_buffer)), 8, "");
            let none = b.compare(IntPredicate::LLVMIntEQ, memory, null, "");
            b.conditional_branch(none, absent, present);
            b.position_at_end(absent);
            b.store(b.types().i32().int(1), at(offset_of!(PoclContext112, execution_failed)), 4);
        }
    }
    b.return_void();
    b.position_at_end(present);
}

/// A context of ours, on the stack, with what the body reads of PoCL's and the global size, which that does not have: PoCL
/// launches whole groups only, and has the number of dimensions elsewhere in its older layout. Nothing is printed to the older
/// PoCLs, which expect text and not records.
fn own_context<'c>(b: &Builder<'c>, context: Value<'c>, pocl: PoclAbi) -> Value<'c> {
    let types = b.types();
    let at = |base: Value<'c>, offset: usize| b.byte_offset(base, b.i64(offset as i64), "");
    let bytes = types.i8().array(size_of::<Context>() as u64);
    let own = b.alloca(bytes, "context");
    own.set_alignment(8);
    // Both of PoCL's layouts begin in the same way.
    let buffer = offset_of!(PoclContext112, printf_buffer);
    match pocl {
        PoclAbi::Context96 => {
            b.copy_memory(own, context, 8, buffer as u64);
            b.store(types.pointer(0).zero(), at(own, buffer), 8);
            let dimensions = at(context, offset_of!(PoclContext96, work_dim));
            let dimensions = b.load(types.i32(), dimensions, 4, "work_dim");
            b.store(dimensions, at(own, offset_of!(PoclContext112, work_dim)), 4);
        }
        PoclAbi::Context112 | PoclAbi::Context60 => {
            b.copy_memory(own, context, 8, size_of::<PoclContext112>() as u64);
        }
    }
    for dimension in 0..3 {
        let field = |start: usize| b.load(types.i64(), at(context, start + 8 * dimension), 8, "");
        let (count, size) =
            (field(offset_of!(PoclContext112, num_groups)), field(offset_of!(PoclContext112, local_size)));
        let global = b.mul_no_wrap(count, size, "global");
        b.store(global, at(own, offset_of!(Context, global_size) + 8 * dimension), 8);
    }
    own
}

/// The scratch memory of the launch's local size, rounded to whole blocks as `aligned_alloc` asks.
fn scratch_bytes<'c>(b: &Builder<'c>, context: Value<'c>, slots: &Slots<'c>, options: &Options) -> Value<'c> {
    let start = offset_of!(PoclContext112, local_size) as i64;
    let size = |dimension: i64| match options.local_size {
        Some(fixed) => b.i64(fixed[dimension as usize].cast_signed()),
        None => b.load(b.types().i64(), b.byte_offset(context, b.i64(start + 8 * dimension), ""), 8, "local"),
    };
    let items = b.mul(b.mul(size(0), size(1), ""), size(2), "items");
    let round = |value: Value<'c>, to: i64| b.and(b.add(value, b.i64(to - 1), ""), b.i64(-to), "");
    let rounded = round(items, i64::from(options.lanes()));
    let bytes = b.mul(rounded, b.i64(slots.per_item.cast_signed()), "");
    round(bytes, MAX_ALIGNMENT as i64)
}

/// `aligned_alloc` and `free`, as declared in the module.
fn allocator<'c>(kernel: &Prepared<'_, 'c>) -> (Function<'c>, Function<'c>) {
    let types = kernel.function.types();
    let declare = |name: &str, ty| {
        Function::find(kernel.module, name).unwrap_or_else(|| Function::add(kernel.module, name, ty))
    };
    let pointer = types.pointer(0);
    (
        declare("aligned_alloc", types.function(pointer, &[types.i64(), types.i64()])),
        declare("free", types.function(types.void(), &[pointer])),
    )
}

/// The exported [`KernelConstants`].
fn constants(kernel: &Prepared<'_, '_>, slots: &Slots<'_>, options: &Options) {
    let types = kernel.function.types();
    let long = |value: u64| types.i64().int(value.cast_signed());
    let size = options.local_size.unwrap_or_default().map(long);
    let value = types.const_struct(&[
        types.i32().int(i64::from(ABI_VERSION)),
        types.i32().int(i64::from(options.lanes())),
        long(slots.fixed),
        long(slots.per_item),
        types.const_array(types.i64(), &size),
    ]);
    let alignment = u32::try_from(align_of::<KernelConstants>()).unwrap_or(8);
    ir_module::export_constant(kernel.module, &abi::constants_symbol(&kernel.name), value, alignment);
}
