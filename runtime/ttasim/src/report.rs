//! What a run did: cycles, and how busy each bus, unit and register file was.
//!
//! Everything follows from how often each instruction was executed and each guarded move did not happen, so counting costs
//! a run next to nothing. Rates are per cycle and port: 1 is as much as the part can do.

use crate::system::System;
use oxcl_tta::draw::Heat;
use oxcl_tta::model::{Direction, FilePort, Guard, GuardSource, Machine};
use oxcl_tta::program::{Destination, Source, SymbolValue};
use oxcl_tta::show::Table;
use serde::Serialize;

/// A bus.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BusReport {
    /// The name.
    pub name: String,
    /// Moves that happened.
    pub moves: u64,
    /// Moves that a guard kept from happening.
    pub squashed: u64,
    /// Moves per cycle.
    pub rate: f64,
}

/// A function unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnitReport {
    /// The name.
    pub name: String,
    /// Operations started.
    pub triggers: u64,
    /// Operations started per cycle.
    pub rate: f64,
    /// The operations that were started, in the machine's order, and how often.
    pub operations: Vec<(String, u64)>,
}

/// A register file or immediate unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileReport {
    /// The name.
    pub name: String,
    /// Reads by moves.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Looks of guards.
    pub guard_reads: u64,
    /// Reads per cycle and read port.
    pub read_rate: f64,
    /// Writes per cycle and write port.
    pub write_rate: f64,
}

/// A part of the program from one symbol to the next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlaceReport {
    /// The symbol.
    pub name: String,
    /// Its first instruction.
    pub instruction: u32,
    /// Cycles spent.
    pub cycles: u64,
}

/// A core's run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CoreReport {
    /// The core.
    pub core: usize,
    /// Cycles, each an instruction.
    pub cycles: u64,
    /// Cycles in which the core waited for a memory. The memories simulated here answer in time, always.
    pub stalls: u64,
    /// Moves that happened.
    pub moves: u64,
    /// Moves that a guard kept from happening.
    pub squashed: u64,
    /// Results overwritten before they were read, where the engine counts them.
    pub unread_results: Option<u64>,
    /// The program's result, where it names one.
    pub result: Option<u64>,
    /// Buses.
    pub buses: Vec<BusReport>,
    /// Units, the control unit last.
    pub units: Vec<UnitReport>,
    /// Register files.
    pub files: Vec<FileReport>,
    /// Immediate units.
    pub immediates: Vec<FileReport>,
    /// Where the cycles went.
    pub places: Vec<PlaceReport>,
}

fn rate(count: u64, cycles: u64, ports: usize) -> f64 {
    let most = cycles as f64 * ports as f64;
    if most == 0.0 { 0.0 } else { count as f64 / most }
}

fn ports(machine: &Machine, ports: &[FilePort], way: Direction) -> usize {
    let connected = |p: &&FilePort| p.socket.is_some_and(|s| machine.sockets[s.index()].direction == way);
    ports.iter().filter(connected).count()
}

/// Sums up the run of a core so far.
#[must_use]
pub fn report(system: &System, core: usize) -> CoreReport {
    let image = system.image(core);
    let (machine, program) = (&image.machine, &image.program);
    let counts = system.counts(core);
    let cycles = counts.cycles;
    let mut buses: Vec<(u64, u64)> = vec![(0, 0); machine.buses.len()];
    let mut operations: Vec<Vec<u64>> = machine.units.iter().map(|u| vec![0; u.operations.len()]).collect();
    let mut files: Vec<[u64; 3]> = vec![[0; 3]; machine.register_files.len()];
    let mut immediates: Vec<[u64; 3]> = vec![[0; 3]; machine.immediate_units.len()];
    for (number, instruction) in program.instructions.iter().enumerate() {
        let executed = counts.executed[number];
        for (position, m) in instruction.moves.iter().enumerate() {
            let squashed = counts.squashed[number][position];
            let happened = executed - squashed;
            let bus = &mut buses[m.bus.index()];
            (bus.0, bus.1) = (bus.0 + happened, bus.1 + squashed);
            if let Guard::If { source: GuardSource::Register { file, .. }, .. } = m.guard {
                files[file.index()][2] += executed;
            }
            match m.source {
                Source::Register { file, .. } => files[file.index()][0] += happened,
                Source::Immediate { unit, .. } => immediates[unit.index()][0] += happened,
                Source::Port { .. } | Source::Constant(_) => {}
            }
            match m.destination {
                Destination::Register { file, .. } => files[file.index()][1] += happened,
                Destination::Port { unit, operation: Some(operation), .. } => {
                    operations[unit.index()][usize::from(operation)] += happened;
                }
                Destination::Port { .. } => {}
            }
        }
        for immediate in &instruction.immediates {
            immediates[immediate.unit.index()][1] += executed;
        }
    }
    let file_report = |name: &str, list: &[FilePort], counted: &[u64; 3], write_ports: usize| FileReport {
        name: name.to_owned(),
        reads: counted[0],
        writes: counted[1],
        guard_reads: counted[2],
        read_rate: rate(counted[0], cycles, ports(machine, list, Direction::Output)),
        write_rate: rate(counted[1], cycles, write_ports),
    };
    CoreReport {
        core,
        cycles,
        stalls: 0,
        moves: buses.iter().map(|b| b.0).sum(),
        squashed: buses.iter().map(|b| b.1).sum(),
        unread_results: counts.unread,
        result: system.result(core),
        buses: machine
            .buses
            .iter()
            .zip(&buses)
            .map(|(bus, (moves, squashed))| BusReport {
                name: bus.name.clone(),
                moves: *moves,
                squashed: *squashed,
                rate: rate(*moves, cycles, 1),
            })
            .collect(),
        units: machine
            .units
            .iter()
            .zip(&operations)
            .map(|(unit, counted)| {
                let triggers = counted.iter().sum();
                let started = unit.operations.iter().zip(counted).filter(|(_, n)| **n > 0);
                UnitReport {
                    name: unit.name.clone(),
                    triggers,
                    rate: rate(triggers, cycles, 1),
                    operations: started.map(|(o, n)| (o.name.clone(), *n)).collect(),
                }
            })
            .collect(),
        files: machine
            .register_files
            .iter()
            .zip(&files)
            .map(|(f, c)| file_report(&f.name, &f.ports, c, ports(machine, &f.ports, Direction::Input)))
            .collect(),
        immediates: machine
            .immediate_units
            .iter()
            .zip(&immediates)
            .map(|(u, c)| file_report(&u.name, &u.ports, c, 1))
            .collect(),
        places: places(system, core, &counts.executed),
    }
}

