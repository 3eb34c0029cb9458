//! W work-items at a time: divergence, shapes of addresses, everything that needs a mask.

use crate::harness::{Arg, Entry, Grid, Kernel, buffer, check, form_only, grid, options, read, value};

const WIDTHS: &[u32] = &[1, 4, 8, 16];

#[test]
fn draws_a_mandelbrot() {
    let source = "#pragma OPENCL FP_CONTRACT OFF
    kernel void mandel(global int *out, int width, float scale, int most) {
        int x = get_global_id(0), y = get_global_id(1);
        float cr = x * scale - 2.0f, ci = y * scale - 1.0f, zr = 0, zi = 0;
        int n = 0;
        while (n < most && zr * zr + zi * zi < 4.0f) {
            float t = zr * zr - zi * zi + cr;
            zi = 2 * zr * zi + ci; zr = t; ++n;
        }
        out[y * width + x] = n; }";
    let (w, h) = (60_usize, 8_usize);
    let args = [buffer(&vec![0_i32; w * h]), value(w as i32), value(0.05_f32), value(100_i32)];
    check(source, "mandel", WIDTHS, grid([4, 4, 1], [15, 2, 1]), &args, |out| {
        let out = read::<i32>(&out[0]);
        for y in 0..h {
            for x in 0..w {
                let (cr, ci) = (x as f32 * 0.05 - 2.0, y as f32 * 0.05 - 1.0);
                let (mut zr, mut zi, mut n) = (0_f32, 0_f32, 0);
                while n < 100 && zr * zr + zi * zi < 4.0 {
                    let t = zr * zr - zi * zi + cr;
                    zi = 2.0 * zr * zi + ci;
                    zr = t;
                    n += 1;
                }
                assert_eq!(out[y * w + x], n, "at {x} {y}");
            }
        }
    });
}

#[test]
fn follows_nested_divergence() {
    let source = "kernel void nested(global const int *in, global int *out, int n) {
        int i = get_global_id(0);
        int v = in[i], sum = 0;
        if (v & 1) {
            for (int k = 0; k < v; ++k) {
                if (k % 3 == 0) continue;
                if (sum > 40) break;
                sum += k;
                for (int j = k; j < n; ++j) { if (j == v) sum += 100; else sum ^= j; }
            }
        } else if (v > 10) {
            do { sum += v; v >>= 1; } while (v > 0);
            switch (in[i] % 4) { case 0: sum += 7; break; case 2: sum *= 2; default: sum -= 1; }
        }
        out[i] = sum * 3 + v; }";
    let input: Vec<i32> = (0..50).map(|i| (i * 37) % 41).collect();
    let n = 9;
    let args = [buffer(&input), buffer(&[0_i32; 50]), value(n)];
    check(source, "nested", WIDTHS, grid([2, 1, 1], [25, 1, 1]), &args, |out| {
        for (i, got) in read::<i32>(&out[1]).into_iter().enumerate() {
            let (mut v, mut sum) = (input[i], 0);
            if v & 1 != 0 {
                for k in 0..v {
                    if k % 3 == 0 {
                        continue;
                    }
                    if sum > 40 {
                        break;
                    }
                    sum += k;
                    for j in k..n {
                        if j == v {
                            sum += 100;
                        } else {
                            sum ^= j;
                        }
                    }
                }
            } else if v > 10 {
                loop {
                    sum += v;
                    v >>= 1;
                    if v <= 0 {
                        break;
                    }
                }
                match input[i] % 4 {
                    0 => sum += 7,
                    2 => sum = sum * 2 - 1,
                    _ => sum -= 1,
                }
            }
            assert_eq!(got, sum * 3 + v, "item {i}, input {}", input[i]);
        }
    });
}

