//! Kernels without barriers and with barriers in a straight line.

use crate::harness::{Arg, Grid, buffer, check, grid, read, value};

const WIDTHS: &[u32] = &[1, 4, 16];

#[test]
fn adds_vectors() {
    let source = "kernel void vadd(global const float *a, global const float *b, global float *c) {
        int i = get_global_id(0); c[i] = a[i] + b[i]; }";
    let a: Vec<f32> = (0..60).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..60).map(|i| 0.5 * i as f32).collect();
    check(
        source,
        "vadd",
        WIDTHS,
        grid([4, 1, 1], [15, 1, 1]),
        &[buffer(&a), buffer(&b), buffer(&[0_f32; 60])],
        |out| {
            let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
            assert_eq!(read::<f32>(&out[2]), expected);
        },
    );
}

#[test]
fn knows_ids_in_three_dimensions_with_offsets() {
    let source = "kernel void ids(global ulong *out) {
        size_t w = get_global_size(0), h = get_global_size(1);
        size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
               z = get_global_id(2) - get_global_offset(2);
        size_t at = ((z * h + y) * w + x) * 4;
        out[at] = get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_global_id(2);
        out[at + 1] = get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2) + 1000 * get_local_linear_id();
        out[at + 2] = get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2) + 1000 * get_global_linear_id();
        out[at + 3] = get_work_dim() + 10 * get_num_groups(1) + 100 * get_local_size(2) + 1000 * get_global_size(7)
            + 10000 * get_local_id(3);
    }";
    let size = Grid { groups: [2, 3, 2], local: [5, 2, 3], offset: [7, 100, 3] };
    let (w, h, d) = (10, 6, 6);
    check(source, "ids", WIDTHS, size, &[buffer(&vec![0_u64; w * h * d * 4])], |out| {
        let out = read::<u64>(&out[0]);
        for z in 0..d {
            for y in 0..h {
                for x in 0..w {
                    let linear = (z * h + y) * w + x;
                    let (x, y, z, linear64) = (x as u64, y as u64, z as u64, linear as u64);
                    let (lx, ly, lz) = (x % 5, y % 2, z % 3);
                    let expected = [
                        x + 7 + 1000 * (y + 100) + 1_000_000 * (z + 3),
                        lx + 10 * ly + 100 * lz + 1000 * ((lz * 2 + ly) * 5 + lx),
                        x / 5 + 10 * (y / 2) + 100 * (z / 3) + 1000 * linear64,
                        3 + 30 + 300 + 1000,
                    ];
                    assert_eq!(out[linear * 4..linear * 4 + 4], expected, "at {x} {y} {z}");
                }
            }
        }
    });
}

#[test]
fn exchanges_through_local_memory() {
    let source = "kernel void reverse(global const int *in, global int *out, local int *given) {
        local int own[64];
        size_t l = get_local_id(0), n = get_local_size(0);
        own[l] = in[get_global_id(0)];
        given[l] = own[l] * 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = own[n - 1 - l] + given[(l + 1) % n]; }";
    let input: Vec<i32> = (0..48).map(|i| i * i).collect();
    check(
        source,
        "reverse",
        WIDTHS,
        grid([3, 1, 1], [16, 1, 1]),
        &[buffer(&input), buffer(&[0_i32; 48]), Arg::Local(64)],
        |out| {
            let out = read::<i32>(&out[1]);
            for (i, &got) in out.iter().enumerate() {
                let (group, l) = (i / 16 * 16, i % 16);
                assert_eq!(got, input[group + 15 - l] + 2 * input[group + (l + 1) % 16]);
            }
        },
    );
}

#[test]
fn keeps_values_across_barriers() {
    let source = "typedef struct { int a; float4 v; } S;
    kernel void keep(global const float4 *in, global float4 *out, global int *sums) {
        size_t i = get_global_id(0), l = get_local_id(0);
        local float4 tile[32];
        float4 mine = in[i] * 3.0f;
        S s; s.a = (int)in[i].x; s.v = mine;
        int history[6];
        for (int k = 0; k < 6; ++k) history[k] = s.a * k + (int)l;
        tile[l] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        float4 other = tile[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = mine + other + s.v;
        sums[i] = history[l % 6] + s.a;
        history[l % 6] = 5;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[i] += history[(int)s.a % 6]; }";
    let input: Vec<f32> = (0..32 * 4).map(|i| i as f32).collect();
    let args = [buffer(&input), buffer(&[0_f32; 128]), buffer(&[0_i32; 32])];
    check(source, "keep", WIDTHS, grid([2, 1, 1], [16, 1, 1]), &args, |out| {
        let (vectors, sums) = (read::<f32>(&out[1]), read::<i32>(&out[2]));
        for i in 0..32 {
            for c in 0..4 {
                assert_eq!(vectors[i * 4 + c], input[i * 4 + c] * 6.0 + input[(i ^ 1) * 4 + c] * 3.0);
            }
            let (a, l) = (4 * i as i32, i as i32 % 16);
            let mut history: Vec<i32> = (0..6).map(|k| a * k + l).collect();
            let mut expected = history[l as usize % 6] + a;
            history[l as usize % 6] = 5;
            expected += history[a as usize % 6];
            assert_eq!(sums[i], expected);
        }
    });
}

#[test]
fn copies_structures_that_it_writes() {
    let source = "typedef struct { int n[4]; } S;
    kernel void own(S s, global int *out, int3 v) {
        int i = get_global_id(0);
        s.n[i & 3] += i;
        out[i] = s.n[0] + s.n[1] + s.n[2] + s.n[3] + v.z; }";
    let args = [value([1_i32, 2, 3, 4]), buffer(&[0_i32; 8]), value([10_i32, 20, 30, 0])];
    check(source, "own", WIDTHS, grid([2, 1, 1], [4, 1, 1]), &args, |out| {
        let expected: Vec<i32> = (0..8).map(|i| 10 + i + 30).collect();
        assert_eq!(read::<i32>(&out[1]), expected);
    });
}

#[test]
fn survives_division_by_zero() {
    let source = "kernel void divide(global const int *a, global const int *b, global int *out) {
        int i = get_global_id(0);
        out[i] = a[i] / b[i] + a[i] % b[i]; }";
    let (a, b) = ([7, 8, i32::MIN, -9], [0, 3, -1, 2]);
    check(
        source,
        "divide",
        WIDTHS,
        grid([1, 1, 1], [4, 1, 1]),
        &[buffer(&a), buffer(&b), buffer(&[0_i32; 4])],
        |out| {
            let out = read::<i32>(&out[2]);
            assert_eq!((out[1], out[3]), (4, -5));
        },
    );
}

#[test]
fn takes_large_scratch_from_the_heap() {
    let source = "kernel void big(global float *x) {
        size_t i = get_global_id(0);
        float v = x[i] * x[i];
        barrier(CLK_GLOBAL_MEM_FENCE);
        x[get_global_size(0) - 1 - i] = v; }";
    let input: Vec<f32> = (0..8192).map(|i| i as f32).collect();
    check(source, "big", WIDTHS, grid([1, 1, 1], [8192, 1, 1]), &[buffer(&input)], |out| {
        let out = read::<f32>(&out[0]);
        assert!((0..8192).all(|i| out[8191 - i] == input[i] * input[i]));
    });
}