fn places(system: &System, core: usize, executed: &[u64]) -> Vec<PlaceReport> {
    let program = &system.image(core).program;
    let mut starts: Vec<(u32, &str)> = program
        .symbols
        .iter()
        .filter_map(|s| match s.value {
            SymbolValue::Code(at) => Some((at, s.name.as_str())),
            SymbolValue::Data { .. } => None,
        })
        .collect();
    starts.sort_by_key(|(at, _)| *at);
    starts.dedup_by_key(|(at, _)| *at);
    let ends = starts.iter().skip(1).map(|(at, _)| *at as usize).chain([executed.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|((at, name), end)| {
            let cycles = executed.get(*at as usize..end).map_or(0, |c| c.iter().sum());
            PlaceReport { name: (*name).to_owned(), instruction: *at, cycles }
        })
        .filter(|place| place.cycles > 0)
        .collect()
}

fn percent(rate: f64) -> String {
    format!("{:.1} %", rate * 100.0)
}

impl CoreReport {
    /// How busy each part was, for a picture.
    #[must_use]
    pub fn heat(&self) -> Heat {
        let files = |list: &[FileReport]| list.iter().map(|f| f.read_rate.max(f.write_rate)).collect();
        Heat {
            buses: self.buses.iter().map(|b| b.rate).collect(),
            units: self.units.iter().map(|u| u.rate).collect(),
            files: files(&self.files),
            immediates: files(&self.immediates),
        }
    }

    /// The report as tables; tables without rows are left out.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        let mut summary = vec![
            vec!["cycles".to_owned(), self.cycles.to_string()],
            vec!["stalls".to_owned(), self.stalls.to_string()],
            vec!["moves".to_owned(), self.moves.to_string()],
            vec!["squashed moves".to_owned(), self.squashed.to_string()],
        ];
        if let Some(unread) = self.unread_results {
            summary.push(vec!["results never read".to_owned(), unread.to_string()]);
        }
        if let Some(result) = self.result {
            summary.push(vec!["result".to_owned(), format!("{result:#x}")]);
        }
        let buses = self
            .buses
            .iter()
            .map(|b| vec![b.name.clone(), b.moves.to_string(), b.squashed.to_string(), percent(b.rate)])
            .collect();
        let units = self
            .units
            .iter()
            .filter(|u| u.triggers > 0)
            .map(|u| {
                let operations: Vec<String> =
                    u.operations.iter().map(|(name, count)| format!("{name} {count}")).collect();
                vec![u.name.clone(), u.triggers.to_string(), percent(u.rate), operations.join(", ")]
            })
            .collect();
        let files = self
            .files
            .iter()
            .chain(&self.immediates)
            .map(|f| {
                vec![
                    f.name.clone(),
                    f.reads.to_string(),
                    percent(f.read_rate),
                    f.writes.to_string(),
                    percent(f.write_rate),
                    f.guard_reads.to_string(),
                ]
            })
            .collect();
        let places = self
            .places
            .iter()
            .map(|p| {
                let share = rate(p.cycles, self.cycles, 1);
                vec![p.name.clone(), p.instruction.to_string(), p.cycles.to_string(), percent(share)]
            })
            .collect();
        let table = |title, columns: &[&'static str], rows| Table { title, columns: columns.to_vec(), rows };
        let all = [
            table("run", &["count", "value"], summary),
            table("buses", &["bus", "moves", "squashed", "use"], buses),
            table("units", &["unit", "starts", "use", "operations"], units),
            table("files", &["file", "reads", "use", "writes", "use", "guard reads"], files),
            table("places", &["symbol", "instruction", "cycles", "share"], places),
        ];
        all.into_iter().filter(|t| !t.rows.is_empty()).collect()
    }
}
