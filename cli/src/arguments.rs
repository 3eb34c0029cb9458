//! `--arg NAME=VALUE` against a kernel's signature: every parameter gets one value of its type, and no other name is
//! given.

use crate::error::CliError;
use crate::launching;
use oxcl_runtime::{ArgValue, Buffer, Kernel};
use oxcl_workload::data::HostData;
use oxcl_workload::data::element::{Element, Scalar};
use oxcl_workload::nearest::nearest;
use oxcl_workload::param::{Bound, Parameter, ParameterKind};
use oxcl_workload::value::{SyntaxError, Value};

/// Splits `NAME=VALUE`.
pub(crate) fn split<'a>(option: &str, text: &'a str) -> Result<(&'a str, &'a str), CliError> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim(), value)),
        _ => Err(CliError::usage_with_help(
            format!("`{text}` is not of the form NAME=VALUE"),
            format!("for example: {option} n=3"),
        )),
    }
}

/// Reads a value and says whose it is if that fails.
pub(crate) fn value(option: &str, name: &str, text: &str) -> Result<Value, CliError> {
    Value::parse(text).map_err(|error: SyntaxError| {
        let help = error.help();
        CliError::usage_with_help(format!("{option} {name}={text}: {error}"), help)
    })
}

/// The parameter that a name or position means.
pub(crate) fn find<'p>(
    kernel: &Kernel,
    parameters: &'p [Parameter],
    name: &str,
) -> Result<&'p Parameter, CliError> {
    let by_name = parameters.iter().find(|p| p.name == name);
    let found = by_name.or_else(|| name.parse().ok().and_then(|position: usize| parameters.get(position)));
    found.ok_or_else(|| {
        let names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).filter(|n| !n.is_empty()).collect();
        let help = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its parameters: {}", signature(parameters)),
        };
        let message = format!("kernel `{}` has no parameter `{name}`", kernel.name());
        CliError::Usage { message, help: Some(help) }
    })
}

/// The parameters as a user may write them: `in: float*, n: int`.
fn signature(parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return "none".to_owned();
    }
    let one = |p: &Parameter| match p.name.as_str() {
        "" => format!("{}: {}", p.position, p.type_name),
        name => format!("{name}: {}", p.type_name),
    };
    parameters.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The parameters without a value.
pub(crate) fn missing<'p>(
    kernel: &Kernel,
    parameters: &'p [Parameter],
    given: &[(String, Value)],
) -> Result<Vec<&'p Parameter>, CliError> {
    let mut named = Vec::new();
    for (name, _) in given {
        named.push(find(kernel, parameters, name)?.position);
    }
    Ok(parameters.iter().filter(|parameter| !named.contains(&parameter.position)).collect())
}

/// Gives every parameter its value.
pub(crate) fn bind(
    kernel: &Kernel,
    parameters: &[Parameter],
    given: &[(String, Value)],
) -> Result<Vec<Bound>, CliError> {
    let mut bound: Vec<Option<Bound>> = vec![None; parameters.len()];
    for (name, value) in given {
        let parameter = find(kernel, parameters, name)?;
        let slot = &mut bound[parameter.position];
        if slot.is_some() {
            return Err(CliError::usage(format!(
                "parameter {} of kernel `{}` is given twice",
                parameter.label(),
                kernel.name()
            )));
        }
        let option = format!("--arg {name}=");
        *slot = Some(parameter.bind(value).map_err(|error| CliError::Bind { error, option })?);
    }
    let missing: Vec<&Parameter> =
        parameters.iter().zip(&bound).filter(|(_, b)| b.is_none()).map(|(p, _)| p).collect();
    if let Some(first) = missing.first() {
        let list = missing.iter().map(|p| format!("{} ({})", p.label(), p.type_name)).collect::<Vec<_>>();
        return Err(CliError::usage_with_help(
            format!("kernel `{}` needs a value for {}", kernel.name(), list.join(", ")),
            format!("for example: --arg {}={}", first.name_or_position(), first.example()),
        ));
    }
    Ok(bound.into_iter().flatten().collect())
}

/// The buffers of a launch by position: their first contents, and the memory that the kernel works on.
#[derive(Debug)]
pub(crate) struct Memory {
    /// One for each parameter; `None` for values and local memory.
    pub(crate) buffers: Vec<Option<(HostData, Buffer)>>,
}

impl Memory {
    /// Makes the buffers.
    pub(crate) fn new(bound: &[Bound]) -> Result<Self, CliError> {
        let make = |bound: &Bound| match bound {
            Bound::Buffer(data) | Bound::Image(data, _) => Ok(Some((data.clone(), launching::upload(data)?))),
            _ => Ok(None),
        };
        Ok(Self { buffers: bound.iter().map(make).collect::<Result<_, CliError>>()? })
    }

    /// Puts the first contents back.
    pub(crate) fn reset(&self) -> Result<(), CliError> {
        for (data, buffer) in self.buffers.iter().flatten() {
            buffer.write(0, &data.bytes).map_err(|e| launching::buffer_error(&e))?;
        }
        Ok(())
    }

    /// What the runtime takes, in the order of the parameters.
    pub(crate) fn values<'a>(&'a self, bound: &'a [Bound]) -> Vec<ArgValue<'a>> {
        let one = |(bound, memory): (&'a Bound, &'a Option<(HostData, Buffer)>)| match (bound, memory) {
            (Bound::Value(bytes), _) => ArgValue::Value(bytes),
            (Bound::Local(bytes), _) => ArgValue::Local(*bytes as u64),
            (Bound::Buffer(_), Some((_, buffer))) => ArgValue::Buffer(buffer),
            (Bound::Image(_, description), Some((_, buffer))) => ArgValue::Image(buffer, *description),
            (Bound::Sampler(sampler), _) => ArgValue::Sampler(*sampler),
            (Bound::Buffer(_) | Bound::Image(..), None) => ArgValue::Null,
        };
        bound.iter().zip(&self.buffers).map(one).collect()
    }
}

/// The type that a buffer's contents have for people: what the parameter points to, else what it was made from.
pub(crate) fn element_of(parameter: &Parameter, data: &HostData) -> Element {
    match parameter.kind {
        ParameterKind::Buffer(Some(element)) => element,
        // A structure's fields are unknown here: it is shown as bytes.
        ParameterKind::Buffer(None) if data.element.scalar == Scalar::UChar => Element::scalar(Scalar::UChar),
        _ => data.element,
    }
}
