//! Rules about the repository itself: who may depend on whom, how long a file may grow, what every file begins with.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the testsuite lies in the workspace").to_owned()
}

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    if !folder.exists() {
        return;
    }
    for entry in fs::read_dir(folder).expect("readable folder") {
        let path = entry.expect("readable entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                files(&path, extension, found);
            }
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
}

fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(&root(), "rs", &mut found);
    found.sort();
    found
}

/// The table of `docs/architecture.md`: crate name to the crates it may use.
fn allowed() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(root().join("docs/architecture.md")).expect("docs/architecture.md");
    let mut rows = Vec::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if cells.len() == 6 && cells[1].starts_with('`') {
            rows.push((cells[1].trim_matches('`').to_owned(), cells[2].to_owned(), cells[4].to_owned()));
        }
    }
    assert!(rows.len() > 8, "the table of crates was not found");
    let all: Vec<String> = rows.iter().map(|r| r.1.clone()).collect();
    let expand = |word: &str| -> Vec<String> {
        match word {
            "" => vec![],
            "all" => all.clone(),
            "drivers" => all.iter().filter(|n| n.starts_with("oxcl-driver-")).cloned().collect(),
            "everything under `compiler/`" => {
                rows.iter().filter(|r| r.0.starts_with("compiler/")).map(|r| r.1.clone()).collect()
            }
            short => vec![format!("oxcl-{short}")],
        }
    };
    rows.iter()
        .map(|row| (row.1.clone(), row.2.split(',').flat_map(|w| expand(w.trim())).collect()))
        .collect()
}

#[test]
fn dependencies_follow_the_table() {
    let allowed = allowed();
    let mut manifests = Vec::new();
    files(&root(), "toml", &mut manifests);
    let mut wrong = Vec::new();
    for path in manifests.iter().filter(|p| p.ends_with("Cargo.toml") && p.parent() != Some(&root())) {
        let text = fs::read_to_string(path).expect("readable manifest");
        let manifest: toml::Table = text.parse().expect("valid manifest");
        let Some(name) = manifest["package"]["name"].as_str() else { continue };
        if manifest.contains_key("workspace") {
            continue; // A workspace of its own: the fuzz targets, which may use everything.
        }
        let Some(may) = allowed.get(name) else {
            wrong.push(format!("{name} has no row in docs/architecture.md"));
            continue;
        };
        for key in ["dependencies", "build-dependencies"] {
            let Some(table) = manifest.get(key).and_then(toml::Value::as_table) else { continue };
            for used in table.keys().filter(|k| k.starts_with("oxcl")) {
                if !may.contains(used) {
                    wrong.push(format!("{name} may not use {used}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_runtime_never_sees_llvm() {
    for folder in ["runtime", "compiler/binary", "compiler/tta"] {
        let mut found = Vec::new();
        files(&root().join(folder), "toml", &mut found);
        for path in found.iter().filter(|p| p.ends_with("Cargo.toml")) {
            let text = fs::read_to_string(path).expect("readable manifest");
            for word in ["inkwell", "llvm-sys", "clang-sys"] {
                assert!(!text.contains(word), "{} names {word}", path.display());
            }
        }
    }
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut wrong = Vec::new();
    for path in sources() {
        let text = fs::read_to_string(&path).expect("readable source");
        let shown = path.strip_prefix(root()).expect("inside the root").display().to_string();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default().lines().count();
        if code > 800 {
            wrong.push(format!("{shown}: {code} lines without its tests, the cap is 800"));
        }
        if !text.starts_with("//!") {
            wrong.push(format!("{shown}: does not begin with a header that says what it does"));
        }
        if text.contains('\r') || !text.ends_with('\n') {
            wrong.push(format!("{shown}: line endings, or no newline at the end"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_open_ends() {
    let words = [["TO", "DO"].concat(), ["FIX", "ME"].concat(), ["unimpl", "emented!"].concat()];
    let mut wrong = Vec::new();
    for path in sources() {
        for (at, line) in fs::read_to_string(&path).expect("readable source").lines().enumerate() {
            if words.iter().any(|w| line.contains(w.as_str())) {
                wrong.push(format!("{}:{}: {}", path.display(), at + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_snapshot_has_its_input() {
    let folder = root().join("testsuite/filetests");
    let mut snapshots = Vec::new();
    files(&folder, "snap", &mut snapshots);
    for snapshot in snapshots {
        let name = snapshot.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = name.split('@').next().unwrap_or_default().to_owned();
        let input = snapshot.parent().map(|p| p.join(format!("{stem}.cl"))).unwrap_or_default();
        assert!(input.exists(), "{} has no {}", snapshot.display(), input.display());
    }
}
