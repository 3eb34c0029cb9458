//! The reference executor's code: a kernel as an ordinary function, independent of how work-groups are formed.
//!
//! In: a module of the front end's, builtins linked, that is this kernel's alone. Out: the same module for the real
//! target, which exports `oxcl_ref_<kernel>` (`oxcl_binary::abi::RefEntry`) and nothing else: one work-item on the
//! calling thread. Nothing is inlined or optimised, here or later.
//!
//! What a work-item knows of its place is in thread-local variables that the entry sets: the current item, which the
//! work-item functions and barriers of `oxcl_builtins` read, and a pointer for each `__local` variable, which takes the
//! variable's place in every function that names it. Division is guarded as in work-group functions.

use oxcl_binary::abi;
use oxcl_builtins::{AddressBits, reference_work_items};
use oxcl_ir::module::{self as ir_module, Layout};
use oxcl_ir::{Builder, Function, IrError, Module, Opcode, Place, Value};
use oxcl_workgroup::sub_groups::numbered_meetings;
use oxcl_workgroup::{Target, guard_divisions};

/// Address space of `__local`.
const LOCAL: u32 = 3;

/// What the library's work-item functions call for the thread's item.
const CURRENT_ITEM: &str = "oxcl_ref_current_item";

/// The library's meeting of a sub-group's work-items, and what the executor has in its place.
const MEET: &str = "oxcl_sub_group_meet";
const MEET_AT: &str = "oxcl_sub_group_meet_at";

/// A `__local` variable of the kernel's: its own and what stands for it.
struct Local<'c> {
    variable: Value<'c>,
    /// Thread-local; holds the address of the variable's block.
    place: Value<'c>,
    size: u64,
}

/// Makes `module` the reference executor's for `kernel`; gives the sizes of its `__local` variables, in the order in
/// which their cells follow the arguments.
///
/// # Errors
/// LLVM refuses the module: there is no such kernel, or a mistake of ours.
pub(crate) fn build(
    module: &Module<'_>,
    kernel: &str,
    variables: &[(String, u64)],
    target: &Target,
) -> Result<Vec<u64>, IrError> {
    let body = Function::find(module, kernel)
        .filter(|function| !function.is_declaration())
        .ok_or_else(|| IrError::Invalid { what: kernel.to_owned(), message: "there is none".to_owned() })?;
    // A kernel may have the name of a function that the code generator calls.
    body.value().set_name(&format!("oxcl_kernel_{kernel}"));
    number_meetings(module, body)?;
    if let Some(unit) = reference_work_items(AddressBits::Bits64) {
        ir_module::link_needed(module, unit.bitcode)?;
    }
    ir_module::set_target(module, &target.triple, &target.data_layout);
    let item = ir_module::add_thread_local(module, "oxcl_ref_item", body.types().pointer(0));
    define_current_item(module, item);
    let entry = declare_entry(module, kernel);
    // Something must reach the kernel while what nobody reaches is dropped.
    entry.set_internal(false);
    begin_entry(entry, item);
    let call = call_body(entry, body, Layout::of(module));
    keep_only(module, entry)?;

    let locals = take_locals(module);
    read_local_cells(entry, call, body.parameters().len(), &locals);
    take_variables(module, entry, call, variables);
    for function in Function::all(module) {
        if !function.is_declaration() {
            guard_divisions(function);
        }
    }
    ir_module::verify(module)?;
    Ok(locals.iter().map(|local| local.size).collect())
}

/// Gives each meeting of sub-groups the number that the executor knows it by: its place among all that the kernel can come to,
/// whatever functions they are in, which are inlined for that.
fn number_meetings<'c>(module: &Module<'c>, kernel: Function<'c>) -> Result<(), IrError> {
    let Some(meet) = Function::find(module, MEET).filter(|meet| !meet.value().users().is_empty()) else {
        return Ok(());
    };
    let mut reached = vec![meet];
    let mut next = 0;
    while let Some(&function) = reached.get(next) {
        next += 1;
        for user in function.value().users() {
            let Some(caller) = user.block().map(|block| block.function()) else { continue };
            if caller != kernel && !reached.contains(&caller) {
                caller.remove_attribute(Place::Function, "noinline");
                caller.remove_attribute(Place::Function, "optnone");
                caller.add_attribute(Place::Function, "alwaysinline");
                reached.push(caller);
            }
        }
    }
    ir_module::run_passes(module, "always-inline")?;
    let types = kernel.types();
    let ty = types.function(types.void(), &[types.i32()]);
    let numbered = Function::find(module, MEET_AT).unwrap_or_else(|| Function::add(module, MEET_AT, ty));
    for (number, meeting) in (0..).zip(numbered_meetings(kernel)) {
        Builder::before(meeting).call(numbered, &[types.i32().int(number)], "");
        meeting.erase();
    }
    Ok(())
}

/// Defines the function by which the library asks for the thread's item, where it does.
fn define_current_item<'c>(module: &Module<'c>, item: Value<'c>) {
    let Some(function) = Function::find(module, CURRENT_ITEM) else { return };
    let builder = Builder::at_end(function.append_block("entry"));
    let value = builder.load(function.types().pointer(0), item, 8, "item");
    builder.return_value(value);
}

/// `void oxcl_ref_<kernel>(args, item)`.
fn declare_entry<'c>(module: &Module<'c>, kernel: &str) -> Function<'c> {
    let types = ir_module::types(module);
    let pointer = types.pointer(0);
    let ty = types.function(types.void(), &[pointer, pointer]);
    Function::add(module, &abi::ref_symbol(kernel), ty)
}

