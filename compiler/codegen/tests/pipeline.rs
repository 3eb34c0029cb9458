//! IR text through every stage to a function that is called.

use std::io::Write;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use oxcl_codegen::{
    CodegenError, CpuTarget, Level, LinkError, Machine, Output, Passes, disassemble, link_relocatable,
    link_shared, link_with,
};

const ADD: &str = r#"
target triple = "spir64-unknown-unknown"
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
define spir_func float @helper(float %x) { 
  %r = fmul float %x, 2.0
  ret float %r
}
define spir_kernel void @add(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, i64 %n) {
entry:
  %empty = icmp eq i64 %n, 0
  br i1 %empty, label %done, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %i
  %pb = getelementptr float, ptr addrspace(1) %b, i64 %i
  %x = load float, ptr addrspace(1) %pa
  %y = call spir_func float @helper(float %x)
  store float %y, ptr addrspace(1) %pb
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"#;

fn module<'ctx>(context: &'ctx Context, text: &str) -> Module<'ctx> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(format!("{text}\0").as_bytes(), "test");
    context.create_module_from_ir(buffer).unwrap()
}

fn object(text: &str, exports: &[&str], target: &CpuTarget, level: Level) -> Result<Vec<u8>, CodegenError> {
    let context = Context::create();
    let module = module(&context, text);
    let machine = Machine::new(target, level)?;
    machine.retarget(&module);
    machine.optimise(&module, &Passes { exports, ..Passes::default() })?;
    machine.emit(&module, Output::Object)
}

fn shared(text: &str, exports: &[&str], level: Level) -> Vec<u8> {
    let object = object(text, exports, &CpuTarget::host(), level).unwrap();
    link_shared(&[&object], exports).unwrap()
}

fn call_add(image: &[u8]) -> Vec<f32> {
    let folder = std::env::temp_dir();
    let path =
        folder.join(format!("oxcl-codegen-{}-{:?}.so", std::process::id(), std::thread::current().id()));
    std::fs::File::create(&path).unwrap().write_all(image).unwrap();
    let mut out = vec![0.0; 100];
    let input: Vec<f32> = (0..100u8).map(f32::from).collect();
    // SAFETY: the image was made by this test and runs nothing when loaded.
    let library = unsafe { libloading::Library::new(&path) }.unwrap();
    std::fs::remove_file(&path).unwrap();
    type Add = unsafe extern "C" fn(*const f32, *mut f32, u64);
    // SAFETY: `add` has this type.
    let add = unsafe { library.get::<Add>(b"add") }.unwrap();
    // SAFETY: both pointers are to 100 elements.
    unsafe { add(input.as_ptr(), out.as_mut_ptr(), 100) };
    // SAFETY: looking a name up runs nothing.
    assert!(unsafe { library.get::<Add>(b"helper") }.is_err(), "only exports are visible");
    out
}

#[test]
fn a_function_is_compiled_linked_loaded_and_called() {
    let expected: Vec<f32> = (0..100u8).map(|i| f32::from(i) * 2.0).collect();
    for level in [Level::O0, Level::O1, Level::O3] {
        let image = shared(ADD, &["add"], level);
        assert!(image.len() < 4096, "{} bytes", image.len());
        assert_eq!(call_add(&image), expected);
    }
}

#[test]
fn the_same_input_gives_the_same_bytes_over_200_links() {
    let object = object(ADD, &["add"], &CpuTarget::named("x86-64-v3").unwrap(), Level::O3).unwrap();
    let first = link_shared(&[&object], &["add"]).unwrap();
    for _ in 0..200 {
        assert_eq!(link_shared(&[&object], &["add"]).unwrap(), first);
    }
    let again = self::object(ADD, &["add"], &CpuTarget::named("x86-64-v3").unwrap(), Level::O3).unwrap();
    assert_eq!(object, again);
}

#[test]
fn threads_may_link_at_once() {
    let object = object(ADD, &["add"], &CpuTarget::host(), Level::O1).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    link_shared(&[&object], &["add"]).unwrap();
                }
            });
        }
    });
}

#[test]
fn missing_symbols_are_named_before_lld_sees_them() {
    let text =
        "declare i32 @nowhere(i32)\ndefine i32 @f(i32 %x) { %r = call i32 @nowhere(i32 %x)\n ret i32 %r }";
    let object = object(text, &["f"], &CpuTarget::host(), Level::O3).unwrap();
    let undefined = link_shared(&[&object], &["f"]).unwrap_err();
    assert_eq!(undefined.to_string(), "undefined: 'nowhere'");
    let unexported = link_shared(&[&object], &["g", "f", "e"]).unwrap_err();
    assert_eq!(unexported.to_string(), "to be exported but not defined: 'e', 'g'");
    assert!(matches!(link_shared(&[b"nonsense"], &[]), Err(LinkError::NotAnObject { index: 0, .. })));
    assert!(matches!(link_shared(&[&object, &object], &["f"]), Err(LinkError::Undefined { .. })));
}

