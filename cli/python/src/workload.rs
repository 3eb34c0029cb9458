//! Task graphs from files on Python's arrays: `oxcl.Workload`.
//!
//! Buffers that the caller names are the caller's arrays, in place. All others get arrays of NumPy's, with the contents that
//! the file gives them. Whoever ran the workload has all of them afterwards. What the file saves, prints and expects is for
//! `oxcl run`; here one looks at the arrays.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use numpy::PyUntypedArray;
use oxcl_runtime::{BuildRequest, BuildTarget};
use oxcl_workload::data::Extent;
use oxcl_workload::data::element::Element;
use oxcl_workload::device::Device;
use oxcl_workload::execute;
use oxcl_workload::host::{Host, Loaded, Refused};
use oxcl_workload::nearest::nearest;
use oxcl_workload::plan::{self, First, Plan};
use oxcl_workload::session::Session;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrays::{self, Span, numpy_name};
use crate::compiler;
use crate::program::show;
use crate::raised::{Class, Misfit, Raised};
use crate::waiting::wait_for;

/// The programs of a workload that have been built, by their names and their devices.
type Programs = Mutex<BTreeMap<(String, Vec<Device>), oxcl_runtime::Program>>;

/// A task graph.
#[pyclass(frozen, module = "oxcl")]
#[derive(Debug)]
pub(crate) struct Workload {
    plan: Arc<Plan>,
    programs: Arc<Programs>,
}

/// What builds the programs of a workload.
struct Builder(Arc<Programs>);

impl Host for Builder {
    type Error = Raised;

    fn program(&mut self, program: &plan::Program, _: &Plan, devices: &[Device]) -> Result<Loaded, Raised> {
        let key = (program.name.clone(), devices.to_vec());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = known.get(&key) {
            return Ok(Loaded { program: program.clone(), stages: Vec::new() });
        }
        let unreadable = |error| Raised::unreadable(Class::Workload, &program.path, &error);
        let made = match &program.options {
            None => {
                let archive = std::fs::read(&program.path).map_err(unreadable)?;
                oxcl_runtime::Program::from_archive(&archive)?
            }
            Some(options) => {
                let text = std::fs::read_to_string(&program.path).map_err(unreadable)?;
                let name = program.path.display().to_string();
                let mut request = BuildRequest::new(&name, &text, BuildTarget::Cpu);
                request.options.clone_from(options);
                let words = devices.iter().map(|device| compiler::device(device.name()));
                let devices = words.collect::<Result<Vec<_>, _>>()?;
                compiler::build(compiler::for_devices(request, &devices))?.0
            }
        };
        known.insert(key, made.clone());
        Ok(Loaded { program: made, stages: Vec::new() })
    }
}

#[pymethods]
impl Workload {
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "Python's paths arrive as values")]
    fn new(path: PathBuf) -> PyResult<Self> {
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Raised::unreadable(Class::Workload, &path, &error))?;
        Self::resolved(&path, &text)
    }

    /// A workload from the text of a file; paths in it begin at `folder`.
    #[staticmethod]
    #[pyo3(signature = (text, folder=PathBuf::from(".")))]
    #[expect(clippy::needless_pass_by_value, reason = "Python's paths arrive as values")]
    fn from_text(text: &str, folder: PathBuf) -> PyResult<Self> {
        Self::resolved(&folder.join("workload.toml"), text)
    }

    /// Its title.
    #[getter]
    fn title(&self) -> &str {
        &self.plan.title
    }

    /// The names of its buffers.
    #[getter]
    fn buffers(&self) -> Vec<&str> {
        self.plan.buffers.iter().map(|buffer| buffer.name.as_str()).collect()
    }

    #[pyo3(signature = (*, device=None, **arrays))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        device: Option<&str>,
        arrays: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let everywhere = device.map(|name| {
            Device::of_name(name, Path::new("")).ok_or_else(|| {
                let text = format!("there is no device '{name}'");
                Raised::argument(
                    Misfit::Value,
                    &text,
                    Some("devices: cpu, basic, ref, discrete, ttasim:MACHINE.adf"),
                )
            })
        });
        let everywhere = everywhere.transpose()?;
        let mut memory = Memory::default();
        for (name, object) in arrays.into_iter().flatten() {
            let name: String = name.extract()?;
            let (index, given) = self.given(&name, &object)?;
            memory.held.insert(index, given);
        }
        let (plan, builder) = (Arc::clone(&self.plan), Builder(Arc::clone(&self.programs)));
        let done = wait_for(py, move || run(&plan, builder, everywhere, memory))??;
        let all = PyDict::new(py);
        for (buffer, held) in self.plan.buffers.iter().zip(done.arrays) {
            all.set_item(&buffer.name, held)?;
        }
        for (text, dropped) in &done.printed {
            show(py, text, *dropped)?;
        }
        Ok(all)
    }

    fn __repr__(&self) -> String {
        format!("<oxcl.Workload {}: {}>", self.plan.title, self.buffers().join(", "))
    }
}

impl Workload {
    fn resolved(path: &Path, text: &str) -> PyResult<Self> {
        let plan = oxcl_workload::resolve(path, text).map_err(Raised::from)?;
        Ok(Self { plan: Arc::new(plan), programs: Arc::default() })
    }

