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
use crate::variables::{self, Variables};
use oxcl_binary::abi;
use oxcl_binary::archive::File;
use oxcl_binary::hash::clipped_name;
use oxcl_binary::meta::ProgramVariables;
use oxcl_binary::unit::{Needs, Unit, kernel_path, routine_path};
use oxcl_frontend::KernelSignature;
use oxcl_ir::Module;
use oxcl_ir::module::{global_space, globals};
use oxcl_tta::compile::{CompileError as TtaError, UnitCompiler};
use oxcl_tta::device_main;
use oxcl_tta::image::digest;
use oxcl_tta::lift::Ability;
use oxcl_tta::machine_ir;
use oxcl_tta::model::Machine;
use oxcl_workgroup::Formed;
use std::collections::{BTreeMap, BTreeSet};

/// OpenCL's address space of global memory.
const GLOBAL: u32 = 1;
/// OpenCL's address space of constants.
const CONSTANT: u32 = 2;

/// What was made for all machines.
#[derive(Debug, Default)]
pub(crate) struct Units {
    /// By kernel: what the work-group pass found, and its units.
    kernels: BTreeMap<String, (Formed, Vec<File>)>,
    /// What kernels share.
    shared: Vec<File>,
    /// The variables at program scope.
    variables: Option<ProgramVariables>,
}

impl Units {
    /// Gives each kernel its units; what is left is the program's: files and variables.
    pub(crate) fn distribute(
        mut self,
        mut parts: Vec<KernelParts>,
    ) -> (Vec<KernelParts>, Vec<File>, Option<ProgramVariables>) {
        for part in &mut parts {
            part.units = self.kernels.remove(&part.signature.name);
        }
        (parts, self.shared, self.variables)
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
    widen_ids(module);
    let Variables { offsets, initial } = variables::lay_out(module)?;
    let routines = read(ROUTINES)?;
    let mut by_features: BTreeMap<String, Vec<Selected>> = BTreeMap::new();
    let mut units = Units { variables: initial, ..Units::default() };
    for machine in &request.machines {
        let ability = Ability::of(machine).map_err(TtaError::from)?;
        if ability.space(CONSTANT) != ability.space(GLOBAL) {
            refuse_constants(module, &offsets)?;
        }
        let features = ability.features();
        if !by_features.contains_key(&features) {
            let all = signatures
                .iter()
                .map(|s| select_kernel(request, module, &s.name, &features, &offsets, timings));
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

fn select_kernel(
    request: &Request<'_>,
    module: &Module<'_>,
    name: &str,
    features: &str,
    variables: &[(String, u64)],
    timings: &mut Timings,
) -> Result<Selected, CompileError> {
    let copy = module.clone();
    let uniform = request.options.has_uniform_groups();
    let variables = variables.to_vec();
    let formed =
        timings.measure(timing::WORK_GROUP, || form_kernel(&copy, name, uniform, features, variables))?;
    let start = abi::start_symbol(name);
    let text = timings.measure(timing::EMIT, || select(&copy, features, &[&start]))?;
    Ok(Selected { name: name.to_owned(), formed, code: read(&text)? })
}

/// Constants that variables point to lie among these, which are in global memory: no machine whose constants are elsewhere
/// would find them.
fn refuse_constants(module: &Module<'_>, variables: &[(String, u64)]) -> Result<(), CompileError> {
    let among = |name: &str| variables.iter().any(|(known, _)| known == name);
    let constant =
        globals(module).into_iter().find(|global| global_space(*global) == CONSTANT && among(&global.name()));
    match constant {
        Some(constant) => {
            let name = constant.name();
            let what = format!(
                "pointers between variables and the constant '{name}' on a machine with a memory for constants"
            );
            Err(CompileError::NotYet { symbols: vec![what] })
        }
        None => Ok(()),
    }
}
