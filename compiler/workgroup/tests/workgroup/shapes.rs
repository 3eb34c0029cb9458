//! Barriers in every kind of control flow.

use crate::harness::{Arg, Kernel, buffer, build, check, check_built, grid, options, read, value};

const WIDTHS: &[u32] = &[1, 4, 16];

#[test]
fn reduces_in_a_uniform_loop() {
    let source = "kernel void reduce(global const float *in, global float *out, local float *t) {
        size_t l = get_local_id(0);
        t[l] = in[get_global_id(0)];
        for (size_t s = get_local_size(0) / 2; s > 0; s >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l < s) t[l] += t[l + s];
        }
        if (l == 0) out[get_group_id(0)] = t[0]; }";
    let input: Vec<f32> = (0..256).map(|i| i as f32).collect();
    let args = [buffer(&input), buffer(&[0_f32; 4]), Arg::Local(256)];
    check(source, "reduce", WIDTHS, grid([4, 1, 1], [64, 1, 1]), &args, |out| {
        let expected: Vec<f32> = input.chunks(64).map(|group| group.iter().sum()).collect();
        assert_eq!(read::<f32>(&out[1]), expected);
    });
}

#[test]
fn takes_a_uniform_branch_around_a_barrier() {
    let source = "kernel void maybe(global int *x, int how, local int *t) {
        size_t l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
        int mine = x[i] * 3;
        if (how > 1) {
            t[l] = mine;
            barrier(CLK_LOCAL_MEM_FENCE);
            mine += t[(l + 1) % n];
        } else if (how == 1) {
            mine = -mine;
        }
        x[i] = mine + how; }";
    let input: Vec<i32> = (0..40).map(|i| 7 * i - 5).collect();
    let kernels = build(source, "maybe", WIDTHS);
    for how in 0..3 {
        let args = [buffer(&input), value(how), Arg::Local(80)];
        check_built(&kernels, grid([2, 1, 1], [20, 1, 1]), &args, |out| {
            for (i, got) in read::<i32>(&out[0]).into_iter().enumerate() {
                let mine = input[i] * 3;
                let next = 3 * input[i / 20 * 20 + (i + 1) % 20];
                let expected = [mine, -mine, mine + next][how as usize] + how;
                assert_eq!(got, expected, "item {i}, how {how}");
            }
        });
    }
}

#[test]
fn walks_nested_loops_with_barriers() {
    let source = "kernel void nest(global int *x, int n, int m, local int *t) {
        int l = get_local_id(0), size = get_local_size(0), i = get_global_id(0);
        int mine = x[i], other = 0;
        for (int a = 0; a < n; ++a) {
            t[l] = mine + a;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int b = 0; b < m; ++b) {
                other += t[(l + b + 1) % size];
                barrier(CLK_LOCAL_MEM_FENCE);
                t[l] += b * a;
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            mine = mine * 3 + other;
            int swap = mine; mine = other; other = swap;
        }
        x[i] = mine * 1000 + other; }";
    let kernels = build(source, "nest", WIDTHS);
    for (n, m) in [(3, 4), (0, 2), (2, 0)] {
        let input: Vec<i32> = (0..14).map(|i| i + 1).collect();
        let args = [buffer(&input), value(n), value(m), Arg::Local(28)];
        check_built(&kernels, grid([2, 1, 1], [7, 1, 1]), &args, |out| {
            let got = read::<i32>(&out[0]);
            for group in 0..2 {
                let mut mine: Vec<i32> = input[group * 7..group * 7 + 7].to_vec();
                let mut other = vec![0_i32; 7];
                for a in 0..n {
                    let mut t: Vec<i32> = mine.iter().map(|v| v + a).collect();
                    for b in 0..m {
                        for l in 0..7 {
                            other[l] = other[l].wrapping_add(t[(l + b as usize + 1) % 7]);
                        }
                        t.iter_mut().for_each(|v| *v += b * a);
                    }
                    for l in 0..7 {
                        mine[l] = mine[l].wrapping_mul(3).wrapping_add(other[l]);
                    }
                    std::mem::swap(&mut mine, &mut other);
                }
                for l in 0..7 {
                    assert_eq!(
                        got[group * 7 + l],
                        mine[l].wrapping_mul(1000).wrapping_add(other[l]),
                        "n {n} m {m} l {l}"
                    );
                }
            }
        });
    }
}

#[test]
fn lets_work_items_return_early_without_a_barrier() {
    let source = "kernel void guard(global int *x, int n) {
        int i = get_global_id(0);
        if (i >= n) return;
        for (int k = 0; k < i; ++k) { if (x[i] > 50) break; x[i] += k; }
        if (i % 3 == 0) return;
        x[i] = -x[i]; }";
    let args = [buffer(&[1_i32; 32]), value(27_i32)];
    check(source, "guard", WIDTHS, grid([2, 1, 1], [16, 1, 1]), &args, |out| {
        for (i, got) in (0..).zip(read::<i32>(&out[0])) {
            let mut v = 1;
            if i < 27 {
                for k in 0..i {
                    if v > 50 {
                        break;
                    }
                    v += k;
                }
                if i % 3 != 0 {
                    v = -v;
                }
            }
            assert_eq!(got, v, "item {i}");
        }
    });
}

