//! Kernels to units for transport-triggered processors.
//!
//! In: a program's 32-bit module, builtins linked, and machines. Out: for each kernel and machine a unit, and for each machine
//! the run-time routines that its kernels reach. LLVM works once for all machines that can do the same.

use super::kernel::{form_kernel, widen_ids};
use super::{Language, ROUTINES, read, select};
use crate::error::CompileError;
use crate::pack::KernelParts;
use crate::settings::Settings;
use crate::stages::{Stage, schedule};
use crate::timing::Timings;
use crate::variables::{self, Variables};
use oxcl_binary::abi;
use oxcl_binary::archive::File;
use oxcl_binary::meta::ProgramVariables;
use oxcl_frontend::KernelSignature;
use oxcl_ir::Module;
use oxcl_ir::module::{global_space, globals};
use oxcl_tta::compile::CompileError as TtaError;
use oxcl_tta::lift::Ability;
use oxcl_tta::machine_ir;
use oxcl_workgroup::Formed;
use std::collections::BTreeMap;

/// OpenCL's address space of global memory.
const GLOBAL: u32 = 1;
/// OpenCL's address space of constants.
const CONSTANT: u32 = 2;

/// What was made for all machines.
#[derive(Debug, Default)]
pub(crate) struct Units {
    /// By kernel: what the work-group pass found, and its units.
    pub(crate) kernels: BTreeMap<String, (Formed, Vec<File>)>,
    /// What kernels share.
    pub(crate) shared: Vec<File>,
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
pub(crate) struct Selected {
    pub(crate) name: String,
    pub(crate) formed: Formed,
    pub(crate) code: machine_ir::Module,
}

/// Makes the units of these kernels for all machines of the request.
pub(crate) fn units(
    settings: &Settings<'_>,
    module: &Module<'_>,
    signatures: &[KernelSignature],
    timings: &mut Timings,
) -> Result<Units, CompileError> {
    widen_ids(module);
    let Variables { offsets, initial } = variables::lay_out(module)?;
    let routines = read(ROUTINES)?;
    let mut by_features: BTreeMap<String, Vec<Selected>> = BTreeMap::new();
    let mut units = Units { variables: initial, ..Units::default() };
    for machine in settings.machines {
        let ability = Ability::of(machine).map_err(TtaError::from)?;
        if ability.space(CONSTANT) != ability.space(GLOBAL) {
            refuse_constants(module, &offsets)?;
        }
        let features = ability.features();
        if !by_features.contains_key(&features) {
            let all = signatures
                .iter()
                .map(|s| select_kernel(settings.uniform, module, s, &features, &offsets, timings));
            let all = all.collect::<Result<Vec<_>, CompileError>>()?;
            by_features.insert(features.clone(), all);
        }
        let kernels = &by_features[&features];
        timings.measure(Stage::Schedule, || schedule::run(machine, &routines, kernels, &mut units))?;
        settings.pieces.add(kernels.len());
    }
    Ok(units)
}

fn select_kernel(
    uniform: bool,
    module: &Module<'_>,
    signature: &KernelSignature,
    features: &str,
    variables: &[(String, u64)],
    timings: &mut Timings,
) -> Result<Selected, CompileError> {
    let copy = module.clone();
    let variables = variables.to_vec();
    let (name, required) = (&signature.name, signature.reqd_sub_group_size);
    let formed = timings
        .measure(Stage::WorkGroup, || form_kernel(&copy, (name, required), uniform, features, variables))?;
    let start = abi::start_symbol(name);
    let text = timings.measure(Stage::Emit, || select(&copy, features, &[&start], Language::OpenClC))?;
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
