//! Programs and kernels: archives with their facts, and what the devices' drivers make of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use oxcl_binary::archive::{self, Archive, BinaryType, ReadError};
use oxcl_binary::meta::{KernelMeta, MetaError, PROGRAM_MODULE_PATH, ProgramMeta};
use oxcl_binary::unit::machine_ending;
use oxcl_driver::program::{Binary, Program as DriverProgram};
use oxcl_driver::{Driver, DriverError, lock};

use crate::device::DeviceInfo;
use crate::error::{Coded, ErrorCode};
use crate::improve::Improving;
use crate::regroup::Pace;
pub(crate) use better::Begun;
use better::Better;

mod better;

/// An executable program. Clones share it.
#[derive(Debug, Clone)]
pub struct Program {
    inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    binary: Arc<Binary>,
    /// The programs that drivers made of it, by their keys.
    programs: Mutex<BTreeMap<String, Arc<dyn DriverProgram>>>,
    /// How better functions are made, if they are.
    improving: OnceLock<Improving>,
    /// What of each kernel was made later, and what its launches take.
    better: Mutex<Vec<Better>>,
    /// How long each kernel's work-items take.
    paces: Vec<Arc<Pace>>,
}

/// A kernel of a program. Clones share it.
#[derive(Debug, Clone)]
pub struct Kernel {
    program: Program,
    index: usize,
}

