//! What the scheduler did: records of every executed command and of the compiler's stages, written as a timeline that
//! Chrome and Perfetto show, or as a picture (`--trace`), and as figures (`--stats`).
//!
//! A command is shown on the lane of every worker that executed some of it, while it did, and on its device, from when it
//! was queued. The process has one pool of workers and so at most one recorder.

mod drawing;

use crate::error::CliError;
use crate::launching;
use crate::ui::Ui;
use crate::ui::table::{Table, duration};
use oxcl_runtime::{
    CommandRecord, Context, ContextOptions, Event, Observer, ProcessorSpan, ShareRecord, Times,
};
use oxcl_workload::device::Device;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// An executed command.
#[derive(Debug)]
struct Record {
    event: u64,
    label: String,
    times: Times,
    groups: u64,
    lane: Option<usize>,
}

/// A stage of the compiler: its name and when it was, in nanoseconds since the recorder began.
#[derive(Debug)]
struct Span {
    file: String,
    stage: String,
    start: u64,
    end: u64,
}

/// Bytes that a device with memory of its own moved.
#[derive(Debug)]
struct Moved {
    what: &'static str,
    bytes: u64,
    start: u64,
    end: u64,
}

/// What is known of a command beside what the scheduler says.
#[derive(Debug, Clone)]
struct Named {
    command: String,
    device: Device,
}

/// What a worker executed of a command that was shared.
#[derive(Debug)]
struct Share {
    event: u64,
    lane: usize,
    groups: u64,
    started: u64,
    ended: u64,
}

#[derive(Debug, Default)]
struct Kept {
    records: Vec<Record>,
    shares: Vec<Share>,
    spans: Vec<Span>,
    names: BTreeMap<u64, Named>,
    moved: Vec<Moved>,
    cycles: Vec<Cycles>,
}

/// What a core of a simulated platform executed, or all of them: the first core's record has the spans of all.
#[derive(Debug)]
struct Cycles {
    device: Device,
    position: usize,
    spans: Vec<ProcessorSpan>,
}

#[derive(Debug)]
struct Recorder {
    begin: Instant,
    kept: Mutex<Kept>,
}

impl Recorder {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Recorder {
    fn share(&self, record: &ShareRecord) {
        let ShareRecord { event, lane, groups, started, ended } = *record;
        self.kept().shares.push(Share { event: event.0, lane, groups, started, ended });
    }

    fn command(&self, record: &CommandRecord<'_>) {
        self.kept().records.push(Record {
            event: record.event.0,
            label: record.label.to_owned(),
            times: record.times,
            groups: record.groups,
            lane: record.lane,
        });
    }

    fn paged(&self, what: &'static str, bytes: u64, times: std::ops::Range<u64>) {
        self.kept().moved.push(Moved { what, bytes, start: times.start, end: times.end });
    }
}

static RECORDER: OnceLock<Arc<Recorder>> = OnceLock::new();

/// Starts the workers with a recorder. Comes before any device is asked for.
pub(crate) fn start() -> Result<(), CliError> {
    let recorder = Arc::new(Recorder { begin: Instant::now(), kept: Mutex::default() });
    let observer: Arc<dyn Observer> = Arc::<Recorder>::clone(RECORDER.get_or_init(|| recorder));
    let options = ContextOptions { observer: Some(observer), ..ContextOptions::default() };
    Context::start_shared(options).map(drop).map_err(|e| launching::device_error(&e))
}

/// Says what a command is called and where it runs.
pub(crate) fn name(event: &Event, command: &str, device: Device) {
    if let Some(recorder) = RECORDER.get() {
        let named = Named { command: command.to_owned(), device };
        recorder.kept().names.insert(event.id().0, named);
    }
}

/// Says what simulated processors executed; devices that are none are passed over.
pub(crate) fn cycles<'a>(devices: impl Iterator<Item = (Device, &'a oxcl_runtime::Device)>) {
    let Some(recorder) = RECORDER.get() else { return };
    let cores: Vec<_> = devices.filter_map(|(device, live)| Some((device, live.processor_core()?))).collect();
    let mut kept = recorder.kept();
    // A run without processors, such as that of a judge, does not wipe out what another did.
    if !cores.is_empty() {
        kept.cycles.clear();
    }
    for (device, core) in cores {
        let position = core.position();
        if kept.cycles.iter().any(|known| known.position == position) {
            continue;
        }
        let spans = if kept.cycles.is_empty() { core.timeline() } else { Vec::new() };
        kept.cycles.push(Cycles { device, position, spans });
    }
}

