//! Random programs on random machines: the strict and the fast engine agree on every word, count and byte.

use crate::common::{agree, system};
use oxcl_tta::compose::{compose, stock};
use oxcl_tta::image::Image;
use oxcl_tta::model::Machine;
use oxcl_tta::sample::{self, Random};
use oxcl_ttasim::{Engine, System};
use std::sync::Arc;

pub(crate) fn compare(machine: &Machine, seed: u64, cores: usize) -> u64 {
    let images: Vec<Arc<Image>> = (0..cores as u64)
        .map(|core| {
            let program = sample::program(machine, seed ^ core << 32, 120);
            Arc::new(Image { machine: machine.clone().into(), program })
        })
        .collect();
    let mut strict = System::with_own_memories(&images, Engine::Strict).expect("it loads");
    if let Err(fault) = strict.run(10_000) {
        let text = oxcl_tta::asm::print(machine, &images[fault.core].program);
        panic!("seed {seed}: a hazard in a program made without: {fault}\n{text}");
    }
    assert!(strict.ended(), "seed {seed}");
    let mut fast = System::with_own_memories(&images, Engine::Fast).expect("it loads");
    fast.run(10_000).unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
    agree(&strict, &fast);
    strict.cycle()
}

#[test]
fn random_programs_on_random_machines() {
    for seed in 0..400 {
        compare(&compose(&sample::plan(&mut Random::new(seed))), seed, 1);
    }
}

#[test]
fn random_programs_on_our_machines() {
    for (name, plan) in stock::plans().into_iter().filter(|(name, _)| *name != "big_endian") {
        let machine = compose(&plan);
        for seed in 0..20 {
            assert!(compare(&machine, seed, 1) > 100, "{name}");
        }
    }
}

#[test]
fn several_cores_share_one_memory_alike_in_both_engines() {
    for seed in 0..60 {
        compare(&compose(&sample::plan(&mut Random::new(seed))), seed, 4);
    }
}

#[test]
fn stepping_and_running_are_the_same() {
    let machine = compose(&stock::plans()[2].1);
    let program = sample::program(&machine, 3, 200);
    let image = Arc::new(Image { machine: machine.into(), program });
    for engine in [Engine::Strict, Engine::Fast] {
        let (mut whole, mut steps) = (system(&image, engine), system(&image, engine));
        whole.run(u64::MAX).expect("it runs");
        while !steps.ended() {
            steps.step().expect("it runs");
        }
        assert_eq!(whole.state(0), steps.state(0));
        assert_eq!(whole.counts(0), steps.counts(0));
    }
}
