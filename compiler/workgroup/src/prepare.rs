//! Brings a kernel into the form that the other steps expect.
//!
//! In: a module for the OpenCL front-end target, builtins linked. Out: [`Prepared`]: the kernel as one function for the
//! real target, in which everything that touches work-item ids, barriers or local memory is inlined; SSA; reducible
//! loops in simplified, loop-closed form; no switch where lanes are many; one return; divisions that cannot trap; the other functions
//! internal. Nothing has been decided about barriers yet.

use crate::any_format::{self, AnyFormat};
use crate::error::FormError;
use crate::workitem::{Query, Together, is_barrier, is_barrier_function, is_work_item_function};
use crate::{
    Options, PROGRAM_NAMES, Target, divide, elements, indices, low_bits, parts, reductions, variables,
};
use crate::{collectives, sub_groups};
use oxcl_ir::access::{IMAGE, PRINT};
use oxcl_ir::cfg::Cfg;
use oxcl_ir::module::{self as ir_module, Layout};
use oxcl_ir::{Builder, Function, Module, Opcode, Place, TypeKind, Value};
use std::collections::{HashMap, HashSet};

/// Calling convention of ordinary C functions.
const C_CONVENTION: u32 = 0;

/// Inline, to SSA, simplify. No instruction combining: it would trade the no-wrap flags that index arithmetic is
/// understood by for bit tricks; LLVM combines after emission.
const PIPELINE: &str = "always-inline,globaldce,\
    function(lower-expect,sroa,early-cse<memssa>,simplifycfg<no-switch-to-lookup>,instsimplify),\
    cgscc(function-attrs),\
    function(early-cse<memssa>,fold-floors,instsimplify,sroa,adce,\
    simplifycfg<no-switch-range-to-icmp;no-switch-to-lookup>,mergereturn)";

/// No switch, and loops of one entry, which lanes need.
const TWO_WAYS: &str = "function(lower-switch,fix-irreducible,\
    simplifycfg<no-switch-range-to-icmp;no-switch-to-lookup>,lower-switch,mergereturn)";

/// Unrolls the loops that the source says must be, and turns the private arrays that were indexed by their rounds into values.
/// Not every loop of a constant count: with one work-item at a time an array that crosses a barrier is one place for each, which
/// LLVM makes vectors of; its elements on their own are as many places, far from each other (a matrix product with 16 sums a
/// work-item took three times as long).
const UNROLL: &str = "function(loop-simplify,lcssa,loop(unroll-hinted),\
    sroa,early-cse<memssa>,instsimplify,adce,simplifycfg<no-switch-range-to-icmp;no-switch-to-lookup>)";

/// The same, and the loops of a small constant count that walk through an array on the stack. Without barriers the array's
/// elements become registers, and with several lanes a vector each; as an array they would be a gather and a scatter each.
/// Elements that a constant array numbers are known when that array has become values itself.
const UNROLL_WALKS: &str = "function(loop-simplify,lcssa,loop(mark-walks,unroll-hinted),\
    sroa,instsimplify,sroa,early-cse<memssa>,instsimplify,adce,simplifycfg<no-switch-range-to-icmp;no-switch-to-lookup>)";

/// For lanes: copies and fills of private arrays that are accessed by elements are made by elements too, which lanes do together; and
/// accesses of one place in all rounds are taken out of loops: lanes would gather and scatter there in each round.
const FOR_LANES: &str = "function(copies-by-element,loop-simplify,lcssa,loop-mssa(hoist-held),\
    instsimplify,simplifycfg<no-switch-range-to-icmp;no-switch-to-lookup>,lower-switch)";

/// What is left over after rewriting index arithmetic goes; loops get their final form, which no pass may run after:
/// most fold the PHI nodes at loop exits away that temporal divergence is told by.
const TIDY: &str = "function(early-cse,adce,loop-simplify,lcssa)";

/// A kernel in the form that the other steps expect.
#[derive(Debug)]
pub(crate) struct Prepared<'m, 'c> {
    pub(crate) module: &'m Module<'c>,
    pub(crate) function: Function<'c>,
    pub(crate) name: String,
    pub(crate) layout: Layout<'m>,
    /// Who the lanes are, where there are several.
    pub(crate) lanes: Together,
    /// Loops were unrolled for the lanes' sake that one work-item at a time would keep.
    pub(crate) unrolled: bool,
    /// Its dimension 0 is the launch's dimension 1, and the other way round ([`crate::turn`]).
    pub(crate) turned: bool,
}