#[test]
fn libraries_are_needed_only_where_they_are_called() {
    let calls = "declare double @fmod(double, double)
declare ptr @memcpy(ptr, ptr, i64)
define double @f(double %x, ptr %p, ptr %q, i64 %n) {
  %c = call ptr @memcpy(ptr %p, ptr %q, i64 %n)
  %r = call double @fmod(double %x, double 3.0)
  ret double %r
}";
    let needed = |image: &[u8]| {
        let text = String::from_utf8_lossy(image).into_owned();
        ["libc.so.6", "libm.so.6"].map(|library| text.contains(library))
    };
    assert_eq!(needed(&shared(calls, &["f"], Level::O3)), [true, true]);
    assert_eq!(needed(&shared(ADD, &["add"], Level::O3)), [false, false]);
}

#[test]
fn llvm_s_refusals_are_errors() {
    let context = Context::create();
    let machine = Machine::new(&CpuTarget::host(), Level::O3).unwrap();
    let bad_assembly = "define void @f() { call void asm sideeffect \"nonsense here\", \"\"()\n ret void }";
    let refused = machine.emit(&module(&context, bad_assembly), Output::Object).unwrap_err();
    assert!(matches!(refused, CodegenError::Refused { .. }), "{refused}");
    let unselectable =
        "define <4 x i32> @f(ptr %p) { %v = call <4 x i32> @llvm.riscv.nothing(ptr %p)\n ret <4 x i32> %v }
declare <4 x i32> @llvm.riscv.nothing(ptr)";
    let _ = machine.emit(&module(&context, unselectable), Output::Object);
    let text = machine.emit(&module(&context, ADD), Output::Assembly).unwrap();
    assert!(String::from_utf8_lossy(&text).contains("add:"));
}

#[test]
fn code_is_listed_with_symbols_and_targets() {
    let text = "define i32 @first(i32 %x) { %r = add i32 %x, 7\n ret i32 %r }
define i32 @second(i32 %x) {
  %c = icmp eq i32 %x, 3
  br i1 %c, label %a, label %b
a:
  %r = tail call i32 @first(i32 %x)
  ret i32 %r
b:
  ret i32 1
}";
    let target = CpuTarget::named("x86-64").unwrap();
    let object = object(text, &["first", "second"], &target, Level::O0).unwrap();
    let image = link_shared(&[&object], &["first", "second"]).unwrap();
    let rows = disassemble(&image).unwrap();
    let listing: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    let symbols: Vec<&str> = rows.iter().filter_map(|row| row.symbol.as_deref()).collect();
    assert_eq!(symbols, ["first", "second"]);
    let first = rows.iter().position(|row| row.symbol.as_deref() == Some("first")).unwrap();
    assert_eq!(listing[first..first + 3], ["mov eax, edi", "add eax, 0x7", "ret"]);
    let jump = rows.iter().find(|row| row.text.starts_with("jne")).unwrap();
    let target = u64::from_str_radix(jump.text.trim_start_matches("jne 0x"), 16).unwrap();
    assert!(rows.iter().any(|row| row.address == target), "{listing:?}");
    assert!(!listing.iter().any(|text| text.contains("[rip")), "no PLT: {listing:?}");
    assert!(rows.windows(2).all(|pair| pair[0].address < pair[1].address));
    assert!(!disassemble(&object).unwrap().is_empty());
    assert!(disassemble(b"\x7fELF").is_err());
}

const CALLER: &str = r#"
declare float @half(float) #0
define void @all(ptr noalias %a, ptr noalias %b) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %pa = getelementptr float, ptr %a, i64 %i
  %pb = getelementptr float, ptr %b, i64 %i
  %x = load float, ptr %pa
  %y = call float @half(float %x)
  store float %y, ptr %pb
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %done
done:
  ret void
}
attributes #0 = { nounwind willreturn memory(none) "vector-function-abi-variant"="_ZGV_LLVM_N4v_half(half4)" }
"#;

const CALLED: &str = r#"
define weak_odr hidden float @half(float %x) { 
  %y = fmul float %x, 0.5
  ret float %y
}
define weak_odr hidden <4 x float> @half4(<4 x float> %x) { 
  %y = fmul <4 x float> %x, splat (float 0.5)
  ret <4 x float> %y
}
define weak_odr hidden float @unused(float %x) { 
  ret float %x
}
"#;

