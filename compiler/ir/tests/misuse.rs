//! What does not fit: values of the wrong kind, type, function, module or context, and places that are not there. Each is a
//! panic that names it; LLVM, which has no assertions, would take the one for the other.

use oxcl_ir::cfg::Cfg;
use oxcl_ir::module::{
    Layout, constant_text, delete_global, export_constant, global_space, global_type, globals, set_target,
    types,
};
use oxcl_ir::{
    Builder, Context, Function, IntPredicate, Module, Opcode, Place, RealPredicate, Types, Value, read_module,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

const TEXT: &str = "
%pair = type { i32, float }
@g = internal global i32 5
@pairs = internal constant %pair { i32 1, float 2.0 }
@words = internal constant [2 x i16] [i16 104, i16 105]
@text = internal constant [3 x i8] c\"hi\\00\"
define i32 @f(i32 %a, i1 %c, float %x, ptr %p, <4 x i32> %v, %pair %s) {
entry:
  %sum = add i32 %a, 1
  %at = getelementptr %pair, ptr %p, i32 0, i32 1
  %loaded = load float, ptr %at
  br i1 %c, label %more, label %done
more:
  %call = call i32 @h(i32 %sum)
  br label %done
done:
  %phi = phi i32 [ %sum, %entry ], [ %call, %more ]
  ret i32 %phi
}
define i32 @h(i32 %b) {
entry:
  %twice = add i32 %b, %b
  ret i32 %twice
}
declare void @nothing()
";

fn module(context: &Context) -> Module<'_> {
    read_module(context, TEXT.as_bytes(), "test").expect("valid IR")
}

/// `use_it` panics, and says that something does not fit.
fn is_refused<R>(use_it: impl FnOnce() -> R) {
    let Err(payload) = catch_unwind(AssertUnwindSafe(use_it)) else { panic!("a misuse was not caught") };
    let said = payload.downcast_ref::<String>().map_or("", String::as_str);
    assert!(said.contains("does not fit together"), "{said}");
}

struct Parts<'c> {
    module: Module<'c>,
    types: Types<'c>,
    f: Function<'c>,
    h: Function<'c>,
}

impl<'c> Parts<'c> {
    fn of(context: &'c Context) -> Self {
        let module = module(context);
        let find = |name| Function::find(&module, name).expect("a function of the text");
        Parts { types: types(&module), f: find("f"), h: find("h"), module }
    }

    fn named(&self, name: &str) -> Value<'c> {
        let all = [self.f, self.h].into_iter().flat_map(Function::instructions);
        let parameters = [self.f, self.h].into_iter().flat_map(Function::parameters);
        let globals = globals(&self.module);
        all.chain(parameters).chain(globals).find(|value| value.name() == name).expect("a value of the text")
    }
}

#[test]
fn questions_about_the_wrong_kind() {
    let context = Context::create();
    let parts = Parts::of(&context);
    let (sum, a, one) = (parts.named("sum"), parts.named("a"), parts.types.i32().int(1));
    for value in [sum, a, one, parts.f.value(), parts.named("g")] {
        is_refused(|| value.incoming());
        is_refused(|| value.arguments());
        is_refused(|| value.shuffle_mask());
        is_refused(|| value.operand(value.operand_count()));
        is_refused(|| value.operand(u32::MAX));
        is_refused(|| value.set_call_convention(0));
        is_refused(|| value.remove_call_attribute("nounwind"));
        is_refused(|| value.set_argument_alignment(0, 4));
        is_refused(|| value.set_call_by_value(0, parts.types.i32(), 0));
        // These have an answer for every value.
        assert!(value.callee().is_none() && value.gep_element().is_none() && value.allocated().is_none());
        assert!(value.indices().is_empty() && value.successors().is_empty() && value.condition().is_none());
        assert!(!value.is_volatile() && value.gep_flags() == 0 && value.line() == 0);
        assert!(!value.is_disjoint_or() && value.int_predicate().is_none());
        assert!(value.float_predicate().is_none() && !value.effects().convergent());
        let _ = (value.operands(), value.users(), value.block(), value.next(), value.alignment());
        value.copy_flags(one);
        value.drop_poison_flags();
        if value != sum {
            is_refused(|| value.erase());
            is_refused(|| value.clear_metadata("range"));
            is_refused(|| Builder::before(value));
            assert!(value.next().is_none() && value.block().is_none());
        }
        if value != parts.named("g") {
            is_refused(|| global_type(value));
            is_refused(|| global_space(value));
            is_refused(|| delete_global(value));
            is_refused(|| value.set_alignment(4));
        }
    }
    assert_eq!(a.operand_count(), 0);
    is_refused(|| sum.set_alignment(4));
    is_refused(|| parts.named("loaded").set_alignment(3));
    is_refused(|| parts.named("loaded").set_alignment(0));
    // The layout asks about types; one without a size has none.
    let layout = Layout::of(&parts.module);
    is_refused(|| layout.size(parts.types.void()));
    is_refused(|| layout.alignment(parts.f.ty()));
    is_refused(|| layout.field_offset(parts.types.i32(), 0));
    is_refused(|| layout.field_offset(global_type(parts.named("pairs")), 2));
    is_refused(|| set_target(&parts.module, "x86_64", "no layout"));
    // Only an array of bytes is a text.
    assert_eq!(constant_text(parts.named("text")).as_deref(), Some(b"hi".as_slice()));
    assert_eq!(constant_text(parts.named("words")), None);
    assert_eq!(constant_text(parts.named("pairs")), None);
    is_refused(|| parts.f.by_value(6));
    is_refused(|| parts.f.is_restricted(6));
    is_refused(|| parts.f.parameter_alignment(u32::MAX));
    is_refused(|| Cfg::of(Function::find(&parts.module, "nothing").expect("declared")));
}

