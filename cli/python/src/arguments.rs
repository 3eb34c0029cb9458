//! Python's values as a kernel's arguments, by position or by the parameters' names.
//!
//! Arrays become buffers over their memory, numbers get the parameter's type if they fit it, sequences of numbers become
//! vectors, bytes become structures, `None` is a null pointer, and `Local` is a size of local memory.

use oxcl_runtime::{ArgValue, Buffer, Kernel};
use oxcl_workload::data::element::Element;
use oxcl_workload::data::number::Number;
use oxcl_workload::host;
use oxcl_workload::nearest::nearest;
use oxcl_workload::param::{Parameter, ParameterKind};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString, PyTuple};

use crate::arrays::{self, Span};
use crate::raised::{Misfit, Raised};

/// Bytes of local memory, for a parameter that points there.
#[pyclass(frozen, module = "oxcl")]
#[derive(Debug)]
pub(crate) struct Local {
    /// How many.
    #[pyo3(get)]
    nbytes: u64,
}

#[pymethods]
impl Local {
    #[new]
    fn new(nbytes: u64) -> Self {
        Self { nbytes }
    }

    fn __repr__(&self) -> String {
        format!("oxcl.Local({})", self.nbytes)
    }
}

/// One argument.
#[derive(Debug)]
enum Argument {
    /// The array of this number.
    Array(usize),
    Null,
    Local(u64),
    Value(Vec<u8>),
}

/// The arguments of a launch.
#[derive(Debug)]
pub(crate) struct Arguments {
    bound: Vec<Argument>,
    /// The arrays' memory.
    pub(crate) spans: Vec<Span>,
    /// What keeps it alive.
    pub(crate) arrays: Vec<Py<PyAny>>,
}

impl Arguments {
    /// Gives every parameter its argument.
    pub(crate) fn new(
        kernel: &Kernel,
        given: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let parameters = Parameter::of(kernel);
        let mut objects: Vec<Option<Bound<'_, PyAny>>> = vec![None; parameters.len()];
        if given.len() > parameters.len() {
            return Err(count(kernel, &parameters, given.len()).into());
        }
        for (slot, object) in objects.iter_mut().zip(given.iter()) {
            *slot = Some(object);
        }
        for (name, object) in named.into_iter().flatten() {
            let name: String = name.extract()?;
            let Some(position) = parameters.iter().position(|p| p.name == name) else {
                return Err(unknown(kernel, &parameters, &name).into());
            };
            if objects[position].replace(object).is_some() {
                let text = format!("kernel `{}`: parameter `{name}` is given twice", kernel.name());
                return Err(Raised::argument(Misfit::Arguments, &text, None).into());
            }
        }
        let mut all = Self { bound: Vec::new(), spans: Vec::new(), arrays: Vec::new() };
        let have = objects.iter().flatten().count();
        for (parameter, object) in parameters.iter().zip(&objects) {
            let Some(object) = object else { return Err(count(kernel, &parameters, have).into()) };
            let one = all.bind(kernel, parameter, object)?;
            all.bound.push(one);
        }
        Ok(all)
    }

    fn bind(
        &mut self,
        kernel: &Kernel,
        parameter: &Parameter,
        object: &Bound<'_, PyAny>,
    ) -> PyResult<Argument> {
        let name = format!("parameter {} of kernel `{}`", parameter.label(), kernel.name());
        let wrong = |what: &str| -> PyErr {
            let given = object.get_type().name().map_or_else(|_| "?".to_owned(), |n| n.to_string());
            let text = format!("{name} has type `{}` and takes {what}, not {given}", parameter.type_name);
            Raised::argument(Misfit::Value, &text, None).into()
        };
        match &parameter.kind {
            ParameterKind::Image(..) => Err(wrong("an image, which cannot be given yet")),
            ParameterKind::Sampler => Err(wrong("a sampler, which cannot be given yet")),
            ParameterKind::Unsupported(what) => Err(wrong(&format!("{what}s, which cannot be given"))),
            ParameterKind::Local(_) => match object.cast::<Local>() {
                Ok(local) => Ok(Argument::Local(local.get().nbytes)),
                Err(_) => Err(wrong("oxcl.Local(nbytes)")),
            },
            ParameterKind::Buffer(_) if object.is_none() => Ok(Argument::Null),
            ParameterKind::Buffer(want) => {
                let not_an_array = object.is_instance_of::<PyString>() || object.is_instance_of::<Local>();
                let array = if not_an_array { None } else { arrays::of(object)? };
                let array = array.ok_or_else(|| wrong("an array"))?;
                let span = Span::new(&array)?;
                let (_, writes) = host::reads_writes(host::access(kernel, parameter.position));
                span.check(&name, *want, writes)?;
                self.spans.push(span);
                self.arrays.push(array.into_any().unbind());
                Ok(Argument::Array(self.spans.len() - 1))
            }
            ParameterKind::Value(element) => {
                let numbers = numbers(object, *element).ok_or_else(|| match element.lanes {
                    1 => wrong("one number"),
                    lanes => wrong(&format!("a sequence of {lanes} numbers")),
                })?;
                let mut bytes = Vec::with_capacity(element.size());
                for number in numbers {
                    number.encode(element.scalar, &mut bytes).map_err(|error| {
                        Raised::argument(Misfit::Value, &format!("{name}: {error}"), None)
                    })?;
                }
                bytes.resize(element.size(), 0);
                Ok(Argument::Value(bytes))
            }
            ParameterKind::Opaque(size) => {
                let bytes =
                    structure(object).ok_or_else(|| wrong(&format!("a structure of {size} bytes")))?;
                if bytes.len() != *size {
                    let text = format!("{name} has {size} bytes, and {} were given", bytes.len());
                    return Err(Raised::argument(Misfit::Value, &text, None).into());
                }
                Ok(Argument::Value(bytes))
            }
        }
    }

