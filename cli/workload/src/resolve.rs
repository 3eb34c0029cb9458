//! From a file's text to a plan: names resolved, keys that exclude one another refused, unused things refused, and the
//! commands put in order. Reads no data file and compiles nothing. The commands themselves are in `resolve_command`.

use super::graph::{self, Node};
use super::plan::{Action, Argument, Command};
use super::plan::{Buffer, Contents, Expectation, Output, Plan, Program, Queue, Reference, Sink};
use super::problem::{Problem, WorkloadError, line_of};
use super::schema::{BufferRow, Document, ExpectationRow, OutputRow, ProgramRow, QueueRow};
use crate::data::HostData;
use crate::data::element::{Element, Scalar};
use crate::data::file::{FileSource, FileTarget, Format};
use crate::data::number::Number;
use crate::data::show::Slice;
use crate::device::Device;
use crate::value::Value;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A problem and the bytes of the file that it is about.
pub(crate) type Found<T> = Result<T, (Range<usize>, Problem)>;

/// The names that commands may use, in the order of the plan's lists.
pub(crate) struct Names {
    pub(crate) programs: Vec<String>,
    pub(crate) buffers: Vec<String>,
    pub(crate) queues: Vec<String>,
}

/// The most bytes in one buffer.
const LIMIT: u64 = 1 << 36;

/// Reads a workload's text; relative paths in it begin at the file's folder.
pub fn resolve(path: &Path, text: &str) -> Result<Plan, WorkloadError> {
    let document: Document =
        toml::from_str(text).map_err(|e| WorkloadError::from_toml(path.to_owned(), text, &e))?;
    plan(path, text, &document).map_err(|(span, problem)| WorkloadError {
        path: path.to_owned(),
        line: if span.is_empty() { 0 } else { line_of(text, span.start) },
        problem: Box::new(problem),
    })
}

fn plan(path: &Path, text: &str, document: &Document) -> Found<Plan> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut names = Names {
        programs: document.programs.keys().cloned().collect(),
        buffers: document.buffers.keys().cloned().collect(),
        queues: document.queues.keys().cloned().collect(),
    };
    let line = |span: Range<usize>| line_of(text, span.start);
    let mut programs = Vec::new();
    for (name, row) in &document.programs {
        programs.push(program(name, row, folder)?);
    }
    let mut buffers = Vec::new();
    for (name, row) in &document.buffers {
        let contents = contents(name, row, &names, folder)?;
        buffers.push(Buffer { name: name.clone(), line: line(row.span()), contents });
    }
    like_cycles(document, &buffers)?;
    let mut queues = document.queues.values().map(|row| queue(row, folder)).collect::<Found<Vec<_>>>()?;
    if queues.is_empty() {
        names.queues.push("main".to_owned());
        queues.push(Queue { device: Device::standard(), in_order: true });
    }
    if document.commands.is_empty() {
        return Err((0..0, Problem::Missing { what: "the workload".to_owned(), key: "[[commands]]" }));
    }
    let mut commands = Vec::new();
    for row in &document.commands {
        commands.push(super::resolve_command::command(row, &names, line(row.span()))?);
    }
    super::resolve_command::link(&document.commands, &mut commands)?;
    let outputs = document
        .outputs
        .iter()
        .map(|row| output(row, &names, folder, line(row.span())))
        .collect::<Found<Vec<_>>>()?;
    let expectations = document
        .expectations
        .iter()
        .map(|row| expectation(row, &names, folder, line(row.span())))
        .collect::<Found<Vec<_>>>()?;
    let nodes: Vec<Node> = commands
        .iter()
        .map(|c| Node {
            queue: c.queue,
            in_order: queues[c.queue].in_order,
            barrier: matches!(c.action, Action::Barrier),
            after: c.after.clone(),
        })
        .collect();
    let order = graph::order(&nodes).map_err(|cycle| {
        let first = cycle.first().copied().unwrap_or(0);
        let names = cycle.iter().chain(cycle.first()).map(|i| commands[*i].name.clone()).collect();
        (document.commands[first].span(), Problem::Cycle { names })
    })?;
    unused(document, &buffers, &commands, &outputs, &expectations)?;
    let title = document.title.clone().unwrap_or_else(|| {
        path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    });
    Ok(Plan {
        path: path.to_owned(),
        title,
        programs,
        buffers,
        queues,
        commands,
        order,
        outputs,
        expectations,
    })
}