#[test]
fn types_and_constants_that_cannot_be() {
    let context = Context::create();
    let parts = Parts::of(&context);
    let types = parts.types;
    let (void, function, int) = (types.void(), parts.f.ty(), types.i32());
    is_refused(|| types.int(0));
    is_refused(|| types.int(u32::MAX));
    for ty in [void, function] {
        is_refused(|| ty.vector(4));
        is_refused(|| ty.array(4));
        is_refused(|| ty.zero());
        is_refused(|| ty.poison());
        is_refused(|| ty.int(1));
        is_refused(|| types.structure(&[int, ty]));
        is_refused(|| types.function(int, &[ty]));
    }
    is_refused(|| int.vector(0));
    is_refused(|| types.float().int(1));
    is_refused(|| types.float().vector(2).int(1));
    is_refused(|| types.function(function, &[]));
    is_refused(|| types.const_vector(&[]));
    is_refused(|| types.const_vector(&[int.int(1), types.i64().int(1)]));
    is_refused(|| types.const_vector(&[parts.named("sum")]));
    is_refused(|| types.const_array(int, &[types.i64().int(1)]));
    is_refused(|| types.const_struct(&[parts.named("sum")]));
    is_refused(|| Function::add(&parts.module, "new", int));
    is_refused(|| export_constant(&parts.module, "new", parts.named("sum"), 4));
    is_refused(|| export_constant(&parts.module, "new", int.int(1), 3));
    is_refused(|| parts.f.add_attribute(Place::Function, "no such attribute"));
    is_refused(|| parts.f.add_attribute(Place::Parameter(6), "noalias"));
    is_refused(|| parts.f.add_attribute(Place::Parameter(u32::MAX), "noalias"));
    // An attribute that holds a type, added without one, would be read as if it had one.
    is_refused(|| parts.f.add_attribute(Place::Parameter(3), "byval"));
}

