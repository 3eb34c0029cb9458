//! A machine as tables: what `oxcl tta show` prints. Rows of words only; how they are laid out is the printer's concern.

use crate::model::{Direction, Extension, Guard, GuardSource, Machine, SlotSource, SocketId};
use serde::Serialize;

/// A table of words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Table {
    /// What it lists.
    pub title: &'static str,
    /// The names of the columns.
    pub columns: Vec<&'static str>,
    /// The rows, each as long as `columns`.
    pub rows: Vec<Vec<String>>,
}

/// Every table of `machine`; tables without rows are left out.
#[must_use]
pub fn tables(machine: &Machine) -> Vec<Table> {
    let all = [
        summary(machine),
        buses(machine),
        units(machine),
        operations(machine),
        files(machine),
        immediates(machine),
        templates(machine),
        spaces(machine),
    ];
    all.into_iter().filter(|t| !t.rows.is_empty()).collect()
}

fn row<const N: usize>(cells: [String; N]) -> Vec<String> {
    cells.into()
}

fn summary(machine: &Machine) -> Table {
    let control = &machine.control;
    let word = if machine.bits64 { 64 } else { 32 };
    let order = if machine.little_endian { "little-endian" } else { "big-endian" };
    let rows = vec![
        row(["words".into(), format!("{word} bits, {order}")]),
        row(["buses".into(), machine.buses.len().to_string()]),
        row(["units".into(), machine.units.len().to_string()]),
        row(["registers".into(), machine.register_files.iter().map(|f| f.size).sum::<u32>().to_string()]),
        row(["delay slots".into(), control.delay_slots.to_string()]),
        row(["guard latency".into(), control.guard_latency.to_string()]),
    ];
    Table { title: "machine", columns: vec!["fact", "value"], rows }
}

fn extension(extension: Extension) -> &'static str {
    match extension {
        Extension::Zero => "zero",
        Extension::Sign => "sign",
    }
}

fn guards(machine: &Machine, guards: &[Guard]) -> String {
    let words: Vec<String> = guards
        .iter()
        .map(|g| match g {
            Guard::Always => "always".to_owned(),
            Guard::Never => "never".to_owned(),
            Guard::If { source, inverted } => {
                format!("{}{}", if *inverted { "!" } else { "?" }, machine.guard_name(*source))
            }
        })
        .collect();
    words.join(" ")
}

fn buses(machine: &Machine) -> Table {
    let rows = machine
        .buses
        .iter()
        .map(|b| {
            let i = b.short_immediate;
            let immediate =
                if i.width == 0 { "none".into() } else { format!("{} {}", extension(i.extension), i.width) };
            row([b.name.clone(), b.width.to_string(), immediate, guards(machine, &b.guards)])
        })
        .collect();
    Table { title: "buses", columns: vec!["bus", "bits", "immediate", "guards"], rows }
}

/// The buses that a socket joins, as `B0 B1`; `all` where it joins every one.
fn joined(machine: &Machine, socket: Option<SocketId>) -> String {
    let Some(id) = socket else { return String::new() };
    let socket = &machine.sockets[id.index()];
    if socket.buses.len() == machine.buses.len() && machine.buses.len() > 1 {
        return "all".to_owned();
    }
    let names: Vec<&str> = socket.buses.iter().map(|b| machine.buses[b.index()].name.as_str()).collect();
    names.join(" ")
}

fn units(machine: &Machine) -> Table {
    let mut rows = Vec::new();
    for unit in &machine.units {
        for port in &unit.ports {
            let mut role: Vec<&str> = Vec::new();
            if port.triggers {
                role.push("trigger");
            }
            if port.special {
                role.push("return address");
            }
            if !port.registered {
                role.push("no register");
            }
            rows.push(row([
                format!("{}.{}", unit.name, port.name),
                port.width.to_string(),
                joined(machine, port.input),
                joined(machine, port.output),
                role.join(", "),
            ]));
        }
    }
    Table { title: "ports", columns: vec!["port", "bits", "written by", "read by", "role"], rows }
}

