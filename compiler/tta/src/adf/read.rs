//! The elements directly under `<adf>`: flags, buses, sockets, spaces, register files, immediates, templates.
//!
//! Names may be used before they are defined, so elements are read by kind, guards last. Units are in `units.rs`.

use super::dom::Element;
use super::{AdfError, AdfProblem, Loaded, units};
use crate::model::{
    AddressSpace, Bus, BusId, Control, Direction, Extension, FileId, FileKind, FilePort, Guard, GuardSource,
    ImmediateUnit, ImmediateUnitId, Machine, RegisterFile, ShortImmediate, SlotSource, Socket, SocketId,
    SpaceId, Template, TemplateWrite, UnitId,
};

/// Every element that may stand directly under `<adf>`.
const TOP: &[&str] = &[
    "little-endian",
    "bitness64",
    "fu-ordered",
    "trigger-invalidates-old-results",
    "always-write-back-results",
    "bus",
    "socket",
    "bridge",
    "function-unit",
    "register-file",
    "address-space",
    "global-control-unit",
    "immediate-unit",
    "immediate-slot",
    "template",
    "ota-format",
];

/// Flags that change what a program means in ways that no other part of the tools models.
const REFUSED_FLAGS: &[&str] =
    &["fu-ordered", "trigger-invalidates-old-results", "always-write-back-results"];

/// Reads the root element.
pub(super) fn machine(root: &Element) -> Result<Loaded, AdfError> {
    if root.tag != "adf" {
        return root.fail(AdfProblem::NotAdf { found: root.tag.clone() });
    }
    root.only(TOP)?;
    for child in &root.children {
        if REFUSED_FLAGS.contains(&child.tag.as_str()) {
            return unsupported(child, format!("the flag '<{}>'", child.tag), None);
        }
        if child.tag == "bridge" {
            let feature = format!("bridge '{}'", child.name()?);
            return unsupported(child, feature, Some("connect the sockets to both buses instead"));
        }
    }

    let mut machine = Machine {
        little_endian: root.child("little-endian").is_some(),
        bits64: root.child("bitness64").is_some(),
        buses: Vec::new(),
        sockets: Vec::new(),
        units: Vec::new(),
        control: Control { return_address: None, delay_slots: 0, guard_latency: 0, space: None },
        register_files: Vec::new(),
        immediate_units: Vec::new(),
        immediate_slots: Vec::new(),
        templates: Vec::new(),
        spaces: Vec::new(),
    };
    for element in root.all("address-space") {
        let new = space(element)?;
        push(element, &mut machine.spaces, new, "address space", |s| &s.name)?;
    }
    for element in root.all("bus") {
        let new = bus(element)?;
        push(element, &mut machine.buses, new, "bus", |b| &b.name)?;
    }
    for element in root.all("socket") {
        let new = socket(element, &machine)?;
        push(element, &mut machine.sockets, new, "socket", |s| &s.name)?;
    }
    for element in root.all("register-file") {
        let new = register_file(element, &machine)?;
        push(element, &mut machine.register_files, new, "register file", |r| &r.name)?;
    }
    for element in root.all("function-unit") {
        let new = units::function_unit(element, &machine)?;
        push(element, &mut machine.units, new, "function unit", |u| &u.name)?;
    }
    let Some(control) = root.child("global-control-unit") else {
        return root.fail(AdfProblem::MissingElement { parent: "adf".into(), child: "global-control-unit" });
    };
    let (unit, facts) = units::control_unit(control, &machine)?;
    push(control, &mut machine.units, unit, "function unit", |u| &u.name)?;
    machine.control = facts;
    for element in root.all("immediate-slot") {
        let new = element.name()?;
        push(element, &mut machine.immediate_slots, new, "immediate slot", |s| s)?;
    }
    for element in root.all("immediate-unit") {
        immediate_unit(element, &mut machine)?;
    }
    for element in root.all("template") {
        top_template(element, &mut machine)?;
    }
    for (position, element) in root.all("bus").enumerate() {
        machine.buses[position].guards = guards(element, &machine)?;
    }

    let ignored = root
        .all("ota-format")
        .map(|e| (e.place, format!("operation-triggered format '{}'", e.name().unwrap_or_default())))
        .collect();
    Ok(Loaded { machine, ignored })
}

/// The error for a feature that we leave out.
pub(super) fn unsupported<T>(
    element: &Element,
    feature: String,
    reason: Option<&'static str>,
) -> Result<T, AdfError> {
    element.fail(AdfProblem::Unsupported { feature, reason })
}

