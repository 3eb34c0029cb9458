//! A workload with every name resolved: what `resolve` makes of a file and `execute` runs. Only sizes and types that
//! depend on data files or on kernels are still open.

use crate::data::HostData;
use crate::data::element::Element;
use crate::data::file::{DataError, FileSource, FileTarget};
use crate::data::generate;
use crate::data::show::Slice;
use crate::device::Device;
use crate::value::Value;
use std::path::PathBuf;

/// The whole workload.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Its file.
    pub(crate) path: PathBuf,
    /// What the table at the end calls it.
    pub(crate) title: String,
    /// Its programs.
    pub(crate) programs: Vec<Program>,
    /// Its buffers.
    pub(crate) buffers: Vec<Buffer>,
    /// Its queues.
    pub(crate) queues: Vec<Queue>,
    /// Its commands, in file order.
    pub(crate) commands: Vec<Command>,
    /// An order in which they can be enqueued.
    pub(crate) order: Vec<usize>,
    /// What is saved or printed.
    pub(crate) outputs: Vec<Output>,
    /// What is compared.
    pub(crate) expectations: Vec<Expectation>,
}

/// A program.
#[derive(Debug)]
pub(crate) struct Program {
    /// Its name in the file.
    pub(crate) name: String,
    /// Where it is.
    pub(crate) path: PathBuf,
    /// It is OpenCL C, and these are its build options; `None`: a pocl-binary.
    pub(crate) options: Option<String>,
}

/// A buffer.
#[derive(Debug)]
pub(crate) struct Buffer {
    /// Its name in the file.
    pub(crate) name: String,
    /// Its line, for messages about its data.
    pub(crate) line: usize,
    /// What it holds at first.
    pub(crate) contents: Contents,
}

/// Initial contents.
#[derive(Debug)]
pub(crate) enum Contents {
    /// A file, as elements of this type where it is given.
    File(FileSource, Option<Element>),
    /// Random elements and the seed.
    Random(Element, usize, u64),
    /// 0, 1, 2, ...
    Range(Element, usize),
    /// Zeros.
    Zeros(Element, usize),
    /// What the file says.
    Values(HostData),
    /// Zeros like another buffer, perhaps of another type.
    Like(usize, Option<Element>),
}

/// A command queue.
#[derive(Debug)]
pub(crate) struct Queue {
    /// Its device.
    pub(crate) device: Device,
    /// Commands are complete in file order.
    pub(crate) in_order: bool,
}

/// A command.
#[derive(Debug)]
pub(crate) struct Command {
    /// What `after` calls it.
    pub(crate) name: String,
    /// Its line.
    pub(crate) line: usize,
    /// Its queue.
    pub(crate) queue: usize,
    /// Commands that it waits for.
    pub(crate) after: Vec<usize>,
    /// What it does.
    pub(crate) action: Action,
}

/// What a command does.
#[derive(Debug)]
pub(crate) enum Action {
    /// Launches a kernel.
    Kernel(Launch),
    /// Copies elements.
    Copy { from: usize, to: usize, from_offset: u64, to_offset: u64, count: Option<u64> },
    /// Fills with one element, which gets its type from the buffer.
    Fill { buffer: usize, value: Value, offset: u64, count: Option<u64> },
    /// Waits for everything before it in its queue.
    Barrier,
}

/// A kernel launch.
#[derive(Debug)]
pub(crate) struct Launch {
    /// The program.
    pub(crate) program: usize,
    /// The kernel's name.
    pub(crate) kernel: String,
    /// Global size, one number for each dimension.
    pub(crate) global: Vec<u64>,
    /// Local size; `None`: the runtime's choice.
    pub(crate) local: Option<Vec<u64>>,
    /// Global offset.
    pub(crate) offset: Option<Vec<u64>>,
    /// Arguments by the parameters' names, sorted by name.
    pub(crate) args: Vec<(String, Argument)>,
    /// Formula for the bytes moved.
    pub(crate) bytes: Option<String>,
    /// Formula for the floating-point operations.
    pub(crate) flops: Option<String>,
}

/// An argument.
#[derive(Debug)]
pub(crate) enum Argument {
    /// A buffer.
    Buffer(usize),
    /// A value or a local size.
    Value(Value),
}

/// Something to save or print.
#[derive(Debug)]
pub(crate) struct Output {
    /// The buffer.
    pub(crate) buffer: usize,
    /// Its line.
    pub(crate) line: usize,
    /// What becomes of it.
    pub(crate) sink: Sink,
}

/// What becomes of an output.
#[derive(Debug)]
pub(crate) enum Sink {
    /// It is saved.
    File(FileTarget),
    /// A part of it is printed.
    Print(Slice),
}

/// Something to compare.
#[derive(Debug)]
pub(crate) struct Expectation {
    /// The buffer.
    pub(crate) buffer: usize,
    /// Its line.
    pub(crate) line: usize,
    /// What it should be like.
    pub(crate) reference: Reference,
    /// `|got - want| <= tolerance * max(1, |want|)`.
    pub(crate) tolerance: f64,
    /// The share of lanes that may disagree.
    pub(crate) allow: f64,
}

/// What a buffer should be like.
#[derive(Debug)]
pub(crate) enum Reference {
    /// A file or numbers.
    Value(Value),
    /// Another buffer.
    Buffer(usize),
    /// The same buffer after a run with every queue on this device.
    Device(Device),
}

impl Plan {
    /// Reads or makes the initial contents of every buffer.
    pub(crate) fn load(&self) -> Result<Vec<HostData>, (usize, DataError)> {
        let mut loaded: Vec<Option<HostData>> = vec![None; self.buffers.len()];
        for index in 0..self.buffers.len() {
            self.load_one(index, &mut loaded)?;
        }
        Ok(loaded.into_iter().flatten().collect())
    }

    fn load_one(&self, index: usize, loaded: &mut [Option<HostData>]) -> Result<(), (usize, DataError)> {
        if loaded[index].is_some() {
            return Ok(());
        }
        let buffer = &self.buffers[index];
        let data = match &buffer.contents {
            Contents::File(source, element) => source.load(*element).map_err(|e| (buffer.line, e))?,
            Contents::Random(element, count, seed) => generate::random(*element, *count, *seed),
            Contents::Range(element, count) => generate::range(*element, *count),
            Contents::Zeros(element, count) => generate::zeros(*element, *count),
            Contents::Values(data) => data.clone(),
            Contents::Like(other, element) => {
                // `resolve` has refused buffers that are like one another.
                self.load_one(*other, loaded)?;
                let Some(model) = &loaded[*other] else { return Ok(()) };
                let mut data = generate::zeros(element.unwrap_or(model.element), model.len());
                data.picture = model.picture;
                data
            }
        };
        loaded[index] = Some(data);
        Ok(())
    }
}