/// An archive is no program, or has no such kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The bytes are no archive.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The archive's facts cannot be used.
    #[error("the archive's facts cannot be used: {0}")]
    Meta(#[from] MetaError),
    /// The archive is an object or a library.
    #[error("the archive holds {what}, not an executable program: link it first")]
    NotExecutable {
        /// What it holds.
        what: &'static str,
    },
    /// The program has no kernel of that name.
    #[error("the program has no kernel '{kernel}'; it has {}", list(known))]
    NoKernel {
        /// The name asked for.
        kernel: String,
        /// The kernels that it has.
        known: Vec<String>,
    },
    /// A kernel was not compiled for the device's machine.
    #[error("kernel '{kernel}' has no code for the machine {machine}, which the device is")]
    OtherMachine {
        /// The kernel.
        kernel: String,
        /// The digest of the device's machine.
        machine: String,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

impl Coded for LoadError {
    fn code(&self) -> ErrorCode {
        ErrorCode(match self {
            Self::Read(_) => "OX0601",
            Self::Meta(_) => "OX0602",
            Self::NotExecutable { .. } => "OX0603",
            Self::NoKernel { .. } => "OX0604",
            Self::OtherMachine { .. } => "OX0605",
        })
    }
}

/// What an archive holds: a program, or something to link.
///
/// # Errors
/// The bytes are no archive.
pub fn binary_type(bytes: &[u8]) -> Result<BinaryType, LoadError> {
    Ok(Archive::read(bytes)?.binary_type)
}

/// Whether an archive is an executable program with what better code of it can be made of, without its sources.
#[must_use]
pub fn has_module(bytes: &[u8]) -> bool {
    Archive::read(bytes).is_ok_and(|archive| {
        archive.binary_type == BinaryType::Executable && archive.file(PROGRAM_MODULE_PATH).is_some()
    })
}

/// What an archive holds for a device: a program, or something to link.
///
/// # Errors
/// The bytes are no archive, or the device is a simulated processor and a kernel has no code for its machine.
pub fn binary_type_for(bytes: &[u8], device: &DeviceInfo) -> Result<BinaryType, LoadError> {
    let archive = Archive::read(bytes)?;
    if let (BinaryType::Executable, Some(machine)) = (archive.binary_type, &device.machine) {
        let ending = machine_ending(&machine.digest);
        let has_code =
            |kernel: &archive::Kernel| kernel.files.iter().any(|file| file.path.ends_with(&ending));
        if let Some(kernel) = archive.kernels.iter().find(|kernel| !has_code(kernel)) {
            let (kernel, machine) = (kernel.name.clone(), machine.digest.clone());
            return Err(LoadError::OtherMachine { kernel, machine });
        }
    }
    Ok(archive.binary_type)
}

impl Program {
    /// Reads a program from an archive's bytes.
    ///
    /// # Errors
    /// The bytes are no archive, its facts are broken, or it is no executable program.
    pub fn from_archive(bytes: &[u8]) -> Result<Self, LoadError> {
        Self::from_parsed(Archive::read(bytes)?)
    }

    /// Makes a program of an archive that was read already.
    ///
    /// # Errors
    /// Its facts are broken, or it is no executable program.
    pub fn from_parsed(archive: Archive) -> Result<Self, LoadError> {
        match archive.binary_type {
            BinaryType::Executable => {}
            BinaryType::CompiledObject => {
                return Err(LoadError::NotExecutable { what: "a compiled object" });
            }
            BinaryType::Library => return Err(LoadError::NotExecutable { what: "a library" }),
        }
        let binary = Arc::new(Binary::new(archive)?);
        let better = binary.archive().kernels.iter().map(|_| Better::default()).collect();
        let paces = binary.archive().kernels.iter().map(|_| Arc::default()).collect();
        Ok(Self {
            inner: Arc::new(Inner {
                binary,
                programs: Mutex::default(),
                improving: OnceLock::new(),
                better: Mutex::new(better),
                paces,
            }),
        })
    }

    /// The archive.
    #[must_use]
    pub fn archive(&self) -> &Archive {
        self.inner.binary.archive()
    }

    /// The compiler's facts about the program; absent where another compiler made it.
    #[must_use]
    pub fn meta(&self) -> Option<&ProgramMeta> {
        self.inner.binary.meta()
    }

    /// The names of the kernels, in the archive's order.
    pub fn kernel_names(&self) -> impl Iterator<Item = &str> {
        self.archive().kernels.iter().map(|kernel| kernel.name.as_str())
    }

    /// The kernel of this name.
    ///
    /// # Errors
    /// The program has none; the error lists those that it has.
    pub fn kernel(&self, name: &str) -> Result<Kernel, LoadError> {
        let index = self.inner.binary.position(name);
        let index = index.ok_or_else(|| LoadError::NoKernel {
            kernel: name.to_owned(),
            known: self.kernel_names().map(str::to_owned).collect(),
        })?;
        self.inner.look_for_kernel(index);
        Ok(Kernel { program: self.clone(), index })
    }

    /// Bytes of variables at program scope.
    #[must_use]
    pub fn variable_bytes(&self) -> u64 {
        self.meta().and_then(|meta| meta.variables.as_ref()).map_or(0, |variables| variables.bytes)
    }

    /// The program that a driver, or another with its key, has made of this one; the first time it is made.
    pub(crate) fn on(&self, driver: &dyn Driver) -> Result<Arc<dyn DriverProgram>, DriverError> {
        let mut known = lock(&self.inner.programs);
        if let Some(program) = known.get(driver.program_key()) {
            return Ok(Arc::clone(program));
        }
        let program = driver.build_binary(&self.inner.binary)?;
        known.insert(driver.program_key().to_owned(), Arc::clone(&program));
        drop(known);
        // After it is known: what comes meanwhile is given to it as well.
        self.inner.bring_up_to_date(program.as_ref());
        Ok(program)
    }

    /// Whether a launch may have a local size that does not divide the global size, by the language version and the
    /// build options. Where another compiler made the archive nobody knows, and the stricter rule holds.
    pub(crate) fn allows_non_uniform(&self) -> bool {
        self.meta().is_some_and(|meta| !meta.uniform_work_group_size && is_version_2(&meta.cl_std))
    }
}

/// Whether `-cl-std=<text>` is OpenCL C 2.0 or later.
fn is_version_2(text: &str) -> bool {
    let text = text.to_ascii_uppercase();
    if let Some(version) = text.strip_prefix("CLC++") {
        // C++ for OpenCL builds on OpenCL C 2.0.
        return version.is_empty() || version.starts_with(|first: char| first.is_ascii_digit());
    }
    let version = text.strip_prefix("CL").unwrap_or(&text);
    version.split('.').next().and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major >= 2)
}

impl Kernel {
    /// The kernel's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.record().name
    }

    /// What the archive says about the kernel: parameters, automatic locals, attributes.
    #[must_use]
    pub fn record(&self) -> &archive::Kernel {
        &self.program.archive().kernels[self.index]
    }

    /// The compiler's facts about the kernel; absent where another compiler made it.
    #[must_use]
    pub fn meta(&self) -> Option<&KernelMeta> {
        self.program.inner.binary.kernel_meta(self.index)
    }

    /// How long its work-items take.
    pub(crate) fn pace(&self) -> &Arc<Pace> {
        &self.program.inner.paces[self.index]
    }

    /// The size of its sub-groups, on 32-bit devices or others; `None` where another compiler made it.
    #[must_use]
    pub fn sub_group_size(&self, narrow: bool) -> Option<u32> {
        let facts = self.meta()?;
        let size = if narrow { facts.narrow_sub_group_size } else { facts.sub_group_size };
        Some(size).filter(|size| *size != 0)
    }

    /// The size of sub-groups that the source requires; 0: none.
    #[must_use]
    pub fn required_sub_group_size(&self) -> u32 {
        self.meta().map_or(0, |facts| facts.required_sub_group_size)
    }

    /// The program that it belongs to.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Its position in the archive.
    pub(crate) fn index(&self) -> usize {
        self.index
    }
}

#[cfg(test)]
mod tests {
    use super::is_version_2;

    #[test]
    fn language_versions() {
        for text in ["CL2.0", "CL3.0", "CL3.1", "cl2.0", "CLC++", "clc++2021", "CLC++1.0"] {
            assert!(is_version_2(text), "{text}");
        }
        for text in ["", "CL", "CL1.0", "CL1.1", "CL1.2", "cl1.2", "CLX"] {
            assert!(!is_version_2(text), "{text}");
        }
    }
}
