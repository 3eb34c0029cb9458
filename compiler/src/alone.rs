//! One stage alone, on text: what goes wrong in a long pipeline is looked at where it goes wrong.
//!
//! In: what the stage before gives, as text: OpenCL C for the front end, LLVM IR for all others. Out: what the stage makes of
//! it, as text: LLVM IR, or assembly.

use oxcl_binary::known::KnownArguments;
use oxcl_codegen::Output;
use oxcl_ir::module::print;
use oxcl_ir::report;
use oxcl_ir::{Context, Function, IrError, Module, read_module};
use oxcl_workgroup::analysis::{Among, Analysis, Step, analyse, run_step};
use oxcl_workgroup::{FormError, Options};

use crate::error::CompileError;
use crate::request::Request;
use crate::settings::{Emit, Settings};
use crate::stages::{Stage, builtins, emit, front_end, kernels, optimise, target, work_group};
use oxcl_binary::abi;

/// Runs `stage` on the sources of `request`, of which there is one; `kernel` names the kernel for the stages that work on
/// one, where the text does not say it.
///
/// # Errors
/// The text is not what the stage takes, or the stage refuses it.
pub fn run_alone(request: &Request<'_>, stage: Stage, kernel: Option<&str>) -> Result<String, CompileError> {
    let [source] = request.sources.as_slice() else {
        return Err(CompileError::Request("a stage alone takes one file".to_owned()));
    };
    // What is shown before any link holds all that it calls.
    let settings = Settings::of(request, Emit::Object)?;
    let context = Context::create();
    if stage == Stage::FrontEnd {
        return Ok(print(&front_end::run(&context, &settings.program, settings.bits)?.module));
    }
    let module =
        read_module(&context, source.text.as_bytes(), &source.name).map_err(|error| match error {
            IrError::Read { message } => {
                CompileError::Request(format!("the stage '{}' takes LLVM IR: {message}", stage.name()))
            }
            error => CompileError::Ir(error),
        })?;
    let cpu = || target::run(&settings.cpus[0], settings.level);
    match stage {
        Stage::Builtins => {
            builtins::run(&module, settings.bits, settings.native)?;
            Ok(print(&module))
        }
        Stage::WorkGroup => {
            let chosen = kernels::run(&module, &settings, kernel)?;
            let cpu = cpu()?;
            let [signature] = chosen.signatures.as_slice() else {
                return Err(CompileError::OneKernel { what: "this stage alone", kernels: chosen.names });
            };
            let (name, size) = (&signature.name, settings.shown_size);
            let options =
                work_group::options(&settings, &chosen.variables, (name, signature.into()), &cpu, size);
            Ok(print(&work_group::run(&module, &signature.name, &options, &KnownArguments::NONE, &cpu)?.0))
        }
        Stage::Optimise => {
            let cpu = cpu()?;
            let names: Vec<String> = exported(&module);
            let exports: Vec<&str> = names.iter().map(String::as_str).collect();
            // Whether the kernel waits for its group cannot be seen any more; loops are looked at as if it did.
            optimise::run(&module, kernel.unwrap_or_default(), &cpu.machine, &exports, true)?;
            Ok(print(&module))
        }
        Stage::Emit => {
            let code = emit::run(&module, kernel.unwrap_or_default(), &cpu()?.machine, Output::Assembly)?;
            String::from_utf8(code).map_err(|error| CompileError::Request(error.to_string()))
        }
        _ => Err(CompileError::Request(format!("the stage '{}' takes no text", stage.name()))),
    }
}

/// The functions that others call, and the kernel's constants.
fn exported(module: &Module<'_>) -> Vec<String> {
    let prefixes = [abi::native_symbol(""), abi::pocl_symbol("")];
    let mut names: Vec<String> = Function::all(module)
        .into_iter()
        .filter(|function| !function.is_declaration() && !function.is_internal())
        .map(|function| function.name())
        .collect();
    let kernels: Vec<String> =
        names.iter().filter_map(|name| name.strip_prefix(&prefixes[0])).map(str::to_owned).collect();
    names.extend(kernels.iter().map(|kernel| abi::constants_symbol(kernel)));
    names
}

/// A kernel as the work-group compiler prepares it, with what its analyses say beside the lines.
pub(crate) fn analysis(module: &Module<'_>, kernel: &str, options: &Options) -> Result<String, CompileError> {
    let failed = |error: FormError| CompileError::Kernel { kernel: kernel.to_owned(), error };
    run_step(module, kernel, options, Step::Prepare).map_err(failed)?;
    run_step(module, kernel, options, Step::Narrow).map_err(failed)?;
    run_step(module, kernel, options, Step::Guards).map_err(failed)?;
    let facts = analyse(module, kernel, options, &Analysis::ALL, Among::Group).map_err(failed)?;
    let function = Function::find(module, kernel)
        .ok_or_else(|| failed(FormError::NoSuchKernel { kernel: kernel.to_owned() }))?;
    report::print(function, &facts).map_err(|error| CompileError::Request(error.to_string()))
}