/// Names of the symbols that an object defines, or leaves open.
fn symbols(object: &[u8], undefined: bool) -> Vec<String> {
    use object::{Object, ObjectSymbol};
    let file = object::File::parse(object).unwrap();
    let found = file.symbols().filter(|s| s.is_undefined() == undefined && !s.is_local());
    found.filter_map(|s| s.name().ok().map(str::to_owned)).filter(|name| !name.is_empty()).collect()
}

#[test]
fn loops_are_widened_by_the_vector_forms_of_what_they_call() {
    let called = object(CALLED, &[], &CpuTarget::host(), Level::O2).unwrap();
    for level in [Level::Quick, Level::O3] {
        let caller = object(CALLER, &["all"], &CpuTarget::named("x86-64-v2").unwrap(), level).unwrap();
        assert_eq!(symbols(&caller, true), ["half4"], "{level:?}");
        let library = |name: &str| name.starts_with("half").then_some(called.as_slice());
        let image = link_with(&[&caller], &library, &["all"]).unwrap();
        assert!(symbols(&image, true).is_empty());
        let whole = link_relocatable(&caller, &library, &["all"]).unwrap();
        assert!(symbols(&whole, true).is_empty());
        assert!(!symbols(&whole, false).contains(&"unused".to_owned()));
        assert!(link_shared(&[&whole], &["all"]).is_ok());
        let alone = link_relocatable(&called, &library, &["half"]).unwrap();
        assert_eq!(alone, called);
        assert!(matches!(link_with(&[&caller], &|_| None, &["all"]), Err(LinkError::Undefined { .. })));
    }
}

/// LLVM 22.1 has no instruction for a copy that it makes of this where the cuts are left to claim that they lose nothing.
#[test]
fn vectors_that_are_cut_and_compared_are_compiled() {
    for (lanes, claim) in [(4, "nsw"), (8, "nsw"), (8, "nuw"), (16, "nsw")] {
        let text = format!(
            r#"
target triple = "x86_64-unknown-linux-gnu"
define <{lanes} x i16> @f(<{lanes} x i32> %a, <{lanes} x i32> %b) {{
  %x = trunc {claim} <{lanes} x i32> %a to <{lanes} x i16>
  %y = trunc {claim} <{lanes} x i32> %b to <{lanes} x i16>
  %less = icmp sgt <{lanes} x i16> %x, %y
  %all = sext <{lanes} x i1> %less to <{lanes} x i16>
  ret <{lanes} x i16> %all
}}
"#
        );
        for cpu in ["x86-64-v2", "x86-64-v3", "x86-64-v4"] {
            let target = CpuTarget::named(cpu).unwrap();
            object(&text, &["f"], &target, Level::O2).unwrap();
        }
    }
}

/// LLVM 22.1 does not end on this where the two choices by an empty mask are left to it.
#[test]
fn choices_by_an_empty_mask_end_and_are_gone() {
    let rest = format!("<32 x i1> <i1 true{}>", ", i1 false".repeat(31));
    let text = format!(
        r#"
target triple = "x86_64-unknown-linux-gnu"
declare <32 x i64> @llvm.masked.gather.v32i64.v32p0(<32 x ptr>, <32 x i1>, <32 x i64>)
declare void @llvm.masked.scatter.v32i32.v32p0(<32 x i32>, <32 x ptr>, <32 x i1>)
define void @f(i1 %c) "target-cpu"="x86-64-v4" "prefer-vector-width"="512" {{
  %all = call <32 x i64> @llvm.masked.gather.v32i64.v32p0(<32 x ptr> zeroinitializer, {rest}, <32 x i64> zeroinitializer)
  %mask = select i1 %c, <32 x i1> zeroinitializer, {rest}
  %bits = bitcast <32 x i1> %mask to i32
  %none = icmp eq i32 %bits, 0
  %wanted = select i1 %none, <32 x i1> zeroinitializer, <32 x i1> %mask
  %more.bits = bitcast <32 x i1> %wanted to i32
  %some = icmp ne i32 %more.bits, 0
  %narrow = select i1 %some, <32 x i1> %wanted, <32 x i1> zeroinitializer
  %wide = zext <32 x i1> %narrow to <32 x i64>
  %sum = add <32 x i64> %all, %wide
  %cut = trunc <32 x i64> %sum to <32 x i32>
  call void @llvm.masked.scatter.v32i32.v32p0(<32 x i32> %cut, <32 x ptr> zeroinitializer, {rest})
  ret void
}}
"#
    );
    let context = Context::create();
    let module = module(&context, &text);
    let machine = Machine::new(&CpuTarget::named("x86-64-v4").unwrap(), Level::O3).unwrap();
    // As it is: the optimiser would take it apart.
    assert!(!machine.emit(&module, Output::Object).unwrap().is_empty());
}

