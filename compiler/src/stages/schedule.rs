//! Registers and schedules for one transport-triggered processor.
//!
//! In: kernels as machine IR. Out: a unit for each kernel and for each run-time routine that is reached, for this machine.

use std::collections::BTreeSet;

use oxcl_binary::abi;
use oxcl_binary::archive::File;
use oxcl_binary::hash::clipped_name;
use oxcl_binary::unit::{Needs, Unit, kernel_path, routine_path};
use oxcl_tta::compile::{CompileError as TtaError, UnitCompiler};
use oxcl_tta::device_main;
use oxcl_tta::image::digest;
use oxcl_tta::machine_ir;
use oxcl_tta::model::Machine;

use crate::error::CompileError;
use crate::tta::{Selected, Units};

/// OpenCL's address space of global memory.
const GLOBAL: u32 = 1;

/// Runs the stage.
pub(crate) fn run(
    machine: &Machine,
    routines: &machine_ir::Module,
    kernels: &[Selected],
    units: &mut Units,
) -> Result<(), CompileError> {
    let own = digest(machine);
    let mut compiler = UnitCompiler::new(machine, routines, &[(abi::LAUNCH_SYMBOL, GLOBAL)])?;
    let mut reached = BTreeSet::new();
    let main = device_main::unit(machine).map_err(TtaError::from)?;
    share(units, routine_path(&own, device_main::NAME), &main);
    for kernel in kernels {
        let needs = Needs {
            scratch_fixed: kernel.formed.scratch_fixed,
            scratch_per_item: kernel.formed.scratch_per_item,
            width: kernel.formed.width,
            stack: 0,
        };
        let mut made = compiler.kernel(&kernel.code, &abi::start_symbol(&kernel.name), needs)?;
        made.unit.locals.clone_from(&kernel.formed.local_sizes);
        reached.extend(made.routines);
        let file = File { path: kernel_path(&clipped_name(&kernel.name), &own), data: made.unit.write() };
        let slot = units.kernels.entry(kernel.name.clone());
        let (_, files) = slot.or_insert_with(|| (kernel.formed.clone(), Vec::new()));
        if files.iter().all(|other| other.path != file.path) {
            files.push(file);
        }
    }
    for name in &reached {
        let Some(unit) = compiler.routine(name) else { continue };
        share(units, routine_path(&own, name), &unit);
    }
    Ok(())
}

/// Puts a unit among those that kernels share, unless it is there.
fn share(units: &mut Units, path: String, unit: &Unit) {
    if units.shared.iter().all(|other| other.path != path) {
        units.shared.push(File { path, data: unit.write() });
    }
}
