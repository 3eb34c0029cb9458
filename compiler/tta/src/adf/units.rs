//! Function units and the control unit: ports, operations, pipelines.
//!
//! In: `<function-unit>` or `<global-control-unit>` and a machine whose spaces and sockets are read. The control unit
//! becomes a [`Unit`] like the others, its special ports marked.

use super::dom::Element;
use super::read::{lookup, socket_named, space_of, unsupported, width};
use super::{AdfError, AdfProblem};
use crate::model::{Control, Direction, Machine, OperandUse, Operation, Port, ResourceUse, Unit};
use crate::ops::Op;

/// Reads a `<function-unit>`.
pub(super) fn function_unit(element: &Element, machine: &Machine) -> Result<Unit, AdfError> {
    element.only(&["port", "operation", "address-space"])?;
    let mut ports = Vec::new();
    for e in element.all("port") {
        add_port(&mut ports, e, machine, false)?;
    }
    let operations = operations(element, "operation", &ports)?;
    Ok(Unit { name: element.name()?, ports, operations, space: space_of(element, machine)? })
}

/// Reads the `<global-control-unit>`.
pub(super) fn control_unit(element: &Element, machine: &Machine) -> Result<(Unit, Control), AdfError> {
    element.only(&[
        "port",
        "special-port",
        "return-address",
        "ctrl-operation",
        "address-space",
        "delay-slots",
        "guard-latency",
    ])?;
    let mut ports = Vec::new();
    for e in element.all("port") {
        add_port(&mut ports, e, machine, false)?;
    }
    for e in element.all("special-port") {
        add_port(&mut ports, e, machine, true)?;
    }
    let mut operations = operations(element, "ctrl-operation", &ports)?;
    operations.iter_mut().for_each(imply_results);
    let return_address = match element.child("return-address") {
        Some(e) if !e.text.is_empty() => Some(lookup(e, "port", ports.iter().map(|p| &p.name))?),
        _ => None,
    };
    let space = space_of(element, machine)?;
    let control = Control {
        return_address,
        delay_slots: element.number_or("delay-slots", 0)?,
        guard_latency: element.number_or("guard-latency", 0)?,
        space,
    };
    Ok((Unit { name: element.name()?, ports, operations, space: None }, control))
}

/// Control operations are often written without a pipeline; their results then come one cycle after the trigger.
fn imply_results(operation: &mut Operation) {
    let Some(info) = operation.op.map(Op::info) else { return };
    let numbers = info.inputs + 1..=info.inputs + info.outputs;
    if operation.writes.is_empty() && numbers.clone().all(|k| operation.port_of(k).is_some()) {
        operation.writes = numbers.map(|operand| OperandUse { operand, start: 0, cycles: 1 }).collect();
    }
}

fn add_port(
    ports: &mut Vec<Port>,
    element: &Element,
    machine: &Machine,
    special: bool,
) -> Result<(), AdfError> {
    element.only(&["connects-to", "width", "triggers", "sets-opcode", "no-register"])?;
    let name = element.name()?;
    if ports.iter().any(|p| p.name == name) {
        return element.fail(AdfProblem::Duplicate { what: "port", name });
    }
    let (mut input, mut output) = (None, None);
    for connection in element.all("connects-to") {
        let socket = socket_named(connection, machine)?;
        let end = match machine.sockets[socket.index()].direction {
            Direction::Output => &mut output,
            Direction::Input => &mut input,
            Direction::Unconnected if input.is_none() => &mut input,
            Direction::Unconnected => &mut output,
        };
        if end.is_some() {
            let message = format!("port '{name}' has two sockets of one direction");
            return connection.fail(AdfProblem::Contradiction { message });
        }
        *end = Some(socket);
    }
    ports.push(Port {
        name,
        width: width(element.need("width")?, false)?,
        input,
        output,
        triggers: element.child("triggers").is_some(),
        sets_opcode: element.child("sets-opcode").is_some(),
        registered: element.child("no-register").is_none(),
        special,
    });
    Ok(())
}

fn operations(element: &Element, tag: &'static str, ports: &[Port]) -> Result<Vec<Operation>, AdfError> {
    let mut all: Vec<Operation> = Vec::new();
    for e in element.all(tag) {
        let new = operation(e, ports)?;
        if all.iter().any(|old| old.name == new.name) {
            return e.fail(AdfProblem::Duplicate { what: "operation", name: new.name });
        }
        all.push(new);
    }
    Ok(all)
}

fn operand_number(element: &Element) -> Result<u16, AdfError> {
    let name = element.name()?;
    match name.parse::<u16>() {
        Ok(number) if number > 0 => Ok(number),
        _ => element.fail(AdfProblem::BadNumber { element: element.tag.clone(), text: name }),
    }
}

fn operation(element: &Element, ports: &[Port]) -> Result<Operation, AdfError> {
    element.only(&["name", "bind", "pipeline"])?;
    let name = element.need("name")?.text.to_ascii_lowercase();
    let mut bindings: Vec<(u16, u16)> = Vec::new();
    for bind in element.all("bind") {
        let number = operand_number(bind)?;
        if bindings.iter().any(|(k, _)| *k == number) {
            return bind.fail(AdfProblem::Duplicate { what: "operand", name: number.to_string() });
        }
        bindings.push((number, lookup(bind, "port", ports.iter().map(|p| &p.name))?));
    }
    let mut new = Operation {
        op: Op::named(&name),
        name,
        bindings,
        reads: Vec::new(),
        writes: Vec::new(),
        resources: Vec::new(),
    };
    let Some(pipeline) = element.child("pipeline") else {
        return Ok(new);
    };
    pipeline.only(&["reads", "writes", "resource"])?;
    for part in &pipeline.children {
        let start: u32 = part.need("start-cycle")?.number()?;
        let cycles: u32 = part.need("cycles")?.number()?;
        if start > 1000 || cycles > 1000 {
            return unsupported(part, "a pipeline of more than 1000 cycles".to_owned(), None);
        }
        if part.tag == "resource" {
            new.resources.push(ResourceUse { name: part.name()?, start, cycles });
            continue;
        }
        let number = operand_number(part)?;
        if new.port_of(number).is_none() {
            let message = format!("operand {number} of '{}' is bound to no port", new.name);
            return part.fail(AdfProblem::Contradiction { message });
        }
        let list = if part.tag == "reads" { &mut new.reads } else { &mut new.writes };
        if list.iter().any(|u| u.operand == number) {
            return part.fail(AdfProblem::Duplicate { what: "operand use", name: number.to_string() });
        }
        list.push(OperandUse { operand: number, start, cycles });
        if part.tag == "reads" && start != 0 {
            let feature = format!("operand {number} of '{}' read {start} cycles after the trigger", new.name);
            return unsupported(part, feature, Some("operands are latched when the operation starts"));
        }
        if part.tag == "writes" && start + cycles == 0 {
            let message = format!("result {number} of '{}' has latency 0; at least 1 is needed", new.name);
            return part.fail(AdfProblem::Contradiction { message });
        }
    }
    Ok(new)
}
