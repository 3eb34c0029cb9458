//! Masks that loops carry. On processors that have no registers for masks they are held as wide as the numbers that they are
//! about, on others in a part for each register of these numbers; what they say is the same.

use std::io::Write;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use oxcl_codegen::{CpuTarget, Level, Machine, Output, link_shared};

type Run = unsafe extern "C" fn(*const f32, *mut i32, i32);

/// How many rounds each lane stays: it doubles its number until that is 1000 or more, and leaves for good when it meets 96. `any` is
/// whether a lane is left, as a branch; the masks are joined by operations and by choices.
fn text(lanes: u32, cpu: &str) -> String {
    let splat = |number: &str| format!("splat (float {number})");
    let (thousand, odd) = (splat("1.000000e+03"), splat("9.600000e+01"));
    format!(
        r#"
target triple = "x86_64-unknown-linux-gnu"
define void @rounds(ptr %a, ptr %out, i32 %most) "target-cpu"="{cpu}" {{
entry:
  %first = load <{lanes} x float>, ptr %a, align 4
  %begin = fcmp olt <{lanes} x float> %first, {thousand}
  br label %loop
loop:
  %live = phi <{lanes} x i1> [ %begin, %entry ], [ %next.live, %more ]
  %met = phi <{lanes} x i1> [ zeroinitializer, %entry ], [ %next.met, %more ]
  %x = phi <{lanes} x float> [ %first, %entry ], [ %next.x, %more ]
  %count = phi <{lanes} x i32> [ zeroinitializer, %entry ], [ %next.count, %more ]
  %round = phi i32 [ 0, %entry ], [ %next.round, %more ]
  %bits = bitcast <{lanes} x i1> %live to i{lanes}
  %none = icmp eq i{lanes} %bits, 0
  br i1 %none, label %done, label %more
more:
  %one = add <{lanes} x i32> %count, splat (i32 1)
  %next.count = select <{lanes} x i1> %live, <{lanes} x i32> %one, <{lanes} x i32> %count
  %double = fadd <{lanes} x float> %x, %x
  %next.x = select <{lanes} x i1> %live, <{lanes} x float> %double, <{lanes} x float> %x
  %is.odd = fcmp oeq <{lanes} x float> %next.x, {odd}
  %next.met = or <{lanes} x i1> %met, %is.odd
  %stays = xor <{lanes} x i1> %next.met, splat (i1 true)
  %small = fcmp olt <{lanes} x float> %next.x, {thousand}
  %goes.on = select <{lanes} x i1> %live, <{lanes} x i1> %small, <{lanes} x i1> zeroinitializer
  %both = select <{lanes} x i1> %goes.on, <{lanes} x i1> %stays, <{lanes} x i1> zeroinitializer
  %next.round = add i32 %round, 1
  %ends = icmp sge i32 %next.round, %most
  %next.live = select i1 %ends, <{lanes} x i1> zeroinitializer, <{lanes} x i1> %both
  br label %loop
done:
  %negative = sub <{lanes} x i32> zeroinitializer, %count
  %told = select <{lanes} x i1> %met, <{lanes} x i32> %negative, <{lanes} x i32> %count
  store <{lanes} x i32> %told, ptr %out, align 4
  ret void
}}
"#
    )
}

/// A loop of 16 lanes that double their numbers for as long as these are less than 1000, and `next`: what makes `%next`, the lanes
/// that stay, of those that did, `%live`, and those whose number is small enough, `%small`.
fn grown(cpu: &str, parameters: &str, next: &str) -> String {
    format!(
        r#"
target triple = "x86_64-unknown-linux-gnu"
define i32 @grown({parameters}) "target-cpu"="{cpu}" {{
entry:
  %first = load <16 x float>, ptr %a, align 4
  br label %loop
loop:
  %live = phi <16 x i1> [ splat (i1 true), %entry ], [ %next, %more ]
  %x = phi <16 x float> [ %first, %entry ], [ %grown, %more ]
  %round = phi i32 [ 0, %entry ], [ %after, %more ]
  %small = fcmp olt <16 x float> %x, splat (float 1.000000e+03)
  {next}
  %bits = bitcast <16 x i1> %next to i16
  %none = icmp eq i16 %bits, 0
  br i1 %none, label %done, label %more
more:
  %double = fadd <16 x float> %x, %x
  %grown = select <16 x i1> %next, <16 x float> %double, <16 x float> %x
  %after = add nuw i32 %round, 1
  br label %loop
done:
  store <16 x float> %x, ptr %a, align 4
  ret i32 %round
}}
"#
    )
}

fn emitted(lanes: u32, cpu: &str, output: Output) -> Vec<u8> {
    emitted_text(&text(lanes, cpu), cpu, output)
}

fn emitted_text(text: &str, cpu: &str, output: Output) -> Vec<u8> {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(format!("{text}\0").as_bytes(), "test");
    let module = context.create_module_from_ir(buffer).unwrap();
    let machine = Machine::new(&CpuTarget::named(cpu).unwrap(), Level::O3).unwrap();
    machine.emit(&module, output).unwrap()
}

fn expected(mut x: f32, most: i32) -> i32 {
    let mut count = 0;
    while x < 1000.0 {
        (count, x) = (count + 1, x + x);
        if x == 96.0 {
            return -count;
        }
        if count >= most {
            break;
        }
    }
    count
}

#[test]
fn a_mask_of_one_register_is_never_packed() {
    let assembly = String::from_utf8(emitted(8, "x86-64-v3", Output::Assembly)).unwrap();
    for packs in ["vpack", "vpmovzx", "vpmovsx", "vpsllw"] {
        assert!(!assembly.contains(packs), "{packs}: {assembly}");
    }
}

