//! The Python package `oxcl`, its part in Rust: `oxcl._oxcl`.
//!
//! `program` compiles and holds kernels, `arguments` gives their parameters values, `arrays` makes buffers over the memory of
//! NumPy arrays without copies, `waiting` runs what takes long while other threads of Python go on, `workload` runs task
//! graphs from files, `raised` makes exceptions with codes. The part in Python is in `cli/python/oxcl`.
//!
//! It uses the runtime directly, as the OpenCL library does, and compiles through the same service: `oxcl serve` in a process
//! of its own. There is no LLVM in the interpreter's process.

mod arguments;
mod arrays;
mod compiler;
mod program;
mod raised;
mod waiting;
mod workload;

use pyo3::prelude::*;

/// The module. `oxcl/__init__.py` gives its names to users.
#[pymodule]
fn _oxcl(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // None of the runtime's locks is taken yet.
    oxcl_runtime::survive_forks();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(program::compile, module)?)?;
    module.add_function(wrap_pyfunction!(program::load, module)?)?;
    module.add_class::<arguments::Local>()?;
    module.add_class::<program::Program>()?;
    module.add_class::<program::Kernel>()?;
    module.add_class::<program::Run>()?;
    module.add_class::<workload::Workload>()
}
