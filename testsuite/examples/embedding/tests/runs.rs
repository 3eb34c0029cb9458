//! The example on an archive that `oxcl compile` makes, and the page that shows its text.

use std::path::Path;
use std::process::Command;

#[test]
fn an_archive_runs_without_a_compiler() {
    let program = Path::new(env!("CARGO_BIN_EXE_oxcl-example-embedding"));
    let oxcl = program.parent().unwrap().join("oxcl");
    assert!(oxcl.exists(), "{} is not there: cargo build -p oxcl", oxcl.display());
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("smooth.poclbin");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("smooth.cl");
    let compiled = Command::new(oxcl)
        .args(["compile", "--no-cache"])
        .arg(source)
        .arg("-o")
        .arg(&archive)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    // Nothing that it could find a compiler by.
    let output = Command::new(program).arg(&archive).env_clear().output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.ends_with("101 steps: the middle is 1.0000\n"), "{said}");
}

#[test]
fn the_page_shows_this_program() {
    let read =
        |path: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let page = read("../../../docs/embedding.md");
    let program = read("src/main.rs");
    let (_, shown) = program.split_once("\n\nuse ").expect("a program with a header");
    assert!(
        page.contains(&format!("```rust,ignore\nuse {shown}```")),
        "docs/embedding.md has another program"
    );
    assert!(
        page.contains(&format!("```c\n// smooth.cl\n{}```", read("smooth.cl"))),
        "docs/embedding.md has another kernel"
    );
}