/// A device's lane: those of this machine have fixed ones, others come behind them.
fn lane_of(device: Option<Device>, all: &BTreeSet<Device>) -> usize {
    let fixed = |device| Device::ALL.iter().position(|known| *known == device);
    match device {
        None => Device::ALL.len(),
        Some(device) => fixed(device).unwrap_or_else(|| {
            let others = all.iter().filter(|other| fixed(**other).is_none());
            Device::ALL.len() + 1 + others.take_while(|other| **other != device).count()
        }),
    }
}

/// Says what a program's stages took that has just been loaded: one after another, until now.
pub(crate) fn loaded(path: &Path, stages: &[(String, Duration)]) {
    let Some(recorder) = RECORDER.get() else { return };
    let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let whole: Duration = stages.iter().map(|(_, time)| *time).sum();
    let mut start = nanoseconds(recorder.begin.elapsed().saturating_sub(whole));
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for (stage, time) in stages {
        let end = start.saturating_add(nanoseconds(*time));
        recorder.kept().spans.push(Span { file: file.clone(), stage: stage.clone(), start, end });
        start = end;
    }
}

/// The processes of the timeline.
const WORKERS: u32 = 1;
const DEVICES: u32 = 2;
const COMPILER: u32 = 3;
const MEMORY: u32 = 4;
const PROCESSORS: u32 = 5;

/// Nanoseconds as the timeline's microseconds.
fn micros(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e3
}

fn lane_name(lane: usize) -> String {
    if lane == 0 { "waiting thread".to_owned() } else { format!("worker {lane}") }
}

impl Kept {
    fn timeline(&self) -> Json {
        let mut events = Vec::new();
        let mut label = |kind: &str, pid: u32, tid: usize, name: &str| {
            events.push(json!({ "ph": "M", "name": kind, "pid": pid, "tid": tid, "args": { "name": name } }));
        };
        for (pid, name) in [(WORKERS, "workers"), (DEVICES, "devices"), (COMPILER, "compiler")] {
            label("process_name", pid, 0, name);
        }
        let ended = self.records.iter().filter_map(|record| record.lane);
        let lanes: BTreeSet<usize> = ended.chain(self.shares.iter().map(|share| share.lane)).collect();
        for lane in lanes {
            label("thread_name", WORKERS, lane, &lane_name(lane));
        }
        let devices: BTreeSet<Device> = self.names.values().map(|named| named.device).collect();
        for device in &devices {
            label("thread_name", DEVICES, lane_of(Some(*device), &devices), device.name());
        }
        if !self.cycles.is_empty() {
            label("process_name", PROCESSORS, 0, "processors (a microsecond is a cycle)");
        }
        for Cycles { device, position, .. } in &self.cycles {
            label("thread_name", PROCESSORS, *position, device.name());
        }
        // One lane for each reason; devices that move at the same time for the same reason share it.
        let reasons: BTreeSet<&str> = self.moved.iter().map(|moved| moved.what).collect();
        if !reasons.is_empty() {
            label("process_name", MEMORY, 0, "device memory");
        }
        for (tid, what) in reasons.iter().enumerate() {
            label("thread_name", MEMORY, tid, what);
        }
        for (number, Moved { what, bytes, start, end }) in self.moved.iter().enumerate() {
            let tid = reasons.iter().position(|reason| reason == what);
            for (phase, at) in [("b", start), ("e", end)] {
                events.push(json!({
                    "ph": phase, "name": what, "cat": "memory", "id": number, "pid": MEMORY, "tid": tid,
                    "ts": micros(*at), "args": { "bytes": bytes },
                }));
            }
        }
        for span in self.cycles.iter().flat_map(|cycles| &cycles.spans) {
            events.push(json!({
                "ph": "X", "name": span.kernel, "cat": "cycles", "pid": PROCESSORS, "tid": span.device,
                "ts": span.started, "dur": span.ended - span.started,
                "args": { "waited_for_devices_only": span.chained },
            }));
        }
        for Span { file, stage, start, end } in &self.spans {
            events.push(json!({
                "ph": "X", "name": stage, "cat": "compile", "pid": COMPILER, "tid": 0,
                "ts": micros(*start), "dur": micros(end - start), "args": { "file": file },
            }));
        }
        let mut shares: BTreeMap<u64, Vec<&Share>> = BTreeMap::new();
        for share in &self.shares {
            shares.entry(share.event).or_default().push(share);
        }
        for record in &self.records {
            let Times { queued, submitted, started, ended } = record.times;
            // Devices that order commands by themselves have them from the beginning.
            let submitted = submitted.max(queued);
            let whole = record.lane.map(|lane| (lane, record.groups, started, ended));
            let shared = shares.remove(&record.event).unwrap_or_default();
            let parts = shared.iter().map(|share| (share.lane, share.groups, share.started, share.ended));
            let named = self.names.get(&record.event);
            let name = named.map_or(record.label.as_str(), |named| named.command.as_str());
            let device = named.map(|named| named.device);
            // Who executed all of it is known without shares.
            for (lane, groups, started, ended) in whole.filter(|_| shared.is_empty()).into_iter().chain(parts)
            {
                events.push(json!({
                    "ph": "X", "name": name, "cat": "command", "pid": WORKERS, "tid": lane,
                    "ts": micros(started), "dur": micros(ended.saturating_sub(started)),
                    "args": {
                        "work": record.label, "groups": groups, "of": record.groups,
                        "device": device.map(Device::name),
                        "queued_us": micros(queued), "submitted_us": micros(submitted),
                    },
                }));
            }
            // Commands of a device overlap, so they are spans of their own and not of its lane.
            let tid = lane_of(device, &devices);
            let mut span = |name: &str, start: u64, end: u64| {
                for (phase, at) in [("b", start), ("e", end)] {
                    events.push(json!({
                        "ph": phase, "name": name, "cat": "command", "id": record.event,
                        "pid": DEVICES, "tid": tid, "ts": micros(at),
                    }));
                }
            };
            span(name, queued, ended);
            span("queued", queued, submitted.max(queued));
            span("submitted", submitted, started.max(submitted));
            span("started", started, ended);
        }
        json!({ "displayTimeUnit": "ns", "traceEvents": events })
    }

