//! Programs and kernels as Python has them: compiled for a device, called with arrays.

use oxcl_runtime::{BuildRequest, BuildTarget, Device, LaunchReport, Source};
use oxcl_workload::host::{self, Refused};
use oxcl_workload::param::Parameter;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::arguments::Arguments;
use crate::arrays;
use crate::compiler;
use crate::raised::Raised;
use crate::waiting::wait_for;

/// A program, built for a device.
#[pyclass(frozen, module = "oxcl")]
#[derive(Debug)]
pub(crate) struct Program {
    program: oxcl_runtime::Program,
    device: Device,
    word: String,
    /// What it was built from; none: an archive.
    request: Option<BuildRequest>,
    archive: Vec<u8>,
    log: String,
}

/// Compiles OpenCL C.
#[pyfunction]
#[pyo3(signature = (source, *, options="", device="cpu", name="kernel.cl", headers=None))]
pub(crate) fn compile(
    py: Python<'_>,
    source: &str,
    options: &str,
    device: &str,
    name: &str,
    headers: Option<&Bound<'_, PyDict>>,
) -> PyResult<Program> {
    let mut request = BuildRequest::new(name, source, BuildTarget::Cpu);
    options.clone_into(&mut request.options);
    for (name, text) in headers.into_iter().flatten() {
        request.headers.push(Source { name: name.extract()?, text: text.extract()? });
    }
    let word = device.to_owned();
    let build = move || -> Result<Program, Raised> {
        let device = compiler::device(&word)?;
        let request = compiler::for_devices(request, std::slice::from_ref(&device));
        let (program, built) = compiler::build(request.clone())?;
        Ok(Program { program, device, word, request: Some(request), archive: built.archive, log: built.log })
    };
    Ok(wait_for(py, build)??)
}

/// Loads an archive that was compiled before.
#[pyfunction]
#[pyo3(signature = (binary, *, device="cpu"))]
pub(crate) fn load(binary: Vec<u8>, device: &str) -> PyResult<Program> {
    let program = oxcl_runtime::Program::from_archive(&binary).map_err(Raised::from)?;
    let word = device.to_owned();
    let device = compiler::device(device)?;
    Ok(Program { program, device, word, request: None, archive: binary, log: String::new() })
}

#[pymethods]
impl Program {
    /// The kernels' names.
    #[getter]
    fn kernels(&self) -> Vec<String> {
        self.program.kernel_names().map(str::to_owned).collect()
    }

    /// The name of the device that it was built for.
    #[getter]
    fn device(&self) -> &str {
        &self.word
    }

    /// What the compiler said: warnings.
    #[getter]
    fn log(&self) -> &str {
        &self.log
    }

    /// The archive, in full quality: `oxcl.load` and `oxcl run` take it, and PoCL.
    #[getter]
    fn binary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        match self.request.clone() {
            Some(request) => {
                let archive = wait_for(py, move || compiler::complete(&request))??;
                Ok(PyBytes::new(py, &archive))
            }
            None => Ok(PyBytes::new(py, &self.archive)),
        }
    }

    /// A kernel by its name.
    fn kernel(&self, name: &str) -> PyResult<Kernel> {
        let kernel = self.program.kernel(name).map_err(Raised::from)?;
        Ok(Kernel { kernel, device: self.device.clone() })
    }

    fn __getitem__(&self, name: &str) -> PyResult<Kernel> {
        self.kernel(name)
    }

    fn __repr__(&self) -> String {
        format!("<oxcl.Program on {}: {}>", self.word, self.kernels().join(", "))
    }
}

/// A kernel: called, it runs.
#[pyclass(frozen, module = "oxcl")]
#[derive(Debug)]
pub(crate) struct Kernel {
    kernel: oxcl_runtime::Kernel,
    device: Device,
}

/// How a launch went.
#[pyclass(frozen, get_all, module = "oxcl")]
#[derive(Debug)]
pub(crate) struct Run {
    /// Time from the first work-group's start to the last one's end.
    seconds: f64,
    /// Cycles, on a simulated processor.
    cycles: Option<u64>,
    /// The local size.
    local_size: Vec<u64>,
    /// Work-items that the code runs at a time.
    width: u32,
    /// What the kernel printed.
    printed: String,
}

impl Run {
    fn new(report: &LaunchReport, dimensions: usize) -> Self {
        Self {
            seconds: report.elapsed.as_secs_f64(),
            cycles: report.cycles,
            local_size: report.local[..dimensions].to_vec(),
            width: report.width,
            printed: String::from_utf8_lossy(&report.printed).into_owned(),
        }
    }
}

#[pymethods]
impl Run {
    fn __repr__(&self) -> String {
        format!("<oxcl.Run: {} s, local size {:?}>", self.seconds, self.local_size)
    }
}

/// One number, or one to three.
#[derive(Debug, FromPyObject)]
pub(crate) enum Sizes {
    One(u64),
    Several(Vec<u64>),
}

impl Sizes {
    fn list(self) -> Vec<u64> {
        match self {
            Self::One(size) => vec![size],
            Self::Several(sizes) => sizes,
        }
    }
}

#[pymethods]
impl Kernel {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.kernel.name()
    }

    /// Names and types of its parameters.
    #[getter]
    fn parameters(&self) -> Vec<(String, String)> {
        Parameter::of(&self.kernel).into_iter().map(|p| (p.name, p.type_name)).collect()
    }

    #[pyo3(signature = (*args, global_size, local_size=None, offset=None, **named))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        global_size: Sizes,
        local_size: Option<Sizes>,
        offset: Option<Sizes>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Run> {
        let arguments = Arguments::new(&self.kernel, args, named)?;
        let global = global_size.list();
        let (local, offset) = (local_size.map(Sizes::list), offset.map(Sizes::list));
        let range = host::range(&global, local.as_deref(), offset.as_deref());
        let range = range.map_err(|error| Raised::from(Refused::from(error)))?;
        let (kernel, device) = (self.kernel.clone(), self.device.clone());
        let run = move || -> Result<LaunchReport, Raised> {
            // SAFETY: `arguments` owns references to the arrays and lives longer than the buffers and the launch; who is
            // interrupted leaves them here. What the kernel writes has been found writable.
            let buffers = unsafe { arrays::buffers(&arguments.spans) }?;
            let launch =
                device.prepare(&kernel, &range, &arguments.values(&buffers)).map_err(Refused::from)?;
            let report = launch.run().map_err(Refused::from)?;
            for buffer in &buffers {
                buffer.bring_to_host().map_err(Refused::from)?;
            }
            drop(launch);
            drop(buffers);
            drop(arguments);
            Ok(report)
        };
        let report = wait_for(py, run)??;
        let run = Run::new(&report, global.len());
        show(py, &run.printed, report.print_dropped)?;
        Ok(run)
    }

    fn __repr__(&self) -> String {
        let list: Vec<String> =
            Parameter::of(&self.kernel).iter().map(|p| format!("{} {}", p.type_name, p.name)).collect();
        format!("<oxcl.Kernel {}({})>", self.kernel.name(), list.join(", "))
    }
}

/// Shows what a kernel printed where Python prints.
pub(crate) fn show(py: Python<'_>, text: &str, dropped: u64) -> PyResult<()> {
    if !text.is_empty() {
        py.import("sys")?.getattr("stdout")?.call_method1("write", (text,))?;
    }
    if dropped > 0 {
        let text = format!("the print buffer of a work-group was full: {dropped} calls of printf are lost");
        py.import("warnings")?.call_method1("warn", (text,))?;
    }
    Ok(())
}