/// Adds a thing whose name must be new among its kind.
fn push<T>(
    element: &Element,
    list: &mut Vec<T>,
    new: T,
    what: &'static str,
    name: impl Fn(&T) -> &String,
) -> Result<(), AdfError> {
    if list.iter().any(|old| name(old) == name(&new)) {
        return element.fail(AdfProblem::Duplicate { what, name: name(&new).clone() });
    }
    if list.len() >= usize::from(u16::MAX) {
        return element.fail(AdfProblem::TooMany { what });
    }
    list.push(new);
    Ok(())
}

/// The position of the thing that the text of `element` names.
pub(super) fn lookup<'a>(
    element: &Element,
    what: &'static str,
    names: impl Iterator<Item = &'a String>,
) -> Result<u16, AdfError> {
    match (0u16..).zip(names).find(|(_, name)| **name == element.text) {
        Some((position, _)) => Ok(position),
        None => element.fail(AdfProblem::UnknownName { what, name: element.text.clone() }),
    }
}

/// The address space that a unit's `<address-space>` names; empty for none.
pub(super) fn space_of(element: &Element, machine: &Machine) -> Result<Option<SpaceId>, AdfError> {
    match element.child("address-space") {
        Some(e) if !e.text.is_empty() => {
            lookup(e, "address space", machine.spaces.iter().map(|s| &s.name)).map(|i| Some(SpaceId(i)))
        }
        _ => Ok(None),
    }
}

fn space(element: &Element) -> Result<AddressSpace, AdfError> {
    element.only(&["width", "min-address", "max-address", "shared-memory", "numerical-id"])?;
    let space = AddressSpace {
        name: element.name()?,
        unit_width: element.need("width")?.number()?,
        min_address: element.need("min-address")?.number()?,
        max_address: element.need("max-address")?.number()?,
        shared: element.child("shared-memory").is_some_and(|e| e.text == "1" || e.text == "true"),
        numbers: element.all("numerical-id").map(Element::number).collect::<Result<_, _>>()?,
    };
    if space.min_address > space.max_address {
        let message = format!("address space '{}' ends before it begins", space.name);
        return element.fail(AdfProblem::Contradiction { message });
    }
    Ok(space)
}

fn extension(element: &Element) -> Result<Extension, AdfError> {
    match element.text.as_str() {
        "zero" => Ok(Extension::Zero),
        "sign" => Ok(Extension::Sign),
        _ => element.fail(AdfProblem::BadWord {
            element: element.tag.clone(),
            text: element.text.clone(),
            allowed: "zero, sign",
        }),
    }
}

/// A width in bits: 1 to 64, or 0 where `empty` says that nothing may stand there.
pub(super) fn width(element: &Element, empty: bool) -> Result<u32, AdfError> {
    let bits: u32 = element.number()?;
    match bits {
        0 if !empty => {
            element.fail(AdfProblem::BadNumber { element: "width".into(), text: element.text.clone() })
        }
        0..=64 => Ok(bits),
        _ => unsupported(element, format!("a width of {bits} bits"), Some("values have at most 64")),
    }
}

fn bus(element: &Element) -> Result<Bus, AdfError> {
    element.only(&["width", "guard", "segment", "short-immediate"])?;
    let name = element.name()?;
    let mut segments = element.all("segment");
    let segment = match segments.next() {
        Some(first) => first.name()?,
        None => {
            return element
                .fail(AdfProblem::MissingElement { parent: element.tag.clone(), child: "segment" });
        }
    };
    if let Some(second) = segments.next() {
        let feature = format!("a second segment of bus '{name}'");
        return unsupported(second, feature, Some("a bus is one wire"));
    }
    let immediate = match element.child("short-immediate") {
        Some(e) => ShortImmediate {
            extension: extension(e.need("extension")?)?,
            width: width(e.need("width")?, true)?,
        },
        None => ShortImmediate { extension: Extension::Zero, width: 0 },
    };
    Ok(Bus {
        name,
        width: width(element.need("width")?, false)?,
        guards: Vec::new(),
        segment,
        short_immediate: immediate,
    })
}