#[test]
fn instructions_of_the_wrong_operands() {
    let context = Context::create();
    let parts = Parts::of(&context);
    let (a, x, p, v, s) =
        (parts.named("a"), parts.named("x"), parts.named("p"), parts.named("v"), parts.named("s"));
    let types = parts.types;
    let (int, long) = (types.i32().int(1), types.i64().int(1));
    let b = Builder::before(parts.named("sum"));
    is_refused(|| b.add(a, x, ""));
    is_refused(|| b.add(a, long, ""));
    is_refused(|| b.binary(Opcode::LLVMFAdd, a, a, ""));
    is_refused(|| b.binary(Opcode::LLVMAdd, x, x, ""));
    is_refused(|| b.binary(Opcode::LLVMAlloca, a, a, ""));
    is_refused(|| b.not(x, ""));
    is_refused(|| b.float_negate(a, ""));
    is_refused(|| b.cast(Opcode::LLVMTrunc, a, types.i64(), ""));
    is_refused(|| b.cast(Opcode::LLVMBitCast, a, types.i64(), ""));
    is_refused(|| b.cast(Opcode::LLVMAdd, a, types.i64(), ""));
    is_refused(|| b.compare(IntPredicate::LLVMIntEQ, a, long, ""));
    is_refused(|| b.compare(IntPredicate::LLVMIntEQ, x, x, ""));
    is_refused(|| b.compare_float(RealPredicate::LLVMRealOEQ, a, a, ""));
    is_refused(|| b.select(a, x, x, ""));
    is_refused(|| b.select(parts.named("c"), x, a, ""));
    is_refused(|| b.gep(types.i32(), a, &[int], 0, ""));
    is_refused(|| b.gep(types.i32(), p, &[x], 0, ""));
    is_refused(|| b.gep(types.i32(), p, &[int, int], 0, ""));
    is_refused(|| b.gep(types.void(), p, &[int], 0, ""));
    is_refused(|| b.byte_offset(p, x, ""));
    is_refused(|| b.load(types.i32(), a, 4, ""));
    is_refused(|| b.load(types.void(), p, 4, ""));
    is_refused(|| b.load(parts.f.ty(), p, 4, ""));
    is_refused(|| b.store(a, x, 4));
    is_refused(|| b.alloca(types.void(), ""));
    is_refused(|| b.array_alloca(types.i32(), x, ""));
    is_refused(|| b.copy_memory(p, a, 4, 4));
    is_refused(|| b.copy_memory(p, p, 3, 4));
    is_refused(|| b.conditional_branch(a, parts.f.blocks()[1], parts.f.blocks()[2]));
    is_refused(|| b.branch(parts.h.blocks()[0]));
    is_refused(|| b.switch(x, parts.f.blocks()[1], &[]));
    is_refused(|| b.return_value(x));
    is_refused(|| b.return_void());
    is_refused(|| b.phi(types.void(), ""));
    is_refused(|| b.call(parts.h, &[], ""));
    is_refused(|| b.call(parts.h, &[x], ""));
    is_refused(|| b.extract_lane(a, int, ""));
    is_refused(|| b.insert_lane(v, x, int, ""));
    is_refused(|| b.shuffle(v, a, &[0], ""));
    is_refused(|| b.shuffle(v, v, &[8], ""));
    is_refused(|| b.extract_field(s, 2, ""));
    is_refused(|| b.extract_field(a, 0, ""));
    is_refused(|| b.insert_field(s, a, 1, ""));
    is_refused(|| Builder::new(types).add(a, a, ""));
    is_refused(|| Builder::new(types).block());
    assert!(b.intrinsic("llvm.no.such.thing", &[], &[], "").is_none());
    assert!(b.intrinsic("no", &[], &[], "").is_none());
    assert!(b.intrinsic("llvm.fabs", &[], &[x], "").is_none());
    assert!(b.intrinsic("llvm.fabs", &[types.i32()], &[a], "").is_none());
    // One type of two is no vector.
    let (floats, places) = (types.float().vector(4), p.ty().vector(4));
    for given in [[floats, p.ty()], [types.float(), places]] {
        assert!(b.intrinsic("llvm.masked.gather", &given, &[], "").is_none());
    }
    is_refused(|| b.intrinsic("llvm.fabs", &[types.float()], &[a], ""));
    assert_eq!(b.cast(Opcode::LLVMAddrSpaceCast, p, p.ty(), ""), p);
    // None of the refused ones has changed anything.
    parts.module.verify().expect("the module is as it was");
    // A switch needs a place at the end of a block.
    let end = Builder::at_end(parts.f.append_block("end"));
    is_refused(|| end.switch(a, parts.f.blocks()[1], &[(long, parts.f.blocks()[2])]));
}

#[test]
fn changes_that_do_not_fit() {
    let context = Context::create();
    let parts = Parts::of(&context);
    let (a, x, sum, phi, call) =
        (parts.named("a"), parts.named("x"), parts.named("sum"), parts.named("phi"), parts.named("call"));
    is_refused(|| sum.set_operand(2, a));
    is_refused(|| sum.set_operand(0, x));
    is_refused(|| parts.types.i32().int(1).set_operand(0, a));
    // The field of a structure is named by a constant that it has.
    is_refused(|| parts.named("at").set_operand(2, a));
    is_refused(|| parts.named("at").set_operand(2, parts.types.i32().int(2)));
    is_refused(|| sum.replace_uses_with(x));
    is_refused(|| sum.replace_uses_with(sum));
    is_refused(|| parts.types.i32().int(1).replace_uses_with(a));
    is_refused(|| sum.erase());
    is_refused(|| phi.add_incoming(x, parts.f.blocks()[0]));
    is_refused(|| phi.add_incoming(a, parts.h.blocks()[0]));
    is_refused(|| sum.add_incoming(a, parts.f.blocks()[0]));
    is_refused(|| call.set_argument_alignment(0, 4));
    is_refused(|| call.set_argument_alignment(1, 4));
    is_refused(|| parts.h.delete());
    is_refused(|| delete_global_in_use(&parts));
    is_refused(|| parts.f.blocks()[2].split_before(phi, ""));
    is_refused(|| parts.f.blocks()[0].split_before(call, ""));
    is_refused(|| parts.f.blocks()[0].move_after(parts.f.blocks()[0]));
    is_refused(|| parts.f.blocks()[1].move_after(parts.h.blocks()[0]));
    parts.module.verify().expect("the module is as it was");
    let open = parts.h.append_block("open");
    Builder::at_end(open).alloca(parts.types.i32(), "only");
    is_refused(|| open.split_before(open.instructions()[0], ""));
    is_refused(|| Cfg::of(parts.h));
}

