//! The generator's programs: legal, the same for the same seed, with every feature; and shrinking keeps what is asked for.

use std::collections::BTreeSet;

use oxcl_oracle::{evaluate, feature_names, features, generate, shrink};

#[test]
fn a_seed_gives_one_legal_program() {
    for seed in 1000..1040 {
        let (first, second) = (generate(seed), generate(seed));
        assert_eq!(first.program.text(), second.program.text());
        assert_eq!(first.outcome.buffers, second.outcome.buffers);
        let again = evaluate(&first.program).unwrap();
        assert_eq!(again.buffers, first.outcome.buffers);
        assert!(!first.program.launches.is_empty());
    }
}

#[test]
fn every_feature_comes_up() {
    let mut found = BTreeSet::new();
    for seed in 1..400 {
        found.extend(features(&generate(seed)));
    }
    let missing: Vec<_> = feature_names().iter().filter(|name| !found.contains(**name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn shrinking_keeps_what_is_asked_for() {
    let mut tried = 0;
    for seed in 1..200 {
        let case = generate(seed);
        let fits = |text: &str| text.contains("barrier(CLK") && text.contains("break;");
        if !fits(&case.program.text()) {
            continue;
        }
        let small = shrink(&case, 3000, &mut |candidate| fits(&candidate.program.text()));
        let text = small.program.text();
        assert!(fits(&text), "{text}");
        assert!(text.len() < 700, "{text}");
        assert_eq!(evaluate(&small.program).unwrap().buffers, small.outcome.buffers);
        tried += 1;
        if tried == 3 {
            return;
        }
    }
    panic!("no program has a barrier and a break");
}
