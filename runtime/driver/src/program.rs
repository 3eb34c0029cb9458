//! Programs, kernels and launches as drivers hold them.
//!
//! The way of a launch: the runtime reads an archive once ([`Binary`]), each driver makes a [`Program`] of it, and a
//! [`LaunchRequest`] names a kernel of that program, an index space and arguments that were checked. What comes of it is
//! work for the scheduler ([`crate::Launch`]), whatever the device.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use oxcl_binary::archive::{self, Archive};
use oxcl_binary::known::{KnownArgument, KnownArguments};
use oxcl_binary::meta::{KernelMeta, MetaError, ProgramMeta};

use crate::code::CodeError;
use crate::error::DriverError;
use crate::geometry::Geometry;
use crate::image::{ImageDescription, SamplerDescription};
use crate::memory::Allocation;
use crate::watch::Watch;

/// A pocl-binary with the compiler's facts, as far as they are known.
#[derive(Debug)]
pub struct Binary {
    archive: Archive,
    meta: Option<ProgramMeta>,
    kernels: Vec<Option<KernelMeta>>,
}

impl Binary {
    /// An archive that was read.
    ///
    /// # Errors
    /// Its facts are broken.
    pub fn new(archive: Archive) -> Result<Binary, MetaError> {
        let meta = archive.program_meta()?;
        let kernels = match meta {
            Some(_) => archive.kernels.iter().map(archive::Kernel::meta).collect::<Result<_, _>>()?,
            None => vec![None; archive.kernels.len()],
        };
        Ok(Binary { archive, meta, kernels })
    }

    /// The archive.
    #[must_use]
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// The facts about the program; absent where another compiler made it.
    #[must_use]
    pub fn meta(&self) -> Option<&ProgramMeta> {
        self.meta.as_ref()
    }

    /// The facts about a kernel, by its position in the archive; absent where another compiler made it.
    #[must_use]
    pub fn kernel_meta(&self, kernel: usize) -> Option<&KernelMeta> {
        self.kernels.get(kernel).and_then(Option::as_ref)
    }

    /// The position of the kernel of this name.
    #[must_use]
    pub fn position(&self, kernel: &str) -> Option<usize> {
        self.archive.kernels.iter().position(|record| record.name == kernel)
    }
}

/// A program built for a device: the driver's own object. Kernels go by their position in the binary.
pub trait Program: Send + Sync + fmt::Debug {
    /// The names of its kernels, in the binary's order.
    fn kernels(&self) -> Vec<String>;

    /// Bytes of variables at program scope.
    fn program_scope_bytes(&self) -> u64 {
        0
    }

    /// Whether better code can take the place of a kernel's while the program lives ([`Program::replace_kernel`],
    /// [`Program::add_function`]). If so, [`LaunchRequest::watch`] is told what launches take.
    fn takes_better_code(&self) -> bool {
        false
    }

    /// Takes the code of a kernel from a binary that was made of the same program later, where it has the kernel under
    /// another position. Launches that were prepared may take it between work-groups, once their watch says that there is
    /// something better.
    ///
    /// # Errors
    /// The code cannot be used; nothing has changed then.
    fn replace_kernel(
        &self,
        _kernel: usize,
        _later: &Arc<Binary>,
        _position: usize,
    ) -> Result<(), DriverError> {
        Err(CodeError::Fixed.into())
    }

    /// Takes the function of a kernel for a local size and known arguments from a binary that was made of the same program later.
    /// Launches that were prepared may take it as with [`Program::replace_kernel`].
    ///
    /// # Errors
    /// The code cannot be used; nothing has changed then.
    fn add_function(&self, _kernel: usize, _shape: &LaunchShape, _later: &Binary) -> Result<(), DriverError> {
        Err(CodeError::Fixed.into())
    }

    /// Whether there is a function of a kernel for this local size and these arguments, and for no others.
    fn is_specialised_for(&self, _kernel: usize, _shape: &LaunchShape) -> bool {
        false
    }

    /// The driver gets its own type back through this.
    fn as_any(&self) -> &dyn Any;
}

/// What functions are made for, of a launch: few launches of a kernel differ in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LaunchShape {
    /// The local size.
    pub local: [u64; 3],
    /// Formats of images and bits of samplers.
    pub known: KnownArguments,
}

