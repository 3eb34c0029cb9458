//! What the C++ bridge does, seen through the crate's safe functions: each on IR text in which every case stands once.

use oxcl_ir::metadata::{LoopHint, Node};
use oxcl_ir::module::{self as ir_module, Layout};
use oxcl_ir::{Block, Builder, Context, Function, IrError, Module, Opcode, Type, Value, read_module};

const LAYOUT: &str = "target datalayout = \"e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n";

fn read<'c>(context: &'c Context, text: &str) -> Module<'c> {
    let module = read_module(context, format!("{LAYOUT}{text}").as_bytes(), "test").unwrap();
    ir_module::verify(&module).unwrap();
    module
}

fn function<'c>(module: &Module<'c>, name: &str) -> Function<'c> {
    Function::find(module, name).unwrap_or_else(|| panic!("no function {name}"))
}

fn value<'c>(function: Function<'c>, name: &str) -> Value<'c> {
    let named = |value: &Value<'c>| value.name() == name;
    function.instructions().into_iter().find(named).unwrap_or_else(|| panic!("no value {name}"))
}

fn global<'c>(module: &Module<'c>, name: &str) -> Value<'c> {
    let named = |value: &Value<'c>| value.name() == name;
    ir_module::globals(module).into_iter().find(named).unwrap_or_else(|| panic!("no variable {name}"))
}

