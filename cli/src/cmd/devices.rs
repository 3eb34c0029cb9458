//! `oxcl devices`: what can run kernels here.

use crate::error::CliError;
use crate::exit::Outcome;
use crate::launching;
use crate::ui::Ui;
use crate::ui::table::Table;
use clap::Args;
use oxcl_runtime::{Device, DeviceInfo};
use serde_json::{Value as Json, json};

/// List the devices of this machine
#[derive(Debug, Args)]
#[command(visible_alias = "info", after_help = "Example: oxcl devices --json")]
pub(crate) struct DevicesArgs {
    /// Also list the CPU features that compiled code may use
    #[arg(long)]
    full: bool,
}

/// Lists them; exit code 1 if there is none.
pub(crate) fn run(args: &DevicesArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let devices = Device::list().map_err(|e| launching::device_error(&e))?;
    let outcome = if devices.is_empty() { Outcome::Negative } else { Outcome::Ok };
    if ui.json {
        let rows: Vec<Json> = devices.iter().map(|d| as_json(d.info())).collect();
        ui.json("devices", &rows)?;
        return Ok(outcome);
    }
    let mut table = Table::new(&["device", "units", "group", "local", "processor", "level", "what it is"])
        .right(1)
        .right(2)
        .right(3);
    for info in devices.iter().map(Device::info) {
        table.row(vec![
            info.name.clone(),
            info.compute_units.to_string(),
            info.max_work_group_size.to_string(),
            format!("{} KiB", info.local_memory / 1024),
            info.processor.clone(),
            info.level.to_owned(),
            info.description.clone(),
        ]);
    }
    ui.result(&table.to_string())?;
    if args.full
        && let Some(info) = devices.first().map(Device::info)
    {
        ui.result(&format!("\nCPU features: {}\n", info.features.join(" ")))?;
    }
    Ok(outcome)
}

fn as_json(info: &DeviceInfo) -> Json {
    json!({
        "name": info.name,
        "description": info.description,
        "processor": info.processor,
        "level": info.level,
        "compute_units": info.compute_units,
        "max_work_group_size": info.max_work_group_size,
        "local_memory": info.local_memory,
        "features": info.features,
    })
}