/// Masked accesses of the first 1, 2, 4 ... lanes become plain ones and do the same; those of other lanes stay masked.
#[test]
fn masked_accesses_of_the_first_lanes_are_plain_ones() {
    let mask = |lanes: &str| {
        let bits: Vec<String> = lanes.chars().map(|lane| format!("i1 {}", lane == '1')).collect();
        format!("<8 x i1> <{}>", bits.join(", "))
    };
    let (four, two, one) = (mask("11110000"), mask("11000000"), mask("10000000"));
    let (three, gap) = (mask("11100000"), mask("10100000"));
    let text = format!(
        r#"
target triple = "x86_64-unknown-linux-gnu"
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, <8 x i1>)
define void @add(ptr noalias %in, ptr noalias %out, i64 %n) "target-cpu"="x86-64-v3" {{
  %from.8 = getelementptr float, ptr %in, i64 8
  %a = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %in, {four}, <8 x float> splat (float 7.0))
  %b = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %from.8, {two}, <8 x float> zeroinitializer)
  %sum = fadd <8 x float> %a, %b
  call void @llvm.masked.store.v8f32.p0(<8 x float> %sum, ptr align 4 %out, {four})
  %out.8 = getelementptr float, ptr %out, i64 8
  store <8 x float> %sum, ptr %out.8, align 4
  %out.16 = getelementptr float, ptr %out, i64 16
  call void @llvm.masked.store.v8f32.p0(<8 x float> %sum, ptr align 4 %out.16, {one})
  %out.24 = getelementptr float, ptr %out, i64 24
  call void @llvm.masked.store.v8f32.p0(<8 x float> %sum, ptr align 4 %out.24, {three})
  %out.32 = getelementptr float, ptr %out, i64 32
  call void @llvm.masked.store.v8f32.p0(<8 x float> %sum, ptr align 4 %out.32, {gap})
  ret void
}}
"#
    );
    let context = Context::create();
    let module = module(&context, &text);
    let machine = Machine::new(&CpuTarget::named("x86-64-v3").unwrap(), Level::O3).unwrap();
    machine.optimise(&module, &Passes::default()).unwrap();
    let after = module.print_to_string().to_string();
    let masked: Vec<&str> =
        after.lines().filter(|line| line.contains("call") && line.contains("masked")).collect();
    assert_eq!(masked.len(), 2, "{after}");
    assert!(masked.iter().all(|line| line.contains(&three) || line.contains(&gap)), "{after}");

    let object = machine.emit(&module, Output::Object).unwrap();
    let out = call_add(&link_shared(&[&object], &["add"]).unwrap());
    let sum = [8.0, 10.0, 2.0, 3.0, 7.0, 7.0, 7.0, 7.0];
    let mut expected = vec![0.0; 100];
    expected[0..4].copy_from_slice(&sum[..4]);
    expected[8..16].copy_from_slice(&sum);
    expected[16] = sum[0];
    expected[24..27].copy_from_slice(&sum[..3]);
    (expected[32], expected[34]) = (sum[0], sum[2]);
    assert_eq!(out, expected);
}

/// Vectors that live across calls of functions of vectors wait at multiples of their size, whatever the caller aligned the stack to.
#[test]
fn stacks_are_aligned_to_the_vectors_that_calls_take() {
    let text = r#"
target triple = "x86_64-unknown-linux-gnu"
declare <16 x float> @wide(<16 x float>)
declare float @plain(float)
define <16 x float> @vectors(<16 x float> %x) "target-cpu"="x86-64-v4" "prefer-vector-width"="512" {
  %y = call <16 x float> @wide(<16 x float> %x)
  %z = fadd <16 x float> %x, %y
  ret <16 x float> %z
}
define float @scalars(float %x) "target-cpu"="x86-64-v4" {
  %y = call float @plain(float %x)
  %z = fadd float %x, %y
  ret float %z
}
"#;
    let context = Context::create();
    let module = module(&context, text);
    let machine = Machine::new(&CpuTarget::named("x86-64-v4").unwrap(), Level::O3).unwrap();
    let assembly = String::from_utf8(machine.emit(&module, Output::Assembly).unwrap()).unwrap();
    let (vectors, scalars) = assembly.split_once("scalars:").unwrap();
    assert!(vectors.contains("andq\t$-64, %rsp") && vectors.contains("vmovaps\t%zmm0, "), "{vectors}");
    assert!(!scalars.contains("andq"), "{scalars}");
}
