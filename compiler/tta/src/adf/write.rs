//! A [`Machine`] as ADF text.
//!
//! What [`super::read`] makes of the text equals the machine. Ignored parts of a file (operation-triggered formats) are
//! not kept.

use crate::model::{
    Bus, Direction, Extension, FileKind, FilePort, Guard, GuardSource, ImmediateUnitId, Machine, Operation,
    Port, SlotSource, Socket, SpaceId, Unit,
};
use std::fmt::Write;

/// Lines with indentation.
struct Xml {
    text: String,
    depth: usize,
}

impl Xml {
    fn line(&mut self, text: &str) {
        self.text.extend(std::iter::repeat_n("  ", self.depth));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn value(&mut self, tag: &str, value: impl std::fmt::Display) {
        let value = quick_xml::escape::escape(value.to_string()).into_owned();
        self.line(&format!("<{tag}>{value}</{tag}>"));
    }

    fn named(&mut self, tag: &str, name: &str, inside: impl FnOnce(&mut Self)) {
        let name = quick_xml::escape::escape(name).into_owned();
        self.line(&format!("<{tag} name=\"{name}\">"));
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.line(&format!("</{tag}>"));
    }

    fn plain(&mut self, tag: &str, inside: impl FnOnce(&mut Self)) {
        self.line(&format!("<{tag}>"));
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.line(&format!("</{tag}>"));
    }

    fn flag(&mut self, tag: &str, on: bool) {
        if on {
            self.line(&format!("<{tag}/>"));
        }
    }
}

/// Writes `machine` as the text of an ADF.
#[must_use]
pub fn write(machine: &Machine) -> String {
    let mut xml = Xml { text: String::new(), depth: 0 };
    let _ = writeln!(xml.text, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>");
    xml.line("<adf version=\"1.18\">");
    xml.depth = 1;
    xml.flag("little-endian", machine.little_endian);
    xml.flag("bitness64", machine.bits64);
    for bus in &machine.buses {
        self::bus(&mut xml, machine, bus);
    }
    for socket in &machine.sockets {
        self::socket(&mut xml, machine, socket);
    }
    let Some((control, units)) = machine.units.split_last() else {
        return xml.text;
    };
    for unit in units {
        xml.named("function-unit", &unit.name, |x| {
            for port in &unit.ports {
                self::port(x, machine, port);
            }
            for operation in &unit.operations {
                self::operation(x, "operation", unit, operation);
            }
            space_name(x, machine, unit.space);
        });
    }
    for file in &machine.register_files {
        xml.named("register-file", &file.name, |x| {
            x.value("type", kind(file.kind));
            x.value("size", file.size);
            x.value("width", file.width);
            x.value("max-reads", file.max_reads);
            x.value("max-writes", file.max_writes);
            if file.guard_latency != 0 {
                x.value("guard-latency", file.guard_latency);
            }
            file_ports(x, machine, &file.ports);
            if file.zero_register {
                x.value("zero-register", "1");
            }
        });
    }
    for space in &machine.spaces {
        xml.named("address-space", &space.name, |x| {
            x.value("width", space.unit_width);
            x.value("min-address", space.min_address);
            x.value("max-address", space.max_address);
            if space.shared {
                x.value("shared-memory", "1");
            }
            for number in &space.numbers {
                x.value("numerical-id", number);
            }
        });
    }
    control_unit(&mut xml, machine, control);
    for slot in &machine.immediate_slots {
        let name = quick_xml::escape::escape(slot.as_str()).into_owned();
        xml.line(&format!("<immediate-slot name=\"{name}\"/>"));
    }
    for (id, _) in machine.immediate_units() {
        immediate_unit(&mut xml, machine, id);
    }
    for template in machine.templates.iter().filter(|t| t.listed_in.is_empty()) {
        let name = quick_xml::escape::escape(template.name.as_str()).into_owned();
        xml.line(&format!("<template name=\"{name}\"/>"));
    }
    xml.depth = 0;
    xml.line("</adf>");
    xml.text
}

fn kind(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Normal => "normal",
        FileKind::Reserved => "reserved",
        FileKind::Volatile => "volatile",
    }
}

fn extension(extension: Extension) -> &'static str {
    match extension {
        Extension::Zero => "zero",
        Extension::Sign => "sign",
    }
}

fn space_name(xml: &mut Xml, machine: &Machine, space: Option<SpaceId>) {
    match space {
        Some(id) => xml.value("address-space", &machine.spaces[id.index()].name),
        None => xml.line("<address-space/>"),
    }
}

fn bus(xml: &mut Xml, machine: &Machine, bus: &Bus) {
    xml.named("bus", &bus.name, |x| {
        x.value("width", bus.width);
        for guard in &bus.guards {
            x.plain("guard", |x| match guard {
                Guard::Always => x.line("<always-true/>"),
                Guard::Never => x.line("<always-false/>"),
                Guard::If { source, inverted } => {
                    let tag = if *inverted { "inverted-expr" } else { "simple-expr" };
                    x.plain(tag, |x| guard_source(x, machine, *source));
                }
            });
        }
        x.named("segment", &bus.segment, |x| x.line("<writes-to/>"));
        x.plain("short-immediate", |x| {
            x.value("extension", extension(bus.short_immediate.extension));
            x.value("width", bus.short_immediate.width);
        });
    });
}