    /// The array that the caller gives for a buffer.
    fn given(&self, name: &str, object: &Bound<'_, PyAny>) -> PyResult<(usize, Held)> {
        let Some(index) = self.plan.buffers.iter().position(|buffer| buffer.name == name) else {
            let near = nearest(name, self.buffers());
            let help = near.map(|near| format!("did you mean `{near}`?"));
            let text = format!("the workload has no buffer `{name}`");
            return Err(Raised::argument(Misfit::Arguments, &text, help.as_deref()).into());
        };
        let Some(array) = arrays::of(object)? else {
            let text = format!("buffer `{name}` takes an array");
            return Err(Raised::argument(Misfit::Value, &text, None).into());
        };
        let span = Span::new(&array)?;
        let declared = self.plan.element(index);
        span.check(&format!("buffer `{name}`"), declared, false)?;
        let Some(element) = declared.or(span.scalar.map(Element::scalar)) else {
            let text = format!("buffer `{name}` takes an array of numbers");
            return Err(Raised::argument(Misfit::Type, &text, None).into());
        };
        let extent = Extent { element, bytes: span.bytes, picture: None };
        Ok((index, Held { array: array.into_any().unbind(), span, extent }))
    }
}

/// An array that is a buffer's memory.
#[derive(Debug)]
struct Held {
    array: Py<PyAny>,
    span: Span,
    extent: Extent,
}

/// The arrays of a run by the buffers' positions.
#[derive(Debug, Default)]
struct Memory {
    held: BTreeMap<usize, Held>,
}

/// What a run left behind.
#[derive(Debug)]
struct Done {
    /// One for each buffer.
    arrays: Vec<Py<PyAny>>,
    /// What commands printed, and calls that found no room.
    printed: Vec<(String, u64)>,
}

/// Runs a plan; not attached to the interpreter but where arrays are made.
fn run(
    plan: &Plan,
    mut builder: Builder,
    everywhere: Option<Device>,
    mut memory: Memory,
) -> Result<Done, PyErr> {
    let given: Vec<Option<Extent>> =
        (0..plan.buffers.len()).map(|index| memory.held.get(&index).map(|held| held.extent)).collect();
    let session = Session::load(plan, &given, everywhere, &mut builder)?;
    for (index, held) in &memory.held {
        let name = format!("buffer `{}`", plan.buffers[*index].name);
        held.span.check(&name, Some(held.extent.element), execute::writes(&session, *index))?;
    }
    Python::attach(|py| -> PyResult<()> {
        for (index, first) in session.data.iter().enumerate() {
            if let First::Loaded(data) = first {
                let array = numpy_array(py, data.extent(), &data.bytes)?;
                let span = Span::new(&array)?;
                let held = Held { array: array.into_any().unbind(), span, extent: data.extent() };
                memory.held.insert(index, held);
            }
        }
        Ok(())
    })?;
    let spans: Vec<Span> = memory.held.values().map(|held| held.span.clone()).collect();
    // SAFETY: `memory` owns references to the arrays and is taken apart after the run, which ends with all its commands. What
    // commands write has been found writable, or was made here.
    let buffers = unsafe { arrays::buffers(&spans) }?;
    let ran = execute::run_on(&session, buffers, everywhere, &mut builder)?;
    for buffer in &ran.buffers {
        buffer.bring_to_host().map_err(|error| Raised::from(Refused::from(error)))?;
    }
    let reports = ran.commands.iter().filter_map(|done| done.report.as_ref());
    let printed =
        reports.map(|r| (String::from_utf8_lossy(&r.printed).into_owned(), r.print_dropped)).collect();
    drop(ran);
    Ok(Done { arrays: memory.held.into_values().map(|held| held.array).collect(), printed })
}

/// An array with these bytes, aligned for all types: a picture by rows and columns, vectors along the last dimension.
fn numpy_array<'py>(py: Python<'py>, extent: Extent, bytes: &[u8]) -> PyResult<Bound<'py, PyUntypedArray>> {
    let Element { scalar, lanes } = extent.element;
    let lanes = if lanes == 3 { 4 } else { usize::from(lanes) };
    let samples = extent.count() * lanes;
    let mut shape = match extent.picture {
        Some((width, height)) if samples.is_multiple_of(width as usize * height as usize) => {
            vec![height as usize, width as usize, samples / (width as usize * height as usize)]
        }
        _ => vec![extent.count(), lanes],
    };
    if shape.last() == Some(&1) {
        shape.pop();
    }
    let shape = PyTuple::new(py, shape)?;
    let array = py.import("oxcl._arrays")?.call_method1("empty", (shape, numpy_name(scalar)))?;
    let array = array.cast_into::<PyUntypedArray>().map_err(PyErr::from)?;
    let mut span = Span::new(&array)?;
    // SAFETY: the array was made here, of as many bytes, and nobody else knows it yet.
    unsafe { span.fill(bytes) }
        .ok_or_else(|| PyBufferError::new_err("NumPy made an array of another size"))?;
    Ok(array)
}
