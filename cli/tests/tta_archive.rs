//! Archives for simulated processors are run without a compiler: this test is the same for a program that has none
//! (`make test-runtime`). The archive is made from operations that are written down here.

mod common;
#[path = "../../runtime/drivers/tta/tests/support/mod.rs"]
mod support;

use common::{Sandbox, words};
use oxcl_binary::archive::{AccessQualifier, AddressQualifier, Arg, ArgKind};

const MACHINES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../compiler/tta/machines");

fn arg(name: &str, pointer: bool) -> Arg {
    Arg {
        name: name.to_owned(),
        type_name: if pointer { "int*" } else { "int" }.to_owned(),
        address: if pointer { AddressQualifier::Global } else { AddressQualifier::Private },
        access: AccessQualifier::None,
        type_qualifier: 0,
        kind: if pointer { ArgKind::Pointer } else { ArgKind::Value },
        size: if pointer { 8 } else { 4 },
    }
}

#[test]
fn archives_run_on_simulated_processors_without_a_compiler() {
    let sandbox = Sandbox::new();
    for machine in ["three_bus", "tiny"] {
        let mut archive = support::archive(&support::machine(machine), &["add"]);
        archive.kernels[0].args = [("in", true), ("out", true), ("n", false), ("k", false)]
            .map(|(name, pointer)| arg(name, pointer))
            .to_vec();
        sandbox.write("add.poclbin", archive.write().unwrap());
        let line = format!(
            "run add.poclbin add --device ttasim:{MACHINES}/{machine}.adf -g 1 -a in=range:int:8 \
             -a out=zeros:int:8 -a n=8 -a k=40 --print out"
        );
        let ran = sandbox.run(&words(&line));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(ran.out, "out[0..8]: 40 41 42 43 44 45 46 47\n");
    }
    let line = format!(
        "run add.poclbin add --device ttasim:{MACHINES}/three_bus.adf -g 1 -a in=range:int:8 -a out=zeros:int:8 \
         -a n=8 -a k=40"
    );
    let ran = sandbox.run(&words(&line));
    assert_ne!(ran.code, Some(0));
    assert!(ran.err.contains("was compiled for the machine"), "{ran:?}");
}