/// Prepares `kernel` for the target and lane count of `options`.
pub(crate) fn prepare<'m, 'c>(
    module: &'m Module<'c>,
    kernel: &str,
    options: &Options,
    lanes: Together,
) -> Result<Prepared<'m, 'c>, FormError> {
    let try_with = |module: &Module<'c>| {
        let prepared = prepare_with(module, kernel, options, lanes, AnyFormat::InKernel)?;
        Ok(prepared.function.instructions().len())
    };
    let any_format = any_format::choose(module, kernel, options, try_with)?;
    prepare_with(module, kernel, options, lanes, any_format)
}

/// The same, where it is known what becomes of functions for pixels of any format.
fn prepare_with<'m, 'c>(
    module: &'m Module<'c>,
    kernel: &str,
    options: &Options,
    lanes: Together,
    any_format: AnyFormat,
) -> Result<Prepared<'m, 'c>, FormError> {
    let function = Function::find(module, kernel)
        .filter(|function| !function.is_declaration())
        .ok_or_else(|| FormError::NoSuchKernel { kernel: kernel.to_owned() })?;
    sub_groups::settle(module, options.sub_group_size);
    if options.has_lanes() && matches!(lanes, Together::SubGroup(_)) {
        collectives::declare(module);
    }
    retarget(module, function, &options.target);
    mark_inlining(module, function, options, any_format)?;
    copy_written_structs(function, Layout::of(module));
    forget_volatile(module);
    ir_module::run_passes(module, PIPELINE)?;
    // LLVM mends loops of several entries only where nothing but branches leads to them.
    let two_ways = options.has_lanes() || function.is_irreducible();
    if two_ways {
        ir_module::run_passes(module, TWO_WAYS)?;
    }
    refuse_foreign_control_flow(function, kernel)?;
    let mut unrolled = false;
    if has_private_memory(function) {
        let meets = has_barrier(function);
        if meets {
            ir_module::run_passes(module, UNROLL)?;
        }
        if !meets || (options.has_lanes() && has_private_memory(function)) {
            let loops = Cfg::of(function).loops.len();
            ir_module::run_passes(module, UNROLL_WALKS)?;
            unrolled = meets && Cfg::of(function).loops.len() < loops;
        }
        if two_ways {
            // Simplifying may have made a switch of several branches.
            ir_module::run_passes(module, "function(lower-switch)")?;
        }
    }
    if options.has_lanes() {
        ir_module::run_passes(module, FOR_LANES)?;
    }
    let layout = Layout::of(module);
    let prepared =
        Prepared { module, function, name: kernel.to_owned(), layout, lanes, unrolled, turned: false };
    if options.has_lanes() {
        elements::take_out(prepared.function);
    }
    parts::join(prepared.function);
    if options.has_lanes() {
        reductions::take_apart(prepared.function);
    }
    low_bits::shorten(prepared.function);
    indices::widen(prepared.function);
    ir_module::run_passes(module, TIDY)?;
    sub_groups::give_cells(function);
    // Functions that stay calls here may be inlined later: they are guarded as well.
    for function in Function::all(module) {
        if !function.is_declaration() {
            divide::guard(function);
        }
    }
    prepared.function.verify()?;
    Ok(prepared)
}

/// Whether there are private variables on the stack.
fn has_private_memory(kernel: Function<'_>) -> bool {
    kernel.instructions().iter().any(|instruction| instruction.is(Opcode::LLVMAlloca))
}

/// Whether they may have to live across barriers.
fn has_barrier(kernel: Function<'_>) -> bool {
    kernel.instructions().iter().any(|instruction| is_barrier(*instruction))
}