    /// Of each kind of work: how often, in how many pieces, how long it waited and ran. Sorted by name.
    fn sums(&self) -> BTreeMap<&str, Sum> {
        let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
        for record in &self.records {
            let Times { queued, submitted, started, ended } = record.times;
            let submitted = submitted.max(queued);
            let sum = sums.entry(&record.label).or_default();
            sum.commands += 1;
            sum.groups += record.groups;
            sum.held += submitted.saturating_sub(queued);
            sum.waited += started.saturating_sub(submitted);
            sum.ran += ended.saturating_sub(started);
        }
        sums
    }

    /// For each reason to move bytes: how often, how many, how long. Sorted by name.
    fn moves(&self) -> BTreeMap<&'static str, (u64, u64, u64)> {
        let mut moves = BTreeMap::new();
        for Moved { what, bytes, start, end } in &self.moved {
            let (times, sum, took): &mut (u64, u64, u64) = moves.entry(*what).or_default();
            *times += 1;
            *sum += bytes;
            *took += end.saturating_sub(*start);
        }
        moves
    }

    /// What each worker did: commands that it ended, and nanoseconds that it executed.
    fn lanes(&self) -> BTreeMap<usize, (u64, u64)> {
        let mut lanes: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
        let shared: BTreeSet<u64> = self.shares.iter().map(|share| share.event).collect();
        for share in &self.shares {
            lanes.entry(share.lane).or_default().1 += share.ended.saturating_sub(share.started);
        }
        for record in &self.records {
            let Some(lane) = record.lane else { continue };
            let (commands, busy) = lanes.entry(lane).or_default();
            *commands += 1;
            if !shared.contains(&record.event) {
                *busy += record.times.ended.saturating_sub(record.times.started);
            }
        }
        lanes
    }
}

#[derive(Debug, Default)]
struct Sum {
    commands: u64,
    groups: u64,
    /// Nanoseconds from queued to submitted, to started, to ended.
    held: u64,
    waited: u64,
    ran: u64,
}

/// Writes the timeline: a picture where the file is an `.svg`.
pub(crate) fn write(path: &Path) -> Result<(), CliError> {
    let Some(recorder) = RECORDER.get() else { return Ok(()) };
    let kept = recorder.kept();
    let picture = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
    let text = if picture { kept.drawing().to_string() } else { kept.timeline().to_string() };
    std::fs::write(path, text).map_err(|source| CliError::Write { path: path.to_owned(), source })
}

