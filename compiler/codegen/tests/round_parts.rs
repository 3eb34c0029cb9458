//! Rounds of loops that are made one register of lanes after the other, where there are 16 registers: what they compute is the same.

use std::io::Write;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use oxcl_codegen::{CpuTarget, Level, Machine, Output, link_shared};

/// What each lane iterates from, the lanes that begin, and how the round's number grows.
struct Loop {
    lanes: u32,
    cpu: &'static str,
    /// The lanes that are in the first round: an operand.
    begins: &'static str,
    step: i32,
    /// The test is at the end of the round.
    ends: bool,
    /// The numbers of the rounds are added up in each round, so that they are asked for inside.
    sums: bool,
}

/// z = z * z + c for as long as |z| < 2, at most `%most` rounds: the number of the last round that a lane was in, the last z of the
/// whole vector, and who was left at the end.
fn text(of: &Loop) -> String {
    let Loop { lanes, cpu, begins, step, ends, sums } = of;
    let latch = if *ends { "loop" } else { "more" };
    let (sum, next_sum, summed) = if *sums {
        (
            format!("%sum = phi <{lanes} x i32> [ zeroinitializer, %entry ], [ %next.sum, %{latch} ]"),
            format!("%next.sum = add <{lanes} x i32> %sum, %next.last"),
            "%next.sum",
        )
    } else {
        (String::new(), String::new(), "zeroinitializer")
    };
    let test = format!(
        "%bits = bitcast <{lanes} x i1> %next.live to i{lanes}
  %some = icmp ne i{lanes} %bits, 0
  %less = icmp slt i32 %round, %most
  %goes.on = select i1 %some, i1 %less, i1 false"
    );
    let middle = if *ends {
        String::new()
    } else {
        format!("{test}\n  br i1 %goes.on, label %more, label %done\nmore:")
    };
    let end = if *ends {
        format!("{test}\n  br i1 %goes.on, label %loop, label %done")
    } else {
        "br label %loop".to_owned()
    };
    format!(
        r#"
target triple = "x86_64-unknown-linux-gnu"
declare <{lanes} x float> @llvm.fma.v{lanes}f32(<{lanes} x float>, <{lanes} x float>, <{lanes} x float>)
define void @rounds(ptr %real, ptr %imaginary, ptr %out, i32 %first, i32 %most) "target-cpu"="{cpu}" {{
entry:
  %cr = load <{lanes} x float>, ptr %real, align 4
  %ci = load <{lanes} x float>, ptr %imaginary, align 4
  %chosen = fcmp olt <{lanes} x float> %cr, splat (float 5.000000e-01)
  br label %loop
loop:
  %live = phi <{lanes} x i1> [ {begins}, %entry ], [ %next.live, %{latch} ]
  %a = phi <{lanes} x float> [ zeroinitializer, %entry ], [ %next.a, %{latch} ]
  %b = phi <{lanes} x float> [ zeroinitializer, %entry ], [ %next.b, %{latch} ]
  %last = phi <{lanes} x i32> [ splat (i32 -7), %entry ], [ %next.last, %{latch} ]
  {sum}
  %round = phi i32 [ %first, %entry ], [ %next.round, %{latch} ]
  %bb = fmul <{lanes} x float> %b, %b
  %size = call <{lanes} x float> @llvm.fma.v{lanes}f32(<{lanes} x float> %a, <{lanes} x float> %a, <{lanes} x float> %bb)
  %small = fcmp olt <{lanes} x float> %size, splat (float 4.000000e+00)
  %one = insertelement <{lanes} x i32> poison, i32 %round, i64 0
  %number = shufflevector <{lanes} x i32> %one, <{lanes} x i32> poison, <{lanes} x i32> zeroinitializer
  %next.last = select <{lanes} x i1> %live, <{lanes} x i32> %number, <{lanes} x i32> %last
  {next_sum}
  %next.live = select <{lanes} x i1> %live, <{lanes} x i1> %small, <{lanes} x i1> zeroinitializer
  {middle}
  %minus = fneg <{lanes} x float> %bb
  %difference = call <{lanes} x float> @llvm.fma.v{lanes}f32(<{lanes} x float> %a, <{lanes} x float> %a, <{lanes} x float> %minus)
  %next.a = fadd <{lanes} x float> %cr, %difference
  %double = fmul <{lanes} x float> %a, splat (float 2.000000e+00)
  %next.b = call <{lanes} x float> @llvm.fma.v{lanes}f32(<{lanes} x float> %double, <{lanes} x float> %b, <{lanes} x float> %ci)
  %next.round = add i32 %round, {step}
  {end}
done:
  store <{lanes} x i32> %next.last, ptr %out, align 4
  %second = getelementptr i8, ptr %out, i64 {bytes}
  store <{lanes} x float> %a, ptr %second, align 4
  %third = getelementptr i8, ptr %second, i64 {bytes}
  %left = zext <{lanes} x i1> %next.live to <{lanes} x i32>
  %told = add <{lanes} x i32> %left, {summed}
  store <{lanes} x i32> %told, ptr %third, align 4
  ret void
}}
"#,
        bytes = lanes * 4
    )
}

/// What one lane has in a round.
#[derive(Clone, Copy)]
struct Lane {
    a: f32,
    b: f32,
    live: bool,
    last: i32,
    sum: i32,
}

