//! `oxcl cache`: what programs that were built before are kept, and their removal.

use crate::error::CliError;
use crate::exit::Outcome;
use crate::ui::Ui;
use crate::ui::progress::Progress;
use crate::ui::table::Table;
use clap::Subcommand;
use oxcl_runtime::{Cache, CacheStats};
use std::io;
use std::time::SystemTime;

/// Look at programs that are kept, or remove them
#[derive(Debug, Subcommand)]
#[command(after_help = "Examples:\n  oxcl cache stats\n  oxcl cache prune\n\nOXCL_CACHE=off turns it off, \
    OXCL_CACHE_DIR and OXCL_CACHE_SIZE (MiB) say where it is and how large")]
pub(crate) enum CacheArgs {
    /// Where it is, and how large
    Info,
    /// What is in it, the last used first
    List,
    /// What is in it, counted
    Stats,
    /// Remove what is of no use any more: damaged files, those of other versions, and what makes it too large
    Prune,
    /// Remove everything
    Clear,
    /// Check that everything in it is whole; exit code 1 if not
    Verify,
}

/// Does it.
pub(crate) fn run(args: &CacheArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let Some(cache) = Cache::from_environment() else {
        return none(ui);
    };
    let progress = Progress::new(ui);
    progress.step("reading the cache");
    let mut told = |done, all| progress.part("reading the cache, files", done, all);
    let failed = |source: io::Error| CliError::Read { path: cache.folder().to_owned(), source };
    match args {
        CacheArgs::Info => {
            let info = cache.info().map_err(failed)?;
            if ui.json {
                let data = serde_json::json!({
                    "folder": info.folder.display().to_string(),
                    "files": info.files,
                    "bytes": info.bytes,
                    "limit": info.limit,
                });
                ui.json("cache", &data)?;
                return Ok(Outcome::Ok);
            }
            ui.result(&format!("folder  {}\n", info.folder.display()))?;
            ui.result(&format!("files   {}\n", info.files))?;
            ui.result(&format!("size    {} of {}\n", mebibytes(info.bytes), mebibytes(info.limit)))?;
        }
        CacheArgs::List => {
            let rows = cache.list(&mut told).map_err(failed)?;
            if ui.json {
                let rows: Vec<_> = rows
                    .iter()
                    .map(|row| {
                        serde_json::json!({
                            "key": row.key, "bytes": row.bytes, "seconds_since_use": seconds_ago(row.used),
                            "what": row.what,
                        })
                    })
                    .collect();
                ui.json("cache", &rows)?;
                return Ok(Outcome::Ok);
            }
            let mut table = Table::new(&["key", "bytes", "used", "what"]).right(1).right(2);
            for row in rows {
                let used = format!("{} s ago", seconds_ago(row.used));
                table.row(vec![row.key[..12].to_owned(), row.bytes.to_string(), used, row.what]);
            }
            ui.result(&table.to_string())?;
        }
        CacheArgs::Stats => stats(&cache, &cache.stats(&mut told).map_err(failed)?, ui)?,
        CacheArgs::Prune => {
            let pruned = cache
                .prune(&mut told)
                .map_err(|source| CliError::Write { path: cache.folder().to_owned(), source })?;
            if ui.json {
                ui.json("cache", &serde_json::json!({ "removed": pruned.files, "bytes": pruned.bytes }))?;
            } else {
                ui.result(&format!("removed {} files, {}\n", pruned.files, mebibytes(pruned.bytes)))?;
            }
        }
        CacheArgs::Clear => {
            let removed = cache
                .clear()
                .map_err(|source| CliError::Write { path: cache.folder().to_owned(), source })?;
            if ui.json {
                ui.json("cache", &serde_json::json!({ "removed": removed }))?;
            } else {
                ui.result(&format!("removed {removed} files\n"))?;
            }
        }
        CacheArgs::Verify => {
            let damages = cache.verify(&mut told).map_err(failed)?;
            if ui.json {
                let rows: Vec<_> = damages
                    .iter()
                    .map(|d| serde_json::json!({ "path": d.path.display().to_string(), "reason": d.reason }))
                    .collect();
                ui.json("cache", &serde_json::json!({ "damaged": rows }))?;
            } else {
                for damage in &damages {
                    ui.result(&format!("{}: {}\n", damage.path.display(), damage.reason))?;
                }
                ui.result(&format!("{} damaged\n", damages.len()))?;
            }
            return Ok(if damages.is_empty() { Outcome::Ok } else { Outcome::Negative });
        }
    }
    Ok(Outcome::Ok)
}

fn stats(cache: &Cache, stats: &CacheStats, ui: &mut Ui) -> Result<(), CliError> {
    let counts = [
        ("results", stats.results),
        ("lists of included files", stats.includes),
        ("compilers", stats.compilers),
        ("of other versions", stats.others),
        ("damaged", stats.damaged),
        ("being written or left behind", stats.temporary),
    ];
    if ui.json {
        let data = serde_json::json!({
            "folder": cache.folder().display().to_string(),
            "results": stats.results,
            "includes": stats.includes,
            "compilers": stats.compilers,
            "others": stats.others,
            "damaged": stats.damaged,
            "temporary": stats.temporary,
            "bytes": stats.bytes,
            "limit": cache.limit(),
            "oldest_seconds_since_use": stats.oldest.map(seconds_ago),
        });
        return ui.json("cache", &data);
    }
    let mut table = Table::new(&["what", "files"]).right(1);
    for (what, count) in counts {
        table.row(vec![what.to_owned(), count.to_string()]);
    }
    ui.result(&table.to_string())?;
    ui.result(&format!("\n{} of {}", mebibytes(stats.bytes), mebibytes(cache.limit())))?;
    let oldest = stats.oldest.map(|time| format!(", not used for {} s at most", seconds_ago(time)));
    ui.result(&format!("{}\n", oldest.unwrap_or_default()))
}

fn none(ui: &mut Ui) -> Result<Outcome, CliError> {
    if ui.json {
        ui.json("cache", &serde_json::Value::Null)?;
    } else {
        ui.result("there is no cache: it is off, or there is no folder for it\n")?;
    }
    Ok(Outcome::Ok)
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

fn seconds_ago(time: SystemTime) -> u64 {
    SystemTime::now().duration_since(time).map_or(0, |age| age.as_secs())
}
