//! A workload with every name resolved: what `resolve` makes of a file and `execute` runs. Only sizes and types that
//! depend on data files or on kernels are still open.

use crate::data::element::Element;
use crate::data::file::{DataError, FileSource, FileTarget};
use crate::data::generate;
use crate::data::show::Slice;
use crate::data::{Extent, HostData};
use crate::device::Device;
use crate::value::Value;
use std::path::PathBuf;

/// The whole workload.
#[derive(Debug)]
pub struct Plan {
    /// Its file.
    pub path: PathBuf,
    /// What the table at the end calls it.
    pub title: String,
    /// Its programs.
    pub programs: Vec<Program>,
    /// Its buffers.
    pub buffers: Vec<Buffer>,
    /// Its queues.
    pub queues: Vec<Queue>,
    /// Its commands, in file order.
    pub commands: Vec<Command>,
    /// An order in which they can be enqueued.
    pub order: Vec<usize>,
    /// What is saved or printed.
    pub outputs: Vec<Output>,
    /// What is compared.
    pub expectations: Vec<Expectation>,
}

/// A program.
#[derive(Debug)]
pub struct Program {
    /// Its name in the file.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// It is OpenCL C, and these are its build options; `None`: a pocl-binary.
    pub options: Option<String>,
}

/// A buffer.
#[derive(Debug)]
pub struct Buffer {
    /// Its name in the file.
    pub name: String,
    /// Its line, for messages about its data.
    pub line: usize,
    /// What it holds at first.
    pub contents: Contents,
}

/// Initial contents.
#[derive(Debug)]
pub enum Contents {
    /// A file, as elements of this type where it is given.
    File(FileSource, Option<Element>),
    /// Random elements and the seed.
    Random(Element, usize, u64),
    /// 0, 1, 2, ...
    Range(Element, usize),
    /// Zeros.
    Zeros(Element, usize),
    /// Zeros that are the pixels of a picture, so wide and high.
    Blank(Element, u32, u32),
    /// What the file says.
    Values(HostData),
    /// Zeros like another buffer, perhaps of another type.
    Like(usize, Option<Element>),
}

/// What a buffer holds at first.
#[derive(Debug)]
pub enum First {
    /// It has been read or made.
    Loaded(HostData),
    /// Somebody else has it.
    Given(Extent),
}

impl First {
    /// What it is.
    #[must_use]
    pub fn extent(&self) -> Extent {
        match self {
            Self::Loaded(data) => data.extent(),
            Self::Given(extent) => *extent,
        }
    }
}

/// A command queue.
#[derive(Debug)]
pub struct Queue {
    /// Its device.
    pub device: Device,
    /// Commands are complete in file order.
    pub in_order: bool,
}

/// A command.
#[derive(Debug)]
pub struct Command {
    /// What `after` calls it.
    pub name: String,
    /// Its line.
    pub line: usize,
    /// Its queue.
    pub queue: usize,
    /// Commands that it waits for.
    pub after: Vec<usize>,
    /// What it does.
    pub action: Action,
}

/// What a command does.
#[derive(Debug)]
#[expect(missing_docs, reason = "the line above a variant says what it is about")]
pub enum Action {
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
pub struct Launch {
    /// The program.
    pub program: usize,
    /// The kernel's name.
    pub kernel: String,
    /// Global size, one number for each dimension.
    pub global: Vec<u64>,
    /// Local size; `None`: the runtime's choice.
    pub local: Option<Vec<u64>>,
    /// Global offset.
    pub offset: Option<Vec<u64>>,
    /// Arguments by the parameters' names, sorted by name.
    pub args: Vec<(String, Argument)>,
    /// Formula for the bytes moved.
    pub bytes: Option<String>,
    /// Formula for the floating-point operations.
    pub flops: Option<String>,
}

/// An argument.
#[derive(Debug)]
pub enum Argument {
    /// A buffer.
    Buffer(usize),
    /// A value or a local size.
    Value(Value),
}

/// Something to save or print.
#[derive(Debug)]
pub struct Output {
    /// The buffer.
    pub buffer: usize,
    /// Its line.
    pub line: usize,
    /// What becomes of it.
    pub sink: Sink,
}

/// What becomes of an output.
#[derive(Debug)]
pub enum Sink {
    /// It is saved.
    File(FileTarget),
    /// A part of it is printed.
    Print(Slice),
}

/// Something to compare.
#[derive(Debug)]
pub struct Expectation {
    /// The buffer.
    pub buffer: usize,
    /// Its line.
    pub line: usize,
    /// What it should be like.
    pub reference: Reference,
    /// `|got - want| <= tolerance * max(1, |want|)`.
    pub tolerance: f64,
    /// The share of lanes that may disagree.
    pub allow: f64,
}

/// What a buffer should be like.
#[derive(Debug)]
pub enum Reference {
    /// A file or numbers.
    Value(Value),
    /// Another buffer.
    Buffer(usize),
    /// The same buffer after a run with every queue on this device.
    Device(Device),
}

impl Plan {
    /// Reads or makes the initial contents of every buffer, but for those that somebody else has: of these, `given` says what
    /// they are.
    ///
    /// # Errors
    /// A file cannot be used; with the buffer's line.
    pub fn load(&self, given: &[Option<Extent>]) -> Result<Vec<First>, (usize, DataError)> {
        let of = |index: usize| given.get(index).copied().flatten().map(First::Given);
        let mut loaded: Vec<Option<First>> = (0..self.buffers.len()).map(of).collect();
        for index in 0..self.buffers.len() {
            self.load_one(index, &mut loaded)?;
        }
        Ok(loaded.into_iter().flatten().collect())
    }

    /// The type that the file gives a buffer's elements; none where a file of data has it.
    #[must_use]
    pub fn element(&self, buffer: usize) -> Option<Element> {
        match &self.buffers[buffer].contents {
            Contents::File(source, element) => element.or(source.element),
            Contents::Random(element, ..)
            | Contents::Range(element, _)
            | Contents::Zeros(element, _)
            | Contents::Blank(element, ..) => Some(*element),
            Contents::Values(data) => Some(data.element),
            Contents::Like(other, element) => element.or_else(|| self.element(*other)),
        }
    }

    fn load_one(&self, index: usize, loaded: &mut [Option<First>]) -> Result<(), (usize, DataError)> {
        if loaded[index].is_some() {
            return Ok(());
        }
        let buffer = &self.buffers[index];
        let data = match &buffer.contents {
            Contents::File(source, element) => source.load(*element).map_err(|e| (buffer.line, e))?,
            Contents::Random(element, count, seed) => generate::random(*element, *count, *seed),
            Contents::Range(element, count) => generate::range(*element, *count),
            Contents::Zeros(element, count) => generate::zeros(*element, *count),
            Contents::Blank(element, width, height) => generate::blank(*element, *width, *height),
            Contents::Values(data) => data.clone(),
            Contents::Like(other, element) => {
                // `resolve` has refused buffers that are like one another.
                self.load_one(*other, loaded)?;
                let Some(model) = loaded[*other].as_ref().map(First::extent) else { return Ok(()) };
                let mut data = generate::zeros(element.unwrap_or(model.element), model.count());
                data.picture = model.picture;
                data
            }
        };
        loaded[index] = Some(First::Loaded(data));
        Ok(())
    }
}
