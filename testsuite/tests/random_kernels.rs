//! Random programs leave the bytes that the second oracle says: on the CPU in every way to compile them, on the reference
//! executor, and on simulated processors.
//!
//! `OXCL_PROGRAMS=N` tries that many programs, `OXCL_SEED=N` begins elsewhere; `docs/testing.md` says how to run more and
//! how to make a failing one smaller.

use std::sync::Mutex;
use std::time::Duration;

use oxcl_oracle::Case;
use oxcl_testsuite::campaign::{Campaign, Configuration, Failure, file_test};

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Of each program a way that runs it, and perhaps one before that may decline it; all come up, whatever the number of programs.
fn ways(seed: u64) -> Vec<Configuration> {
    let cpu = Configuration::of_cpu();
    let wide = Configuration::of_wide();
    let turn = (seed + seed / 8) as usize % (cpu.len() + wide.len());
    match (seed % 8, turn.checked_sub(cpu.len())) {
        (0, _) => vec![Configuration::of_tta(seed / 8)[0], Configuration::of_ref()[0]],
        (4, _) => Configuration::of_ref(),
        (_, None) => vec![cpu[turn]],
        (_, Some(width)) => vec![wide[width], cpu[width % cpu.len()]],
    }
}

#[test]
fn random_programs_do_what_the_language_says() {
    let command = vec![env!("CARGO_BIN_EXE_oxcl-campaign").to_owned(), "worker".to_owned()];
    let campaign = Campaign {
        first: from_environment("OXCL_SEED").unwrap_or(1),
        count: from_environment("OXCL_PROGRAMS").unwrap_or(300),
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        command,
        environment: Vec::new(),
        patience: Duration::from_secs(120),
    };
    let texts = Mutex::new(Vec::new());
    let seen = |case: &Case, failure: &Failure| {
        let origin = format!("Seed {} on {}", failure.seed, failure.configuration);
        texts.lock().unwrap().push(format!("{}\n{}", failure.verdict.line(), file_test(case, &origin)));
    };
    let report = campaign.run(&ways, &seen, &|_| ());
    assert!(report.total() >= campaign.count, "{:?}", report.pairs);
    let texts = texts.into_inner().unwrap();
    assert!(texts.is_empty(), "{} of {} pairs:\n{}", texts.len(), report.total(), texts.join("\n"));
}