fn names(functions: &[Function<'_>]) -> Vec<String> {
    let mut names: Vec<String> = functions.iter().map(|function| function.name()).collect();
    names.sort();
    names
}

const VARIABLES: &str = r#"
%inner = type { i8, i32 }
@number = global i32 -2
@half = global half 0xH3C00
@double = global double 1.0
@odd = global i24 66051
@struct = global { i8, %inner, i64 } { i8 1, %inner { i8 2, i32 3 }, i64 -1 }
@packed = global <{ i8, i32 }> <{ i8 1, i32 2 }>
@array = global [3 x i16] [i16 1, i16 2, i16 3]
@text = global [4 x i8] c"abc\00"
@vector = global <4 x i16> <i16 1, i16 2, i16 3, i16 4>
@splat = global <2 x i32> splat (i32 7)
@zero = global { i32, [5 x i64] } zeroinitializer
@undefined = global { i32, i32 } { i32 undef, i32 5 }
@target = global i32 0
@pointer = global ptr @target
@inside = global { i64, ptr } { i64 9, ptr getelementptr (i8, ptr @array, i64 4) }
@before = global [2 x ptr] [ptr getelementptr (i8, ptr @array, i64 -8), ptr null]
@integer = global i64 ptrtoint (ptr @target to i64)
@narrow = global i32 ptrtoint (ptr @target to i32)
@function = global ptr @f
@difference = global i64 sub (i64 ptrtoint (ptr @pointer to i64), i64 ptrtoint (ptr @target to i64))
@null.elsewhere = global ptr addrspace(4) addrspacecast (ptr null to ptr addrspace(4))
@declared = external global i32
declare void @f()
"#;

#[test]
fn initial_bytes_are_those_of_memory() {
    let context = Context::create();
    let module = read(&context, VARIABLES);
    let layout = Layout::of(&module);
    let bytes = |name: &str| {
        let (bytes, pointers) = ir_module::initial_bytes(global(&module, name), layout).unwrap();
        assert!(pointers.is_empty(), "{name} holds pointers");
        bytes
    };
    assert_eq!(bytes("number"), (-2_i32).to_le_bytes());
    assert_eq!(bytes("half"), [0, 0x3c]);
    assert_eq!(bytes("double"), 1.0_f64.to_le_bytes());
    assert_eq!(bytes("odd")[..3], [3, 2, 1]);
    let mut structure = vec![1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0];
    structure.extend([255; 8]);
    assert_eq!(bytes("struct"), structure);
    assert_eq!(bytes("packed"), [1, 2, 0, 0, 0]);
    assert_eq!(bytes("array"), [1, 0, 2, 0, 3, 0]);
    assert_eq!(bytes("text"), *b"abc\0");
    assert_eq!(bytes("vector"), [1, 0, 2, 0, 3, 0, 4, 0]);
    assert_eq!(bytes("splat"), [7, 0, 0, 0, 7, 0, 0, 0]);
    assert_eq!(bytes("zero"), [0; 48]);
    assert_eq!(bytes("undefined"), [0, 0, 0, 0, 5, 0, 0, 0]);
    assert_eq!(bytes("null.elsewhere"), [0; 8]);
}

#[test]
fn pointers_in_initial_values_are_told_with_their_places() {
    let context = Context::create();
    let module = read(&context, VARIABLES);
    let layout = Layout::of(&module);
    let pointers = |name: &str| {
        let (bytes, pointers) = ir_module::initial_bytes(global(&module, name), layout).unwrap();
        let found = pointers.iter().map(|p| (p.offset, p.target.name(), p.added)).collect::<Vec<_>>();
        (bytes, found)
    };
    assert_eq!(pointers("pointer"), (vec![0; 8], vec![(0, "target".to_owned(), 0)]));
    let (bytes, found) = pointers("inside");
    assert_eq!((bytes[0], &bytes[8..]), (9, &[0; 8][..]));
    assert_eq!(found, [(8, "array".to_owned(), 4)]);
    assert_eq!(pointers("before").1, [(0, "array".to_owned(), -8)]);
    assert_eq!(pointers("integer").1, [(0, "target".to_owned(), 0)]);
    for name in ["narrow", "function", "difference", "declared"] {
        assert!(ir_module::initial_bytes(global(&module, name), layout).is_none(), "{name} has bytes");
    }
}

#[test]
fn initial_bytes_stay_inside_of_an_image_that_is_too_small() {
    let context = Context::create();
    let module = read(
        &context,
        "@word = global { i8, i64 } { i8 1, i64 2 }
@pointer = global { i8, ptr } { i8 1, ptr @word }",
    );
    let narrow = "target datalayout = \"e-p:32:32-i64:32\"\n@word = global i64 0";
    let narrow = read_module(&context, narrow.as_bytes(), "narrow").unwrap();
    for name in ["word", "pointer"] {
        assert!(ir_module::initial_bytes(global(&module, name), Layout::of(&module)).is_some());
        assert!(ir_module::initial_bytes(global(&module, name), Layout::of(&narrow)).is_none(), "{name}");
    }
}

/// The name of an intrinsic that is made for types.
fn intrinsic<'c>(
    builder: &Builder<'c>,
    name: &str,
    given: &[Type<'c>],
    arguments: &[Type<'c>],
) -> Option<String> {
    let arguments: Vec<Value<'c>> = arguments.iter().map(|ty| ty.poison()).collect();
    Some(builder.intrinsic(name, given, &arguments, "")?.callee()?.name())
}

#[test]
fn intrinsics_are_made_for_the_types_that_they_have() {
    let context = Context::create();
    let module = read(&context, "define void @f() { ret void }");
    let types = ir_module::types(&module);
    let (int, float, pointer) = (types.i32(), types.float(), types.pointer(0));
    let (ints, floats, pointers) = (int.vector(4), float.vector(4), pointer.vector(4));
    let builder = Builder::before(function(&module, "f").instructions()[0]);
    let is_made = |name: &str, given, arguments: &[_], full: &str| {
        assert_eq!(intrinsic(&builder, name, &[given], arguments).as_deref(), Some(full));
        assert_eq!(intrinsic(&builder, name, &[], arguments), None, "{name} for no types");
    };
    // Any integer, any float, any vector, any pointer; and what follows from another type: its elements, as many truth values,
    // twice or half as many bits, half as many elements, pointers to its elements.
    is_made("llvm.ctpop", int, &[int], "llvm.ctpop.i32");
    is_made("llvm.ctpop", ints, &[ints], "llvm.ctpop.v4i32");
    is_made("llvm.fabs", floats, &[floats], "llvm.fabs.v4f32");
    is_made("llvm.vector.reduce.add", ints, &[ints], "llvm.vector.reduce.add.v4i32");
    is_made("llvm.vector.reduce.fadd", floats, &[float, floats], "llvm.vector.reduce.fadd.v4f32");
    is_made("llvm.is.fpclass", floats, &[floats, int], "llvm.is.fpclass.v4f32");
    is_made("llvm.vector.reverse", floats, &[floats], "llvm.vector.reverse.v4f32");
    is_made("llvm.aarch64.neon.smull", ints, &[types.int(16).vector(4); 2], "llvm.aarch64.neon.smull.v4i32");
    is_made("llvm.aarch64.neon.addhn", types.int(16).vector(4), &[ints; 2], "llvm.aarch64.neon.addhn.v4i16");
    is_made(
        "llvm.vector.interleave2",
        types.float().vector(8),
        &[floats; 2],
        "llvm.vector.interleave2.v8f32",
    );
    for (name, given) in [
        ("llvm.ctpop", float),
        ("llvm.ctpop", pointer),
        ("llvm.fabs", int),
        ("llvm.vector.reduce.add", int),
        ("llvm.vector.reduce.fadd", float),
        ("llvm.vector.interleave2", float),
        ("llvm.aarch64.neon.smull", floats),
        ("llvm.aarch64.neon.addhn", pointers),
        ("llvm.prefetch", int),
        ("llvm.masked.gather", floats),
        ("llvm.masked.gather", pointers),
    ] {
        assert_eq!(intrinsic(&builder, name, &[given], &[]), None, "{name}");
    }
}

#[test]
fn effects_are_those_of_the_instruction() {
    let context = Context::create();
    let module = read(
        &context,
        "declare void @any()
declare i32 @reads(ptr) memory(read) nounwind willreturn
declare i32 @pure(i32) memory(none) nounwind willreturn
declare void @together() convergent
define void @k(ptr %p, i32 %n) {
  %plain = load i32, ptr %p
  %volatile = load volatile i32, ptr %p
  %atomic = load atomic i32, ptr %p seq_cst, align 4
  %sum = add i32 %n, 1
  %read = call i32 @reads(ptr %p)
  %computed = call i32 @pure(i32 %n)
  %old = atomicrmw add ptr %p, i32 1 monotonic
  store i32 1, ptr %p
  store volatile i32 1, ptr %p
  call void @any()
  call void @together()
  fence seq_cst
  ret void
}",
    );
    let k = function(&module, "k");
    let of = |v: Value<'_>| {
        let e = v.effects();
        [e.reads(), e.writes(), e.side_effects(), e.ordered(), e.convergent()].map(u8::from)
    };
    assert_eq!(of(value(k, "plain")), [1, 0, 0, 0, 0]);
    assert_eq!(of(value(k, "volatile")), [1, 1, 1, 1, 0]);
    assert_eq!(of(value(k, "atomic"))[3], 1);
    assert_eq!(of(value(k, "sum")), [0; 5]);
    assert_eq!(of(value(k, "read")), [1, 0, 0, 0, 0]);
    assert_eq!(of(value(k, "computed")), [0; 5]);
    assert_eq!(of(value(k, "old")), [1, 1, 1, 1, 0]);
    let rest: Vec<Value<'_>> = k.instructions().into_iter().skip(7).collect();
    assert_eq!(of(rest[0]), [0, 1, 1, 0, 0]);
    assert_eq!(of(rest[1])[3], 1);
    assert_eq!(of(rest[2]), [1, 1, 1, 0, 0]);
    assert_eq!(of(rest[3])[4], 1);
    assert_eq!(of(k.parameters()[0]), [0; 5]);
}

#[test]
fn flags_are_copied_and_dropped() {
    let context = Context::create();
    let module = read(
        &context,
        "define i32 @f(i32 %a, float %x) {
  %from = add nuw nsw i32 %a, 1
  %to = add i32 %a, 2
  %fast = fadd fast float %x, 1.0
  %slow = fadd float %x, 2.0
  %at = getelementptr inbounds i8, ptr null, i32 %to
  ret i32 %to
}",
    );
    let f = function(&module, "f");
    let (from, to) = (value(f, "from"), value(f, "to"));
    to.copy_flags(from);
    assert!(to.no_signed_wrap() && to.no_unsigned_wrap());
    to.drop_poison_flags();
    assert!(!to.no_signed_wrap() && !to.no_unsigned_wrap());
    assert!(from.no_signed_wrap());
    let slow = value(f, "slow");
    slow.copy_flags(value(f, "fast"));
    assert!(slow.to_string().contains("fadd fast"), "{slow}");
    // Neither does anything where there is no instruction.
    let parameter = f.parameters()[0];
    parameter.copy_flags(from);
    to.copy_flags(parameter);
    assert!(!to.no_signed_wrap());
    parameter.drop_poison_flags();
    let at = value(f, "at");
    at.drop_poison_flags();
    assert!(!at.to_string().contains("inbounds"), "{at}");
}

