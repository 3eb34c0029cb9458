//! The run-time routines are shipped as machine IR; it is what their source compiles to.

#[test]
fn shipped_routines_are_made_from_their_source() {
    let made = oxcl_compiler::tta::make_routines().unwrap_or_else(|e| panic!("{e}"));
    if std::env::var_os("OXCL_UPDATE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tta/routines.mir");
        std::fs::write(path, &made).unwrap_or_else(|e| panic!("{path}: {e}"));
        return;
    }
    let same = made == oxcl_compiler::tta::shipped_routines();
    assert!(same, "OXCL_UPDATE=1 cargo test -p oxcl-compiler --test routines writes them anew");
}