fn delete_global_in_use(parts: &Parts<'_>) {
    let g = parts.named("g");
    Builder::before(parts.named("sum")).load(parts.types.i32(), g, 4, "");
    delete_global(g);
}

#[test]
fn values_of_other_functions_modules_and_contexts() {
    let (context, other) = (Context::create(), Context::create());
    let (parts, twin, stranger) = (Parts::of(&context), Parts::of(&context), Parts::of(&other));
    let (a, sum) = (parts.named("a"), parts.named("sum"));
    let b = Builder::before(sum);
    // Another function's instruction and parameter.
    is_refused(|| b.add(a, parts.named("twice"), ""));
    is_refused(|| b.add(a, parts.named("b"), ""));
    is_refused(|| sum.set_operand(0, parts.named("b")));
    is_refused(|| sum.replace_uses_with(parts.named("b")));
    is_refused(|| a.replace_uses_with(parts.named("b")));
    is_refused(|| a.replace_uses_with(a));
    is_refused(|| parts.named("phi").add_incoming(parts.named("b"), parts.f.blocks()[0]));
    // Another module's functions and variables, also as a part of a constant.
    is_refused(|| b.call(twin.h, &[a], ""));
    is_refused(|| b.load(parts.types.i32(), twin.named("g"), 4, ""));
    is_refused(|| b.insert_clone(twin.named("sum")));
    is_refused(|| parts.named("g").replace_uses_with(twin.named("g")));
    let address = parts.types.const_struct(&[twin.named("g")]);
    is_refused(|| b.insert_field(parts.types.structure(&[address.ty()]).poison(), address, 0, ""));
    is_refused(|| export_constant(&parts.module, "address", address, 8));
    is_refused(|| oxcl_ir::module::clone_reached(&parts.module, twin.f));
    is_refused(|| oxcl_ir::module::expand_constant_users(parts.named("g"), twin.f));
    // Another context's.
    is_refused(|| b.add(a, stranger.named("a"), ""));
    is_refused(|| b.add(a, stranger.types.i32().int(1), ""));
    is_refused(|| b.cast(Opcode::LLVMZExt, a, stranger.types.i64(), ""));
    assert!(b.intrinsic("llvm.fabs", &[stranger.types.float()], &[], "").is_none());
    is_refused(|| b.alloca(stranger.types.i32(), ""));
    is_refused(|| b.load(stranger.types.i32(), parts.named("p"), 4, ""));
    is_refused(|| b.phi(stranger.types.i32(), ""));
    is_refused(|| b.position_at_end(stranger.f.blocks()[0]));
    is_refused(|| parts.types.structure(&[stranger.types.i32()]));
    is_refused(|| parts.types.const_array(stranger.types.i32(), &[]));
    is_refused(|| Function::add(&parts.module, "new", stranger.f.ty()));
    is_refused(|| Layout::of(&parts.module).size(stranger.types.i32()));
    // A copy into another function may wait for its operands; what it uses cannot go away meanwhile.
    let end = parts.h.instructions()[1];
    let copy = Builder::before(end).insert_clone(sum);
    let caller = parts.f;
    is_refused(|| caller.delete());
    let own = parts.named("b");
    copy.set_operand(0, own);
    caller.delete();
    parts.module.verify().expect("valid");
    assert_eq!(copy.operand(0), own);
}

#[test]
fn a_builder_follows_its_place() {
    let context = Context::create();
    let parts = Parts::of(&context);
    let loaded = parts.named("loaded");
    let b = Builder::before(loaded);
    let after = parts.f.blocks()[0].split_before(parts.named("at"), "after");
    assert_eq!(b.block(), after);
    let made = b.alloca(parts.types.i32(), "made");
    assert_eq!(made.block(), Some(after));
    assert_eq!(made.next(), Some(loaded));
    parts.module.verify().expect("valid");
}
