//! The page of all functions, `docs/builtins.md`, against the catalogue: every function is on it, and no error above its limit.

use std::fs;
use std::path::Path;

use oxcl_builtins::catalogue;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/builtins.md");
    fs::read_to_string(path).unwrap()
}

#[test]
fn every_function_is_on_the_page() {
    let page = page();
    for function in catalogue() {
        assert!(
            page.contains(&format!("`{}`", function.name)),
            "{} is not in docs/builtins.md",
            function.name
        );
    }
}

#[test]
fn no_error_exceeds_its_limit() {
    let mut rows = 0;
    for line in page().lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, limit, error, ..] = cells[..] else { continue };
        let Ok(limit) = limit.parse::<f64>() else { continue };
        let error = error.trim_end_matches(" (drawn)");
        if error == "not measured" {
            continue;
        }
        let error: f64 = error.parse().unwrap_or_else(|_| panic!("{name}: {error}"));
        // Of a page that says three digits.
        assert!(error <= limit + 0.0005, "{name}: {error} units, {limit} allowed");
        rows += 1;
    }
    assert!(rows > 150, "the tables were not understood: {rows}");
}