/// Sets the real target everywhere, makes all but the kernel internal and lifts the front end's conventions.
fn retarget(module: &Module<'_>, kernel: Function<'_>, target: &Target) {
    ir_module::set_target(module, &target.triple, &target.data_layout);
    for function in Function::all(module) {
        if function.is_intrinsic() {
            continue;
        }
        function.set_convention(C_CONVENTION);
        let stays = is_barrier_function(function) || function.name() == sub_groups::LEAD;
        if is_work_item_function(function) && !stays {
            function.remove_attribute(Place::Function, "convergent");
        }
        if function.is_declaration() {
            continue;
        }
        if function != kernel {
            function.set_internal(true);
        }
        mark_target(function, target);
        for call in function.instructions() {
            if !call.is(Opcode::LLVMCall) {
                continue;
            }
            if call.callee().is_none_or(|callee| !callee.is_intrinsic()) {
                call.set_call_convention(C_CONVENTION);
            }
            if Query::of(call).is_some() {
                call.remove_call_attribute("convergent");
            }
        }
    }
    for global in ir_module::globals(module) {
        ir_module::set_internal_global(global);
    }
}

/// Gives a function the attributes of the target.
pub(crate) fn mark_target(function: Function<'_>, target: &Target) {
    if !target.cpu.is_empty() {
        function.add_string_attribute("target-cpu", &target.cpu);
    }
    if !target.features.is_empty() {
        function.add_string_attribute("target-features", &target.features);
    }
}

/// Marks what must be inlined into the kernel: for several lanes everything, so that they reach into every function, else
/// what transitively touches work-item functions, local memory or shared variables.
fn mark_inlining<'c>(
    module: &Module<'c>,
    kernel: Function<'c>,
    options: &Options,
    any_format: AnyFormat,
) -> Result<(), FormError> {
    let all = options.has_lanes();
    let mut visit = Visit {
        kernel: kernel.name(),
        local_users: functions_with_hidden(module, options),
        state: HashMap::new(),
        order: Vec::new(),
    };
    visit.function(kernel, 0)?;
    let order: Vec<Function<'c>> = visit.order.iter().map(|(function, _)| *function).collect();
    let few = any_format.in_kernel(&order);
    for (function, reach) in visit.order {
        let touches = reach.touches;
        if !reach.meets {
            function.remove_attribute(Place::Function, "convergent");
        }
        if function == kernel {
            function.remove_attribute(Place::Function, "alwaysinline");
            continue;
        }
        // What makes printf records, what knows all formats of pixels, and what a leader does to its sub-group's row is called lane
        // by lane, and its code is not needed more than once.
        let is_apart = [PRINT, IMAGE, sub_groups::ROW].iter().any(|start| function.name().starts_with(start))
            && !few.contains(&function);
        if (touches || all) && !is_apart {
            function.remove_attribute(Place::Function, "noinline");
            function.remove_attribute(Place::Function, "optnone");
            function.add_attribute(Place::Function, "alwaysinline");
        }
    }
    Ok(())
}

/// Depth-first walk over the functions that a kernel reaches.
struct Visit<'c> {
    kernel: String,
    local_users: HashSet<Function<'c>>,
    /// `None` while the function's callees are being visited.
    state: HashMap<Function<'c>, Option<Reach>>,
    /// Callees before their callers.
    order: Vec<(Function<'c>, Reach)>,
}

/// What a function reaches.
#[derive(Debug, Clone, Copy, Default)]
struct Reach {
    /// Work-item functions, local memory or shared variables.
    touches: bool,
    /// Calls that work-items must make together. The front end takes that of every function that it does not see the end
    /// of; a helper without them computes the same for equal arguments, whoever calls it.
    meets: bool,
}

impl<'c> Visit<'c> {
    fn function(&mut self, function: Function<'c>, line: u32) -> Result<Reach, FormError> {
        match self.state.get(&function) {
            Some(Some(reach)) => return Ok(*reach),
            Some(None) => {
                let name = function.name();
                let function = name.strip_prefix(PROGRAM_NAMES).unwrap_or(&name).to_owned();
                return Err(FormError::Recursion { function, line });
            }
            None => {}
        }
        if function.is_declaration() {
            let meets = function.has_attribute(Place::Function, "convergent");
            return Ok(Reach { touches: is_work_item_function(function), meets });
        }
        self.state.insert(function, None);
        let mut reach = Reach { touches: self.local_users.contains(&function), meets: false };
        for call in function.instructions() {
            if !call.is(Opcode::LLVMCall) {
                continue;
            }
            let Some(callee) = call.callee() else {
                return Err(FormError::IndirectCall { kernel: self.kernel.clone(), line: call.line() });
            };
            let inner = self.function(callee, call.line())?;
            reach.touches |= inner.touches;
            reach.meets |= inner.meets;
            if !inner.meets {
                call.remove_call_attribute("convergent");
            }
        }
        self.state.insert(function, Some(reach));
        self.order.push((function, reach));
        Ok(reach)
    }
}

