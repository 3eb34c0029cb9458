//! The commands of a workload file: each row becomes a command, then `after` becomes positions.

use super::formula;
use super::plan::{Action, Argument, Command, Launch};
use super::problem::Problem;
use super::resolve::{Found, Names, exactly_one, find, numbers, plain_numbers};
use super::schema::CommandRow;
use crate::value::Value;
use toml::Spanned;

/// What one row says; `after` is still empty.
pub(crate) fn command(row: &Spanned<CommandRow>, names: &Names, line: usize) -> Found<Command> {
    let body = row.get_ref();
    let what =
        body.name.as_ref().map_or_else(|| "a command".to_owned(), |n| format!("command `{}`", n.get_ref()));
    exactly_one(
        row.span(),
        &what,
        "kernel, copy, fill, barrier",
        &[
            ("kernel", body.kernel.is_some()),
            ("copy", body.copy.is_some()),
            ("fill", body.fill.is_some()),
            ("barrier", body.barrier.is_some()),
        ],
    )?;
    let queue = match (&body.queue, names.queues.as_slice()) {
        (Some(name), _) => find("queue", name, &names.queues)?,
        (None, [_]) => 0,
        (None, _) => return Err((row.span(), Problem::Missing { what, key: "queue" })),
    };
    if body.kernel.is_none() {
        only_for_kernels(body)?;
    }
    let (default_name, action) = if let Some(kernel) = &body.kernel {
        (kernel.get_ref().as_str(), Action::Kernel(launch(row, kernel, names, &what)?))
    } else if let Some(copy) = &body.copy {
        let copy = copy.get_ref();
        let action = Action::Copy {
            from: find("buffer", &copy.from, &names.buffers)?,
            to: find("buffer", &copy.to, &names.buffers)?,
            from_offset: copy.from_offset,
            to_offset: copy.to_offset,
            count: copy.count,
        };
        ("copy", action)
    } else if let Some(fill) = &body.fill {
        let fill = fill.get_ref();
        let action = Action::Fill {
            buffer: find("buffer", &fill.buffer, &names.buffers)?,
            value: Value::Numbers(numbers(&fill.value, "value")?),
            offset: fill.offset,
            count: fill.count,
        };
        ("fill", action)
    } else {
        if let Some(barrier) = body.barrier.as_ref().filter(|b| !b.get_ref()) {
            let problem =
                Problem::Word { what: "barrier", word: "false".to_owned(), valid: vec!["true".to_owned()] };
            return Err((barrier.span(), problem));
        }
        ("barrier", Action::Barrier)
    };
    let name = body.name.as_ref().map_or(default_name, |n| n.get_ref()).to_owned();
    Ok(Command { name, line, queue, after: Vec::new(), action })
}

fn only_for_kernels(body: &CommandRow) -> Found<()> {
    let spans = [
        ("program", body.program.as_ref().map(Spanned::span)),
        ("global", body.global.as_ref().map(Spanned::span)),
        ("local", body.local.as_ref().map(Spanned::span)),
        ("offset", body.offset.as_ref().map(Spanned::span)),
        ("flops", body.flops.as_ref().map(Spanned::span)),
        ("bytes", body.bytes.as_ref().map(Spanned::span)),
        ("args", body.args.as_ref().map(|a| a.values().next().map_or(0..0, Spanned::span))),
    ];
    match spans.into_iter().find_map(|(key, span)| Some((key, span?))) {
        Some((key, span)) => {
            Err((span, Problem::Misplaced { key, what: "a command that launches no kernel" }))
        }
        None => Ok(()),
    }
}

fn launch(row: &Spanned<CommandRow>, kernel: &Spanned<String>, names: &Names, what: &str) -> Found<Launch> {
    let body = row.get_ref();
    let program = match (&body.program, names.programs.as_slice()) {
        (Some(name), _) => find("program", name, &names.programs)?,
        (None, [_]) => 0,
        (None, _) => return Err((row.span(), Problem::Missing { what: what.to_owned(), key: "program" })),
    };
    let Some(global) = &body.global else {
        return Err((row.span(), Problem::Missing { what: what.to_owned(), key: "global" }));
    };
    let global = sizes(global, "global", 1, None)?;
    let dimensions = Some(global.len());
    let local = body.local.as_ref().map(|l| sizes(l, "local", 1, dimensions)).transpose()?;
    let offset = body.offset.as_ref().map(|o| sizes(o, "offset", 0, dimensions)).transpose()?;
    let mut args = Vec::new();
    for (name, value) in body.args.iter().flatten() {
        args.push((name.clone(), argument(name, value, names)?));
    }
    let scalars: Vec<&str> = args
        .iter()
        .filter(|(_, a)| matches!(a, Argument::Value(Value::Numbers(n)) if n.len() == 1))
        .map(|(name, _)| name.as_str())
        .collect();
    let figure = |value: &Option<Spanned<toml::Value>>, key| {
        value.as_ref().map(|v| checked_formula(v, key, &scalars)).transpose()
    };
    let (bytes, flops) = (figure(&body.bytes, "bytes")?, figure(&body.flops, "flops")?);
    Ok(Launch { program, kernel: kernel.get_ref().clone(), global, local, offset, args, bytes, flops })
}

