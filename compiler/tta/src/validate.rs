//! Judges a machine: what is wrong with it, what is odd about it, and whether programs can be compiled for it.
//!
//! In: a [`Machine`] whose names resolve. Out: findings in a processor designer's words. An error means that some part of
//! the machine can never work; a warning means that a part is idle or surprising. Nothing is repaired here.

use crate::model::{Direction, Guard, GuardSource, Machine, Operation, Unit, UnitId};
use crate::ops::Semantics;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A part of the machine can never work.
    Error,
    /// A part is idle or surprising.
    Warning,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How bad.
    pub severity: Severity,
    /// The part that it is about, as `unit 'alu'`.
    pub subject: String,
    /// What is so.
    pub message: String,
    /// What would change it.
    pub help: Option<String>,
}

/// Collects findings.
struct Report {
    findings: Vec<Finding>,
}

impl Report {
    fn error(&mut self, subject: impl Into<String>, message: impl Into<String>, help: &str) {
        self.add(Severity::Error, subject.into(), message.into(), help);
    }

    fn warn(&mut self, subject: impl Into<String>, message: impl Into<String>, help: &str) {
        self.add(Severity::Warning, subject.into(), message.into(), help);
    }

    fn add(&mut self, severity: Severity, subject: String, message: String, help: &str) {
        let help = (!help.is_empty()).then(|| help.to_owned());
        self.findings.push(Finding { severity, subject, message, help });
    }
}

/// Judges `machine`; errors first, each kind in the machine's order.
#[must_use]
pub fn validate(machine: &Machine) -> Vec<Finding> {
    let mut report = Report { findings: Vec::new() };
    buses(machine, &mut report);
    for (id, unit) in machine.units() {
        self::unit(machine, id, unit, &mut report);
    }
    register_files(machine, &mut report);
    immediates(machine, &mut report);
    control(machine, &mut report);
    report.findings.sort_by_key(|f| f.severity);
    report.findings
}

fn buses(machine: &Machine, report: &mut Report) {
    if machine.buses.is_empty() {
        report.error("the machine", "it has no bus, so nothing can be moved", "");
    }
    for (id, bus) in machine.buses() {
        let subject = format!("bus '{}'", bus.name);
        let joined = |way| machine.sockets.iter().any(|s| s.direction == way && s.buses.contains(&id));
        if !joined(Direction::Input) {
            report.warn(&*subject, "no socket reads it, so nothing can be moved over it", "");
        } else if !joined(Direction::Output) && bus.short_immediate.width == 0 {
            report.warn(&*subject, "no socket writes it and it carries no immediates", "");
        }
        if !bus.bears(Guard::Always) {
            report.warn(&*subject, "every move on it must carry a guard", "add the guard <always-true/>");
        }
        if bus.short_immediate.width > bus.width {
            report.warn(
                &*subject,
                format!("its immediates have {} bits, the bus has {}", bus.short_immediate.width, bus.width),
                "the upper bits are lost",
            );
        }
    }
}

/// Whether any bus that `socket` names is on the machine in this direction.
fn connected(machine: &Machine, socket: Option<crate::model::SocketId>, way: Direction) -> bool {
    socket.is_some_and(|id| {
        let socket = &machine.sockets[id.index()];
        socket.direction == way && !socket.buses.is_empty()
    })
}

