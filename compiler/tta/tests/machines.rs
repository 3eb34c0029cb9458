//! The machine files that the project ships equal what their plans give, and are sound. `OXCL_BLESS=1` rewrites them.

use oxcl_tta::adf::{read, write};
use oxcl_tta::compose::{compose, stock};
use oxcl_tta::validate::{Severity, compile_obstacles, validate};

#[test]
fn machine_files_are_what_their_plans_give() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("machines");
    for (name, plan) in stock::plans() {
        let machine = compose(&plan);
        let text = write(&machine);
        let path = folder.join(format!("{name}.adf"));
        if std::env::var_os("OXCL_BLESS").is_some() {
            std::fs::write(&path, &text).expect("the machine file can be written");
        }
        let stored = std::fs::read_to_string(&path).expect("the machine file is there");
        assert_eq!(stored, text, "{name}: OXCL_BLESS=1 rewrites the file");
        assert_eq!(read(&stored).expect("it loads").machine, machine, "{name}");
    }
}

#[test]
fn our_machines_have_no_errors_and_can_be_compiled_for() {
    for (name, plan) in stock::plans() {
        let machine = compose(&plan);
        let errors: Vec<String> = validate(&machine)
            .into_iter()
            .filter(|f| f.severity == Severity::Error)
            .map(|f| format!("{}: {}", f.subject, f.message))
            .collect();
        assert_eq!(errors, Vec::<String>::new(), "{name}");
        if name == "big_endian" {
            assert_eq!(compile_obstacles(&machine).len(), 1);
        } else {
            assert_eq!(compile_obstacles(&machine), Vec::<String>::new(), "{name}");
        }
    }
}
