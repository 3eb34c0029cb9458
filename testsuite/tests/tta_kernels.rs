//! Kernels on every machine of ours that programs can be compiled for: they run without a hazard, and their buffers hold what
//! OpenCL C says. The launch is described in the simulated memory by hand.

use oxcl_compiler::tta::kernel::compile_kernel;
use oxcl_compiler::tta::launch::Argument;
use oxcl_compiler::{BuildOptions, SourceFile};
use oxcl_tta::compose::{compose, stock};
use oxcl_tta::model::{Machine, SpaceId};
use oxcl_ttasim::{Engine, System};
use std::sync::Arc;

/// Runs a launch in one dimension and gives the buffers.
fn launch(machine: &Machine, source: &str, groups: u32, local: u32, arguments: &[Argument]) -> Vec<Vec<u32>> {
    let sources = [SourceFile { name: "kernel.cl".into(), text: source.into() }];
    let compiled = compile_kernel(&sources, &BuildOptions::default(), None, machine);
    let compiled = compiled.unwrap_or_else(|e| panic!("{e}"));
    let launch = compiled.launch(groups, local, arguments).unwrap_or_else(|e| panic!("{e}"));
    let image = Arc::new(compiled.program.image);
    let faults = oxcl_tta::check::check(machine, &image.program, 1);
    assert!(faults.is_empty(), "{faults:?}");
    let mut system = System::with_own_memories(std::slice::from_ref(&image), Engine::Strict)
        .unwrap_or_else(|e| panic!("{e}"));
    for (space, address, bytes) in launch.writes {
        let written = system.memory_mut(0, space).write(u64::from(address), &bytes);
        written.unwrap_or_else(|e| panic!("{e:?}"));
    }
    system.run(20_000_000).unwrap_or_else(|fault| panic!("{fault}"));
    assert!(system.ended());
    let sizes =
        arguments.iter().filter_map(|a| if let Argument::Buffer(w) = a { Some(w.len()) } else { None });
    let read = |((space, at), count): ((SpaceId, u32), usize)| {
        let mut bytes = vec![0; 4 * count];
        system.memory(0, space).read(u64::from(at), &mut bytes).unwrap_or_else(|e| panic!("{e:?}"));
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    };
    launch.buffers.into_iter().zip(sizes).map(read).collect()
}

fn machines() -> impl Iterator<Item = (&'static str, Machine)> {
    let compiled = stock::plans().into_iter().filter(|(name, _)| *name != "big_endian");
    compiled.map(|(name, plan)| (name, compose(&plan)))
}

#[test]
fn vectors_are_added() {
    let source = "kernel void add(global const int *a, global const int *b, global int *c, int k) {
        size_t i = get_global_id(0);
        c[i] = a[i] * k + b[i];
    }";
    let (a, b): (Vec<u32>, Vec<u32>) = ((0..32).collect(), (0..32).map(|i| i * i + 7).collect());
    let expected: Vec<u32> =
        a.iter().zip(&b).map(|(x, y)| x.wrapping_mul(0xffff_fffd).wrapping_add(*y)).collect();
    for (name, machine) in machines() {
        let arguments = [
            Argument::Buffer(a.clone()),
            Argument::Buffer(b.clone()),
            Argument::Buffer(vec![0; 32]),
            Argument::Word(0xffff_fffd),
        ];
        assert_eq!(launch(&machine, source, 4, 8, &arguments)[2], expected, "{name}");
    }
}

#[test]
fn local_memory_and_barriers_sum_up() {
    let source = "kernel void sum(global const uint *in, global uint *out, local uint *part) {
        local uint twice;
        uint l = get_local_id(0), n = get_local_size(0);
        part[l] = in[get_global_id(0)];
        if (l == 0) twice = 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = n / 2; k > 0; k /= 2) {
            if (l < k) part[l] += part[l + k];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (l == 0) out[get_group_id(0)] = part[0] * twice;
    }";
    let input: Vec<u32> = (0..64).map(|i| i * 3 + 1).collect();
    let expected: Vec<u32> = input.chunks(16).map(|c| 2 * c.iter().sum::<u32>()).collect();
    for (name, machine) in machines() {
        let arguments = [Argument::Buffer(input.clone()), Argument::Buffer(vec![0; 4]), Argument::Local(64)];
        assert_eq!(launch(&machine, source, 4, 16, &arguments)[1], expected, "{name}");
    }
}

#[test]
fn floats_have_the_same_bits_with_and_without_units() {
    let source = "kernel void f(global float *a, global const float *b) {
        size_t i = get_global_id(0);
        float x = a[i], y = b[i];
        a[i] = sqrt(fabs(x)) + x * y - y / x + convert_float(convert_int(y)) + (x < y ? floor(x) : fmax(x, y));
    }";
    let numbers = |seed: u32| -> Vec<f32> {
        (0..16u32).map(|i| (((i * 7919 + seed) % 2003) as f32 - 1000.5) * 0.037).collect()
    };
    let (a, b) = (numbers(1), numbers(977));
    let expected: Vec<u32> = a
        .iter()
        .zip(&b)
        .map(|(&x, &y)| {
            let chosen = if x < y { x.floor() } else { x.max(y) };
            (x.abs().sqrt() + x * y - y / x + (y as i32) as f32 + chosen).to_bits()
        })
        .collect();
    let bits = |all: &[f32]| all.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
    for (name, machine) in machines() {
        let arguments = [Argument::Buffer(bits(&a)), Argument::Buffer(bits(&b))];
        assert_eq!(launch(&machine, source, 2, 8, &arguments)[0], expected, "{name}");
    }
}