/// The only mask that a loop carries may have two registers, and whether a lane is left is asked of both at once.
#[test]
fn the_only_mask_has_two_registers_and_is_never_packed() {
    let text = grown(
        "x86-64-v3",
        "ptr %a",
        "%next = select <16 x i1> %live, <16 x i1> %small, <16 x i1> zeroinitializer",
    );
    let assembly = String::from_utf8(emitted_text(&text, "x86-64-v3", Output::Assembly)).unwrap();
    for packs in ["vpack", "vpmov", "vpsll", "vextract"] {
        assert!(!assembly.contains(packs), "{packs}: {assembly}");
    }
    if !std::arch::is_x86_feature_detected!("avx2") {
        return;
    }
    let file = loadable(&emitted_text(&text, "x86-64-v3", Output::Object), "grown");
    // SAFETY: the image was made by this test and runs nothing when loaded.
    let library = unsafe { libloading::Library::new(file.path()) }.unwrap();
    // SAFETY: `grown` has this type.
    let grown = unsafe { library.get::<unsafe extern "C" fn(*mut f32) -> i32>(b"grown") }.unwrap();
    for last in 0..16 {
        let mut numbers = [2000.0_f32; 16];
        numbers[last] = 1.0;
        numbers[(last + 3) % 16] = 300.0;
        // SAFETY: the pointer is to as many elements as there are lanes.
        let rounds = unsafe { grown(numbers.as_mut_ptr()) };
        assert_eq!((rounds, numbers[last], numbers[(last + 3) % 16]), (10, 1024.0, 1200.0), "lane {last}");
    }
}

#[test]
fn parts_of_a_mask_are_never_put_together() {
    let assembly = String::from_utf8(emitted(32, "x86-64-v4", Output::Assembly)).unwrap();
    for joins in ["kunpck", "kshift"] {
        assert!(!assembly.contains(joins), "{joins}: {assembly}");
    }
}

/// Whether a lane is left is asked of the comparison of the lanes alone, and of the count apart from it.
#[test]
fn what_is_the_same_for_all_lanes_is_tested_alone() {
    let text = grown(
        "x86-64-v4",
        "ptr %a, i32 %most",
        "%stays = icmp ult i32 %round, %most
  %head = insertelement <16 x i1> poison, i1 %stays, i64 0
  %all = shufflevector <16 x i1> %head, <16 x i1> poison, <16 x i32> zeroinitializer
  %wanted = select <16 x i1> %live, <16 x i1> %small, <16 x i1> zeroinitializer
  %next = select <16 x i1> %wanted, <16 x i1> %all, <16 x i1> zeroinitializer",
    );
    let assembly = String::from_utf8(emitted_text(&text, "x86-64-v4", Output::Assembly)).unwrap();
    assert!(!assembly.contains("kmov") && !assembly.contains("kand"), "{assembly}");
    if !std::arch::is_x86_feature_detected!("avx512dq") {
        return;
    }
    let file = loadable(&emitted_text(&text, "x86-64-v4", Output::Object), "grown");
    // SAFETY: the image was made by this test and runs nothing when loaded.
    let library = unsafe { libloading::Library::new(file.path()) }.unwrap();
    // SAFETY: `grown` has this type.
    let grown = unsafe { library.get::<unsafe extern "C" fn(*mut f32, i32) -> i32>(b"grown") }.unwrap();
    for (most, rounds, last) in [(0, 0, 1.0), (3, 3, 8.0), (100, 10, 1024.0)] {
        let mut numbers = [2000.0_f32; 16];
        numbers[5] = 1.0;
        // SAFETY: the pointer is to as many elements as there are lanes.
        let found = unsafe { grown(numbers.as_mut_ptr(), most) };
        assert_eq!((found, numbers[5], numbers[4]), (rounds, last, 2000.0), "at most {most} rounds");
    }
}

fn loadable(object: &[u8], name: &str) -> tempfile::NamedTempFile {
    let image = link_shared(&[object], &[name]).unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&image).unwrap();
    file
}

#[test]
fn masks_say_the_same_however_they_are_held() {
    for (cpu, lanes) in [("x86-64-v3", [4, 8, 16, 32]), ("x86-64-v4", [8, 16, 32, 64])] {
        let runs = match cpu {
            "x86-64-v3" => std::arch::is_x86_feature_detected!("avx2"),
            _ => std::arch::is_x86_feature_detected!("avx512dq"),
        };
        lanes.into_iter().filter(|_| runs).for_each(|lanes| masks_say_the_same(cpu, lanes));
    }
}

fn masks_say_the_same(cpu: &str, lanes: u32) {
    let object = emitted(lanes, cpu, Output::Object);
    let file = loadable(&object, "rounds");
    // SAFETY: the image was made by this test and runs nothing when loaded.
    let library = unsafe { libloading::Library::new(file.path()) }.unwrap();
    // SAFETY: `rounds` has this type.
    let rounds = unsafe { library.get::<Run>(b"rounds") }.unwrap();
    let numbers = [1.0, 3.0, 2000.0, 0.1, 999.0, 24.0, 500.0, 6.0];
    let input: Vec<f32> = numbers.iter().copied().cycle().take(lanes as usize).collect();
    for most in [1, 3, 100] {
        let mut out = vec![0; lanes as usize];
        // SAFETY: both pointers are to as many elements as there are lanes.
        unsafe { rounds(input.as_ptr(), out.as_mut_ptr(), most) };
        let wanted: Vec<i32> = input.iter().map(|&x| expected(x, most)).collect();
        assert_eq!(out, wanted, "{lanes} lanes, at most {most} rounds");
    }
}