/// The position of a name, or an error that lists the valid ones.
pub(crate) fn find(what: &'static str, name: &Spanned<String>, valid: &[String]) -> Found<usize> {
    valid.iter().position(|v| v == name.get_ref()).ok_or_else(|| {
        let problem = Problem::Name { what, name: name.get_ref().clone(), valid: valid.to_vec() };
        (name.span(), problem)
    })
}

/// Of keys that exclude one another exactly one is there.
pub(crate) fn exactly_one(
    span: Range<usize>,
    what: &str,
    keys: &'static str,
    present: &[(&'static str, bool)],
) -> Found<()> {
    let have: Vec<&str> = present.iter().filter(|(_, there)| *there).map(|(key, _)| *key).collect();
    if have.len() == 1 {
        return Ok(());
    }
    let have = if have.is_empty() { "none".to_owned() } else { have.join(" and ") };
    Err((span, Problem::ExactlyOne { what: what.to_owned(), keys, have }))
}

fn program(name: &str, row: &Spanned<ProgramRow>, folder: &Path) -> Found<Program> {
    let body = row.get_ref();
    exactly_one(
        row.span(),
        &format!("program `{name}`"),
        "source, binary",
        &[("source", body.source.is_some()), ("binary", body.binary.is_some())],
    )?;
    let options = body.options.as_ref();
    if let Some(source) = &body.source {
        return Ok(Program {
            name: name.to_owned(),
            path: folder.join(source.get_ref()),
            options: Some(options.map(|o| o.get_ref().clone()).unwrap_or_default()),
        });
    }
    if let Some(options) = options {
        return Err((options.span(), Problem::Misplaced { key: "options", what: "a binary" }));
    }
    let binary = body.binary.as_ref().map(|b| folder.join(b.get_ref())).unwrap_or_default();
    Ok(Program { name: name.to_owned(), path: binary, options: None })
}

pub(crate) fn element(name: &Spanned<String>) -> Found<Element> {
    Element::parse(name.get_ref()).ok_or_else(|| {
        let valid =
            ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"];
        let problem = Problem::Word {
            what: "OpenCL scalar or vector type",
            word: name.get_ref().clone(),
            valid: match Element::meant(name.get_ref()) {
                Some(meant) => vec![meant.to_string()],
                None => valid.map(str::to_owned).to_vec(),
            },
        };
        (name.span(), problem)
    })
}

/// A data file in the format that its key names, whatever its extension.
fn file(name: &Spanned<String>, format: Format, folder: &Path) -> FileSource {
    FileSource { path: folder.join(name.get_ref()), format, element: None, layout: None }
}

fn contents(name: &str, row: &Spanned<BufferRow>, names: &Names, folder: &Path) -> Found<Contents> {
    let body = row.get_ref();
    exactly_one(
        row.span(),
        &format!("buffer `{name}`"),
        "npy, png, raw, random, range, zeros, blank, values, like",
        &[
            ("npy", body.npy.is_some()),
            ("png", body.png.is_some()),
            ("raw", body.raw.is_some()),
            ("random", body.random.is_some()),
            ("range", body.range.is_some()),
            ("zeros", body.zeros.is_some()),
            ("blank", body.blank.is_some()),
            ("values", body.values.is_some()),
            ("like", body.like.is_some()),
        ],
    )?;
    if let (Some(seed), None) = (&body.seed, &body.random) {
        return Err((seed.span(), Problem::Misplaced { key: "seed", what: "anything but `random`" }));
    }
    let given = body.element.as_ref().map(element).transpose()?;
    if let Some(npy) = &body.npy {
        return Ok(Contents::File(file(npy, Format::Npy, folder), given));
    }
    if let Some(like) = &body.like {
        return Ok(Contents::Like(find("buffer", like, &names.buffers)?, given));
    }
    let element = given
        .ok_or_else(|| (row.span(), Problem::Missing { what: format!("buffer `{name}`"), key: "type" }))?;
    let sized = |count: &Spanned<u64>| {
        let bytes = count.get_ref().checked_mul(element.size() as u64);
        match bytes {
            Some(bytes) if bytes <= LIMIT => Ok(*count.get_ref() as usize),
            _ => Err((count.span(), Problem::TooLarge { name: name.to_owned() })),
        }
    };
    if let Some(png) = &body.png {
        Ok(Contents::File(file(png, Format::Png, folder), Some(element)))
    } else if let Some(raw) = &body.raw {
        Ok(Contents::File(file(raw, Format::Raw, folder), Some(element)))
    } else if let Some(count) = &body.random {
        Ok(Contents::Random(element, sized(count)?, body.seed.as_ref().map_or(0, |s| *s.get_ref())))
    } else if let Some(count) = &body.range {
        Ok(Contents::Range(element, sized(count)?))
    } else if let Some(blank) = &body.blank {
        let [width, height] = *blank.get_ref();
        let bytes = u64::from(width) * u64::from(height);
        match bytes.checked_mul(element.size() as u64) {
            Some(bytes) if bytes <= LIMIT => Ok(Contents::Blank(element, width, height)),
            _ => Err((blank.span(), Problem::TooLarge { name: name.to_owned() })),
        }
    } else if let Some(values) = &body.values {
        let numbers = numbers(values, "values")?;
        let span = values.span();
        let have = numbers.len();
        encode(&numbers, element).map(Contents::Values).map_err(|error| match error {
            Some(error) => (span, Problem::Number(error)),
            None => (span, Problem::Ragged { have, element: element.to_string() }),
        })
    } else {
        let count = body.zeros.as_ref().map(sized).transpose()?;
        Ok(Contents::Zeros(element, count.unwrap_or(0)))
    }
}

/// Numbers as elements; `Err(None)` where they make no whole vectors.
fn encode(
    numbers: &[Number],
    element: Element,
) -> Result<HostData, Option<crate::data::number::NumberError>> {
    let lanes = usize::from(element.lanes);
    if !numbers.len().is_multiple_of(lanes) {
        return Err(None);
    }
    let mut bytes = Vec::new();
    for (index, chunk) in numbers.chunks(lanes).enumerate() {
        for number in chunk {
            number.encode(element.scalar, &mut bytes)?;
        }
        bytes.resize((index + 1) * element.size(), 0);
    }
    Ok(HostData::new(element, bytes))
}

/// A TOML number or list of numbers.
pub(crate) fn numbers(value: &Spanned<toml::Value>, key: &'static str) -> Found<Vec<Number>> {
    plain_numbers(value.get_ref()).ok_or_else(|| (value.span(), Problem::Numbers { key }))
}

/// A TOML number or list of numbers (or of lists: vectors).
pub(crate) fn plain_numbers(value: &toml::Value) -> Option<Vec<Number>> {
    match value {
        toml::Value::Integer(value) => Some(vec![Number::Int { value: i128::from(*value), hex: false }]),
        toml::Value::Float(value) => Some(vec![Number::Float(*value)]),
        toml::Value::Array(list) => {
            let mut all = Vec::new();
            for item in list {
                all.extend(plain_numbers(item)?);
            }
            Some(all)
        }
        _ => None,
    }
}

fn like_cycles(document: &Document, buffers: &[Buffer]) -> Found<()> {
    for (start, row) in document.buffers.values().enumerate() {
        let mut path = vec![start];
        while let Some(Contents::Like(next, _)) = path.last().map(|last| &buffers[*last].contents) {
            let again = path.contains(next);
            path.push(*next);
            if again {
                let names = path.iter().map(|i| buffers[*i].name.clone()).collect();
                return Err((row.span(), Problem::LikeCycle { names }));
            }
        }
    }
    Ok(())
}

pub(crate) fn device(name: &Spanned<String>, folder: &Path) -> Found<Device> {
    Device::of_name(name.get_ref(), folder).ok_or_else(|| {
        let mut valid = Device::ALL.map(|d| d.name().to_owned()).to_vec();
        valid.push("ttasim:MACHINE.adf".to_owned());
        (name.span(), Problem::Word { what: "device", word: name.get_ref().clone(), valid })
    })
}

fn queue(row: &Spanned<QueueRow>, folder: &Path) -> Found<Queue> {
    let body = row.get_ref();
    let given = body.device.as_ref().map(|name| device(name, folder)).transpose()?;
    let device = given.unwrap_or_else(Device::standard);
    let in_order = match &body.order {
        None => true,
        Some(order) => match order.get_ref().as_str() {
            "in-order" => true,
            "out-of-order" => false,
            word => {
                let valid = vec!["in-order".to_owned(), "out-of-order".to_owned()];
                let problem = Problem::Word { what: "order of a queue", word: word.to_owned(), valid };
                return Err((order.span(), problem));
            }
        },
    };
    Ok(Queue { device, in_order })
}

fn output(row: &Spanned<OutputRow>, names: &Names, folder: &Path, line: usize) -> Found<Output> {
    let body = row.get_ref();
    let buffer = find("buffer", &body.buffer, &names.buffers)?;
    exactly_one(
        row.span(),
        "an output",
        "npy, png, raw, print",
        &[
            ("npy", body.npy.is_some()),
            ("png", body.png.is_some()),
            ("raw", body.raw.is_some()),
            ("print", body.print.is_some()),
        ],
    )?;
    if let (Some(size), None) = (&body.size, &body.png) {
        return Err((size.span(), Problem::Misplaced { key: "size", what: "anything but `png`" }));
    }
    let sink = if let Some(print) = &body.print {
        let slice = Slice::parse(&format!("{}[{}]", body.buffer.get_ref(), print.get_ref()))
            .map_err(|_| (print.span(), Problem::Slice { text: print.get_ref().clone() }))?;
        Sink::Print(slice)
    } else {
        let path: PathBuf = [&body.npy, &body.png, &body.raw]
            .into_iter()
            .flatten()
            .map(|name| folder.join(name.get_ref()))
            .collect();
        let picture = body.size.as_ref().map(|s| (s.get_ref()[0], s.get_ref()[1]));
        Sink::File(FileTarget { path, picture })
    };
    Ok(Output { buffer, line, sink })
}

fn expectation(
    row: &Spanned<ExpectationRow>,
    names: &Names,
    folder: &Path,
    line: usize,
) -> Found<Expectation> {
    let body = row.get_ref();
    let buffer = find("buffer", &body.buffer, &names.buffers)?;
    exactly_one(
        row.span(),
        "an expectation",
        "npy, png, raw, values, same, device",
        &[
            ("npy", body.npy.is_some()),
            ("png", body.png.is_some()),
            ("raw", body.raw.is_some()),
            ("values", body.values.is_some()),
            ("same", body.same.is_some()),
            ("device", body.device.is_some()),
        ],
    )?;
    let files = [(&body.npy, Format::Npy), (&body.png, Format::Png), (&body.raw, Format::Raw)];
    let reference = if let Some(values) = &body.values {
        Reference::Value(Value::Numbers(numbers(values, "values")?))
    } else if let Some(same) = &body.same {
        Reference::Buffer(find("buffer", same, &names.buffers)?)
    } else if let Some(name) = &body.device {
        Reference::Device(device(name, folder)?)
    } else {
        let source = files.into_iter().find_map(|(name, format)| Some(file(name.as_ref()?, format, folder)));
        Reference::Value(source.map_or(Value::Zeros(Element::scalar(Scalar::Char), 0), Value::File))
    };
    let share = |value: &Option<Spanned<f64>>, key, to, most: f64| match value {
        None => Ok(0.0),
        Some(v) if (0.0..=most).contains(v.get_ref()) => Ok(*v.get_ref()),
        Some(v) => Err((v.span(), Problem::Share { key, to })),
    };
    let tolerance = share(&body.tolerance, "tolerance", "on", f64::MAX)?;
    let allow = share(&body.allow, "allow", "to 1", 1.0)?;
    Ok(Expectation { buffer, line, reference, tolerance, allow })
}

/// What nothing uses is a mistake, most often a misspelt name elsewhere.
fn unused(
    document: &Document,
    buffers: &[Buffer],
    commands: &[Command],
    outputs: &[Output],
    expectations: &[Expectation],
) -> Found<()> {
    let mut used_buffers: BTreeSet<usize> = outputs.iter().map(|o| o.buffer).collect();
    let mut used_programs = BTreeSet::new();
    used_buffers.extend(expectations.iter().map(|e| e.buffer));
    used_buffers.extend(expectations.iter().filter_map(|e| match e.reference {
        Reference::Buffer(other) => Some(other),
        _ => None,
    }));
    used_buffers.extend(buffers.iter().filter_map(|b| match b.contents {
        Contents::Like(other, _) => Some(other),
        _ => None,
    }));
    for command in commands {
        match &command.action {
            Action::Kernel(launch) => {
                used_programs.insert(launch.program);
                used_buffers.extend(launch.args.iter().filter_map(|(_, argument)| match argument {
                    Argument::Buffer(buffer) => Some(*buffer),
                    Argument::Value(_) => None,
                }));
            }
            Action::Copy { from, to, .. } => used_buffers.extend([*from, *to]),
            Action::Fill { buffer, .. } => {
                used_buffers.insert(*buffer);
            }
            Action::Barrier => {}
        }
    }
    let report = |what, name: &String, span| Err((span, Problem::Unused { what, name: name.clone() }));
    for (index, (name, row)) in document.buffers.iter().enumerate() {
        if !used_buffers.contains(&index) {
            return report("buffer", name, row.span());
        }
    }
    for (index, (name, row)) in document.programs.iter().enumerate() {
        if !used_programs.contains(&index) {
            return report("program", name, row.span());
        }
    }
    for (index, (name, row)) in document.queues.iter().enumerate() {
        if !commands.iter().any(|c| c.queue == index) {
            return report("queue", name, row.span());
        }
    }
    Ok(())
}