fn unit(machine: &Machine, id: UnitId, unit: &Unit, report: &mut Report) {
    let control = id == machine.control_unit();
    let subject =
        if control { format!("control unit '{}'", unit.name) } else { format!("unit '{}'", unit.name) };
    let triggers = unit.ports.iter().filter(|p| p.triggers).count();
    if unit.operations.is_empty() {
        report.warn(&*subject, "it has no operation", "");
        return;
    }
    if triggers != 1 {
        let message = format!("{triggers} of its ports trigger operations; exactly one must");
        report.error(&*subject, message, "mark one input port with <triggers/>");
    }
    if unit.operations.len() > 1 && !unit.ports.iter().any(|p| p.triggers && p.sets_opcode) {
        let message = format!("no trigger port selects among its {} operations", unit.operations.len());
        report.error(&*subject, message, "mark the trigger port with <sets-opcode/>");
    }
    let mut idle: Vec<&str> = Vec::new();
    for (position, port) in (0u16..).zip(&unit.ports) {
        let used_in =
            unit.operations.iter().any(|o| o.inputs().iter().any(|k| o.port_of(*k) == Some(position)));
        let used_out =
            unit.operations.iter().any(|o| o.results().iter().any(|k| o.port_of(*k) == Some(position)));
        let into = connected(machine, port.input, Direction::Input);
        let out = connected(machine, port.output, Direction::Output);
        if (used_in && !into) || (used_out && !out) || (port.special && !(into && out)) {
            idle.push(&port.name);
        }
    }
    if !idle.is_empty() {
        let message = format!("no bus reaches its {} {}", plural(idle.len(), "port"), idle.join(", "));
        report.warn(&*subject, message, "operations on these ports cannot be used");
    }
    for operation in &unit.operations {
        self::operation(unit, &subject, operation, report);
    }
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

fn operation(unit: &Unit, subject: &str, operation: &Operation, report: &mut Report) {
    let about = format!("{subject}, operation '{}'", operation.name);
    let inputs = operation.inputs();
    let results = operation.results();
    let trigger = unit.trigger();
    if trigger.is_some() && !inputs.iter().any(|k| operation.port_of(*k) == trigger) {
        report.error(&*about, "none of its inputs is at the trigger port", "it can never be started");
    }
    for (position, number) in inputs.iter().enumerate() {
        if let Some(other) =
            inputs[..position].iter().find(|k| operation.port_of(**k) == operation.port_of(*number))
        {
            report.error(&*about, format!("inputs {other} and {number} share a port"), "give each its own");
        }
    }
    let Some(op) = operation.op else {
        report.warn(
            &*about,
            "the base operation set has no such operation",
            "the machine loads, but a program that uses it cannot be simulated",
        );
        return;
    };
    let info = op.info();
    let wanted: Vec<u16> = (1..=info.inputs).collect();
    if inputs != wanted {
        let message = format!("it has {} inputs, this machine binds {}", info.inputs, inputs.len());
        report.error(&*about, message, "bind operands 1 to the number of inputs, each to a port");
    }
    let declared: Vec<u16> = (info.inputs + 1..=info.inputs + info.outputs).collect();
    if results != declared {
        let message = format!("it has {} results, this machine writes {}", info.outputs, results.len());
        report.error(&*about, message, "give each result a <writes> entry in the pipeline");
    }
    if info.is_memory() && unit.space.is_none() {
        report.error(&*about, "the unit has no address space", "name one in <address-space>");
    }
    if let Semantics::Control(_) = info.semantics
        && unit.ports.iter().all(|p| !p.special)
    {
        report.error(&*about, "only the control unit can change the program counter", "");
    }
}

fn register_files(machine: &Machine, report: &mut Report) {
    for (id, file) in machine.register_files() {
        let subject = format!("register file '{}'", file.name);
        let ways = |way| file.ports.iter().filter(|p| connected(machine, p.socket, way)).count();
        if ways(Direction::Input) == 0 {
            report.warn(&*subject, "it has no port that a bus can write", "");
        }
        let guarding = machine.buses.iter().flat_map(|b| &b.guards).any(
            |g| matches!(g, Guard::If { source: GuardSource::Register { file, .. }, .. } if *file == id),
        );
        if ways(Direction::Output) == 0 && !guarding {
            report.warn(&*subject, "it has no port that a bus can read, and no guard looks at it", "");
        }
        if guarding && file.guard_latency + machine.control.guard_latency == 0 {
            report.warn(
                &*subject,
                "a guard on it would act on the same instruction's write",
                "the guard latency is taken as 1",
            );
        }
    }
}

fn immediates(machine: &Machine, report: &mut Report) {
    let mut widest = machine.buses.iter().map(|b| b.short_immediate.width.min(b.width)).max().unwrap_or(0);
    for (id, unit) in machine.immediate_units() {
        let subject = format!("immediate unit '{}'", unit.name);
        let writes: Vec<u32> = machine
            .templates
            .iter()
            .flat_map(|t| &t.writes)
            .filter(|w| w.unit == id)
            .map(crate::model::TemplateWrite::width)
            .collect();
        if writes.is_empty() {
            report.warn(&*subject, "no template writes it", "");
        }
        if !unit.ports.iter().any(|p| connected(machine, p.socket, Direction::Output)) {
            report.warn(&*subject, "it has no port that a bus can read", "");
        } else {
            widest = widest.max(writes.into_iter().max().unwrap_or(0).min(unit.width));
        }
    }
    let word = if machine.bits64 { 64 } else { 32 };
    if widest < word {
        report.warn(
            "the machine",
            format!("its widest immediate has {widest} bits, a word has {word}"),
            "larger constants must be loaded from memory or put together from parts",
        );
    }
}

fn control(machine: &Machine, report: &mut Report) {
    let unit = &machine.units[machine.control_unit().index()];
    let subject = format!("control unit '{}'", unit.name);
    if !unit.operations.iter().any(|o| o.op.is_some_and(|op| op.info().is_control())) {
        report.error(&*subject, "it has no jump", "programs can only run from top to bottom");
    }
    let calls = unit
        .operations
        .iter()
        .any(|o| matches!(o.op.map(|op| op.info().semantics), Some(Semantics::Control(c)) if c.links));
    if calls && machine.control.return_address.is_none() {
        report.error(&*subject, "it has calls but no return address port", "name one in <return-address>");
    }
}

/// What every machine needs before programs can be compiled for it, beside 32-bit little-endian words and guards. Each
/// entry lists operations of which one is enough.
const NEEDED: &[&[&str]] = &[
    &["ld32"],
    &["st32"],
    &["ld16", "ldu16"],
    &["st16"],
    &["ld8", "ldu8"],
    &["st8"],
    &["add"],
    &["sub"],
    &["and"],
    &["ior"],
    &["xor"],
    &["eq"],
    &["gt", "lt"],
    &["gtu", "ltu"],
    &["shr1_32", "shr"],
    &["shru1_32", "shru"],
    &["jump"],
];

/// Why no program can be compiled for `machine`; empty if one can.
#[must_use]
pub fn compile_obstacles(machine: &Machine) -> Vec<String> {
    let mut all = Vec::new();
    if !machine.little_endian {
        all.push("it is big-endian; only little-endian machines can be compiled for".to_owned());
    }
    if machine.bits64 {
        all.push(
            "it has 64-bit registers and addresses; only 32-bit machines can be compiled for".to_owned(),
        );
    }
    // A machine of another kind has other names for its operations: listing them would say nothing new.
    let kind = all.is_empty();
    let guarded = |wanted: bool| {
        machine.buses.iter().flat_map(|b| &b.guards).any(|g| {
            matches!(g, Guard::If { source: GuardSource::Register { .. }, inverted } if *inverted == wanted)
        })
    };
    if !guarded(false) || !guarded(true) {
        all.push("it lacks guards on a register, both straight and inverted".to_owned());
    }
    if !kind {
        return all;
    }
    for group in NEEDED {
        if !group.iter().any(|name| machine.offering(name).next().is_some()) {
            all.push(format!("no unit has the operation '{}'", group.join("' or '")));
        }
    }
    let general: u32 = machine.register_files.iter().filter(|f| f.width >= 32).map(|f| f.size).sum();
    if general < 5 {
        all.push(format!("it has {general} registers of 32 bits; at least 5 are needed"));
    }
    all
}
