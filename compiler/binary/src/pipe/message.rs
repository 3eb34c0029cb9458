//! The messages. Plain data with an exact encoding: what is decoded encodes to the same bytes.

use crate::known::{KnownArgument, KnownArguments, KnownOf};

use super::wire::{Reader, WireError, Writer};

/// Into how many parts a program's kernels may be divided.
const MOST_SHARES: u32 = 1024;

/// What a server says when it is ready to take jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// Its process.
    pub process: u32,
    /// Names the compiler by its contents: the same code for the same job comes of the same identity only.
    pub identity: [u8; 32],
    /// The files that the identity was made of, so that it can be known again without a server.
    pub files: Vec<Library>,
}

/// A file that is a part of the compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// Its path.
    pub path: String,
    /// Its length in bytes.
    pub length: u64,
    /// When it was last written, in nanoseconds since 1970.
    pub modified: u64,
}

/// A text with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Path or name.
    pub name: String,
    /// Contents.
    pub text: String,
}

/// A module in an intermediate language, with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Il {
    /// Path or name.
    pub name: String,
    /// SPIR-V.
    pub bytes: Vec<u8>,
    /// The constants that are specialised: number, and bytes of the constant's size.
    pub constants: Vec<(u32, Vec<u8>)>,
}

/// What is to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// An executable program, from sources.
    Build = 0,
    /// A compiled object, from one source.
    Compile = 1,
    /// An executable program, from compiled objects and libraries.
    Link = 2,
    /// A library, from compiled objects and libraries.
    Library = 3,
}

/// How much work goes into the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quality {
    /// Complete and correct, made in a small part of the time: something to run until the other is there.
    First = 0,
    /// All that the options ask for.
    #[default]
    Full = 1,
}

/// Which kernels of a program are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kernels {
    /// All.
    All,
    /// Those that fall to this one of several servers, which divide the kernels alike.
    Share {
        /// Which server, from 0.
        index: u32,
        /// Of how many; at least 1.
        of: u32,
    },
    /// One, by its name, and only for the job's local sizes: the function for any size is not made again.
    Specialised(String),
    /// One, by its name, with all that the job asks for of it.
    One(String),
}

/// A piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// What is to be made.
    pub action: Action,
    /// The working directory, which relative paths in options and includes start from; empty: the server's own.
    pub directory: String,
    /// Sources, for [`Action::Build`] and [`Action::Compile`].
    pub sources: Vec<Text>,
    /// Modules of SPIR-V, for the same.
    pub il: Vec<Il>,
    /// Headers that exist in memory only.
    pub headers: Vec<Text>,
    /// Archives to link, for [`Action::Link`] and [`Action::Library`].
    pub inputs: Vec<Vec<u8>>,
    /// Options as OpenCL's functions take them.
    pub options: String,
    /// Make code for `cpu` and `basic`.
    pub cpu: bool,
    /// Make code for `ref`.
    pub reference: bool,
    /// LLVM's names of the CPUs to make code for; empty: the server's machine.
    pub cpus: Vec<String>,
    /// Local sizes to make specialised functions for.
    pub local_sizes: Vec<[u64; 3]>,
    /// Kernels whose functions for local sizes are for arguments of these values as well; a kernel may come several times.
    pub known: Vec<KnownOf>,
    /// The container's version; 0: the compiler's choice.
    pub version: u32,
    /// The kernels that are wanted.
    pub kernels: Kernels,
    /// How much work goes into their code.
    pub quality: Quality,
    /// Work-items at a time for the kernels that can run so; 0: the compiler's choice.
    pub width: u32,
    /// Descriptions of transport-triggered processors to make code for, as texts.
    pub machines: Vec<String>,
}

/// How something on disk looked to the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// A file with contents of this SHA-256.
    File([u8; 32]),
    /// Nothing there.
    Absent,
}

/// Something on disk that a result depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// Its path, as the compiler asked for it.
    pub path: String,
    /// How it looked.
    pub seen: Seen,
}

/// A job that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// The archive.
    pub archive: Vec<u8>,
    /// Warnings, as a compiler shows them.
    pub log: String,
    /// All kernels of the program, in the order of its sources, whether the archive has them or not.
    pub kernels: Vec<String>,
    /// What was read from disk, or looked for in vain.
    pub dependencies: Vec<Dependency>,
    /// Whether the same job would give the same archive at another time.
    pub repeatable: bool,
    /// What the code is: [`Quality::Full`] also where that was not asked for, but is no more work.
    pub quality: Quality,
    /// Processor time that it took, in microseconds.
    pub processor: u64,
}