fn guard_source(xml: &mut Xml, machine: &Machine, source: GuardSource) {
    match source {
        GuardSource::Register { file, index } => xml.plain("bool", |x| {
            x.value("name", &machine.register_files[file.index()].name);
            x.value("index", index);
        }),
        GuardSource::Port { unit, port } => xml.plain("unit", |x| {
            let unit = &machine.units[unit.index()];
            x.value("name", &unit.name);
            x.value("port", &unit.ports[usize::from(port)].name);
        }),
    }
}

fn socket(xml: &mut Xml, machine: &Machine, socket: &Socket) {
    xml.named("socket", &socket.name, |x| {
        let tag = if socket.direction == Direction::Input { "reads-from" } else { "writes-to" };
        for bus in &socket.buses {
            let bus = &machine.buses[bus.index()];
            x.plain(tag, |x| {
                x.value("bus", &bus.name);
                x.value("segment", &bus.segment);
            });
        }
    });
}

fn port(xml: &mut Xml, machine: &Machine, port: &Port) {
    let tag = if port.special { "special-port" } else { "port" };
    xml.named(tag, &port.name, |x| {
        for socket in [port.input, port.output].into_iter().flatten() {
            x.value("connects-to", &machine.sockets[socket.index()].name);
        }
        x.value("width", port.width);
        x.flag("triggers", port.triggers);
        x.flag("sets-opcode", port.sets_opcode);
        x.flag("no-register", !port.registered);
    });
}

fn operation(xml: &mut Xml, tag: &str, unit: &Unit, operation: &Operation) {
    xml.plain(tag, |x| {
        x.value("name", &operation.name);
        for (number, port) in &operation.bindings {
            let name = quick_xml::escape::escape(unit.ports[usize::from(*port)].name.as_str()).into_owned();
            x.line(&format!("<bind name=\"{number}\">{name}</bind>"));
        }
        x.plain("pipeline", |x| {
            let timed = |x: &mut Xml, tag: &str, name: &str, start: u32, cycles: u32| {
                x.named(tag, name, |x| {
                    x.value("start-cycle", start);
                    x.value("cycles", cycles);
                });
            };
            for r in &operation.resources {
                timed(x, "resource", &r.name, r.start, r.cycles);
            }
            for r in &operation.reads {
                timed(x, "reads", &r.operand.to_string(), r.start, r.cycles);
            }
            for w in &operation.writes {
                timed(x, "writes", &w.operand.to_string(), w.start, w.cycles);
            }
        });
    });
}

fn file_ports(xml: &mut Xml, machine: &Machine, ports: &[FilePort]) {
    for port in ports {
        xml.named("port", &port.name, |x| {
            if let Some(socket) = port.socket {
                x.value("connects-to", &machine.sockets[socket.index()].name);
            }
        });
    }
}

fn control_unit(xml: &mut Xml, machine: &Machine, unit: &Unit) {
    let control = &machine.control;
    xml.named("global-control-unit", &unit.name, |x| {
        for port in &unit.ports {
            self::port(x, machine, port);
        }
        if let Some(port) = control.return_address {
            x.value("return-address", &unit.ports[usize::from(port)].name);
        }
        for operation in &unit.operations {
            self::operation(x, "ctrl-operation", unit, operation);
        }
        space_name(x, machine, control.space);
        x.value("delay-slots", control.delay_slots);
        x.value("guard-latency", control.guard_latency);
    });
}

fn immediate_unit(xml: &mut Xml, machine: &Machine, id: ImmediateUnitId) {
    let unit = &machine.immediate_units[id.index()];
    xml.named("immediate-unit", &unit.name, |x| {
        x.value("type", kind(unit.kind));
        x.value("size", unit.size);
        x.value("width", unit.width);
        x.value("max-reads", unit.max_reads);
        x.value("max-writes", unit.max_writes);
        if unit.guard_latency != 0 {
            x.value("guard-latency", unit.guard_latency);
        }
        x.value("latency", unit.latency);
        x.value("extension", extension(unit.extension));
        file_ports(x, machine, &unit.ports);
        for template in machine.templates.iter().filter(|t| t.listed_in.contains(&id)) {
            x.named("template", &template.name, |x| {
                let own = template.writes.iter().filter(|w| w.unit == id);
                for (source, width) in own.flat_map(|w| &w.slots) {
                    x.plain("slot", |x| {
                        match source {
                            SlotSource::Bus(bus) => x.value("name", &machine.buses[bus.index()].name),
                            SlotSource::Immediate(slot) => {
                                x.value("name", &machine.immediate_slots[usize::from(*slot)]);
                            }
                        }
                        x.value("width", width);
                    });
                }
            });
        }
    });
}