/// The same, one lane at a time: the lanes in the last round, and what `%a` is there.
fn expected(of: &Loop, real: &[f32], imaginary: &[f32], first: i32, most: i32) -> Vec<Lane> {
    let begins = |&x: &f32| of.begins != "%chosen" || x < 0.5;
    let mut lanes: Vec<Lane> =
        real.iter().map(|x| Lane { a: 0.0, b: 0.0, live: begins(x), last: -7, sum: 0 }).collect();
    let mut round = first;
    loop {
        for lane in &mut lanes {
            lane.last = if lane.live { round } else { lane.last };
            lane.sum = if of.sums { lane.sum.wrapping_add(lane.last) } else { 0 };
            lane.live &= lane.a.mul_add(lane.a, lane.b * lane.b) < 4.0;
        }
        if !(lanes.iter().any(|lane| lane.live) && round < most) {
            return lanes;
        }
        for ((lane, x), y) in lanes.iter_mut().zip(real).zip(imaginary) {
            let difference = lane.a.mul_add(lane.a, -(lane.b * lane.b));
            (lane.a, lane.b) = (x + difference, (lane.a * 2.0).mul_add(lane.b, *y));
        }
        round = round.wrapping_add(of.step);
    }
}

fn emitted(of: &Loop, output: Output) -> Vec<u8> {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(format!("{}\0", text(of)).as_bytes(), "test");
    let module = context.create_module_from_ir(buffer).unwrap();
    let machine = Machine::new(&CpuTarget::named(of.cpu).unwrap(), Level::O3).unwrap();
    machine.emit(&module, output).unwrap()
}

fn loops() -> Vec<Loop> {
    let mut all = Vec::new();
    for lanes in [8, 16, 32, 64] {
        for begins in ["splat (i1 true)", "%chosen"] {
            for step in [1, -3] {
                for sums in [false, true] {
                    let of = |ends| Loop { lanes, cpu: "x86-64-v3", begins, step, ends, sums };
                    all.extend([false, true].map(of));
                }
            }
        }
    }
    all
}

#[test]
fn rounds_by_parts_compute_the_same() {
    if !std::arch::is_x86_feature_detected!("fma") {
        return;
    }
    for of in loops() {
        let image = link_shared(&[&emitted(&of, Output::Object)], &["rounds"]).unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&image).unwrap();
        // SAFETY: the image was made by this test and runs nothing when loaded.
        let library = unsafe { libloading::Library::new(file.path()) }.unwrap();
        // SAFETY: `rounds` has this type.
        let rounds = unsafe {
            library.get::<unsafe extern "C" fn(*const f32, *const f32, *mut i32, i32, i32)>(b"rounds")
        }
        .unwrap();
        let count = of.lanes as usize;
        for (number, (first, most)) in [(0, 0), (0, 40), (5, 200), (-2, 9)].into_iter().enumerate() {
            // With a step of -3 the number of the round falls below the limit and stays there until all lanes have left.
            let far = |at: usize| if of.step < 0 { 0.4 + 0.02 * at as f32 } else { -1.5 + 0.07 * at as f32 };
            let real: Vec<f32> = (0..count).map(|at| far((at * 7 + number) % count)).collect();
            let imaginary: Vec<f32> = (0..count).map(|at| 0.9 - 0.03 * ((at * 5) % count) as f32).collect();
            let wanted = expected(&of, &real, &imaginary, first, most);
            let mut out = vec![0_i32; 3 * count];
            // SAFETY: the pointers are to as many elements as there are lanes, three times as many for what comes out.
            unsafe { rounds(real.as_ptr(), imaginary.as_ptr(), out.as_mut_ptr(), first, most) };
            for (at, lane) in wanted.iter().enumerate() {
                let found = (out[at], f32::from_bits(out[count + at].cast_unsigned()), out[2 * count + at]);
                let same = found.1 == lane.a || found.1.is_nan() && lane.a.is_nan();
                assert!(
                    found.0 == lane.last && same && found.2 == lane.sum.wrapping_add(i32::from(lane.live)),
                    "{count} lanes from {} by {}, {first} to {most}, lane {at}: {found:?} instead of {:?}",
                    of.begins,
                    of.step,
                    (lane.last, lane.a, lane.live)
                );
            }
        }
    }
}

/// The round has no jump inside, and of what goes on to the next one only masks and counts are in memory.
#[test]
fn four_registers_of_lanes_stay_in_registers() {
    let of =
        Loop { lanes: 32, cpu: "x86-64-v3", begins: "splat (i1 true)", step: 1, ends: false, sums: false };
    let assembly = String::from_utf8(emitted(&of, Output::Assembly)).unwrap();
    let begin = assembly.find("vmulps").unwrap();
    let round = &assembly[begin..begin + assembly[begin..].find("vtestps").unwrap()];
    assert!(!round.lines().any(|line| line.trim_start().starts_with('j')), "{round}");
    let stores = round.lines().filter(|line| line.contains("vmov") && line.ends_with("(%rsp)")).count();
    assert!(stores <= 8, "{stores} stores: {round}");
    assert!(!round.contains("vblendv") && !round.contains("vmaskmov"), "{round}");
}