#[test]
fn returns_early_as_a_group_before_a_barrier() {
    let source = "kernel void skip(global int *x, local int *t) {
        int l = get_local_id(0), i = get_global_id(0);
        if (get_group_id(0) == 1) return;
        t[l] = x[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x[0] == 77) return;
        barrier(CLK_GLOBAL_MEM_FENCE);
        x[i] = t[get_local_size(0) - 1 - l]; }";
    let input: Vec<i32> = (10..34).collect();
    check(source, "skip", WIDTHS, grid([3, 1, 1], [8, 1, 1]), &[buffer(&input), Arg::Local(32)], |out| {
        for (i, got) in read::<i32>(&out[0]).into_iter().enumerate() {
            let expected = if i / 8 == 1 { input[i] } else { input[i / 8 * 8 + 7 - i % 8] };
            assert_eq!(got, expected, "item {i}");
        }
    });
}

#[test]
fn leaves_a_loop_in_its_middle() {
    let source = "kernel void middle(global int *x, int stop, local int *t) {
        int l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
        int round = 0, mine = x[i];
        for (;;) {
            t[l] = mine;
            barrier(CLK_LOCAL_MEM_FENCE);
            int next = t[(l + 1) % n];
            if (round == stop) break;
            mine += next;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (++round == 5) { mine = -mine; break; }
        }
        x[i] = mine * 10 + round; }";
    let kernels = build(source, "middle", WIDTHS);
    for stop in [0, 3, 9] {
        let input = [1_i32, 5, 2, 8];
        check_built(
            &kernels,
            grid([1, 1, 1], [4, 1, 1]),
            &[buffer(&input), value(stop), Arg::Local(16)],
            |out| {
                let (mut mine, mut round) = (input.to_vec(), 0);
                loop {
                    if round == stop {
                        break;
                    }
                    mine = (0..4).map(|l| mine[l] + mine[(l + 1) % 4]).collect();
                    round += 1;
                    if round == 5 {
                        mine.iter_mut().for_each(|v| *v = -*v);
                        break;
                    }
                }
                let expected: Vec<i32> = mine.iter().map(|v| v * 10 + round).collect();
                assert_eq!(read::<i32>(&out[0]), expected, "stop {stop}");
            },
        );
    }
}

#[test]
fn runs_a_loop_whose_trip_count_only_looks_divergent() {
    // Every work-item makes four rounds, but the compiler cannot know: the counts come from memory.
    let source = "kernel void rounds(global int *x, global const int *counts, local int *t) {
        int l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
        int mine = x[i];
        for (int k = 0; k < counts[i]; ++k) {
            t[l] = mine;
            barrier(CLK_LOCAL_MEM_FENCE);
            int next = t[(l + k + 1) % n];
            barrier(CLK_LOCAL_MEM_FENCE);
            if (next & 1) mine += next * k; else mine ^= next;
        }
        x[i] = mine; }";
    let input: Vec<i32> = (0..18).map(|i| 3 * i + 1).collect();
    let args = [buffer(&input), buffer(&[4_i32; 18]), Arg::Local(36)];
    check(source, "rounds", &[1], grid([2, 1, 1], [9, 1, 1]), &args, |out| {
        let got = read::<i32>(&out[0]);
        for group in 0..2 {
            let mut mine = input[group * 9..group * 9 + 9].to_vec();
            for k in 0..4_usize {
                let t = mine.clone();
                for l in 0..9 {
                    let next = t[(l + k + 1) % 9];
                    if next & 1 != 0 {
                        mine[l] += next * k as i32;
                    } else {
                        mine[l] ^= next;
                    }
                }
            }
            assert_eq!(&got[group * 9..group * 9 + 9], &mine[..]);
        }
    });
}

#[test]
fn goes_on_without_work_items_that_left_before_a_barrier() {
    let source = "kernel void left(global int *x, int n, local int *t) {
        int l = get_local_id(0), i = get_global_id(0);
        t[l] = 100 * i;
        if (i >= n) { x[i] = -1; return; }
        int keep = x[i] * 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        x[i] = keep + t[l ^ 1]; }";
    let input: Vec<i32> = (0..16).collect();
    check(
        source,
        "left",
        &[1],
        grid([2, 1, 1], [8, 1, 1]),
        &[buffer(&input), value(13_i32), Arg::Local(32)],
        |out| {
            for (i, got) in (0..).zip(read::<i32>(&out[0])) {
                assert_eq!(got, if i >= 13 { -1 } else { 2 * i + 100 * (i ^ 1) });
            }
        },
    );
}

