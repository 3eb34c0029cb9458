//! Running a session: fresh buffers, the file's queues, and every command enqueued in the plan's order; then all of it
//! runs as the queues and the commands' `after` permit, and the first command that failed is the error.

use super::plan::{Action, Plan};
use super::session::{ReadyArgument, ReadyLaunch, Session};
use crate::data::{Extent, HostData};
use crate::device::{Device, Node};
use crate::host::{self, Host, Refused};
use crate::plan::First;
use oxcl_runtime::{
    ArgValue, Buffer, Context, Event, Launch, LaunchReport, Migration, Queue, QueueProperties, UserEvent,
};
use std::collections::BTreeSet;
use std::time::Duration;

/// What a run left behind.
#[derive(Debug)]
pub struct Ran {
    /// The plan's buffers.
    pub buffers: Vec<Buffer>,
    /// What is known of each command, in file order.
    pub commands: Vec<Done>,
}

/// A command that is complete.
#[derive(Debug, Clone, Default)]
pub struct Done {
    /// How long it took.
    pub time: Duration,
    /// The runtime's report, for kernels.
    pub report: Option<LaunchReport>,
}

/// A command in its queue.
struct Enqueued {
    event: Event,
    /// For kernels.
    launch: Option<Launch>,
}

/// Runs every command once, on buffers of its own. `everywhere` replaces the device of every queue.
///
/// # Errors
/// The first command that failed, or what could not be had.
pub fn run<H: Host>(
    session: &Session<'_>,
    everywhere: Option<Device>,
    host: &mut H,
) -> Result<Ran, H::Error> {
    let make = |first: &First| match first {
        First::Loaded(data) => Buffer::from_bytes(&data.bytes),
        // Who has the data says so by `run_on`.
        First::Given(extent) => Buffer::zeroed(extent.bytes as u64),
    };
    let buffers = session.data.iter().map(|first| make(first).map_err(Refused::from));
    run_on(session, buffers.collect::<Result<Vec<_>, _>>()?, everywhere, host)
}

/// Runs every command once, on buffers that hold the plan's data already.
///
/// # Errors
/// As for [`run`].
pub fn run_on<H: Host>(
    session: &Session<'_>,
    buffers: Vec<Buffer>,
    everywhere: Option<Device>,
    host: &mut H,
) -> Result<Ran, H::Error> {
    let plan = session.plan;
    let queues = queues(plan, everywhere)?;
    bring(session, &queues, &buffers)?;
    // Processors are simulated faster than commands are enqueued: they begin when they have them all.
    let simulated = queues.iter().any(|queue| queue.device().processor_core().is_some());
    let start = if simulated { Some(user_event()?) } else { None };
    let mut enqueued: Vec<Option<Enqueued>> = plan.commands.iter().map(|_| None).collect();
    for index in &plan.order {
        let command = &plan.commands[*index];
        // What is in the queues already runs to its end, whatever is wrong with this command.
        let first = start.as_ref().filter(|_| command.after.is_empty()).map(UserEvent::event);
        let entered = match enqueue(session, *index, &queues, &buffers, &enqueued, first) {
            Ok(entered) => entered,
            Err(error) => {
                let _ = start.as_ref().map(UserEvent::complete);
                return Err(error.into());
            }
        };
        let device = everywhere.unwrap_or(plan.queues[command.queue].device);
        host.enqueued(&entered.event, &command.name, device);
        enqueued[*index] = Some(entered);
    }
    let _ = start.as_ref().map(UserEvent::complete);
    for queue in &queues {
        queue.flush().map_err(Refused::from)?;
    }
    let mut commands = vec![Done::default(); plan.commands.len()];
    for (position, index) in plan.order.iter().enumerate() {
        let command = &plan.commands[*index];
        let text = format!("{}: {}", plan.title, command.name);
        host.part(&text, position as u64, plan.order.len() as u64);
        let Some(Enqueued { event, launch }) = &enqueued[*index] else { continue };
        if let Err(cause) = event.wait() {
            let error = match launch {
                Some(launch) => Refused::launch(&launch.failure(cause)),
                None => Refused::device(cause.as_ref()),
            };
            finish(&queues)?;
            return Err(located(plan, command.line, error).into());
        }
        let times = event.times();
        let time = Duration::from_nanos(times.ended.saturating_sub(times.started));
        let report = launch.as_ref().map(|launch| launch.report(time));
        commands[*index] = Done { time, report };
    }
    finish(&queues)?;
    let used = plan.queues.iter().zip(&queues);
    let used = used.map(|(queue, live)| (everywhere.unwrap_or(queue.device), live.device()));
    host.ended(&used.collect::<Vec<_>>());
    Ok(Ran { buffers, commands })
}