fn guards(element: &Element, machine: &Machine) -> Result<Vec<Guard>, AdfError> {
    let mut all = Vec::new();
    for guard in element.all("guard") {
        let Some(expression) = guard.children.first() else {
            return guard
                .fail(AdfProblem::MissingElement { parent: guard.tag.clone(), child: "simple-expr" });
        };
        let new = match expression.tag.as_str() {
            "always-true" => Guard::Always,
            "always-false" => Guard::Never,
            "simple-expr" => Guard::If { source: guard_source(expression, machine)?, inverted: false },
            "inverted-expr" => Guard::If { source: guard_source(expression, machine)?, inverted: true },
            "and-expr" | "or-expr" => {
                return unsupported(expression, format!("the guard '<{}>'", expression.tag), None);
            }
            other => {
                return expression
                    .fail(AdfProblem::UnknownElement { parent: guard.tag.clone(), child: other.to_owned() });
            }
        };
        if !all.contains(&new) {
            all.push(new);
        }
    }
    Ok(all)
}

fn guard_source(expression: &Element, machine: &Machine) -> Result<GuardSource, AdfError> {
    if let Some(register) = expression.child("bool") {
        let name = register.need("name")?;
        let file = lookup(name, "register file", machine.register_files.iter().map(|r| &r.name))?;
        let index: u32 = register.need("index")?.number()?;
        let found = &machine.register_files[usize::from(file)];
        if index >= found.size {
            let message = format!("register file '{}' has no register {index}", found.name);
            return register.fail(AdfProblem::Contradiction { message });
        }
        return Ok(GuardSource::Register { file: FileId(file), index });
    }
    if let Some(port) = expression.child("unit") {
        let unit = lookup(port.need("name")?, "function unit", machine.units.iter().map(|u| &u.name))?;
        let name = port.need("port")?;
        let ports = machine.units[usize::from(unit)].ports.iter().map(|p| &p.name);
        return Ok(GuardSource::Port { unit: UnitId(unit), port: lookup(name, "port", ports)? });
    }
    expression.fail(AdfProblem::MissingElement { parent: expression.tag.clone(), child: "bool" })
}

fn socket(element: &Element, machine: &Machine) -> Result<Socket, AdfError> {
    element.only(&["reads-from", "writes-to"])?;
    let name = element.name()?;
    let mut direction = Direction::Unconnected;
    let mut buses = Vec::new();
    for connection in &element.children {
        let way = if connection.tag == "reads-from" { Direction::Input } else { Direction::Output };
        if direction != Direction::Unconnected && direction != way {
            let message = format!("socket '{name}' both reads and writes buses");
            return connection.fail(AdfProblem::Contradiction { message });
        }
        direction = way;
        let named = connection.need("bus")?;
        let bus = lookup(named, "bus", machine.buses.iter().map(|b| &b.name))?;
        let segment = connection.need("segment")?;
        if segment.text != machine.buses[usize::from(bus)].segment {
            let problem = AdfProblem::UnknownName { what: "bus segment", name: segment.text.clone() };
            return segment.fail(problem);
        }
        if !buses.contains(&BusId(bus)) {
            buses.push(BusId(bus));
        }
    }
    Ok(Socket { name, direction, buses })
}

/// The socket that a `<connects-to>` names.
pub(super) fn socket_named(element: &Element, machine: &Machine) -> Result<SocketId, AdfError> {
    lookup(element, "socket", machine.sockets.iter().map(|s| &s.name)).map(SocketId)
}

fn file_ports(element: &Element, machine: &Machine) -> Result<Vec<FilePort>, AdfError> {
    let mut ports = Vec::new();
    for port in element.all("port") {
        port.only(&["connects-to", "width"])?;
        let mut sockets = port.all("connects-to");
        let socket = sockets.next().map(|e| socket_named(e, machine)).transpose()?;
        if let Some(second) = sockets.next() {
            let message = format!("port '{}' of a register file has two sockets", port.name()?);
            return second.fail(AdfProblem::Contradiction { message });
        }
        let new = FilePort { name: port.name()?, socket };
        push(port, &mut ports, new, "port", |p| &p.name)?;
    }
    Ok(ports)
}

fn file_kind(element: &Element) -> Result<FileKind, AdfError> {
    match element.child("type").map_or("normal", |e| e.text.as_str()) {
        "normal" => Ok(FileKind::Normal),
        "reserved" => Ok(FileKind::Reserved),
        "volatile" | "volatil" => Ok(FileKind::Volatile),
        other => element.fail(AdfProblem::BadWord {
            element: "type".to_owned(),
            text: other.to_owned(),
            allowed: "normal, reserved, volatile",
        }),
    }
}