#[test]
fn blocks_are_split_before_the_instruction() {
    let context = Context::create();
    let module = read(
        &context,
        "define i32 @f(i32 %a) {
entry:
  %one = add i32 %a, 1
  %two = add i32 %one, 1
  br label %next
next:
  %phi = phi i32 [ %two, %entry ]
  ret i32 %phi
}",
    );
    let f = function(&module, "f");
    let entry = f.blocks()[0];
    let tail = entry.split_before(value(f, "two"), "tail");
    let shown: Vec<String> = f.blocks().into_iter().map(Block::name).collect();
    assert_eq!(shown, ["entry", "tail", "next"]);
    assert_eq!(tail.instructions().first().map(|first| first.name()), Some("two".to_owned()));
    assert_eq!(entry.successors(), [tail]);
    assert_eq!(value(f, "phi").incoming()[0].1, tail);
    f.verify().unwrap();
}

#[test]
fn by_value_parameters_have_their_type() {
    let context = Context::create();
    let module = read(
        &context,
        "%s = type { i32, i64 }\ndefine void @f(i32 %a, ptr byval(%s) %b, ptr %c) { ret void }",
    );
    let f = function(&module, "f");
    assert!(f.by_value(0).is_none() && f.by_value(2).is_none());
    assert_eq!(Layout::of(&module).size(f.by_value(1).unwrap()), 16);
}