    /// What the runtime takes, in the order of the parameters; `buffers` are the arrays'.
    pub(crate) fn values<'a>(&'a self, buffers: &'a [Buffer]) -> Vec<ArgValue<'a>> {
        let one = |bound: &'a Argument| match bound {
            Argument::Array(index) => ArgValue::Buffer(&buffers[*index]),
            Argument::Null => ArgValue::Null,
            Argument::Local(bytes) => ArgValue::Local(*bytes),
            Argument::Value(bytes) => ArgValue::Value(bytes),
        };
        self.bound.iter().map(one).collect()
    }
}

fn count(kernel: &Kernel, parameters: &[Parameter], have: usize) -> Raised {
    let list: Vec<String> = parameters.iter().map(|p| format!("{} {}", p.type_name, p.name)).collect();
    let text = format!(
        "kernel `{}` takes {} arguments, and {have} were given: ({})",
        kernel.name(),
        parameters.len(),
        list.join(", ")
    );
    Raised::argument(Misfit::Arguments, &text, None)
}

fn unknown(kernel: &Kernel, parameters: &[Parameter], name: &str) -> Raised {
    let near = nearest(name, parameters.iter().map(|p| p.name.as_str()));
    let help = near.map(|near| format!("did you mean `{near}`?"));
    let text = format!("kernel `{}` has no parameter `{name}`", kernel.name());
    Raised::argument(Misfit::Arguments, &text, help.as_deref())
}

/// The numbers of a value, as many as it has lanes.
fn numbers(object: &Bound<'_, PyAny>, element: Element) -> Option<Vec<Number>> {
    if element.lanes == 1 {
        return number(object).map(|one| vec![one]);
    }
    if object.is_instance_of::<PyString>() {
        return None;
    }
    let items = object.try_iter().ok()?.collect::<PyResult<Vec<_>>>().ok()?;
    (items.len() == usize::from(element.lanes)).then(|| items.iter().map(number).collect())?
}

/// A number of Python's or of NumPy's.
fn number(object: &Bound<'_, PyAny>) -> Option<Number> {
    let whole = |value: i128| Some(Number::Int { value, hex: false });
    if let Ok(flag) = object.cast::<PyBool>() {
        return whole(i128::from(flag.is_true()));
    }
    if object.is_instance_of::<PyFloat>() {
        return object.extract().ok().map(Number::Float);
    }
    if object.is_instance_of::<PyInt>() || object.hasattr("__index__").ok()? {
        // Arrays of one number have the method too, and refuse.
        if let Ok(value) = object.call_method0("__index__").and_then(|value| value.extract()) {
            return whole(value);
        }
    }
    if object.is_instance_of::<PyString>() || !object.hasattr("__float__").ok()? {
        return None;
    }
    object.call_method0("__float__").and_then(|value| value.extract()).ok().map(Number::Float)
}

/// The bytes of a structure: of `bytes`, or of what NumPy holds.
fn structure(object: &Bound<'_, PyAny>) -> Option<Vec<u8>> {
    let bytes =
        if object.hasattr("tobytes").ok()? { object.call_method0("tobytes").ok()? } else { object.clone() };
    bytes.extract::<Vec<u8>>().ok()
}