impl LaunchShape {
    /// The shape of a launch with these arguments.
    pub fn of<M, V>(local: [u64; 3], arguments: &[ArgValue<M, V>]) -> Self {
        let numbered = (0_u32..).zip(arguments);
        let known = numbered.filter_map(|(index, argument)| {
            let value = match argument {
                ArgValue::Image(_, description) => description.known_value()?,
                ArgValue::Sampler(sampler) => u64::from_le_bytes(sampler.bits()),
                ArgValue::Buffer(_)
                | ArgValue::Null
                | ArgValue::Pointer(_)
                | ArgValue::Local(_)
                | ArgValue::Value(_) => return None,
            };
            Some(KnownArgument { index, value })
        });
        Self { local, known: KnownArguments(known.collect()) }
    }
}

/// One argument of a launch. `M` is how memory is named where the argument is: a buffer for the runtime's callers, an
/// allocation for drivers. `V` holds a value's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgValue<M, V> {
    /// Memory, for a `global` or `constant` pointer.
    Buffer(M),
    /// The null pointer, for a `global` or `constant` pointer.
    Null,
    /// An address, for a `global` or `constant` pointer: of shared memory, or of memory of the host program, for which the
    /// kernel's promises are the program's. Only for devices in the host's address space.
    Pointer(u64),
    /// This many bytes of local memory for each work-group, for a `local` pointer.
    Local(u64),
    /// The bytes of a scalar, vector or structure.
    Value(V),
    /// An image, which begins where the memory does.
    Image(M, ImageDescription),
    /// A sampler.
    Sampler(SamplerDescription),
}

impl<M, V> ArgValue<M, V> {
    /// The memory of a buffer or an image.
    pub fn memory(&self) -> Option<&M> {
        match self {
            ArgValue::Buffer(memory) | ArgValue::Image(memory, _) => Some(memory),
            ArgValue::Null
            | ArgValue::Pointer(_)
            | ArgValue::Local(_)
            | ArgValue::Value(_)
            | ArgValue::Sampler(_) => None,
        }
    }
}

impl<M, V: AsRef<[u8]>> ArgValue<M, V> {
    /// The same argument with its memory named in another way.
    ///
    /// # Errors
    /// Those of `name`.
    pub fn rename<N, E>(&self, name: impl FnOnce(&M) -> Result<N, E>) -> Result<ArgValue<N, &[u8]>, E> {
        Ok(match self {
            ArgValue::Buffer(memory) => ArgValue::Buffer(name(memory)?),
            ArgValue::Null => ArgValue::Null,
            ArgValue::Pointer(address) => ArgValue::Pointer(*address),
            ArgValue::Local(bytes) => ArgValue::Local(*bytes),
            ArgValue::Value(bytes) => ArgValue::Value(bytes.as_ref()),
            ArgValue::Image(memory, description) => ArgValue::Image(name(memory)?, *description),
            ArgValue::Sampler(sampler) => ArgValue::Sampler(*sampler),
        })
    }
}

impl<M: Clone, V: AsRef<[u8]>> ArgValue<M, V> {
    /// A copy that borrows nothing, for launches that need their arguments when they run.
    #[must_use]
    pub fn kept(&self) -> ArgValue<M, Box<[u8]>> {
        match self {
            ArgValue::Buffer(memory) => ArgValue::Buffer(memory.clone()),
            ArgValue::Null => ArgValue::Null,
            ArgValue::Pointer(address) => ArgValue::Pointer(*address),
            ArgValue::Local(bytes) => ArgValue::Local(*bytes),
            ArgValue::Value(bytes) => ArgValue::Value(bytes.as_ref().into()),
            ArgValue::Image(memory, description) => ArgValue::Image(memory.clone(), *description),
            ArgValue::Sampler(sampler) => ArgValue::Sampler(*sampler),
        }
    }
}

/// Memory that an argument points to.
#[derive(Debug, Clone)]
pub struct ArgMemory {
    /// The allocation, on this device or, for devices in the host's address space, in the host's memory.
    pub allocation: Arc<Allocation>,
    /// Where the argument points to in it.
    pub offset: u64,
    /// Whether the kernel may write there.
    pub writes: bool,
}

/// An argument as drivers get it.
pub type LaunchArg<'a> = ArgValue<ArgMemory, &'a [u8]>;

/// A kernel launch to prepare. Everything in it was checked against the kernel's parameters and the device's capabilities.
#[derive(Debug, Clone)]
pub struct LaunchRequest<'a> {
    /// The program, which a driver with the same [`crate::Driver::program_key`] has made.
    pub program: &'a Arc<dyn Program>,
    /// The kernel, by its position in the binary.
    pub kernel: usize,
    /// The index space.
    pub geometry: Geometry,
    /// The arguments, in order. Their memory is not freed before the last command that executes the launch has ended.
    pub args: &'a [LaunchArg<'a>],
    /// What is to know how long the launch's executions take. Only for programs that take better code.
    pub watch: Option<Arc<Watch>>,
}
