//! `oxcl bench fuzz-tta`: random kernels on random machines.

use super::tta::write;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::tta::fuzz::{Pair, Verdict};
use crate::ui::Ui;
use crate::ui::progress::Progress;
use clap::Args;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Compile random kernels for random transport-triggered machines and look for hazards and differences
///
/// Each kernel is executed by the rules of the language, by the machine IR that LLVM makes of it, by the lifted code, and in a strict
/// simulation; all must give the same. A failure is made smaller and written as a file test, with its machine beside it.
#[derive(Debug, Args)]
#[command(after_help = "Example: oxcl bench fuzz-tta --pairs 1000 --seed 1")]
pub(crate) struct FuzzArgs {
    /// How many pairs of a kernel and a machine
    #[arg(long, value_name = "N", default_value_t = 200)]
    pairs: u64,
    /// The first pair's seed; the others have those that follow [default: from the clock]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Where file tests of failures go
    #[arg(long, value_name = "DIR", default_value = ".")]
    failures: PathBuf,
    /// Go on after a failure
    #[arg(long)]
    keep_going: bool,
}

/// Runs the pairs.
pub(crate) fn run(args: &FuzzArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let seed = args.seed.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(1, |d| d.as_secs().wrapping_mul(1_000_003))
    });
    ui.note(&format!("seed {seed}"));
    let (mut done, mut cycles, mut failed, mut at) = (0_u64, 0_u64, 0_u64, seed);
    let mut unsuitable: BTreeMap<String, u64> = BTreeMap::new();
    let progress = Progress::new(ui);
    while done < args.pairs {
        progress.part("pairs", done, args.pairs);
        let pair = Pair::of(at);
        match pair.verdict() {
            Verdict::Same(spent) => {
                cycles += spent;
                done += 1;
            }
            Verdict::Unsuitable(why) => *unsuitable.entry(why).or_default() += 1,
            Verdict::Wrong(why) => {
                (done, failed) = (done + 1, failed + 1);
                ui.message(&format!("oxcl: seed {at}: {}", why.lines().next().unwrap_or_default()));
                let (small, why) = pair.shrunk(why);
                let stem = args.failures.join(format!("fuzz_tta_{at}"));
                write(&stem.with_extension("cl"), small.file_test(at, &why).as_bytes())?;
                write(&stem.with_extension("adf"), small.machine_file().as_bytes())?;
                ui.message(&format!(
                    "oxcl: wrote {} and its machine: {why}",
                    stem.with_extension("cl").display()
                ));
                if !args.keep_going {
                    break;
                }
            }
        }
        at = at.wrapping_add(1);
    }
    drop(progress);
    let refused: u64 = unsuitable.values().sum();
    if ui.json {
        let data = json!({
            "bench": "fuzz-tta", "seed": seed, "next_seed": at, "pairs": done, "failed": failed, "cycles": cycles,
            "machines_refused": unsuitable,
        });
        ui.result(&format!("{data}\n"))?;
    } else {
        ui.result(&format!(
            "{done} pairs from seed {seed} up to {at}, {cycles} cycles simulated, {failed} failed, {refused} machines refused by name\n"
        ))?;
    }
    Ok(if failed == 0 { Outcome::Ok } else { Outcome::Negative })
}