#[test]
fn constant_expressions_become_instructions_in_one_function_only() {
    let context = Context::create();
    let module = read(
        &context,
        "@t = internal addrspace(3) global [4 x i32] undef
define i32 @f() {
  %v = load i32, ptr addrspace(3) getelementptr ([4 x i32], ptr addrspace(3) @t, i64 0, i64 2)
  ret i32 %v
}
define i32 @g() {
  %v = load i32, ptr addrspace(3) getelementptr ([4 x i32], ptr addrspace(3) @t, i64 0, i64 2)
  ret i32 %v
}",
    );
    ir_module::expand_constant_users(global(&module, "t"), function(&module, "f"));
    let address = |name: &str| value(function(&module, name), "v").operand(0);
    assert!(address("f").is(Opcode::LLVMGetElementPtr), "{}", address("f"));
    assert!(address("g").is_constant());
    ir_module::verify(&module).unwrap();
}

#[test]
fn loop_identities_say_what_they_are_told() {
    let context = Context::create();
    let module = read(
        &context,
        "define void @f(i1 %c, ptr %p) {
entry:
  br label %a
a:
  br i1 %c, label %a, label %b
b:
  br i1 %c, label %b, label %exit
exit:
  ret void
}",
    );
    let f = function(&module, "f");
    let types = f.types();
    let group = Node::access_group(types);
    assert!(Node::access_group(types) != group);
    let blocks = f.blocks();
    blocks[1]
        .terminator()
        .unwrap()
        .set_metadata("llvm.loop", Node::loop_id(types, Some(group), LoopHint::None));
    blocks[2].terminator().unwrap().set_metadata("llvm.loop", Node::loop_id(types, None, LoopHint::Whole));
    let text = ir_module::print(&module);
    let nodes: Vec<&str> = text.lines().filter(|line| line.starts_with('!')).collect();
    assert_eq!(
        nodes,
        [
            "!0 = distinct !{!0, !1, !2}",
            "!1 = !{!\"llvm.loop.mustprogress\"}",
            "!2 = !{!\"llvm.loop.parallel_accesses\", !3}",
            "!3 = distinct !{}",
            "!4 = distinct !{!4, !1, !5}",
            "!5 = !{!\"llvm.loop.unroll.runtime.disable\"}",
        ]
    );
}