/// A number, or a text that is a formula over names which exist.
fn checked_formula(value: &Spanned<toml::Value>, key: &'static str, scalars: &[&str]) -> Found<String> {
    let wrong = |reason| (value.span(), Problem::Formula { key, reason });
    let text = match value.get_ref() {
        toml::Value::Integer(n) => n.to_string(),
        toml::Value::Float(n) => n.to_string(),
        toml::Value::String(text) => text.clone(),
        _ => return Err(wrong("it is neither a number nor a formula".to_owned())),
    };
    let lookup = |name: &str| {
        (matches!(name, "gx" | "gy" | "gz" | "lx" | "ly" | "lz") || scalars.contains(&name)).then_some(1.0)
    };
    formula::evaluate(&text, &lookup).map_err(|e| wrong(e.to_string()))?;
    Ok(text)
}

/// One to three sizes; the same number as `dimensions` where that is given.
fn sizes(
    value: &Spanned<toml::Value>,
    key: &'static str,
    least: u64,
    dimensions: Option<usize>,
) -> Found<Vec<u64>> {
    let wrong = || (value.span(), Problem::Sizes { key, least });
    let one = |v: &toml::Value| {
        v.as_integer().and_then(|n| u64::try_from(n).ok()).filter(|n| *n >= least).ok_or_else(wrong)
    };
    let sizes = match value.get_ref() {
        toml::Value::Array(list) if (1..=3).contains(&list.len()) => {
            list.iter().map(one).collect::<Found<Vec<_>>>()?
        }
        toml::Value::Array(_) => return Err(wrong()),
        single => vec![one(single)?],
    };
    match dimensions {
        Some(want) if want != sizes.len() => {
            Err((value.span(), Problem::Dimensions { key, have: sizes.len(), want }))
        }
        _ => Ok(sizes),
    }
}

/// A text that names a buffer is that buffer; other texts and numbers are values.
fn argument(name: &str, value: &Spanned<toml::Value>, names: &Names) -> Found<Argument> {
    let Some(text) = value.get_ref().as_str() else {
        return plain_numbers(value.get_ref())
            .map(|n| Argument::Value(Value::Numbers(n)))
            .ok_or_else(|| (value.span(), Problem::ArgumentType { name: name.to_owned() }));
    };
    if let Some(buffer) = names.buffers.iter().position(|b| b == text) {
        return Ok(Argument::Buffer(buffer));
    }
    match Value::parse(text) {
        Ok(value @ (Value::Numbers(_) | Value::Hex(_) | Value::Local(_) | Value::Sampler(_))) => {
            Ok(Argument::Value(value))
        }
        // Data has a name in a workload, so a file or a generator here is a buffer that was not declared.
        _ => {
            let problem =
                Problem::Name { what: "buffer", name: text.to_owned(), valid: names.buffers.clone() };
            Err((value.span(), problem))
        }
    }
}

/// Turns the names in `after` into positions.
pub(crate) fn link(rows: &[Spanned<CommandRow>], commands: &mut [Command]) -> Found<()> {
    let names: Vec<String> = commands.iter().map(|c| c.name.clone()).collect();
    for (index, row) in rows.iter().enumerate() {
        if let Some(name) = &row.get_ref().name
            && names.iter().enumerate().any(|(other, n)| other != index && n == name.get_ref())
        {
            return Err((name.span(), Problem::Duplicate { name: name.get_ref().clone() }));
        }
        let mut after = Vec::new();
        for name in &row.get_ref().after {
            after.push(find("command", name, &names)?);
            if names.iter().filter(|n| *n == name.get_ref()).count() > 1 {
                return Err((name.span(), Problem::Duplicate { name: name.get_ref().clone() }));
            }
        }
        commands[index].after = after;
    }
    Ok(())
}
