//! Random kernels with barriers leave the same bytes on every engine: the reference executor, the CPU in every form of
//! the work-group function, simulated processors.
//!
//! A failing kernel is printed with its seed: `OXCL_SEED=N` runs it alone, `OXCL_PROGRAMS=N` that many.

use oxcl_testsuite::{filetest, random_kernel};

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn random_kernels_do_the_same_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let first = from_environment("OXCL_SEED");
    let count = first.map_or_else(|| from_environment("OXCL_PROGRAMS").unwrap_or(6), |_| 1);
    let mut failures = Vec::new();
    for seed in (first.unwrap_or(1)..).take(usize::try_from(count).unwrap()) {
        let path = folder.path().join(format!("random_{seed}.cl"));
        let text = random_kernel::file_test(seed);
        std::fs::write(&path, &text).unwrap();
        if let Err(failure) = filetest::check(&path, &mut |_, _| ()) {
            failures.push(format!("OXCL_SEED={seed}: {failure}\n{text}"));
        }
    }
    assert!(failures.is_empty(), "{} of {count} kernels:\n{}", failures.len(), failures.join("\n"));
}