fn operations(machine: &Machine) -> Table {
    let mut rows = Vec::new();
    for unit in &machine.units {
        for operation in &unit.operations {
            let latencies: Vec<String> = operation
                .results()
                .iter()
                .filter_map(|k| operation.latency_of(*k))
                .map(|l| l.to_string())
                .collect();
            let ports: Vec<String> = operation
                .bindings
                .iter()
                .map(|(k, port)| format!("{k}:{}", unit.ports[usize::from(*port)].name))
                .collect();
            let known = if operation.op.is_some() { "" } else { "unknown" };
            rows.push(row([
                unit.name.clone(),
                operation.name.clone(),
                latencies.join(" "),
                ports.join(" "),
                known.to_owned(),
            ]));
        }
    }
    let columns = vec!["unit", "operation", "latency", "operands", "note"];
    Table { title: "operations", columns, rows }
}

fn files(machine: &Machine) -> Table {
    let rows = machine
        .register_files
        .iter()
        .map(|f| {
            let ways = |way| {
                f.ports
                    .iter()
                    .filter(|p| p.socket.is_some_and(|s| machine.sockets[s.index()].direction == way))
                    .map(|p| format!("{} ({})", p.name, joined(machine, p.socket)))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let guarding = machine.buses.iter().flat_map(|b| &b.guards).any(|g| {
                matches!(g, Guard::If { source: GuardSource::Register { file, .. }, .. }
                    if machine.register_files[file.index()].name == f.name)
            });
            row([
                f.name.clone(),
                format!("{} x {}", f.size, f.width),
                ways(Direction::Output),
                ways(Direction::Input),
                if guarding { "guards".into() } else { String::new() },
            ])
        })
        .collect();
    Table {
        title: "register files",
        columns: vec!["file", "size", "read ports", "write ports", "role"],
        rows,
    }
}

fn immediates(machine: &Machine) -> Table {
    let rows = machine
        .immediate_units
        .iter()
        .map(|u| {
            let kind = format!("{} {}", extension(u.extension), u.width);
            row([u.name.clone(), u.size.to_string(), kind, u.latency.to_string()])
        })
        .collect();
    Table { title: "immediate units", columns: vec!["unit", "registers", "value", "latency"], rows }
}

fn templates(machine: &Machine) -> Table {
    let rows = machine
        .templates
        .iter()
        .map(|t| {
            let writes: Vec<String> = t
                .writes
                .iter()
                .map(|w| {
                    let slots: Vec<String> = w
                        .slots
                        .iter()
                        .map(|(source, width)| match source {
                            SlotSource::Bus(bus) => format!("{}:{width}", machine.buses[bus.index()].name),
                            SlotSource::Immediate(i) => {
                                format!("{}:{width}", machine.immediate_slots[usize::from(*i)])
                            }
                        })
                        .collect();
                    format!("{} = {}", machine.immediate_units[w.unit.index()].name, slots.join(" "))
                })
                .collect();
            let writes = if writes.is_empty() { "moves only".to_owned() } else { writes.join("; ") };
            row([t.name.clone(), writes])
        })
        .collect();
    Table { title: "templates", columns: vec!["template", "long immediates"], rows }
}

fn spaces(machine: &Machine) -> Table {
    let rows = machine
        .spaces
        .iter()
        .map(|s| {
            let numbers: Vec<String> = s.numbers.iter().map(u32::to_string).collect();
            let users: Vec<&str> = machine
                .units
                .iter()
                .filter(|u| u.space.is_some_and(|id| machine.spaces[id.index()].name == s.name))
                .map(|u| u.name.as_str())
                .collect();
            row([
                s.name.clone(),
                s.unit_width.to_string(),
                format!("{:#x} to {:#x}", s.min_address, s.max_address),
                if s.shared { "yes".into() } else { "no".into() },
                numbers.join(" "),
                users.join(" "),
            ])
        })
        .collect();
    let columns = vec!["space", "bits", "addresses", "shared", "numbers", "units"];
    Table { title: "address spaces", columns, rows }
}

#[cfg(test)]
mod tests {
    use super::tables;
    use crate::compose::{compose, stock};

    #[test]
    fn every_row_is_as_long_as_its_header() {
        for (_, plan) in stock::plans() {
            for table in tables(&compose(&plan)) {
                for row in &table.rows {
                    assert_eq!(row.len(), table.columns.len(), "{}", table.title);
                }
            }
        }
    }

    #[test]
    fn latencies_and_ports_are_shown() {
        let tables = tables(&compose(&stock::plans()[0].1));
        let operations = tables.iter().find(|t| t.title == "operations").expect("there are operations");
        let load = operations.rows.iter().find(|r| r[1] == "ld32").expect("there is a load");
        assert_eq!(load[2], "3");
        assert_eq!(load[3], "1:t 2:r1");
    }
}