/// Says the figures: as tables, or as a line of JSON.
pub(crate) fn stats(ui: &mut Ui) {
    let Some(recorder) = RECORDER.get() else { return };
    let kept = recorder.kept();
    let (sums, lanes) = (kept.sums(), kept.lanes());
    if ui.json {
        let work: Vec<Json> = sums
            .iter()
            .map(|(name, sum)| {
                json!({
                    "work": name, "commands": sum.commands, "groups": sum.groups,
                    "held_ns": sum.held, "waited_ns": sum.waited, "ran_ns": sum.ran,
                })
            })
            .collect();
        let workers: Vec<Json> = lanes
            .iter()
            .map(|(lane, (commands, busy))| json!({ "worker": lane, "ended": commands, "busy_ns": busy }))
            .collect();
        let memory: Vec<Json> = kept
            .moves()
            .into_iter()
            .map(|(what, (times, bytes, took))| {
                json!({ "moved": what, "times": times, "bytes": bytes, "ran_ns": took })
            })
            .collect();
        ui.json_message("stats", &json!({ "work": work, "workers": workers, "memory": memory }));
        return;
    }
    let time = |nanoseconds: u64| duration(Duration::from_nanos(nanoseconds));
    let mut table = Table::new(&["work", "commands", "groups", "held", "waited", "ran"]);
    for column in 1..6 {
        table = table.right(column);
    }
    for (name, sum) in sums {
        let (held, waited, ran) = (time(sum.held), time(sum.waited), time(sum.ran));
        table.row(vec![name.to_owned(), sum.commands.to_string(), sum.groups.to_string(), held, waited, ran]);
    }
    ui.message(&table.to_string());
    let mut table = Table::new(&["worker", "ended", "ran"]).right(1).right(2);
    for (lane, (commands, busy)) in lanes {
        table.row(vec![lane_name(lane), commands.to_string(), time(busy)]);
    }
    ui.message(&table.to_string());
    let moves = kept.moves();
    if moves.is_empty() {
        return;
    }
    let mut table = Table::new(&["device memory", "times", "bytes", "ran"]).right(1).right(2).right(3);
    for (what, (times, bytes, took)) in moves {
        table.row(vec![what.to_owned(), times.to_string(), bytes.to_string(), time(took)]);
    }
    ui.message(&table.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_has_a_lane_for_each_worker_and_device() {
        let times = Times { queued: 1000, submitted: 2000, started: 3000, ended: 5500 };
        let record = |event, lane| Record { event, label: "blur".to_owned(), times, groups: 4, lane };
        let share = |lane| Share { event: 4, lane, groups: 2, started: 3000, ended: 5000 };
        let records = vec![record(1, Some(0)), record(2, Some(3)), record(4, Some(1))];
        let mut kept = Kept { records, shares: vec![share(1), share(2)], ..Kept::default() };
        kept.names.insert(1, Named { command: "first".to_owned(), device: Device::Cpu });
        kept.spans.push(Span { file: "a.cl".to_owned(), stage: "clang".to_owned(), start: 0, end: 900 });
        for bytes in [300, 500] {
            kept.moved.push(Moved { what: "page out", bytes, start: 100, end: 250 });
        }
        let json = kept.timeline();
        let events = json["traceEvents"].as_array().unwrap();
        let find = |name: &str, phase: &str| {
            events.iter().find(|e| e["name"] == name && e["ph"] == phase).cloned().unwrap()
        };
        assert_eq!(find("first", "X")["dur"], 2.5);
        assert_eq!(find("first", "b")["tid"], 0);
        assert_eq!(find("blur", "X")["tid"], 3);
        let shared = events.iter().filter(|e| e["ph"] == "X" && e["args"]["groups"] == 2);
        assert_eq!(shared.map(|e| e["tid"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(2)]);
        assert!(events.iter().any(|e| e["name"] == "thread_name" && e["args"]["name"] == "worker 2"));
        assert_eq!(kept.lanes()[&2], (0, 2000));
        assert_eq!(find("clang", "X")["pid"], COMPILER);
        assert_eq!(kept.sums()["blur"].ran, 7500);
        assert_eq!(kept.lanes()[&3], (1, 2500));
        assert_eq!(find("page out", "b")["args"]["bytes"], 300);
        assert_eq!(kept.moves()["page out"], (2, 800, 300));
        // The picture: one bar on each lane but the one that executed nothing of a shared command itself.
        let drawing = kept.drawing();
        assert_eq!(drawing.lanes, ["waiting thread", "worker 1", "worker 2", "worker 3"]);
        let bars: Vec<_> =
            drawing.spans.iter().map(|span| (span.lane.as_str(), span.label.as_str(), span.end)).collect();
        let blur = |lane, end| (lane, "blur", end);
        let want = [
            ("waiting thread", "first", 5500),
            blur("worker 3", 5500),
            blur("worker 1", 5000),
            blur("worker 2", 5000),
        ];
        assert_eq!(bars, want);
    }
}
