//! What the simulator's tests share: machines by name, programs from text, runs to their end.

use oxcl_tta::asm::parse;
use oxcl_tta::compose::{compose, stock};
use oxcl_tta::image::Image;
use oxcl_tta::model::Machine;
use oxcl_ttasim::{Engine, Fault, System};
use std::sync::Arc;

pub(crate) fn machine(name: &str) -> Machine {
    let plans = stock::plans();
    let (_, plan) = plans.iter().find(|(n, _)| *n == name).expect("the machine is in stock");
    compose(plan)
}

pub(crate) fn image(machine: &Machine, text: &str) -> Arc<Image> {
    let program = parse(machine, text).expect(text);
    Arc::new(Image { machine: machine.clone().into(), program })
}

pub(crate) fn system(image: &Arc<Image>, engine: Engine) -> System {
    System::with_own_memories(std::slice::from_ref(image), engine).expect("it loads")
}

/// Runs `text` on both engines, which must agree, and gives the strict one.
pub(crate) fn ran(machine: &Machine, text: &str) -> System {
    let image = image(machine, text);
    let mut strict = system(&image, Engine::Strict);
    strict.run(100_000).unwrap_or_else(|fault| panic!("{fault}"));
    assert!(strict.ended(), "the program does not end");
    let mut fast = system(&image, Engine::Fast);
    fast.run(100_000).unwrap_or_else(|fault| panic!("{fault}"));
    agree(&strict, &fast);
    strict
}

/// Holds that two systems are in the same state and have counted the same.
pub(crate) fn agree(strict: &System, fast: &System) {
    for core in 0..strict.cores() {
        assert_eq!(strict.state(core), fast.state(core), "core {core}");
        assert_eq!(strict.program_counter(core), fast.program_counter(core));
        let (mut a, b) = (strict.counts(core), fast.counts(core));
        a.unread = None;
        assert_eq!(a, b);
    }
    for (a, b) in strict.memories().iter().zip(fast.memories()) {
        assert!(a.same(b), "the memories differ");
    }
}

/// The fault that ends `text` in a strict run.
pub(crate) fn fault(machine: &Machine, text: &str) -> Box<Fault> {
    let mut strict = system(&image(machine, text), Engine::Strict);
    match strict.run(100_000) {
        Ok(_) => panic!("there should be a fault"),
        Err(fault) => fault,
    }
}

/// A register by its number in the file `r`.
pub(crate) fn r(system: &System, index: u32) -> u64 {
    let image = system.image(0);
    let (file, _) = image.machine.register_files().find(|(_, f)| f.name == "r").expect("there is a file r");
    system.register(0, file, index)
}