#[test]
fn a_copy_holds_what_its_root_reaches() {
    let context = Context::create();
    let module = read(
        &context,
        "@table = internal global [2 x ptr] [ptr @called.by.table, ptr null]
@used = internal global i32 1
@unused = internal global i32 2
define internal void @called.by.table() { ret void }
define internal void @callee(ptr %p) {
  call void @callee(ptr %p)
  ret void
}
define internal void @other() { ret void }
define void @root() {
  call void @callee(ptr @table)
  %v = load i32, ptr @used
  ret void
}
define void @second() {
  call void @other()
  store i32 0, ptr @unused
  ret void
}",
    );
    let copy = ir_module::clone_reached(&module, function(&module, "root"));
    ir_module::verify(&copy).unwrap();
    let defined: Vec<Function<'_>> =
        Function::all(&copy).into_iter().filter(|function| !function.is_declaration()).collect();
    assert_eq!(names(&defined), ["called.by.table", "callee", "root"]);
    assert_eq!(names(&Function::all(&copy)).len(), 3);
    let variables: Vec<String> = ir_module::globals(&copy).iter().map(|g| g.name()).collect();
    assert_eq!(variables, ["table", "used"]);
    assert_eq!(Function::all(&module).len(), 5);
}

#[test]
fn only_what_is_needed_is_linked() {
    let context = Context::create();
    let library = read(
        &context,
        "define i32 @needed(i32 %a) {
  %b = call i32 @deeper(i32 %a)
  ret i32 %b
}
define i32 @deeper(i32 %a) { ret i32 %a }
define i32 @other(i32 %a) { ret i32 %a }",
    );
    let bitcode = library.write_bitcode_to_memory().as_slice().to_vec();
    let module = read(
        &context,
        "declare i32 @needed(i32)
define i32 @k() {
  %v = call i32 @needed(i32 1)
  ret i32 %v
}",
    );
    ir_module::set_target(&module, "x86_64-unknown-linux-gnu", "e-i64:64");
    ir_module::link_needed(&module, &bitcode).unwrap();
    assert_eq!(names(&Function::all(&module)), ["deeper", "k", "needed"]);
    assert!(!function(&module, "needed").is_declaration());
    assert!(ir_module::print(&module).contains("target datalayout = \"e-i64:64\""));
    assert!(matches!(ir_module::link_needed(&module, b"BC no bitcode"), Err(IrError::Link { .. })));
}

#[test]
fn events_become_pointers_everywhere() {
    let context = Context::create();
    let event = "target(\"spirv.Event\")";
    let module = read(
        &context,
        &"declare EVENT @start(EVENT, i32)
define EVENT @pass(EVENT %e, i1 %c) {
entry:
  %cell = alloca [2 x EVENT]
  %at = getelementptr [2 x EVENT], ptr %cell, i64 0, i64 1
  store EVENT %e, ptr %at
  %l = load EVENT, ptr %at
  %n = call EVENT @start(EVENT zeroinitializer, i32 1)
  %u = call EVENT @start(EVENT undef, i32 2)
  %p = call EVENT @start(EVENT poison, i32 3)
  %s = select i1 %c, EVENT %l, EVENT %n
  ret EVENT %s
}
declare EVENT @make(i32)
define i32 @untouched(i32 %a) { ret i32 %a }"
            .replace("EVENT", event),
    );
    let untouched = function(&module, "untouched");
    ir_module::lower_opaque_types(&module);
    ir_module::verify(&module).unwrap();
    let text = ir_module::print(&module);
    assert!(!text.contains("spirv.Event"), "{text}");
    for line in [
        "declare ptr @start(ptr, i32)",
        "declare ptr @make(i32)",
        "define ptr @pass(ptr %e, i1 %c)",
        "%cell = alloca [2 x ptr]",
        "%at = getelementptr [2 x ptr], ptr %cell, i64 0, i64 1",
        "call ptr @start(ptr null, i32 1)",
        "call ptr @start(ptr undef, i32 2)",
        "call ptr @start(ptr poison, i32 3)",
    ] {
        assert!(text.contains(line), "no '{line}' in\n{text}");
    }
    assert_eq!(function(&module, "untouched"), untouched);
}