/// Why a job was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailKind {
    /// The sources are wrong.
    Source = 0,
    /// The options are.
    Options = 1,
    /// The request makes no sense, or an input is no archive that can be linked.
    Request = 2,
    /// The compiler failed.
    Internal = 3,
}

/// A job that was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// Whose fault it is.
    pub kind: FailKind,
    /// What is wrong, in a line.
    pub message: String,
    /// The diagnostics as a compiler shows them.
    pub log: String,
    /// The server cannot go on after this and ends.
    pub last: bool,
}

impl Hello {
    /// The message's bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.u32(self.process);
        out.digest(&self.identity);
        out.list(&self.files, |out, file| {
            out.text(&file.path);
            out.u64(file.length);
            out.u64(file.modified);
        });
        out.done()
    }

    /// Reads the message.
    ///
    /// # Errors
    /// The bytes are another message's, or damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let mut input = Reader::new(bytes);
        let hello = Self {
            process: input.u32("the process")?,
            identity: input.digest("the identity")?,
            files: input.list("the compiler's files", 24, |input| {
                Ok(Library {
                    path: input.text("a path")?,
                    length: input.u64("a length")?,
                    modified: input.u64("a time")?,
                })
            })?,
        };
        input.end()?;
        Ok(hello)
    }
}

fn write_texts(out: &mut Writer, texts: &[Text]) {
    out.list(texts, |out, text| {
        out.text(&text.name);
        out.text(&text.text);
    });
}

fn read_texts(input: &mut Reader<'_>, field: &'static str) -> Result<Vec<Text>, WireError> {
    input.list(field, 16, |input| Ok(Text { name: input.text(field)?, text: input.text(field)? }))
}

impl Job {
    /// The message's bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.u8(self.action as u8);
        out.text(&self.directory);
        write_texts(&mut out, &self.sources);
        out.list(&self.il, |out, il| {
            out.text(&il.name);
            out.blob(&il.bytes);
            out.list(&il.constants, |out, (number, value)| {
                out.u32(*number);
                out.blob(value);
            });
        });
        write_texts(&mut out, &self.headers);
        out.list(&self.inputs, |out, input| out.blob(input));
        out.text(&self.options);
        out.flag(self.cpu);
        out.flag(self.reference);
        out.list(&self.cpus, |out, cpu| out.text(cpu));
        out.list(&self.local_sizes, |out, size| size.iter().for_each(|n| out.u64(*n)));
        out.list(&self.known, |out, known| {
            out.text(&known.kernel);
            out.list(&known.arguments.0, |out, argument| {
                out.u32(argument.index);
                out.u64(argument.value);
            });
        });
        out.u32(self.version);
        match &self.kernels {
            Kernels::All => out.u8(0),
            Kernels::Share { index, of } => {
                out.u8(1);
                out.u32(*index);
                out.u32(*of);
            }
            Kernels::Specialised(name) => {
                out.u8(2);
                out.text(name);
            }
            Kernels::One(name) => {
                out.u8(3);
                out.text(name);
            }
        }
        out.u8(self.quality as u8);
        out.u32(self.width);
        out.list(&self.machines, |out, machine| out.text(machine));
        out.done()
    }

    /// Reads the message.
    ///
    /// # Errors
    /// The bytes are another message's, or damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let mut input = Reader::new(bytes);
        let action = match input.u8("the action")? {
            0 => Action::Build,
            1 => Action::Compile,
            2 => Action::Link,
            3 => Action::Library,
            value => return Err(WireError::Value { field: "the action", value: value.into() }),
        };
        let job = Self {
            action,
            directory: input.text("the directory")?,
            sources: read_texts(&mut input, "the sources")?,
            il: input.list("the modules", 24, |input| {
                Ok(Il {
                    name: input.text("a module")?,
                    bytes: input.blob("a module")?.to_vec(),
                    constants: input.list("the constants", 12, |input| {
                        Ok((input.u32("a constant")?, input.blob("a constant")?.to_vec()))
                    })?,
                })
            })?,
            headers: read_texts(&mut input, "the headers")?,
            inputs: input.list("the inputs", 8, |input| Ok(input.blob("an input")?.to_vec()))?,
            options: input.text("the options")?,
            cpu: input.flag("the devices")?,
            reference: input.flag("the devices")?,
            cpus: input.list("the CPUs", 8, |input| input.text("a CPU"))?,
            local_sizes: input.list("the local sizes", 24, |input| {
                Ok([input.u64("a size")?, input.u64("a size")?, input.u64("a size")?])
            })?,
            known: input.list("the known arguments", 16, |input| {
                let kernel = input.text("a kernel")?;
                let arguments = input.list("the known arguments", 12, |input| {
                    Ok(KnownArgument { index: input.u32("an argument")?, value: input.u64("an argument")? })
                })?;
                Ok(KnownOf { kernel, arguments: KnownArguments(arguments) })
            })?,
            version: input.u32("the version")?,
            kernels: read_kernels(&mut input)?,
            quality: read_quality(&mut input)?,
            width: input.u32("the width")?,
            machines: input.list("the machines", 8, |input| input.text("a machine"))?,
        };
        input.end()?;
        Ok(job)
    }
}

