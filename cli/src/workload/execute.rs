//! Running a session: fresh buffers, then every command in the plan's order, each complete before the next begins. That
//! order is one of those which the queues permit, so what a command sees is what the file says.

use super::plan::{Action, Plan};
use super::session::{ReadyArgument, ReadyLaunch, Session};
use crate::data::HostData;
use crate::device::Device;
use crate::error::CliError;
use crate::launching;
use crate::ui::progress::Progress;
use oxcl_runtime::{ArgValue, Buffer, LaunchReport};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The plan's buffers.
    pub(crate) buffers: Vec<Buffer>,
    /// What is known of each command, in file order.
    pub(crate) commands: Vec<Done>,
}

/// A command that is complete.
#[derive(Debug, Clone, Default)]
pub(crate) struct Done {
    /// How long it took.
    pub(crate) time: Duration,
    /// The runtime's report, for kernels.
    pub(crate) report: Option<LaunchReport>,
}

/// Runs every command once. `everywhere` replaces the device of every queue.
pub(crate) fn run(
    session: &Session<'_>,
    everywhere: Option<Device>,
    progress: &mut Progress,
) -> Result<Ran, CliError> {
    let plan = session.plan;
    let buffers = session.data.iter().map(launching::upload).collect::<Result<Vec<_>, _>>()?;
    let mut devices = BTreeMap::new();
    let mut commands = vec![Done::default(); plan.commands.len()];
    for (position, index) in plan.order.iter().enumerate() {
        let command = &plan.commands[*index];
        progress.step(&format!(
            "{}: {} ({} of {})",
            plan.title,
            command.name,
            position + 1,
            plan.order.len()
        ));
        let chosen = everywhere.unwrap_or(plan.queues[command.queue].device);
        let device = match devices.entry(chosen) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => entry.insert(launching::device(chosen)?),
        };
        let buffer_error = |e| launching::buffer_error(&e);
        let start = Instant::now();
        match (&command.action, &session.launches[*index]) {
            (Action::Kernel(launch), Some(ready)) => {
                let range =
                    launching::range(&launch.global, launch.local.as_deref(), launch.offset.as_deref())?;
                let prepared = device
                    .prepare(&ready.kernel, &range, &values(ready, &buffers))
                    .map_err(|e| located(plan, command.line, &launching::launch_error(&e)))?;
                let report =
                    prepared.run().map_err(|e| located(plan, command.line, &launching::launch_error(&e)))?;
                commands[*index] = Done { time: report.elapsed, report: Some(report) };
                continue;
            }
            (Action::Copy { from, to, from_offset, to_offset, count }, _) => {
                let size = session.data[*from].element.size() as u64;
                let count = session.copied(*from, *from_offset, *count);
                // `Session::load` has checked that the elements exist, so the products fit.
                buffers[*from]
                    .copy_to(from_offset * size, &buffers[*to], to_offset * size, count * size)
                    .map_err(buffer_error)?;
            }
            (Action::Fill { buffer, value, offset, count }, _) => {
                let element = session.data[*buffer].element;
                let size = element.size() as u64;
                let count = session.copied(*buffer, *offset, *count);
                let pattern = value.data(Some(element)).ok().flatten().map(|d| d.bytes).unwrap_or_default();
                buffers[*buffer].fill(&pattern, offset * size, count * size).map_err(buffer_error)?;
            }
            (Action::Barrier | Action::Kernel(_), _) => {}
        }
        commands[*index] = Done { time: start.elapsed(), report: None };
    }
    Ok(Ran { buffers, commands })
}

fn values<'a>(ready: &'a ReadyLaunch, buffers: &'a [Buffer]) -> Vec<ArgValue<'a>> {
    let one = |argument: &'a ReadyArgument| match argument {
        ReadyArgument::Buffer(buffer) => ArgValue::Buffer(&buffers[*buffer]),
        ReadyArgument::Value(bytes) => ArgValue::Value(bytes),
        ReadyArgument::Local(bytes) => ArgValue::Local(*bytes as u64),
    };
    ready.args.iter().map(one).collect()
}

/// A device's error with the workload's line before it.
fn located(plan: &Plan, line: usize, error: &CliError) -> CliError {
    let message = format!("'{}', line {line}: {error}", plan.path.display());
    match error {
        CliError::Code { help, .. } => CliError::Code { message, help: help.clone() },
        other => CliError::Device { message, help: other.help() },
    }
}

/// What a buffer holds after a run.
pub(crate) fn contents(session: &Session<'_>, ran: &Ran, buffer: usize) -> HostData {
    let first = &session.data[buffer];
    launching::download(&ran.buffers[buffer], first.element, first)
}

/// The commands whose results an agreeing comparison of one of `buffers` bears out: those that wrote it, and those
/// that wrote what they read.
pub(crate) fn borne_out(session: &Session<'_>, buffers: &[usize]) -> Vec<bool> {
    let mut wanted: Vec<bool> = (0..session.data.len()).map(|b| buffers.contains(&b)).collect();
    let mut checked = vec![false; session.plan.commands.len()];
    for index in session.plan.order.iter().rev() {
        let (reads, writes) = touched(session, *index);
        if writes.iter().any(|b| wanted[*b]) {
            checked[*index] = true;
            for buffer in reads {
                wanted[buffer] = true;
            }
        }
    }
    checked
}

/// The buffers that a command reads, and those that it writes.
fn touched(session: &Session<'_>, index: usize) -> (Vec<usize>, Vec<usize>) {
    match (&session.plan.commands[index].action, &session.launches[index]) {
        (Action::Copy { from, to, .. }, _) => (vec![*from], vec![*to]),
        (Action::Fill { buffer, .. }, _) => (Vec::new(), vec![*buffer]),
        (_, Some(ready)) => {
            let (mut reads, mut writes) = (Vec::new(), Vec::new());
            for (position, argument) in ready.args.iter().enumerate() {
                if let ReadyArgument::Buffer(buffer) = argument {
                    let access = launching::access(&ready.kernel, position);
                    let (read, written) = launching::reads_writes(access);
                    reads.extend(read.then_some(*buffer));
                    writes.extend(written.then_some(*buffer));
                }
            }
            (reads, writes)
        }
        _ => (Vec::new(), Vec::new()),
    }
}