#[test]
fn gathers_and_scatters() {
    let source = "typedef struct { char c; float3 v; short s; } S;
    kernel void move(global const int *where, global const float *in, global float *out, global S *s, global float4 *f) {
        int i = get_global_id(0), n = get_global_size(0);
        out[where[i]] = in[3 * i] + in[where[n - 1 - i]] + in[n - 1 - i];
        if (i & 1) { s[i].v.y = s[where[i]].s; s[i].c += 2; }
        f[i] = f[i].wzyx + f[where[i]].x * 0; f[i].y = i; }";
    let n = 22_usize;
    let place: Vec<i32> = (0..n as i32).map(|i| (i * 7 + 3) % n as i32).collect();
    let input: Vec<f32> = (0..3 * n).map(|i| i as f32).collect();
    let structures: Vec<u8> = (0..n * 48).map(|at| if at % 48 == 32 { (at / 48) as u8 } else { 0 }).collect();
    let vectors: Vec<f32> = (0..4 * n).map(|i| i as f32).collect();
    let args =
        [buffer(&place), buffer(&input), buffer(&vec![0_f32; n]), Arg::Buffer(structures), buffer(&vectors)];
    check(source, "move", WIDTHS, grid([2, 1, 1], [11, 1, 1]), &args, |out| {
        let (moved, bytes, swapped) = (read::<f32>(&out[2]), read::<u8>(&out[3]), read::<f32>(&out[4]));
        for i in 0..n {
            let expected = input[3 * i] + input[place[n - 1 - i] as usize] + input[n - 1 - i];
            assert_eq!(moved[place[i] as usize], expected);
            let y = f32::from_le_bytes(bytes[48 * i + 20..48 * i + 24].try_into().expect("four bytes"));
            let odd = i & 1 == 1;
            assert_eq!((bytes[48 * i], y), if odd { (2, place[i] as f32) } else { (0, 0.0) });
            let at = 4 * i;
            let expected = [vectors[at + 3], i as f32, vectors[at + 1], vectors[at]];
            assert_eq!(&swapped[at..at + 4], expected);
        }
    });
}

#[test]
fn keeps_private_arrays_and_vectors() {
    let source = "kernel void own(global const int *in, global int *out, global char4 *c) {
        int i = get_global_id(0);
        int a[8]; int4 v = (int4)(i, in[i], 3, 4);
        for (int k = 0; k < 8; ++k) a[k] = in[i] * k;
        a[in[i] & 7] = -1;
        v = v.yxwz * 2 + (v > 3 ? v : -v);
        int s = 0;
        for (int k = 0; k <= (in[i] & 7); ++k) s += a[k] * (k + 1);
        uint bits = as_uint(c[i]);
        c[i] = as_char4(bits + 0x01010101);
        out[i] = s + v.x + 10 * v.y + 100 * v.z + 1000 * v.w + v[in[i] & 3]; }";
    let input: Vec<i32> = (0..21).map(|i| (i * 5) % 13).collect();
    let bytes: Vec<u8> = (0..84).collect();
    let args = [buffer(&input), buffer(&[0_i32; 21]), Arg::Buffer(bytes)];
    check(source, "own", WIDTHS, grid([3, 1, 1], [7, 1, 1]), &args, |out| {
        let (sums, bytes) = (read::<i32>(&out[1]), read::<u8>(&out[2]));
        assert!(bytes.iter().enumerate().all(|(at, &byte)| byte as usize == at + 1));
        for (i, got) in sums.into_iter().enumerate() {
            let x = input[i];
            let mut a: Vec<i32> = (0..8).map(|k| x * k).collect();
            a[(x & 7) as usize] = -1;
            let v = [i as i32, x, 3, 4];
            let swapped = [v[1], v[0], v[3], v[2]];
            let v: Vec<i32> = (0..4).map(|c| swapped[c] * 2 + if v[c] > 3 { v[c] } else { -v[c] }).collect();
            let s: i32 = (0..=(x & 7)).map(|k| a[k as usize] * (k + 1)).sum();
            assert_eq!(
                got,
                s + v[0] + 10 * v[1] + 100 * v[2] + 1000 * v[3] + v[(x & 3) as usize],
                "item {i}"
            );
        }
    });
}

#[test]
fn does_atomics_and_volatile_accesses_lane_by_lane() {
    let source = "kernel void count(volatile global int *n, global int *out, local int *t) {
        int i = get_global_id(0), l = get_local_id(0);
        if (l == 0) *t = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i % 3 != 0) { __atomic_fetch_add((volatile local int *)t, i, 0); int old = n[1 + i]; n[1 + i] = old + 5; }
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = *t; }";
    let args = [buffer(&[0_i32; 23]), buffer(&[0_i32; 22]), Arg::Local(4)];
    check(source, "count", WIDTHS, grid([2, 1, 1], [11, 1, 1]), &args, |out| {
        let (n, sums) = (read::<i32>(&out[0]), read::<i32>(&out[1]));
        for i in 0..22_usize {
            let group = i / 11 * 11;
            let sum: usize = (group..group + 11).filter(|i| i % 3 != 0).sum();
            assert_eq!(sums[i], sum as i32);
            assert_eq!(n[1 + i], if i % 3 != 0 { 5 } else { 0 });
        }
    });
}

