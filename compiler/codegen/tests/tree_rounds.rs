//! Trees of lanes, whose rounds are as many as is known: each round's lanes are known where it is written out, and need no masks.

use std::io::Write;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use oxcl_codegen::{CpuTarget, Level, Machine, Output, Passes, link_shared};

/// Sums of `size` numbers as a work-group makes them with 16 work-items at a time: `rounds` with bounds from `first` on, each half of the
/// one before; in each, steps of 16 lanes up to the bound.
fn text(first: &str) -> String {
    let lanes: Vec<String> = (0..16).map(|lane| format!("i32 {lane}")).collect();
    let lanes = lanes.join(", ");
    format!(
        "define void @tree(ptr addrspace(3) %tile, i32 %size) {{
entry:
  br label %round
round:
  %bound = phi i32 [ {first}, %entry ], [ %half, %done ]
  %is.over = icmp eq i32 %bound, 0
  br i1 %is.over, label %end, label %begin
begin:
  %up = add nuw nsw i32 %bound, 15
  %whole = and i32 %up, 1008
  %to = zext nneg i32 %whole to i64
  br label %step
step:
  %at = phi i64 [ 0, %begin ], [ %next, %after ]
  %short = trunc nuw nsw i64 %at to i32
  %at.0 = insertelement <16 x i32> poison, i32 %short, i64 0
  %ats = shufflevector <16 x i32> %at.0, <16 x i32> poison, <16 x i32> zeroinitializer
  %lanes = or disjoint <16 x i32> %ats, <{lanes}>
  %bound.0 = insertelement <16 x i32> poison, i32 %bound, i64 0
  %bounds = shufflevector <16 x i32> %bound.0, <16 x i32> poison, <16 x i32> zeroinitializer
  %mask = icmp slt <16 x i32> %lanes, %bounds
  %bits = bitcast <16 x i1> %mask to i16
  %none = icmp eq i16 %bits, 0
  br i1 %none, label %after, label %work
work:
  %near = getelementptr inbounds nuw float, ptr addrspace(3) %tile, i64 %at
  %wide = zext nneg i32 %bound to i64
  %far = getelementptr float, ptr addrspace(3) %near, i64 %wide
  %one = call <16 x float> @llvm.masked.load.v16f32.p3(ptr addrspace(3) align 4 %far, <16 x i1> %mask, <16 x float> poison)
  %other = call <16 x float> @llvm.masked.load.v16f32.p3(ptr addrspace(3) align 4 %near, <16 x i1> %mask, <16 x float> poison)
  %sum = fadd <16 x float> %other, %one
  call void @llvm.masked.store.v16f32.p3(<16 x float> %sum, ptr addrspace(3) align 4 %near, <16 x i1> %mask)
  br label %after
after:
  %next = add nuw nsw i64 %at, 16
  %goes.on = icmp samesign ult i64 %next, %to
  br i1 %goes.on, label %step, label %done
done:
  %half = lshr i32 %bound, 1
  br label %round
end:
  ret void
}}
"
    )
}

fn emitted(first: &str, cpu: &str, output: Output) -> Vec<u8> {
    let context = Context::create();
    let text = format!("{}\0", text(first));
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "test");
    let module = context.create_module_from_ir(buffer).unwrap();
    let machine = Machine::new(&CpuTarget::named(cpu).unwrap(), Level::O3).unwrap();
    machine.retarget(&module);
    machine.optimise(&module, &Passes { exports: &["tree"], ..Passes::default() }).unwrap();
    machine.emit(&module, output).unwrap()
}

#[test]
fn rounds_of_known_bounds_have_no_masks() {
    for first in ["16", "32", "64", "128"] {
        let assembly = String::from_utf8(emitted(first, "x86-64-v3", Output::Assembly)).unwrap();
        assert!(!assembly.contains("vmaskmov") && !assembly.contains("vpcmp"), "{first}: {assembly}");
    }
    // Where the number of rounds is not known, masks are.
    let assembly = String::from_utf8(emitted("%size", "x86-64-v3", Output::Assembly)).unwrap();
    assert!(assembly.contains("vmaskmov"), "{assembly}");
}

#[test]
fn sums_are_the_same() {
    let runs = |cpu: &str| match cpu {
        "x86-64-v2" => std::arch::is_x86_feature_detected!("sse4.2"),
        "x86-64-v3" => std::arch::is_x86_feature_detected!("avx2"),
        _ => std::arch::is_x86_feature_detected!("avx512vl"),
    };
    for cpu in ["x86-64-v2", "x86-64-v3", "x86-64-v4"].into_iter().filter(|cpu| runs(cpu)) {
        for first in [1_u32, 5, 16, 100, 128, 512] {
            adds_up(cpu, &first.to_string(), first);
            adds_up(cpu, "%size", first);
        }
    }
}

fn adds_up(cpu: &str, first: &str, bound: u32) {
    let image = link_shared(&[&emitted(first, cpu, Output::Object)], &["tree"]).unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&image).unwrap();
    // SAFETY: the image was made by this test and runs nothing when loaded.
    let library = unsafe { libloading::Library::new(file.path()) }.unwrap();
    // SAFETY: `tree` has this type.
    let tree = unsafe { library.get::<unsafe extern "C" fn(*mut f32, u32)>(b"tree") }.unwrap();
    let numbers: Vec<f32> = (0..2 * bound).map(|at| (at % 91) as f32).collect();
    let (mut found, mut wanted) = (numbers.clone(), numbers);
    // SAFETY: the pointer is to two times as many elements as the first bound.
    unsafe { tree(found.as_mut_ptr(), bound) };
    let mut step = bound as usize;
    while step > 0 {
        for at in 0..step {
            wanted[at] += wanted[at + step];
        }
        step /= 2;
    }
    assert_eq!(found, wanted, "{cpu}, {first} of {bound}");
}
