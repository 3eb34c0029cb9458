//! Descriptions of machines in files, and what devices of them would be.

use crate::device::{capabilities, next_space};
use crate::map::{MapError, plan};
use oxcl_binary::unit::digest_text;
use oxcl_driver::Capabilities;
use oxcl_tta::adf::{self, AdfError};
use oxcl_tta::image::digest;
use oxcl_tta::model::Machine;
use std::path::{Path, PathBuf};

/// Why a file describes no machine.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// It is no description that is understood.
    #[error("{0}")]
    Adf(#[from] AdfError),
}

/// A machine with the file that describes it.
#[derive(Debug, Clone)]
pub struct MachineFile {
    /// Where it was read from.
    pub path: PathBuf,
    /// What the file holds.
    pub text: String,
    /// The machine.
    pub machine: Machine,
}

impl MachineFile {
    /// Reads a description.
    ///
    /// # Errors
    /// The file cannot be read, or is malformed.
    pub fn read(path: &Path) -> Result<Self, MachineError> {
        let text = std::fs::read_to_string(path)?;
        let machine = adf::read(&text)?.machine;
        Ok(Self { path: path.to_owned(), text, machine })
    }

    /// The machine's name: that of the file, without its ending.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The digest by which code names the machine.
    #[must_use]
    pub fn digest(&self) -> String {
        digest_text(&digest(&self.machine))
    }

    /// What a device of this machine alone would be.
    ///
    /// # Errors
    /// It cannot be a device.
    pub fn describe(&self) -> Result<Capabilities, MapError> {
        let (plans, buffers) = plan(std::slice::from_ref(&self.machine))?;
        let only = plans.first().ok_or(MapError::Machine("it has no memory"))?;
        Ok(capabilities(&self.name(), only, buffers, next_space()))
    }
}