#[test]
fn keeps_uniform_work_scalar_inside_divergence() {
    let source = "kernel void mixed(global const int *in, global const int *bounds, global int *out) {
        int i = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
        int s = 0;
        if (in[i] > 3) {
            int most = bounds[y];
            for (int k = 0; k < most; ++k) { s += in[(i + k) % w] * k; if (k == 5) s ^= most; }
            if (most & 1) s = -s; else s += y;
        }
        out[y * w + i] = s; }";
    let input: Vec<i32> = (0..18).map(|i| (i * 11) % 9).collect();
    let bounds = [0_i32, 7, 4, 9];
    let args = [buffer(&input), buffer(&bounds), buffer(&[1_i32; 72])];
    check(source, "mixed", WIDTHS, grid([2, 2, 1], [9, 2, 1]), &args, |out| {
        let out = read::<i32>(&out[2]);
        for y in 0..4 {
            for i in 0..18 {
                let mut s = 0;
                if input[i] > 3 {
                    for k in 0..bounds[y] {
                        s += input[(i + k as usize) % 18] * k;
                        if k == 5 {
                            s ^= bounds[y];
                        }
                    }
                    s = if bounds[y] & 1 != 0 { -s } else { s + y as i32 };
                }
                assert_eq!(out[y * 18 + i], s, "at {i} {y}");
            }
        }
    });
}

#[test]
fn divides_safely_where_lanes_are_off() {
    let source = "kernel void safe(global const int *a, global const int *b, global int *out) {
        int i = get_global_id(0);
        if (b[i] != 0) out[i] = a[i] / b[i] - a[i] % b[i];
        if (a[i] > 10) out[i] += 100 / (a[i] - 10); }";
    let a: Vec<i32> = (0..19).collect();
    let b: Vec<i32> = (0..19).map(|i| i % 4 - 1).collect();
    let args = [buffer(&a), buffer(&b), buffer(&[7_i32; 19])];
    check(source, "safe", WIDTHS, grid([1, 1, 1], [19, 1, 1]), &args, |out| {
        for (i, got) in read::<i32>(&out[2]).into_iter().enumerate() {
            let mut expected = 7;
            if b[i] != 0 {
                expected = a[i] / b[i] - a[i] % b[i];
            }
            if a[i] > 10 {
                expected += 100 / (a[i] - 10);
            }
            assert_eq!(got, expected, "item {i}");
        }
    });
}

#[test]
fn declines_irregular_barriers_with_the_line() {
    let source = "kernel void odd(global int *x, local int *t) {
        int l = get_local_id(0);
        for (int k = 0; k < x[l]; ++k) { t[l] = k; barrier(CLK_LOCAL_MEM_FENCE); x[l] += t[0]; } }";
    let error = form_only(source, "odd", &options(8)).expect_err("this is not vectorised yet");
    assert_eq!(error.code(), "OX0306");
    assert_eq!(error.line(), Some(3));
}

#[test]
fn runs_rows_of_every_length() {
    let source = "kernel void rows(global int *out, local int *t) {
        int l = get_local_linear_id(), i = get_global_linear_id(), n = get_local_size(0) * get_local_size(1);
        int mine = i * 3;
        t[l] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        int other = t[n - 1 - l] + (l % 5 == 0 ? mine : -mine);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[(get_group_id(1) * get_num_groups(0) + get_group_id(0)) * n + l] = other + mine; }";
    for width in [4, 16] {
        let kernel = Kernel::build(source, "rows", &options(width)).expect("the kernel forms");
        for lx in [1, 2, 3, 5, 8, 15, 16, 17, 33] {
            let size = Grid { groups: [2, 2, 1], local: [lx, 3, 1], offset: [0; 3] };
            let n = 3 * lx as usize;
            let args = [buffer(&vec![0_i32; 4 * n]), Arg::Local(4 * n)];
            for entry in [Entry::Native, Entry::Pocl] {
                let out = read::<i32>(&kernel.run(entry, size, &args)[0]);
                for group in 0..4 {
                    let mine = |l: usize| {
                        let (x, y) = (l % lx as usize, l / lx as usize);
                        let (gx, gy) = (group % 2 * lx as usize + x, group / 2 * 3 + y);
                        3 * (gy * 2 * lx as usize + gx) as i32
                    };
                    for l in 0..n {
                        let expected =
                            mine(n - 1 - l) + if l % 5 == 0 { mine(l) } else { -mine(l) } + mine(l);
                        assert_eq!(
                            out[group * n + l],
                            expected,
                            "width {width}, row {lx}, group {group}, item {l}"
                        );
                    }
                }
            }
        }
    }
}