fn size(element: &Element) -> Result<u32, AdfError> {
    let size = element.need("size")?;
    match size.number::<u32>()? {
        0 => size.fail(AdfProblem::BadNumber { element: "size".into(), text: size.text.clone() }),
        n if n > 0x1_0000 => unsupported(size, format!("a file of {n} registers"), None),
        n => Ok(n),
    }
}

fn register_file(element: &Element, machine: &Machine) -> Result<RegisterFile, AdfError> {
    element.only(&[
        "type",
        "size",
        "width",
        "max-reads",
        "max-writes",
        "guard-latency",
        "port",
        "zero-register",
    ])?;
    let zero = element.child("zero-register");
    Ok(RegisterFile {
        name: element.name()?,
        kind: file_kind(element)?,
        size: size(element)?,
        width: width(element.need("width")?, false)?,
        max_reads: element.number_or("max-reads", 1)?,
        max_writes: element.number_or("max-writes", 1)?,
        guard_latency: element.number_or("guard-latency", 0)?,
        ports: file_ports(element, machine)?,
        zero_register: zero.is_some_and(|e| !matches!(e.text.as_str(), "0" | "false")),
    })
}

fn immediate_unit(element: &Element, machine: &mut Machine) -> Result<(), AdfError> {
    element.only(&[
        "type",
        "size",
        "width",
        "max-reads",
        "max-writes",
        "guard-latency",
        "latency",
        "extension",
        "port",
        "template",
    ])?;
    let unit = ImmediateUnit {
        name: element.name()?,
        kind: file_kind(element)?,
        size: size(element)?,
        width: width(element.need("width")?, false)?,
        max_reads: element.number_or("max-reads", 1)?,
        max_writes: element.number_or("max-writes", 1)?,
        guard_latency: element.number_or("guard-latency", 0)?,
        latency: element.number_or("latency", 1)?,
        extension: element.child("extension").map_or(Ok(Extension::Zero), extension)?,
        ports: file_ports(element, machine)?,
    };
    let id = ImmediateUnitId(u16::try_from(machine.immediate_units.len()).unwrap_or(u16::MAX));
    push(element, &mut machine.immediate_units, unit, "immediate unit", |u| &u.name)?;
    for template in element.all("template") {
        template.only(&["slot"])?;
        let name = template.name()?;
        let slots = slots(template, machine)?;
        let known = machine.templates.iter().position(|t| t.name == name);
        let position = known.unwrap_or(machine.templates.len());
        if known.is_none() {
            let new = Template { name, writes: Vec::new(), listed_in: Vec::new() };
            push(template, &mut machine.templates, new, "template", |t| &t.name)?;
        }
        let target = &mut machine.templates[position];
        if target.listed_in.contains(&id) {
            return template.fail(AdfProblem::Duplicate { what: "template", name: target.name.clone() });
        }
        target.listed_in.push(id);
        if !slots.is_empty() {
            target.writes.push(TemplateWrite { unit: id, slots });
        }
    }
    Ok(())
}

fn slots(template: &Element, machine: &Machine) -> Result<Vec<(SlotSource, u32)>, AdfError> {
    let mut slots = Vec::new();
    for slot in template.all("slot") {
        slot.only(&["name", "width"])?;
        let name = slot.need("name")?;
        let bus = machine.buses().find(|(_, b)| b.name == name.text).map(|(id, _)| SlotSource::Bus(id));
        let own = || {
            (0u16..)
                .zip(&machine.immediate_slots)
                .find(|(_, s)| **s == name.text)
                .map(|(i, _)| SlotSource::Immediate(i))
        };
        let Some(source) = bus.or_else(own) else {
            let problem = AdfProblem::UnknownName { what: "bus or immediate slot", name: name.text.clone() };
            return name.fail(problem);
        };
        slots.push((source, width(slot.need("width")?, true)?));
    }
    if slots.iter().map(|(_, w)| w).sum::<u32>() > 64 {
        return unsupported(template, "a long immediate of more than 64 bits".to_owned(), None);
    }
    Ok(slots)
}

fn top_template(element: &Element, machine: &mut Machine) -> Result<(), AdfError> {
    if !element.children.is_empty() {
        let feature = "a template with slots outside an immediate unit".to_owned();
        return unsupported(element, feature, Some("put it into the immediate unit that it writes"));
    }
    let name = element.name()?;
    if machine.templates.iter().all(|t| t.name != name) {
        let new = Template { name, writes: Vec::new(), listed_in: Vec::new() };
        push(element, &mut machine.templates, new, "template", |t| &t.name)?;
    }
    Ok(())
}