#[test]
fn meets_a_barrier_by_way_of_gotos() {
    let source = "kernel void jump(global int *x, int how, local int *t) {
        int l = get_local_id(0), i = get_global_id(0), n = get_local_size(0);
        int mine = x[i];
        if (how & 1) goto second;
    first:
        t[l] = mine; barrier(CLK_LOCAL_MEM_FENCE); mine += t[(l + 1) % n]; barrier(CLK_LOCAL_MEM_FENCE);
        if (how & 2) goto end;
    second:
        t[l] = mine * 2; barrier(CLK_LOCAL_MEM_FENCE); mine -= t[(l + 2) % n]; barrier(CLK_LOCAL_MEM_FENCE);
        if (how & 4) { how ^= 4; goto first; }
    end:
        x[i] = mine; }";
    let kernels = build(source, "jump", WIDTHS);
    for how in 0..8 {
        let input: Vec<i32> = (0..6).map(|i| i * i + 1).collect();
        check_built(
            &kernels,
            grid([1, 1, 1], [6, 1, 1]),
            &[buffer(&input), value(how), Arg::Local(24)],
            |out| {
                let mut mine = input.clone();
                let (mut how, mut first) = (how, how & 1 == 0);
                loop {
                    if first {
                        mine = (0..6).map(|l| mine[l] + mine[(l + 1) % 6]).collect();
                        if how & 2 != 0 {
                            break;
                        }
                    }
                    mine = (0..6).map(|l| mine[l] - 2 * mine[(l + 2) % 6]).collect();
                    if how & 4 == 0 {
                        break;
                    }
                    how ^= 4;
                    first = true;
                }
                assert_eq!(read::<i32>(&out[0]), mine);
            },
        );
    }
}

#[test]
fn calls_helpers_that_have_barriers() {
    let source = "int rotate_right(local int *t, int v) {
        int l = get_local_id(0), n = get_local_size(0);
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        return t[(l + n - 1) % n]; }
    int twice(local int *t, int v) { return rotate_right(t, rotate_right(t, v) + 1); }
    kernel void help(global int *x) {
        local int t[64];
        int i = get_global_id(0);
        x[i] = twice(t, x[i]) + rotate_right(t, i); }";
    let input: Vec<i32> = (0..10).map(|i| 11 * i).collect();
    check(source, "help", WIDTHS, grid([2, 1, 1], [5, 1, 1]), &[buffer(&input)], |out| {
        for (i, got) in read::<i32>(&out[0]).into_iter().enumerate() {
            let group = i / 5 * 5;
            let right = |by: usize| group + (i - group + 5 - by) % 5;
            assert_eq!(got, input[right(2)] + 1 + right(1) as i32);
        }
    });
}

#[test]
fn keeps_scalars_of_all_sizes_in_slots() {
    let source = "kernel void sizes(global const long *in, global long *out) {
        size_t i = get_global_id(0);
        long v = in[i];
        char c = v; short s = v * 3; bool odd = v & 1; double d = v * 0.5; long2 two = (long2)(v, v + 1);
        global const long *where = odd ? in + i : in;
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[i] = c + s + (odd ? 1000 : 0) + (long)(d * 2) + two.y + *where; }";
    let input: Vec<i64> = (0..12).map(|i| 5 * i).collect();
    check(
        source,
        "sizes",
        WIDTHS,
        grid([1, 1, 1], [12, 1, 1]),
        &[buffer(&input), buffer(&[0_i64; 12])],
        |out| {
            for (i, got) in read::<i64>(&out[1]).into_iter().enumerate() {
                let v = input[i];
                let odd = v & 1 == 1;
                assert_eq!(got, v + 3 * v + if odd { 1000 } else { 0 } + v + v + 1 + if odd { v } else { 0 });
            }
        },
    );
}

#[test]
fn serves_one_local_size_only_when_asked() {
    let source = "kernel void fixed(global int *x, local int *t) {
        int l = get_local_id(0) + 4 * get_local_id(1), i = get_global_id(0) + 8 * get_global_id(1);
        t[l] = x[i]; barrier(CLK_LOCAL_MEM_FENCE); x[i] = t[7 - l]; }";
    let mut only = options(1);
    only.local_size = Some([4, 2, 1]);
    let kernel = Kernel::build(source, "fixed", &only).expect("the kernel forms");
    assert_eq!(kernel.constants().local_size, [4, 2, 1]);
    let input: Vec<i32> = (0..16).collect();
    let out = kernel.run(
        crate::harness::Entry::Native,
        grid([2, 1, 1], [4, 2, 1]),
        &[buffer(&input), Arg::Local(32)],
    );
    for (i, got) in read::<i32>(&out[0]).into_iter().enumerate() {
        let (x, y, group) = (i % 4, i / 8, i / 4 % 2);
        assert_eq!(got as usize, 8 * (1 - y) + 4 * group + 3 - x);
    }
}
