//! Which transport-triggered processors a file test runs on.
//!
//! All of [`MACHINES`] where `OXCL_TTA_MACHINES` is `all`; else one, chosen by the file's name, so that every run of the tests takes
//! the same one and each machine gets its share of the files. The random kernels and `oxcl bench fuzz-tta` have further ones.

use oxcl_tta::adf;
use oxcl_tta::model::Machine;
use std::path::Path;

/// The machines that run file tests, from `compiler/tta/machines`: five registers and the least operations; one bus; three
/// buses; wide with floating point; poor connectivity; four memories.
pub const MACHINES: [&str; 6] = ["tiny", "one_bus", "three_bus", "wide_float", "sparse", "split"];

/// Says which machines to take: `all`, or names with commas between them.
const VARIABLE: &str = "OXCL_TTA_MACHINES";

/// How many machines a file runs on where nobody says otherwise.
const USUAL: usize = 1;

/// A machine with the word by which the runtime makes its device.
#[derive(Debug)]
pub struct MachineFile {
    /// The name.
    pub name: String,
    /// The device.
    pub word: String,
    /// The machine.
    pub machine: Machine,
}

impl MachineFile {
    /// Whether all its data is in one memory.
    pub(crate) fn has_one_memory(&self) -> bool {
        let mut spaces = self.machine.units.iter().filter_map(|unit| unit.space);
        let first = spaces.next();
        spaces.all(|space| Some(space) == first)
    }
}

/// The machines for a file of this name.
///
/// # Errors
/// A machine that is asked for does not exist.
pub fn chosen(file: &str) -> Result<Vec<MachineFile>, String> {
    let wanted = std::env::var(VARIABLE).unwrap_or_default();
    let names: Vec<String> = match wanted.as_str() {
        "" => {
            let hash = file.bytes().fold(5381_usize, |hash, byte| hash.wrapping_mul(33) ^ usize::from(byte));
            let step = MACHINES.len() / USUAL;
            (0..USUAL).map(|k| MACHINES[(hash + k * step) % MACHINES.len()].to_owned()).collect()
        }
        "all" => MACHINES.iter().map(|name| (*name).to_owned()).collect(),
        names => names.split(',').map(str::to_owned).collect(),
    };
    names.into_iter().map(load).collect()
}

pub(crate) fn load(name: String) -> Result<MachineFile, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/tta/machines");
    let path = folder.join(format!("{name}.adf"));
    let shown = path.display();
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{shown}: {e}"))?;
    let machine = adf::read(&text).map_err(|e| format!("{shown}: {e}"))?.machine;
    Ok(MachineFile { word: format!("ttasim:{shown},strict"), name, machine })
}
