//! Plans are read as they are printed, and edited ones are followed or refused.

use std::path::{Path, PathBuf};

use oxcl_irtest::plans::of_file;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../filetests/ir")
}

#[test]
fn what_is_printed_is_read_back() {
    let mut plans = 0;
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        for width in [1, 2, 4, 8, 16] {
            let Some(text) = of_file(&file, width, None).unwrap() else { continue };
            let again = of_file(&file, 1, Some(&text)).unwrap_or_else(|error| {
                panic!("{} at {width}: {error}\n{text}", file.display());
            });
            assert_eq!(again.as_ref(), Some(&text), "{} at {width}", file.display());
            plans += usize::from(width > 1);
        }
    }
    assert!(plans > 300, "{plans} plans of vectors only");
}

/// The plan of a file at W = 8 with some words replaced: what it says then, or why it is refused.
fn edited(file: &str, edits: &[(&str, &str)]) -> Result<String, String> {
    let file = folder().join(file);
    let mut text = of_file(&file, 8, None).unwrap().unwrap();
    for (from, to) in edits {
        assert!(text.contains(from), "'{from}' is not in\n{text}");
        text = text.replacen(from, to, 1);
    }
    of_file(&file, 1, Some(&text)).map(Option::unwrap)
}

#[test]
fn edited_plans_are_followed() {
    for (file, edits, wanted) in [
        ("plan_row_of_floats.ll", &[("width 8", "width 16")][..], "width 16 along"),
        ("plan_row_of_floats.ll", &[("a run of groups", "a group")], "along rows of a group\n"),
        ("plan_row_of_floats.ll", &[("load: consecutive", "load: gather")], "load: gather, 4 bytes apart"),
        ("plan_row_of_floats.ll", &[("store: consecutive", "store: lane by lane")], "store: lane by lane"),
        ("plan_vector_form.ll", &[("vector form of 8", "vector form of 4")], "vector form of 4 lanes"),
        ("plan_gather_and_scatter.ll", &[("store: scatter", "store: lane by lane")], "store: lane by lane"),
    ] {
        let found = edited(file, edits).unwrap_or_else(|error| panic!("{file} {edits:?}: {error}"));
        assert!(found.contains(wanted), "{file} {edits:?}:\n{found}");
    }
}

#[test]
fn what_an_edit_leaves_out_is_decided_as_always() {
    let file = folder().join("plan_divergent_loop.ll");
    let whole = of_file(&file, 8, None).unwrap().unwrap();
    let head = "kernel k: width 8 along rows of a run of groups\n";
    assert_eq!(of_file(&file, 1, Some(head)).unwrap().as_ref(), Some(&whole));
}

#[test]
fn plans_that_do_not_hold_are_refused_with_their_line() {
    for (file, edits, said) in [
        (
            "plan_gather_and_scatter.ll",
            &[("load: gather", "load: consecutive")][..],
            "the lanes' addresses are not one behind the other",
        ),
        (
            "plan_gather_and_scatter.ll",
            &[("load: gather", "load: once")],
            "its lanes may have different values",
        ),
        (
            "plan_row_of_floats.ll",
            &[("store: consecutive", "store: the last lane's")],
            "the lanes store to different addresses",
        ),
        ("plan_row_of_floats.ll", &[("store: consecutive", "store: once")], "every lane must do it"),
        (
            "plan_row_of_floats.ll",
            &[("load: consecutive", "load: vector")],
            "no operation on vectors does it",
        ),
        ("plan_row_of_floats.ll", &[("load: consecutive", "load: whether all lanes pass")], "it is no query"),
        ("plan_counter_in_a_loop.ll", &[("atomic: lane by lane", "atomic: once")], "every lane must do it"),
        (
            "plan_vector_form.ll",
            &[("vector form of 8", "vector form of 2")],
            "no vector form of so many lanes",
        ),
        (
            "plan_masked_block.ll",
            &[(": masked", ": all lanes")],
            "that follows from its branches and cannot be forced",
        ),
        (
            "plan_rows_of_a_group.ll",
            &[("rows of a group", "rows of a run of groups")],
            "rows cannot go through several groups",
        ),
        ("plan_row_of_floats.ll", &[("entry:", "begin:")], "region 0 has no block 'begin'"),
        ("plan_row_of_floats.ll", &[("region 0", "region 3")], "there is no region 3, they are 0 to 0"),
        ("plan_row_of_floats.ll", &[("load:", "store:")], "the kernel has a 'load' here, not a 'store'"),
        (
            "plan_row_of_floats.ll",
            &[("      store: consecutive\n", "")],
            "has a 'store', which the plan leaves out",
        ),
    ] {
        let found = edited(file, edits).expect_err(&format!("{file} {edits:?}"));
        assert!(found.starts_with("the plan of kernel 'k' cannot be followed: line "), "{found}");
        assert!(found.contains(said), "{file} {edits:?}: {found}");
    }
}
