//! `oxcl bench tta`: cycles of published programs on published machines, against the published counts.

use crate::error::CliError;
use crate::exit::Outcome;
use crate::tta::measure::{Figures, measure};
use crate::tta::suite::{self, BENCHMARKS, Benchmark};
use crate::ui::Ui;
use crate::ui::progress::Progress;
use crate::ui::table::Table;
use clap::Args;
use oxcl_compiler::SourceFile;
use oxcl_compiler::tta::CRequest;
use oxcl_tta::{adf, twin};
use oxcl_ttasim::Engine;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Compile OpenASIP's published benchmarks, simulate them and compare the cycles with its counts
///
/// Sources, machines, expected outputs and counts are read from a checkout; of big-endian machines the little-endian twins are
/// taken. With --json each program on each machine is an object on a line of its own, and the means are the last.
#[derive(Debug, Args)]
#[command(after_help = "Example: oxcl bench tta --openasip ~/openasip")]
pub(crate) struct TtaBenchArgs {
    /// A checkout of OpenASIP
    #[arg(long, value_name = "DIR")]
    openasip: PathBuf,
    /// Only programs with this in their names; may be given several times
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Only machines with this in their names; may be given several times
    #[arg(long, value_name = "TEXT")]
    machine: Vec<String>,
    /// The engine
    #[arg(long, value_name = "ENGINE", default_value = "strict")]
    engine: super::sim::EngineChoice,
}

/// A heap for programs that need more than the compiler's own.
const HEAP: &str = "
static unsigned long long heap[1 << 16];
static unsigned used;
void *malloc(unsigned size) {
  void *place = (char *)heap + used;
  if (size > sizeof heap - used)
    return 0;
  used += (size + 7) & ~7u;
  return place;
}
void free(void *place) { (void)place; }
";

/// A program on a machine.
struct Row {
    program: &'static str,
    machine: &'static str,
    counted: bool,
    published: Option<u64>,
    figures: Result<Figures, String>,
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        Some(self.figures.as_ref().ok()?.cycles as f64 / self.published? as f64)
    }

    fn over_bound(&self) -> Option<f64> {
        let figures = self.figures.as_ref().ok()?;
        (figures.bound > 0).then(|| figures.cycles as f64 / figures.bound as f64)
    }

    fn cells(&self) -> Vec<String> {
        let (program, machine) = (self.program.to_owned(), self.machine.to_owned());
        let two = |x: Option<f64>| x.map_or_else(String::new, |x| format!("{x:.2}"));
        let published = self.published.map_or_else(String::new, |n| n.to_string());
        match &self.figures {
            Ok(f) => vec![
                program,
                machine,
                f.cycles.to_string(),
                published,
                two(self.ratio()),
                f.bound.to_string(),
                two(self.over_bound()),
                f.risc_v.to_string(),
                f.instructions.to_string(),
                if self.counted { "yes" } else { "" }.to_owned(),
            ],
            Err(_) => vec![program, machine, "-".to_owned(), published],
        }
    }
}

/// Measures.
pub(crate) fn run(args: &TtaBenchArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let wanted = |all: &[String], name: &str| all.is_empty() || all.iter().any(|part| name.contains(part));
    let engine: Engine = args.engine.into();
    let mut rows = Vec::new();
    let chosen: Vec<_> = BENCHMARKS.iter().filter(|b| wanted(&args.only, b.name)).collect();
    let machines = |benchmark: &Benchmark| {
        benchmark.machines.iter().copied().filter(|m| wanted(&args.machine, m)).collect::<Vec<_>>()
    };
    let all: usize = chosen.iter().map(|benchmark| machines(benchmark).len()).sum();
    let progress = Progress::new(ui);
    for benchmark in chosen {
        let files = benchmark.files(&args.openasip)?;
        let mut request = CRequest::default();
        for path in &files.sources {
            let bytes =
                std::fs::read(path).map_err(|source| CliError::Read { path: path.clone(), source })?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            request.sources.push(SourceFile { name: path.display().to_string(), text });
        }
        request.sources.push(SourceFile { name: "heap.c".to_owned(), text: HEAP.to_owned() });
        request.folders = files.folders.iter().map(|f| f.display().to_string()).collect();
        for machine in machines(benchmark) {
            let text = format!("{} on {machine}, pairs", benchmark.name);
            progress.part(&text, rows.len() as u64, all as u64);
            let twin = twin_of(&args.openasip, machine)?;
            let figures = measure(&request, &twin, &files.expected, engine);
            let published = files.published(machine);
            let row =
                Row { program: benchmark.name, machine, counted: benchmark.counted, published, figures };
            if ui.json {
                ui.result(&format!("{}\n", as_json(&row)))?;
            }
            rows.push(row);
        }
    }
    drop(progress);
    let counted: Vec<f64> = rows.iter().filter(|r| r.counted).filter_map(Row::ratio).collect();
    let bounds: Vec<f64> = rows.iter().filter_map(Row::over_bound).collect();
    let worst = counted.iter().copied().fold(0.0, f64::max);
    if ui.json {
        let means = json!({
            "bench": "tta",
            "pairs": counted.len(),
            "geometric_mean": mean(&counted),
            "worst": worst,
            "over_bound": mean(&bounds),
        });
        ui.result(&format!("{means}\n"))?;
    } else {
        let heading = [
            "program",
            "machine",
            "cycles",
            "published",
            "ratio",
            "bound",
            "/bound",
            "rv32",
            "code",
            "counted",
        ];
        let mut table = Table::new(&heading);
        for column in 2..9 {
            table = table.right(column);
        }
        rows.iter().for_each(|row| table.row(row.cells()));
        ui.result(&table.to_string())?;
        for row in &rows {
            if let Err(why) = &row.figures {
                ui.message(&format!("oxcl: {} on {}: {why}", row.program, row.machine));
            }
        }
        if !counted.is_empty() {
            let (pairs, published, bound) = (counted.len(), mean(&counted), mean(&bounds));
            ui.result(&format!(
                "\n{pairs} pairs counted: geometric mean {published:.3}, worst {worst:.2}; cycles over bound {bound:.3}\n"
            ))?;
        }
    }
    Ok(if rows.iter().all(|r| r.figures.is_ok()) { Outcome::Ok } else { Outcome::Negative })
}

fn twin_of(checkout: &Path, name: &str) -> Result<oxcl_tta::model::Machine, CliError> {
    let (path, text) = suite::machine(checkout, name)?;
    let loaded = adf::read(&text).map_err(|e| super::tta::bad_file(&path, &e, None))?;
    Ok(twin::little_endian(&loaded.machine))
}

fn mean(all: &[f64]) -> f64 {
    let sum: f64 = all.iter().map(|x| x.ln()).sum();
    if all.is_empty() { f64::NAN } else { (sum / all.len() as f64).exp() }
}

fn as_json(row: &Row) -> serde_json::Value {
    let mut object = json!({
        "bench": "tta",
        "program": row.program,
        "machine": row.machine,
        "counted": row.counted,
        "published": row.published,
    });
    match &row.figures {
        Ok(figures) => {
            object["cycles"] = json!(figures.cycles);
            object["ratio"] = json!(row.ratio());
            object["bound"] = json!(figures.bound);
            object["rv32_instructions"] = json!(figures.risc_v);
            object["instructions"] = json!(figures.instructions);
        }
        Err(why) => object["error"] = json!(why),
    }
    object
}
