//! Every file under `filetests/` as a test of its own. See `docs/testing.md` for the directives and how to bless.

use std::path::Path;

use oxcl_testsuite::filetest;

fn check(path: &str) {
    let path = Path::new(path);
    let outcome = filetest::check(path, &mut |kind, text| {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_input_file(path);
        settings.set_snapshot_path(path.parent().unwrap_or(path));
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        settings.bind(|| insta::assert_snapshot!(format!("{stem}@{kind}"), text));
    });
    if let Err(failure) = outcome {
        panic!("{}: {failure}", path.display());
    }
}

include!(concat!(env!("OUT_DIR"), "/filetests.rs"));