#[test]
fn images_are_addresses_of_descriptions_and_samplers_bits() {
    let context = Context::create();
    let image = "target(\"spirv.Image\", void, 1, 0, 0, 0, 0, 0, 1)";
    let text = "target triple = \"spir64-unknown-unknown\"
target datalayout = \"e-p:64:64\"
declare ptr addrspace(2) @_Z10oxcl_image14ocl_image2d_wo(IMAGE)
declare i64 @_Z12oxcl_sampler11ocl_sampler(target(\"spirv.Sampler\"))
declare target(\"spirv.Sampler\") @__translate_sampler_initializer(i32)
define i64 @inner(IMAGE %i, target(\"spirv.Sampler\") %s) {
  %known = call ptr addrspace(2) @_Z10oxcl_image14ocl_image2d_wo(IMAGE %i)
  %at = getelementptr i8, ptr addrspace(2) %known, i64 8
  %width = load i32, ptr addrspace(2) %at
  %bits = call i64 @_Z12oxcl_sampler11ocl_sampler(target(\"spirv.Sampler\") %s)
  %wide = zext i32 %width to i64
  %sum = add i64 %wide, %bits
  ret i64 %sum
}
define i64 @outer(IMAGE %i, i32 %n) !kind !0 {
  %s = call target(\"spirv.Sampler\") @__translate_sampler_initializer(i32 39)
  %r = call i64 @inner(IMAGE %i, target(\"spirv.Sampler\") %s)
  %t = call target(\"spirv.Sampler\") @__translate_sampler_initializer(i32 %n)
  %q = call i64 @inner(IMAGE %i, target(\"spirv.Sampler\") %t)
  %sum = add i64 %r, %q
  ret i64 %sum
}
!0 = !{!\"kept\"}";
    let module = read(&context, &text.replace("IMAGE", image));
    ir_module::lower_opaque_types(&module);
    ir_module::verify(&module).unwrap();
    let text = ir_module::print(&module);
    for gone in ["spirv.", "oxcl_image1", "oxcl_sampler1", "__translate_sampler"] {
        assert!(!text.contains(gone), "'{gone}' in\n{text}");
    }
    for line in [
        "dereferenceable(56) \"oxcl-image\"=\"1\" %i, i64 \"oxcl-sampler\" %s)",
        "%width = load i32, ptr addrspace(2) %at, align 4, !invariant.load",
        "%sum = add i64 %wide, %s",
        "call i64 @inner(ptr addrspace(2) %i, i64 39)",
        "zext i32 %n to i64",
        "!kind !",
    ] {
        assert!(text.contains(line), "no '{line}' in\n{text}");
    }
    let inner = function(&module, "inner");
    let written = oxcl_ir::access::Access { read: false, write: true };
    assert_eq!((inner.image_parameter(0), inner.image_parameter(1)), (Some(written), None));
    // What is read of a description is no access to memory that nobody names.
    assert!(!oxcl_ir::access::accesses(inner).opaque);
}

#[test]
fn what_is_known_of_arguments_is_a_constant_wherever_they_are_passed_on_to() {
    let context = Context::create();
    let text = "target datalayout = \"e-p:64:64\"
define i64 @format(ptr addrspace(2) %i, i32 %x) {
  %at = getelementptr i8, ptr addrspace(2) %i, i64 40
  %both = load i64, ptr addrspace(2) %at
  %size = getelementptr i8, ptr addrspace(2) %at, i64 12
  %bytes = load i32, ptr addrspace(2) %size
  %width_at = getelementptr i8, ptr addrspace(2) %i, i64 8
  %width = load i32, ptr addrspace(2) %width_at
  %sum = add i32 %bytes, %width
  %wide = zext i32 %sum to i64
  %all = add i64 %both, %wide
  ret i64 %all
}
define void @k(ptr addrspace(2) \"oxcl-image\"=\"0\" %i, ptr addrspace(2) \"oxcl-image\"=\"0\" %j, i64 \"oxcl-sampler\" %s, ptr %out) {
  %a = call i64 @format(ptr addrspace(2) %i, i32 1)
  %b = call i64 @format(ptr addrspace(2) %j, i32 2)
  %c = call i64 @format(ptr addrspace(2) %i, i32 3)
  %ab = add i64 %a, %b
  %abc = add i64 %ab, %c
  %all = add i64 %abc, %s
  store i64 %all, ptr %out
  ret void
}";
    let module = read(&context, text);
    // Order 0x10b6, type 0x10d3, four channels of two bytes; bits 0x12; an argument that is neither, and one that is not there.
    let known = [(0, 0x0002_0004_10d3_10b6), (2, 0x12), (3, 7), (9, 7)];
    ir_module::know_arguments(function(&module, "k"), &known);
    ir_module::verify(&module).unwrap();
    let text = ir_module::print(&module);
    for line in [
        "%a = call i64 @oxcl_known_format(ptr addrspace(2) %i, i32 1)",
        "%b = call i64 @format(ptr addrspace(2) %j, i32 2)",
        "%c = call i64 @oxcl_known_format(ptr addrspace(2) %i, i32 3)",
        "%all = add i64 %abc, 18",
        "%sum = add i32 2, %width",
        "%all = add i64 18498424148150, %wide",
        "store i64 %all, ptr %out",
    ] {
        assert!(text.contains(line), "no '{line}' in\n{text}");
    }
    assert_eq!(text.matches("define internal i64 @oxcl_known_format").count(), 1, "{text}");
}

#[test]
fn other_opaque_types_stay() {
    let context = Context::create();
    let module = read(&context, "declare void @f(target(\"spirv.Queue\"))");
    ir_module::lower_opaque_types(&module);
    assert!(ir_module::print(&module).contains("spirv.Queue"));
}

#[test]
fn functions_that_are_rarely_run_are_left_as_they_are_but_for_what_nobody_reaches() {
    let context = Context::create();
    let body = "{
entry:
  %cell = alloca i32
  store i32 %a, ptr %cell
  %v = load i32, ptr %cell
  br i1 false, label %never, label %end
never:
  br label %end
end:
  %p = phi i32 [ %v, %entry ], [ 0, %never ]
  ret i32 %p
}";
    let text = format!("define i32 @rare(i32 %a) \"oxcl-rare\" {body}\ndefine i32 @other(i32 %a) {body}");
    let module = read(&context, &text);
    let shape = |name| {
        let function = function(&module, name);
        let cells = function.instructions().into_iter().filter(|i| i.is(Opcode::LLVMAlloca)).count();
        (cells, function.blocks().len())
    };
    ir_module::run_passes(&module, "function(sroa)").unwrap();
    assert_eq!((shape("rare"), shape("other")), ((1, 3), (0, 3)));
    ir_module::run_passes(&module, "function(simplifycfg)").unwrap();
    assert_eq!((shape("rare"), shape("other")), ((1, 1), (0, 1)));
}

#[test]
fn pipelines_run_and_unknown_ones_are_refused() {
    let context = Context::create();
    let module = read(
        &context,
        "define i32 @f(i32 %a) {
  %cell = alloca i32
  store i32 %a, ptr %cell
  %v = load i32, ptr %cell
  ret i32 %v
}",
    );
    ir_module::run_passes(&module, "function(sroa)").unwrap();
    assert!(!ir_module::print(&module).contains("alloca"));
    let error = ir_module::run_passes(&module, "function(no-such-pass)").unwrap_err();
    assert!(matches!(&error, IrError::Passes { message, .. } if message.contains("no-such-pass")), "{error}");
}
