//! `oxcl run WORKLOAD.toml...`: every workload in turn, then one table of all kernels.

use super::run::RunArgs;
use super::run_kernel::{comparison_json, verdict};
use crate::error::CliError;
use crate::exit::Outcome;
use crate::host::Terminal;
use crate::ui::Ui;
use crate::ui::table::{Table, cycles, duration, figure, sizes};
use oxcl_workload::data::HostData;
use oxcl_workload::data::compare::{self, Comparison};
use oxcl_workload::data::show;
use oxcl_workload::device::Device;
use oxcl_workload::execute::{self, Ran};
use oxcl_workload::formula;
use oxcl_workload::plan::{Action, Argument, Expectation, Launch, Output, Plan, Reference, Sink};
use oxcl_workload::problem::{Problem, WorkloadError};
use oxcl_workload::resolve;
use oxcl_workload::session::Session;
use oxcl_workload::value::Value;
use serde_json::{Map, Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One command's line in the table at the end.
struct Row {
    workload: String,
    command: String,
    kernel: Option<String>,
    device: Device,
    global: Vec<u64>,
    local: Vec<u64>,
    /// On a simulated device; its times say how long the simulation took.
    cycles: Option<u64>,
    best: Duration,
    median: Duration,
    bytes: Option<f64>,
    flops: Option<f64>,
    checked: bool,
}

/// What is left of a workload when it is done.
struct Finished {
    title: String,
    rows: Vec<Row>,
    expectations: Vec<(String, Comparison, bool)>,
    printed: Vec<(String, HostData, std::ops::Range<usize>)>,
    files: Vec<PathBuf>,
    stages: Vec<(String, Duration)>,
}

/// Runs the workloads; exit code 1 where an expectation is not met.
pub(crate) fn run(files: &[PathBuf], args: &RunArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    // A mistake in the last file shows before the first one runs.
    let plans = files.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    #[cfg(feature = "mpi")]
    if oxcl_runtime::ranks() > 1 {
        // Nodes end in order with a host that they have heard of, also where every queue names a device of its own. What is wrong
        // with them says whoever uses them.
        let _ = oxcl_runtime::DeviceInfo::ask_all("mpi:*");
    }
    let mut finished = Vec::new();
    for plan in &plans {
        let done = one(plan, args, ui)?;
        if !ui.json {
            report(&done, ui)?;
        }
        finished.push(done);
    }
    let agree = finished.iter().flat_map(|f| &f.expectations).all(|(_, _, ok)| *ok);
    if ui.json {
        ui.json(
            "workloads",
            &json!({ "ok": agree, "workloads": finished.iter().map(as_json).collect::<Vec<_>>() }),
        )?;
    } else {
        ui.result(&table(&finished, plans.len() > 1))?;
        for done in &finished {
            ui.times(&done.stages);
        }
    }
    Ok(if agree { Outcome::Ok } else { Outcome::Negative })
}

fn read(path: &Path) -> Result<Plan, CliError> {
    let text = fs::read_to_string(path).map_err(|source| CliError::Read { path: path.to_owned(), source })?;
    Ok(resolve(path, &text)?)
}

fn one(plan: &Plan, args: &RunArgs, ui: &mut Ui) -> Result<Finished, CliError> {
    let (everywhere, repeat) = (args.device, args.repeat);
    let mut terminal = Terminal::new(ui, !args.no_cache);
    let session = Session::load(plan, &[], everywhere, &mut terminal)?;
    let mut ran = execute::run(&session, everywhere, &mut terminal)?;
    let mut times: Vec<Vec<Duration>> = ran.commands.iter().map(|c| vec![c.time]).collect();
    for _ in 1..repeat {
        ran = execute::run(&session, everywhere, &mut terminal)?;
        for (all, done) in times.iter_mut().zip(&ran.commands) {
            all.push(done.time);
        }
    }
    let expectations = expectations(&session, &ran, &mut terminal)?;
    let (files, printed) = outputs(&session, &ran)?;
    drop(terminal);
    for report in ran.commands.iter().filter_map(|c| c.report.as_ref()) {
        if !ui.json {
            ui.result_bytes(&report.printed)?;
            crate::launching::tell_dropped(ui, report);
        }
    }
    let met: Vec<usize> = plan
        .expectations
        .iter()
        .zip(&expectations)
        .filter(|(_, (_, _, ok))| *ok)
        .map(|(e, _)| e.buffer)
        .collect();
    let checked = execute::borne_out(&session, &met);
    let rows = plan
        .commands
        .iter()
        .enumerate()
        .map(|(index, command)| {
            let mut sorted = times[index].clone();
            sorted.sort_unstable();
            let done = &ran.commands[index];
            let device = everywhere.unwrap_or(plan.queues[command.queue].device);
            let mut row = Row {
                workload: plan.title.clone(),
                command: command.name.clone(),
                kernel: None,
                device,
                global: Vec::new(),
                local: Vec::new(),
                cycles: done.report.as_ref().and_then(|report| report.cycles),
                best: sorted.first().copied().unwrap_or_default(),
                median: sorted.get(sorted.len() / 2).copied().unwrap_or_default(),
                bytes: None,
                flops: None,
                checked: checked[index],
            };
            if let (Action::Kernel(launch), Some(report)) = (&command.action, &done.report) {
                let local = &report.local[..launch.global.len()];
                row.kernel = Some(launch.kernel.clone());
                row.global.clone_from(&launch.global);
                row.local = local.to_vec();
                row.bytes = launch.bytes.as_deref().and_then(|f| evaluate(f, launch, local));
                row.flops = launch.flops.as_deref().and_then(|f| evaluate(f, launch, local));
            }
            row
        })
        .collect();
    Ok(Finished {
        title: plan.title.clone(),
        rows,
        expectations,
        printed,
        files,
        stages: session.stages.clone(),
    })
}

/// The value of a formula; `resolve` has checked that every name in it exists.
fn evaluate(text: &str, launch: &Launch, local: &[u64]) -> Option<f64> {
    let lookup = |name: &str| {
        let size = |sizes: &[u64], d: usize| Some(sizes.get(d).copied().unwrap_or(1) as f64);
        match name {
            "gx" => size(&launch.global, 0),
            "gy" => size(&launch.global, 1),
            "gz" => size(&launch.global, 2),
            "lx" => size(local, 0),
            "ly" => size(local, 1),
            "lz" => size(local, 2),
            name => launch.args.iter().find(|(n, _)| n == name).and_then(|(_, argument)| match argument {
                Argument::Value(Value::Numbers(numbers)) => numbers.first().map(|n| n.to_f64()),
                _ => None,
            }),
        }
    };
    formula::evaluate(text, &lookup).ok().filter(|v| v.is_finite())
}

/// Compares what is expected; each with the buffer's name and whether few enough lanes disagree.
fn expectations(
    session: &Session<'_>,
    ran: &Ran,
    terminal: &mut Terminal<'_>,
) -> Result<Vec<(String, Comparison, bool)>, CliError> {
    let plan = session.plan;
    let mut references: Vec<(Device, Ran)> = Vec::new();
    let mut results = Vec::new();
    for expectation in &plan.expectations {
        let got = execute::contents(session, ran, expectation.buffer);
        let want = match &expectation.reference {
            Reference::Value(value) => value_wanted(plan, expectation, value, &got)?,
            Reference::Buffer(other) => {
                let want = execute::contents(session, ran, *other);
                check_shape(plan, expectation, &got, &want)?;
                want
            }
            Reference::Device(device) => {
                if !references.iter().any(|(d, _)| d == device) {
                    references.push((*device, execute::run(session, Some(*device), terminal)?));
                }
                let found = references.iter().find(|(d, _)| d == device);
                found.map_or_else(|| got.clone(), |(_, r)| execute::contents(session, r, expectation.buffer))
            }
        };
        let comparison = compare::compare(&got, &want, expectation.tolerance);
        let ok = comparison.wrong as f64 <= expectation.allow * comparison.lanes as f64;
        results.push((plan.buffers[expectation.buffer].name.clone(), comparison, ok));
    }
    Ok(results)
}

fn at(plan: &Plan, line: usize, problem: Problem) -> CliError {
    WorkloadError { path: plan.path.clone(), line, problem: Box::new(problem) }.into()
}

fn value_wanted(
    plan: &Plan,
    expectation: &Expectation,
    value: &Value,
    got: &HostData,
) -> Result<HostData, CliError> {
    let want = value
        .data(Some(got.element))
        .map_err(|error| at(plan, expectation.line, Problem::Expected(error)))?
        .unwrap_or_else(|| got.clone());
    check_shape(plan, expectation, got, &want)?;
    Ok(want)
}

/// What is expected must be of the same type, and no more than there is.
fn check_shape(
    plan: &Plan,
    expectation: &Expectation,
    got: &HostData,
    want: &HostData,
) -> Result<(), CliError> {
    let name = plan.buffers[expectation.buffer].name.clone();
    if want.element != got.element {
        let (want, have) = (want.element.to_string(), got.element.to_string());
        return Err(at(plan, expectation.line, Problem::ExpectedType { buffer: name, want, have }));
    }
    if want.len() > got.len() {
        let problem = Problem::Beyond {
            buffer: name,
            have: got.len() as u64,
            start: 0,
            end: want.len() as u64,
            done: "expected",
        };
        return Err(at(plan, expectation.line, problem));
    }
    Ok(())
}

type Printed = Vec<(String, HostData, std::ops::Range<usize>)>;

fn outputs(session: &Session<'_>, ran: &Ran) -> Result<(Vec<PathBuf>, Printed), CliError> {
    let plan = session.plan;
    let (mut files, mut printed) = (Vec::new(), Vec::new());
    for Output { buffer, line, sink } in &plan.outputs {
        let data = execute::contents(session, ran, *buffer);
        match sink {
            Sink::Print(slice) => {
                let range =
                    slice.range(data.len()).map_err(|error| at(plan, *line, Problem::Print(error)))?;
                printed.push((plan.buffers[*buffer].name.clone(), data, range));
            }
            Sink::File(target) => {
                if let Some(folder) = target.path.parent().filter(|f| !f.as_os_str().is_empty()) {
                    fs::create_dir_all(folder)
                        .map_err(|source| CliError::Write { path: folder.to_owned(), source })?;
                }
                target.save(&data).map_err(|error| at(plan, *line, Problem::Data(error)))?;
                files.push(target.path.clone());
            }
        }
    }
    Ok((files, printed))
}

/// What a workload prints itself, before the table.
fn report(done: &Finished, ui: &mut Ui) -> Result<(), CliError> {
    for (name, data, range) in &done.printed {
        ui.result(&format!(
            "{name}[{}..{}]: {}\n",
            range.start,
            range.end,
            show::elements(data, range.clone())
        ))?;
    }
    for (name, comparison, ok) in &done.expectations {
        if *ok {
            ui.detail(&format!("{}: {name}: {}", done.title, verdict(comparison)));
        } else {
            ui.result(&format!("{}: {name}: {}\n", done.title, verdict(comparison)))?;
        }
    }
    for file in &done.files {
        ui.note(&format!("{}: wrote {}", done.title, file.display()));
    }
    Ok(())
}

fn table(finished: &[Finished], several: bool) -> String {
    let rows = || finished.iter().flat_map(|f| &f.rows).filter(|r| r.kernel.is_some());
    let mut heading = vec!["kernel", "size", "local", "time", "GB/s", "GFLOP/s", "checked"];
    if several {
        heading.insert(0, "workload");
    }
    let shift = usize::from(several);
    let mut table = Table::new(&heading).right(shift + 3).right(shift + 4).right(shift + 5);
    for row in rows() {
        let rate = |amount: Option<f64>| {
            let seconds = row.best.as_secs_f64();
            amount
                .filter(|_| seconds > 0.0 && row.cycles.is_none())
                .map_or_else(String::new, |a| figure(a / seconds / 1e9))
        };
        let mut cells = vec![
            row.command.clone(),
            sizes(&row.global),
            sizes(&row.local),
            row.cycles.map_or_else(|| duration(row.best), cycles),
            rate(row.bytes),
            rate(row.flops),
            if row.checked { "yes" } else { "no" }.to_owned(),
        ];
        if several {
            cells.insert(0, row.workload.clone());
        }
        table.row(cells);
    }
    table.to_string()
}

fn as_json(done: &Finished) -> Json {
    let rows: Vec<Json> = done
        .rows
        .iter()
        .map(|row| {
            json!({
                "command": row.command,
                "kernel": row.kernel,
                "device": row.device.name(),
                "global": row.global,
                "local": row.local,
                "cycles": row.cycles,
                "best_ns": row.best.as_nanos() as u64,
                "median_ns": row.median.as_nanos() as u64,
                "bytes": row.bytes,
                "flops": row.flops,
                "checked": row.checked,
            })
        })
        .collect();
    let expectations: Vec<Json> = done
        .expectations
        .iter()
        .map(|(name, comparison, ok)| {
            let mut value = comparison_json(name, comparison);
            value["ok"] = json!(ok);
            value
        })
        .collect();
    let values: Map<String, Json> = done
        .printed
        .iter()
        .map(|(name, data, range)| {
            (format!("{name}[{}..{}]", range.start, range.end), show::json(data, range.clone()))
        })
        .collect();
    let stages: Map<String, Json> =
        done.stages.iter().map(|(name, time)| (name.clone(), json!(time.as_nanos() as u64))).collect();
    json!({
        "title": done.title,
        "commands": rows,
        "expectations": expectations,
        "values": values,
        "files": done.files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>(),
        "stages_ns": stages,
    })
}
