//! Plans that somebody has edited: the same results, however accesses and calls are made.

use std::sync::Arc;

use crate::harness::{Arg, Entry, Kernel, buffer, codes_and_remarks, grid, options, read, value};
use oxcl_workgroup::{Options, PlanText};

const SOURCE: &str = "kernel void k(global const int *a, global int *b, global float *f, int n) {
    int i = get_global_id(0);
    int s = 0;
    for (int j = 0; j < n; ++j)
        s += a[i] * a[j] + a[3 * i % n];
    if (a[i] & 1) {
        b[i] = s;
        f[i] = __builtin_fmaf(f[i], 3.0f, (float)s);
    } else
        b[i] = a[(s & 15)];
    f[0] = 7.0f;
}";

fn bytes(kernel: &Kernel, args: &[Arg]) -> Vec<Vec<u8>> {
    let out = kernel.run(Entry::Native, grid([3, 1, 1], [7, 1, 1]), args);
    out.into_iter()
        .filter_map(|arg| match arg {
            Arg::Buffer(bytes) => Some(bytes),
            _ => None,
        })
        .collect()
}

#[test]
fn every_way_to_make_an_access_gives_the_same() {
    let input: Vec<i32> = (0..32).map(|i| (i * 37) % 41).collect();
    let floats: Vec<f32> = (0..32_u8).map(|i| f32::from(i) / 8.0).collect();
    let args = [buffer(&input), buffer(&[0_i32; 32]), buffer(&floats), value(21_i32)];
    let one = Kernel::build(SOURCE, "k", &options(1)).unwrap();
    let wanted = bytes(&one, &args);
    let edits: [&[(&str, &str)]; 7] = [
        &[],
        &[("load: consecutive", "load: gather"), ("store: consecutive", "store: scatter")],
        &[("load: consecutive", "load: lane by lane"), ("store: consecutive", "store: lane by lane")],
        &[("gather unless consecutive", "gather")],
        &[
            ("gather unless consecutive", "gather"),
            ("load: gather", "load: lane by lane"),
            ("the last lane's", "lane by lane"),
        ],
        &[("load: once", "load: gather"), ("the last lane's", "scatter")],
        &[
            ("load: once", "load: lane by lane"),
            (".f32: vector", ".f32: lane by lane"),
            ("a run of groups", "a group"),
        ],
    ];
    for width in [4, 8, 16] {
        let plain = Kernel::build(SOURCE, "k", &options(width)).unwrap();
        for edit in edits {
            let mut text = plain.plan();
            for (from, to) in edit {
                assert!(text.contains(from), "'{from}' is not in\n{text}");
                text = text.replace(from, to);
            }
            let read = PlanText::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let plan = read.of("k").cloned().map(Arc::new);
            let kernel = Kernel::build(SOURCE, "k", &Options { plan, ..options(1) })
                .unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(kernel.plan().replace(", 4 bytes apart", ""), text.replace(", 4 bytes apart", ""));
            assert_eq!(bytes(&kernel, &args), wanted, "width {width}\n{text}");
        }
    }
}

#[test]
fn lanes_that_are_to_run_along_columns_do_so_in_groups_of_any_size() {
    let source = "kernel void k(global const int *a, global int *b, int n) {
        int x = get_global_id(0), y = get_global_id(1);
        if (x == 5 || y >= n) return;
        b[x * 40 + y] = 3 * a[x * 40 + y] + get_local_id(0) + 100 * get_local_id(1) + 1000 * get_group_id(1);
    }";
    let input: Vec<i32> = (0..640).map(|i| (i * 37) % 41).collect();
    let args = [buffer(&input), buffer(&[0_i32; 640]), value(37_i32)];
    let one = Kernel::build(source, "k", &options(1)).unwrap();
    for width in [1, 4, 8] {
        let text = format!("kernel k: width {width} along columns of a group\n");
        let plan = PlanText::read(&text).unwrap().of("k").cloned().map(Arc::new);
        let lanes = Kernel::build(source, "k", &Options { plan, ..options(1) }).unwrap();
        assert!(lanes.plan().starts_with(text.trim_end()), "{}", lanes.plan());
        assert!(width == 1 || lanes.plan().contains("store: consecutive"), "{}", lanes.plan());
        for (groups, local) in [([2, 5, 1], [3, 8, 1]), ([4, 40, 1], [4, 1, 1]), ([16, 2, 1], [1, 19, 1])] {
            for entry in [Entry::Native, Entry::Pocl] {
                let run = |kernel: &Kernel| read::<i32>(&kernel.run(entry, grid(groups, local), &args)[1]);
                assert_eq!(run(&lanes), run(&one), "width {width}, {groups:?} of {local:?}");
            }
        }
    }
}

#[test]
fn lanes_along_columns_are_refused_where_work_items_know_their_order() {
    let text = "kernel k: width 8 along columns of a group\n";
    for body in
        ["a[get_global_linear_id()] = 1;", "barrier(1); a[get_local_id(0)] = 1;", "a[get_global_id(n)] = 1;"]
    {
        let source = format!("kernel void k(global int *a, uint n) {{ {body} }}");
        let plan = PlanText::read(text).unwrap().of("k").cloned().map(Arc::new);
        let error = Kernel::build(&source, "k", &Options { plan, ..options(1) }).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("lanes cannot run along columns"), "{body}: {error}");
    }
}

#[test]
fn remarks_change_no_code() {
    for width in [1, 8] {
        let asked = Options { remarks: true, ..options(width) };
        let both = codes_and_remarks(SOURCE, "k", [&options(width), &asked]);
        let [(plain, none), (explained, remarks)] = both;
        assert!(plain == explained, "{explained}");
        assert!(none.is_empty() && remarks.is_empty() == (width == 1), "{remarks:?}");
    }
}