fn begin_entry<'c>(entry: Function<'c>, item: Value<'c>) {
    let builder = Builder::at_end(entry.append_block("entry"));
    if let Some(own) = entry.parameters().get(1) {
        builder.store(*own, item, 8);
    }
}

/// Cell `index` of the entry's first parameter: a pointer to a value.
fn cell<'c>(builder: &Builder<'c>, entry: Function<'c>, index: usize) -> Value<'c> {
    let args = entry.parameters()[0];
    let offset = i64::try_from(8 * index).unwrap_or(i64::MAX);
    let at = builder.byte_offset(args, builder.i64(offset), "");
    builder.load(builder.types().pointer(0), at, 8, "cell")
}

/// Calls the kernel with the values in its cells. A structure is passed by value, so each work-item has its own.
fn call_body<'c>(entry: Function<'c>, body: Function<'c>, layout: Layout<'_>) -> Value<'c> {
    let builder = Builder::at_end(entry.blocks()[0]);
    let mut values = Vec::new();
    let mut structures = Vec::new();
    for (index, parameter) in body.parameters().into_iter().enumerate() {
        let from = cell(&builder, entry, index);
        let position = u32::try_from(index).unwrap_or(u32::MAX);
        match body.by_value(position) {
            Some(ty) => {
                structures.push((position, ty));
                values.push(from);
            }
            None => {
                let ty = parameter.ty();
                values.push(builder.load(ty, from, layout.alignment(ty), &parameter.name()));
            }
        }
    }
    let call = builder.call(body, &values, "");
    for (position, ty) in structures {
        call.set_call_by_value(position, ty, body.parameter_alignment(position));
    }
    builder.return_void();
    call
}

/// Makes all but the entry internal and drops what it does not reach.
fn keep_only(module: &Module<'_>, entry: Function<'_>) -> Result<(), IrError> {
    for function in Function::all(module) {
        if function != entry && !function.is_declaration() {
            function.set_internal(true);
        }
    }
    for global in ir_module::globals(module) {
        ir_module::set_internal_global(global);
    }
    ir_module::run_passes(module, "globaldce")
}

/// Replaces the `__local` variables, in every function, by what their thread-local places hold.
fn take_locals<'c>(module: &Module<'c>) -> Vec<Local<'c>> {
    let layout = Layout::of(module);
    let mut locals = Vec::new();
    for variable in ir_module::globals(module) {
        if ir_module::global_space(variable) != LOCAL {
            continue;
        }
        let name = format!("oxcl_ref_local.{}", locals.len());
        let place = ir_module::add_thread_local(module, &name, variable.ty());
        let size = layout.size(ir_module::global_type(variable));
        locals.push(Local { variable, place, size });
    }
    for function in Function::all(module) {
        if function.is_declaration() {
            continue;
        }
        for local in &locals {
            replace_in(function, local);
        }
    }
    locals
}

/// Replaces the variables that the program's kernels share by places in the memory that the work-item names.
fn take_variables<'c>(
    module: &Module<'c>,
    entry: Function<'c>,
    call: Value<'c>,
    variables: &[(String, u64)],
) {
    if variables.is_empty() {
        return;
    }
    let pointer = call.types().pointer(0);
    let place = ir_module::add_thread_local(module, "oxcl_ref_variables", pointer);
    let builder = Builder::before(call);
    let item = entry.parameters()[1];
    let at = builder.i64(std::mem::offset_of!(abi::RefItem, program_variables) as i64);
    let shared = builder.load(pointer, builder.byte_offset(item, at, ""), 8, "variables");
    builder.store(shared, place, 8);
    for variable in ir_module::globals(module) {
        let name = variable.name();
        let Some((_, offset)) = variables.iter().find(|(known, _)| *known == name) else { continue };
        for function in Function::all(module).into_iter().filter(|function| !function.is_declaration()) {
            replace_uses_in(function, variable, |builder| {
                let shared = builder.load(pointer, place, 8, "variables");
                let own = builder.byte_offset(shared, builder.i64(offset.cast_signed()), "");
                builder.cast(Opcode::LLVMAddrSpaceCast, own, variable.ty(), "variable")
            });
        }
    }
}

fn replace_in<'c>(function: Function<'c>, local: &Local<'c>) {
    replace_uses_in(function, local.variable, |builder| {
        builder.load(local.variable.ty(), local.place, 8, "local")
    });
}

/// Replaces a module's variable, in one function, by what `make` computes where the function begins.
fn replace_uses_in<'c>(
    function: Function<'c>,
    variable: Value<'c>,
    make: impl Fn(&Builder<'c>) -> Value<'c>,
) {
    ir_module::expand_constant_users(variable, function);
    let own = |user: &Value<'c>| user.block().is_some_and(|block| block.function() == function);
    let users: Vec<Value<'c>> = variable.users().into_iter().filter(own).collect();
    if users.is_empty() {
        return;
    }
    let Some(first) = function.blocks().first().and_then(|block| block.instructions().first().copied())
    else {
        return;
    };
    let builder = Builder::before(first);
    let pointer = make(&builder);
    for user in users {
        for index in 0..user.operand_count() {
            if user.operand(index) == variable {
                user.set_operand(index, pointer);
            }
        }
    }
}

/// Has the entry keep the blocks of the `__local` variables, whose cells follow those of the arguments.
fn read_local_cells<'c>(entry: Function<'c>, call: Value<'c>, arguments: usize, locals: &[Local<'c>]) {
    debug_assert!(call.is(Opcode::LLVMCall));
    let builder = Builder::before(call);
    for (index, local) in locals.iter().enumerate() {
        let block = builder.load(local.variable.ty(), cell(&builder, entry, arguments + index), 8, "block");
        builder.store(block, local.place, 8);
    }
}
