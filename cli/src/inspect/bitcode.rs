//! The report on LLVM bitcode: target, functions and variables. Without the compiler, its size.

use serde::Serialize;
use std::fmt;

/// What is in a bitcode file.
#[derive(Debug, Serialize)]
pub(crate) struct BitcodeReport {
    bytes: usize,
    /// What LLVM says; absent in a program without the compiler.
    module: Option<ModuleReport>,
}

#[derive(Debug, Serialize)]
struct ModuleReport {
    source: String,
    triple: String,
    data_layout: String,
    functions: Vec<FunctionReport>,
    variables: Vec<VariableReport>,
}

#[derive(Debug, Serialize)]
struct FunctionReport {
    name: String,
    kernel: bool,
    defined: bool,
    parameters: u32,
    blocks: u32,
}

#[derive(Debug, Serialize)]
struct VariableReport {
    name: String,
    defined: bool,
    constant: bool,
    address_space: u32,
}

impl BitcodeReport {
    /// Reads the module; the error is a sentence.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self, String> {
        Ok(Self { bytes: bytes.len(), module: module(bytes)? })
    }
}

#[cfg(not(feature = "compiler"))]
fn module(_bytes: &[u8]) -> Result<Option<ModuleReport>, String> {
    Ok(None)
}

#[cfg(feature = "compiler")]
fn module(bytes: &[u8]) -> Result<Option<ModuleReport>, String> {
    use oxcl_ir::Context;
    use oxcl_ir::module::{global_space, globals, is_constant_global};

    /// LLVM's number of the calling convention of OpenCL kernels.
    const SPIR_KERNEL: u32 = 76;

    let context = Context::create();
    let module = oxcl_ir::read_module(&context, bytes, "inspect")
        .map_err(|error| format!("it is no bitcode that LLVM 22 reads: {error}"))?;
    let functions = module
        .get_functions()
        .map(|function| FunctionReport {
            name: function.get_name().to_string_lossy().into_owned(),
            kernel: function.get_call_conventions() == SPIR_KERNEL,
            defined: function.count_basic_blocks() > 0,
            parameters: function.count_params(),
            blocks: function.count_basic_blocks(),
        })
        .collect();
    let variables = globals(&module)
        .into_iter()
        .map(|variable| {
            let name = variable.name();
            VariableReport {
                defined: module.get_global(&name).is_some_and(|known| known.get_initializer().is_some()),
                constant: is_constant_global(variable),
                address_space: global_space(variable),
                name,
            }
        })
        .collect();
    Ok(Some(ModuleReport {
        source: module.get_source_file_name().to_string_lossy().into_owned(),
        triple: module.get_triple().as_str().to_string_lossy().into_owned(),
        data_layout: module.get_data_layout().as_str().to_string_lossy().into_owned(),
        functions,
        variables,
    }))
}

impl fmt::Display for BitcodeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use crate::ui::table::Table;

        writeln!(f, "LLVM bitcode, {} bytes", self.bytes)?;
        let Some(module) = &self.module else {
            return writeln!(f, "this oxcl was built without the compiler and cannot look inside");
        };
        writeln!(f, "source        {}", module.source)?;
        writeln!(f, "triple        {}", module.triple)?;
        writeln!(f, "data layout   {}", module.data_layout)?;
        let mut table = Table::new(&["function", "kind", "parameters", "blocks"]).right(2).right(3);
        for function in &module.functions {
            let kind = match (function.defined, function.kernel) {
                (false, _) => "declared",
                (true, true) => "kernel",
                (true, false) => "function",
            };
            table.row(vec![
                function.name.clone(),
                kind.to_owned(),
                function.parameters.to_string(),
                function.blocks.to_string(),
            ]);
        }
        write!(f, "\n{table}")?;
        if module.variables.is_empty() {
            return Ok(());
        }
        let mut table = Table::new(&["variable", "kind", "address space"]).right(2);
        for variable in &module.variables {
            let kind = match (variable.defined, variable.constant) {
                (false, _) => "declared",
                (true, true) => "constant",
                (true, false) => "variable",
            };
            table.row(vec![variable.name.clone(), kind.to_owned(), variable.address_space.to_string()]);
        }
        write!(f, "\n{table}")
    }
}