fn read_quality(input: &mut Reader<'_>) -> Result<Quality, WireError> {
    const FIELD: &str = "the quality";
    match input.u8(FIELD)? {
        0 => Ok(Quality::First),
        1 => Ok(Quality::Full),
        value => Err(WireError::Value { field: FIELD, value: value.into() }),
    }
}

fn read_kernels(input: &mut Reader<'_>) -> Result<Kernels, WireError> {
    const FIELD: &str = "the kernels";
    match input.u8(FIELD)? {
        0 => Ok(Kernels::All),
        1 => {
            let (index, of) = (input.u32(FIELD)?, input.u32(FIELD)?);
            if index >= of || of > MOST_SHARES {
                return Err(WireError::Value { field: FIELD, value: index.into() });
            }
            Ok(Kernels::Share { index, of })
        }
        2 => Ok(Kernels::Specialised(input.text(FIELD)?)),
        3 => Ok(Kernels::One(input.text(FIELD)?)),
        value => Err(WireError::Value { field: FIELD, value: value.into() }),
    }
}

impl Done {
    /// The message's bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.blob(&self.archive);
        out.text(&self.log);
        out.list(&self.kernels, |out, kernel| out.text(kernel));
        out.list(&self.dependencies, |out, one| {
            out.text(&one.path);
            match &one.seen {
                Seen::Absent => out.u8(0),
                Seen::File(hash) => {
                    out.u8(1);
                    out.digest(hash);
                }
            }
        });
        out.flag(self.repeatable);
        out.u8(self.quality as u8);
        out.u64(self.processor);
        out.done()
    }

    /// Reads the message.
    ///
    /// # Errors
    /// The bytes are another message's, or damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let mut input = Reader::new(bytes);
        let done = Self {
            archive: input.blob("the archive")?.to_vec(),
            log: input.text("the log")?,
            kernels: input.list("the kernels", 8, |input| input.text("a kernel"))?,
            dependencies: input.list("the dependencies", 9, |input| {
                let path = input.text("a path")?;
                let seen = match input.u8("a dependency")? {
                    0 => Seen::Absent,
                    1 => Seen::File(input.digest("a dependency")?),
                    value => return Err(WireError::Value { field: "a dependency", value: value.into() }),
                };
                Ok(Dependency { path, seen })
            })?,
            repeatable: input.flag("whether it is repeatable")?,
            quality: read_quality(&mut input)?,
            processor: input.u64("the processor time")?,
        };
        input.end()?;
        Ok(done)
    }
}

impl Failed {
    /// The message's bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.u8(self.kind as u8);
        out.text(&self.message);
        out.text(&self.log);
        out.flag(self.last);
        out.done()
    }

    /// Reads the message.
    ///
    /// # Errors
    /// The bytes are another message's, or damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let mut input = Reader::new(bytes);
        let kind = match input.u8("the kind")? {
            0 => FailKind::Source,
            1 => FailKind::Options,
            2 => FailKind::Request,
            3 => FailKind::Internal,
            value => return Err(WireError::Value { field: "the kind", value: value.into() }),
        };
        let failed = Self {
            kind,
            message: input.text("the message")?,
            log: input.text("the log")?,
            last: input.flag("whether it is the last")?,
        };
        input.end()?;
        Ok(failed)
    }
}