/// The plan's queues, one device for each name.
fn queues(plan: &Plan, everywhere: Option<Device>) -> Result<Vec<Queue>, Refused> {
    let context = Context::shared()?;
    let of = |queue: &super::plan::Queue| everywhere.unwrap_or(queue.device);
    let all_nodes = Device::Node(Node::ALL);
    let names: BTreeSet<Device> = plan.queues.iter().map(of).filter(|device| *device != all_nodes).collect();
    let names: Vec<Device> = names.into_iter().collect();
    let words: Vec<&str> = names.iter().map(|device| device.word()).collect();
    let devices = oxcl_runtime::Device::by_names(&words)?;
    let in_turn = if plan.queues.iter().any(|queue| of(queue) == all_nodes) {
        oxcl_runtime::Device::by_names(&[all_nodes.word()])?
    } else {
        Vec::new()
    };
    let mut turn = in_turn.iter().cycle();
    let mut one = |queue: &super::plan::Queue| {
        let chosen = of(queue);
        let device = if chosen == all_nodes { turn.next() } else { None };
        let position = names.binary_search(&chosen).unwrap_or(0);
        let device = device.unwrap_or_else(|| &devices[position]);
        let properties = QueueProperties { out_of_order: !queue.in_order, profiling: true };
        context.queue(device, properties).map_err(Refused::from)
    };
    plan.queues.iter().map(&mut one).collect()
}

fn user_event() -> Result<UserEvent, Refused> {
    Ok(Context::shared()?.user_event()?)
}

/// Brings what processors with memory of their own work on to them before the first command, so that none of them waits for
/// the host afterwards.
fn bring(session: &Session<'_>, queues: &[Queue], buffers: &[Buffer]) -> Result<(), Refused> {
    let mut known: BTreeSet<usize> = BTreeSet::new();
    for index in &session.plan.order {
        let (reads, writes) = touched(session, *index);
        let queue = &queues[session.plan.commands[*index].queue];
        let fresh: BTreeSet<usize> = reads.into_iter().chain(writes).filter(|b| known.insert(*b)).collect();
        if queue.device().processor_core().is_some() && !fresh.is_empty() {
            let moved: Vec<Buffer> = fresh.into_iter().map(|b| buffers[b].clone()).collect();
            queue.migrate(&moved, Migration::ToDevice, &[])?;
            queue.finish()?;
        }
    }
    Ok(())
}

fn finish(queues: &[Queue]) -> Result<(), Refused> {
    queues.iter().try_for_each(|queue| Ok(queue.finish()?))
}