/// The functions that name a `__local` variable, or one that the program's kernels share.
fn functions_with_hidden<'c>(module: &Module<'c>, options: &Options) -> HashSet<Function<'c>> {
    let mut found = HashSet::new();
    for global in ir_module::globals(module) {
        let local = ir_module::global_space(global) == crate::space::LOCAL;
        if !local && variables::offset_of(global, options).is_none() {
            continue;
        }
        let mut work = global.users();
        while let Some(user) = work.pop() {
            match user.block() {
                Some(block) => {
                    found.insert(block.function());
                }
                // Another variable's initial value: its users do not touch this one, and the two may point to each other.
                None if user.is_global_variable() => {}
                None => work.extend(user.users()),
            }
        }
    }
    found
}

/// A structure passed by value lives in the launch's argument cell, which all work-items share: where the kernel may
/// write it, each work-item gets its own copy. (A callee that takes it by value copies for itself.)
fn copy_written_structs(kernel: Function<'_>, layout: Layout<'_>) {
    for (index, parameter) in (0..).zip(kernel.parameters()) {
        let Some(ty) = kernel.by_value(index) else { continue };
        kernel.remove_attribute(Place::Parameter(index), "noalias");
        let shared = parameter
            .users()
            .iter()
            .all(|user| user.is(Opcode::LLVMLoad) || passes_by_value(*user, parameter));
        if shared {
            continue;
        }
        let Some(first) = kernel.blocks().first().and_then(|block| block.instructions().first().copied())
        else {
            continue;
        };
        let builder = Builder::before(first);
        let copy = builder.alloca(ty, "own");
        // What the parameter is declared with may be more than its type needs, and accesses rely on it.
        let alignment = layout.alignment(ty).max(kernel.parameter_alignment(index));
        copy.set_alignment(alignment);
        parameter.replace_uses_with(copy);
        builder.copy_memory(copy, parameter, alignment, layout.size(ty));
    }
}

/// Makes volatile accesses of local memory plain ones. Nobody but the group's work-items sees that memory, and one thread runs them all:
/// what it wrote is there for whoever comes after. Programs for GPUs say `volatile` where work-items that run in lock step wait for
/// nobody, and lanes would make each such access for itself.
fn forget_volatile(module: &Module<'_>) {
    for function in Function::all(module) {
        for access in function.instructions() {
            let place = match access.opcode() {
                Some(Opcode::LLVMLoad) => 0,
                Some(Opcode::LLVMStore) => 1,
                _ => continue,
            };
            if access.is_volatile()
                && access.operand(place).ty().kind() == TypeKind::Pointer(crate::space::LOCAL)
            {
                access.make_plain();
            }
        }
    }
}

fn passes_by_value<'c>(call: Value<'c>, pointer: Value<'c>) -> bool {
    let Some(callee) = call.callee() else { return false };
    (0..)
        .zip(call.arguments())
        .all(|(index, argument)| argument != pointer || callee.by_value(index).is_some())
}

fn refuse_foreign_control_flow(function: Function<'_>, kernel: &str) -> Result<(), FormError> {
    for block in function.blocks() {
        let Some(terminator) = block.terminator() else { continue };
        let what = match terminator.opcode() {
            Some(Opcode::LLVMBr | Opcode::LLVMSwitch | Opcode::LLVMRet | Opcode::LLVMUnreachable) => continue,
            Some(Opcode::LLVMIndirectBr) => "a computed goto",
            _ => "an exception",
        };
        return Err(FormError::ControlFlow {
            kernel: kernel.to_owned(),
            what: what.to_owned(),
            line: terminator.line(),
        });
    }
    Ok(())
}
