//! Codes of errors: each means one thing, and `docs/errors.md` explains every one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the testsuite lies in the workspace").to_owned()
}

/// Rust sources below a crate's `src`.
fn sources(folder: &Path, inside_src: bool, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("readable folder") {
        let path = entry.expect("readable entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            sources(&path, inside_src || name == "src", found);
        } else if inside_src && path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The codes in a text, with what precedes and follows each.
fn codes(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    text.match_indices("OX0").filter_map(|(at, _)| {
        let code = text.get(at..at + 6)?;
        code[2..].bytes().all(|byte| byte.is_ascii_digit()).then(|| (&text[..at], code, &text[at + 6..]))
    })
}

#[test]
fn every_code_means_one_thing_and_is_explained() {
    let mut files = Vec::new();
    sources(&root(), false, &mut files);
    let mut defined: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("readable source");
        // What tests expect defines nothing.
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (before, code, after) in codes(text) {
            if before.ends_with('"') && after.starts_with('"') {
                let place = file.strip_prefix(root()).expect("below the root").display().to_string();
                defined.entry(code.to_owned()).or_default().push(place);
            }
        }
    }
    let twice: Vec<_> = defined.iter().filter(|(_, places)| places.len() > 1).collect();
    assert!(twice.is_empty(), "codes with two meanings: {twice:?}");

    let page = fs::read_to_string(root().join("docs/errors.md")).expect("docs/errors.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.get(..6));
    let explained: BTreeSet<&str> = rows.filter(|code| code.starts_with("OX0")).collect();
    let defined: BTreeSet<&str> = defined.keys().map(String::as_str).collect();
    let silent: Vec<_> = defined.difference(&explained).collect();
    let stale: Vec<_> = explained.difference(&defined).collect();
    assert!(silent.is_empty(), "not in docs/errors.md: {silent:?}");
    assert!(stale.is_empty(), "in docs/errors.md, but nowhere else: {stale:?}");
}