/// Enqueues command number `index`; those that it waits for are in their queues.
fn enqueue(
    session: &Session<'_>,
    index: usize,
    queues: &[Queue],
    buffers: &[Buffer],
    enqueued: &[Option<Enqueued>],
    first: Option<&Event>,
) -> Result<Enqueued, Refused> {
    let plan = session.plan;
    let command = &plan.commands[index];
    let queue = &queues[command.queue];
    let after = command.after.iter().filter_map(|at| enqueued[*at].as_ref()).map(|e| &e.event);
    let waits: Vec<Event> = after.chain(first).cloned().collect();
    let (event, launch) = match (&command.action, &session.launches[index]) {
        (Action::Kernel(launch), Some(ready)) => {
            let range = host::range(&launch.global, launch.local.as_deref(), launch.offset.as_deref())?;
            let prepared = queue
                .device()
                .prepare(&ready.kernel, &range, &values(ready, buffers))
                .map_err(|e| located(plan, command.line, Refused::launch(&e)))?;
            (queue.launch(&prepared, &waits), Some(prepared))
        }
        (Action::Copy { from, to, from_offset, to_offset, count }, _) => {
            let size = session.extent(*from).element.size() as u64;
            let count = session.copied(*from, *from_offset, *count);
            // `Session::load` has checked that the elements exist, so the products fit.
            let (from_offset, to_offset) = (from_offset * size, to_offset * size);
            let (from, to) = (&buffers[*from], &buffers[*to]);
            (queue.copy(from, from_offset, to, to_offset, count * size, &waits), None)
        }
        (Action::Fill { buffer, value, offset, count }, _) => {
            let element = session.extent(*buffer).element;
            let size = element.size() as u64;
            let count = session.copied(*buffer, *offset, *count);
            let pattern = value.data(Some(element)).ok().flatten().map(|d| d.bytes).unwrap_or_default();
            (queue.fill(&buffers[*buffer], &pattern, offset * size, count * size, &waits), None)
        }
        // A barrier waits for all before it in its queue, and for what it names besides.
        (Action::Barrier | Action::Kernel(_), _) => {
            let before = if waits.is_empty() { Ok(()) } else { queue.barrier(&waits).map(drop) };
            (before.and_then(|()| queue.barrier(&[])), None)
        }
    };
    Ok(Enqueued { event: event?, launch })
}

fn values<'a>(ready: &'a ReadyLaunch, buffers: &'a [Buffer]) -> Vec<ArgValue<'a>> {
    let one = |argument: &'a ReadyArgument| match argument {
        ReadyArgument::Buffer(buffer) => ArgValue::Buffer(&buffers[*buffer]),
        ReadyArgument::Image(buffer, description) => ArgValue::Image(&buffers[*buffer], *description),
        ReadyArgument::Sampler(sampler) => ArgValue::Sampler(*sampler),
        ReadyArgument::Value(bytes) => ArgValue::Value(bytes),
        ReadyArgument::Local(bytes) => ArgValue::Local(*bytes as u64),
    };
    ready.args.iter().map(one).collect()
}

/// A device's error with the workload's line before it.
fn located(plan: &Plan, line: usize, error: Refused) -> Refused {
    error.at(&format!("'{}', line {line}", plan.path.display()))
}

/// What a buffer holds after a run.
pub fn contents(session: &Session<'_>, ran: &Ran, buffer: usize) -> HostData {
    let Extent { element, picture, .. } = session.extent(buffer);
    HostData { element, bytes: ran.buffers[buffer].to_vec(), picture }
}

/// The commands whose results an agreeing comparison of one of `buffers` bears out: those that wrote it, and those
/// that wrote what they read.
pub fn borne_out(session: &Session<'_>, buffers: &[usize]) -> Vec<bool> {
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

/// Whether some command writes a buffer.
#[must_use]
pub fn writes(session: &Session<'_>, buffer: usize) -> bool {
    session.plan.order.iter().any(|index| touched(session, *index).1.contains(&buffer))
}

/// The buffers that a command reads, and those that it writes.
fn touched(session: &Session<'_>, index: usize) -> (Vec<usize>, Vec<usize>) {
    match (&session.plan.commands[index].action, &session.launches[index]) {
        (Action::Copy { from, to, .. }, _) => (vec![*from], vec![*to]),
        (Action::Fill { buffer, .. }, _) => (Vec::new(), vec![*buffer]),
        (_, Some(ready)) => {
            let (mut reads, mut writes) = (Vec::new(), Vec::new());
            for (position, argument) in ready.args.iter().enumerate() {
                if let ReadyArgument::Buffer(buffer) | ReadyArgument::Image(buffer, _) = argument {
                    let (read, written) = host::reads_writes(host::access(&ready.kernel, position));
                    reads.extend(read.then_some(*buffer));
                    writes.extend(written.then_some(*buffer));
                }
            }
            (reads, writes)
        }
        _ => (Vec::new(), Vec::new()),
    }
}
