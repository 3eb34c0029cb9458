//! Kernels to units for transport-triggered processors.
//!
//! In: a program's 32-bit module, builtins linked, and machines. Out: for each kernel and machine a unit, and for each machine
//! the run-time routines that its kernels reach. LLVM works once for all machines that can do the same.

use super::kernel::{form_kernel, widen_ids};
use super::{ROUTINES, read, select};
use crate::error::CompileError;
use crate::pack::KernelParts;
use crate::request::Request;
use crate::timing::{self, Timings};
use oxcl_binary::abi;
use oxcl_binary::archive::File;
use oxcl_binary::hash::clipped_name;
use oxcl_binary::unit::{Needs, kernel_path, routine_path};
use oxcl_frontend::KernelSignature;
use oxcl_ir::Module;
use oxcl_ir::module::{global_space, globals, is_constant_global};
use oxcl_tta::compile::{CompileError as TtaError, UnitCompiler};
use oxcl_tta::image::digest;
use oxcl_tta::lift::Ability;
use oxcl_tta::machine_ir;
use oxcl_tta::model::Machine;
use oxcl_workgroup::Formed;
use std::collections::{BTreeMap, BTreeSet};

/// OpenCL's address space of global memory.
const GLOBAL: u32 = 1;
/// OpenCL's address space of local memory.
const LOCAL: u32 = 3;

/// What was made for all machines.
#[derive(Debug, Default)]
pub(crate) struct Units {
    /// By kernel: what the work-group pass found, and its units.
    kernels: BTreeMap<String, (Formed, Vec<File>)>,
    /// What kernels share.
    shared: Vec<File>,
}

impl Units {
    /// Gives each kernel its units; what is left is the program's.
    pub(crate) fn distribute(mut self, mut parts: Vec<KernelParts>) -> (Vec<KernelParts>, Vec<File>) {
        for part in &mut parts {
            part.units = self.kernels.remove(&part.signature.name);
        }
        (parts, self.shared)
    }
}

/// A kernel before the machine matters.
struct Selected {
    name: String,
    formed: Formed,
    code: machine_ir::Module,
}

/// Makes the units of these kernels for all machines of the request.
pub(crate) fn units(
    request: &Request<'_>,
    module: &Module<'_>,
    signatures: &[KernelSignature],
    timings: &mut Timings,
) -> Result<Units, CompileError> {
    refuse_variables(module)?;
    widen_ids(module);
    let routines = read(ROUTINES)?;
    let mut by_features: BTreeMap<String, Vec<Selected>> = BTreeMap::new();
    let mut units = Units::default();
    for machine in &request.machines {
        let features = Ability::of(machine).map_err(TtaError::from)?.features();
        if !by_features.contains_key(&features) {
            let all = signatures.iter().map(|s| select_kernel(request, module, &s.name, &features, timings));
            let all = all.collect::<Result<Vec<_>, CompileError>>()?;
            by_features.insert(features.clone(), all);
        }
        let kernels = &by_features[&features];
        timings.measure(timing::SCHEDULE, || schedule(machine, &routines, kernels, &mut units))?;
    }
    Ok(units)
}

/// Schedules kernels for a machine.
fn schedule(
    machine: &Machine,
    routines: &machine_ir::Module,
    kernels: &[Selected],
    units: &mut Units,
) -> Result<(), CompileError> {
    let own = digest(machine);
    let mut compiler = UnitCompiler::new(machine, routines, &[(abi::LAUNCH_SYMBOL, GLOBAL)])?;
    let mut reached = BTreeSet::new();
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
        let file = File { path: routine_path(&own, name), data: unit.write() };
        if units.shared.iter().all(|other| other.path != file.path) {
            units.shared.push(file);
        }
    }
    Ok(())
}

fn select_kernel(
    request: &Request<'_>,
    module: &Module<'_>,
    name: &str,
    features: &str,
    timings: &mut Timings,
) -> Result<Selected, CompileError> {
    let copy = module.clone();
    let uniform = request.options.has_uniform_groups();
    let formed = timings.measure(timing::WORK_GROUP, || form_kernel(&copy, name, uniform, features))?;
    let start = abi::start_symbol(name);
    let text = timings.measure(timing::EMIT, || select(&copy, features, &[&start]))?;
    Ok(Selected { name: name.to_owned(), formed, code: read(&text)? })
}

/// Memory of the program's own is not there yet; constants are part of the code.
fn refuse_variables(module: &Module<'_>) -> Result<(), CompileError> {
    let variable = globals(module).into_iter().find(|variable| {
        global_space(*variable) != LOCAL
            && !is_constant_global(*variable)
            && !variable.name().starts_with("llvm.")
    });
    match variable {
        Some(variable) => Err(CompileError::NotYet {
            symbols: vec![format!("variables at program scope on ttasim ('{}')", variable.name())],
        }),
        None => Ok(()),
    }
}
