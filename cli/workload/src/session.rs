//! A plan with its programs loaded and its buffers' first contents read: what can be checked against kernels is.

use super::plan::{Action, Argument, Command, Launch, Plan, Reference, Sink};
use super::problem::{Problem, WorkloadError};
use crate::data::{Extent, image};
use crate::device::Device;
use crate::host::Host;
use crate::param::{BindError, Bound, Parameter, ParameterKind};
use crate::plan::First;
use oxcl_runtime::{ImageDescription, Kernel, Program, Sampler};
use std::collections::BTreeSet;
use std::time::Duration;

/// A plan that is ready to run, any number of times and on any of its devices.
#[derive(Debug)]
pub struct Session<'p> {
    /// What is run.
    pub plan: &'p Plan,
    /// The buffers' first contents.
    pub data: Vec<First>,
    /// For each command that launches a kernel: the kernel and its arguments.
    pub launches: Vec<Option<ReadyLaunch>>,
    /// Stages of loading and their times.
    pub stages: Vec<(String, Duration)>,
}

/// A kernel with its arguments in order.
#[derive(Debug)]
pub struct ReadyLaunch {
    /// The kernel.
    pub kernel: Kernel,
    /// One for each parameter.
    pub args: Vec<ReadyArgument>,
}

/// An argument.
#[derive(Debug)]
pub enum ReadyArgument {
    /// A buffer of the plan.
    Buffer(usize),
    /// A buffer of the plan, as an image.
    Image(usize, ImageDescription),
    /// A sampler.
    Sampler(Sampler),
    /// A value's bytes.
    Value(Vec<u8>),
    /// Bytes of local memory.
    Local(usize),
}

impl<'p> Session<'p> {
    /// Loads programs and data. `everywhere` replaces the device of every queue; `given` says of which buffers the caller has
    /// the data, and what they are.
    ///
    /// # Errors
    /// A file cannot be used, or does not fit the kernels.
    pub fn load<H: Host>(
        plan: &'p Plan,
        given: &[Option<Extent>],
        everywhere: Option<Device>,
        host: &mut H,
    ) -> Result<Self, H::Error> {
        let at = |line, problem| WorkloadError { path: plan.path.clone(), line, problem: Box::new(problem) };
        host.step("reading data");
        let data = plan.load(given).map_err(|(line, error)| at(line, Problem::Data(error)))?;
        let mut devices: BTreeSet<Device> =
            plan.queues.iter().map(|queue| everywhere.unwrap_or(queue.device)).collect();
        devices.extend(plan.expectations.iter().filter_map(|e| match e.reference {
            Reference::Device(device) => Some(device),
            _ => None,
        }));
        let devices: Vec<Device> = devices.into_iter().collect();
        let mut stages: Vec<(String, Duration)> = Vec::new();
        let mut programs = Vec::new();
        for item in &plan.programs {
            host.step(&format!("building {}", item.name));
            let loaded = host.program(item, plan, &devices)?;
            for (name, time) in loaded.stages {
                match stages.iter_mut().find(|(n, _)| *n == name) {
                    Some((_, sum)) => *sum += time,
                    None => stages.push((name, time)),
                }
            }
            programs.push(loaded.program);
        }
        let mut launches = Vec::new();
        for command in &plan.commands {
            launches.push(match &command.action {
                Action::Kernel(launch) => {
                    let program: &Program = &programs[launch.program];
                    let kernel = program.kernel(&launch.kernel).map_err(|_| {
                        let valid = program.kernel_names().map(str::to_owned).collect();
                        at(command.line, Problem::Name { what: "kernel", name: launch.kernel.clone(), valid })
                    })?;
                    Some(ready(plan, &data, command, launch, kernel)?)
                }
                _ => None,
            });
        }
        let session = Self { plan, data, launches, stages };
        session.check_elements().map_err(|(line, problem)| at(line, problem))?;
        Ok(session)
    }

    /// Copies and fills stay inside of their buffers, and outputs too.
    fn check_elements(&self) -> Result<(), (usize, Problem)> {
        let name = |buffer: usize| self.plan.buffers[buffer].name.clone();
        let within = |buffer: usize, start: u64, count: u64, done| {
            let have = self.extent(buffer).count() as u64;
            match start.checked_add(count) {
                Some(end) if end <= have => Ok(()),
                end => Err(Problem::Beyond {
                    buffer: name(buffer),
                    have,
                    start,
                    end: end.unwrap_or(u64::MAX),
                    done,
                }),
            }
        };
        for command in &self.plan.commands {
            let check = || match &command.action {
                Action::Copy { from, to, from_offset, to_offset, count } => {
                    let (a, b) = (self.extent(*from).element, self.extent(*to).element);
                    if a != b {
                        return Err(Problem::CopyTypes {
                            from: name(*from),
                            from_type: a.to_string(),
                            to: name(*to),
                            to_type: b.to_string(),
                        });
                    }
                    let count = self.copied(*from, *from_offset, *count);
                    within(*from, *from_offset, count, "read")?;
                    within(*to, *to_offset, count, "written")
                }
                Action::Fill { buffer, value, offset, count } => {
                    let element = self.extent(*buffer).element;
                    let one = value.data(Some(element)).ok().flatten().filter(|d| d.len() == 1);
                    if one.is_none() {
                        return Err(Problem::FillValue { element: element.to_string() });
                    }
                    within(*buffer, *offset, self.copied(*buffer, *offset, *count), "filled")
                }
                _ => Ok(()),
            };
            check().map_err(|problem| (command.line, problem))?;
        }
        for output in &self.plan.outputs {
            let data = self.extent(output.buffer);
            match &output.sink {
                Sink::Print(slice) => {
                    slice.range(data.count()).map_err(|error| (output.line, Problem::Print(error)))?;
                }
                Sink::File(target) => {
                    target.check(data).map_err(|error| (output.line, Problem::Data(error)))?
                }
            }
        }
        Ok(())
    }

    /// What a buffer is.
    #[must_use]
    pub fn extent(&self, buffer: usize) -> Extent {
        self.data[buffer].extent()
    }

    /// How many elements a copy or fill is about.
    #[must_use]
    pub fn copied(&self, buffer: usize, offset: u64, count: Option<u64>) -> u64 {
        count.unwrap_or((self.extent(buffer).count() as u64).saturating_sub(offset))
    }
}

/// Gives every parameter of a launch its argument.
fn ready(
    plan: &Plan,
    data: &[First],
    command: &Command,
    launch: &Launch,
    kernel: Kernel,
) -> Result<ReadyLaunch, WorkloadError> {
    let at =
        |problem| WorkloadError { path: plan.path.clone(), line: command.line, problem: Box::new(problem) };
    let parameters = Parameter::of(&kernel);
    for (name, _) in &launch.args {
        if !parameters.iter().any(|p| is_called(p, name)) {
            let valid = parameters.iter().map(Parameter::name_or_position).collect();
            return Err(at(Problem::Name { what: "parameter", name: name.clone(), valid }));
        }
    }
    let mut args = Vec::new();
    for parameter in &parameters {
        let mut given = launch.args.iter().filter(|(name, _)| is_called(parameter, name));
        let Some((_, argument)) = given.next() else {
            let what = format!("command `{}`: args", command.name);
            let problem = Problem::Parameter {
                what,
                name: parameter.name_or_position(),
                type_name: parameter.type_name.clone(),
            };
            return Err(at(problem));
        };
        let bind_error = |error: BindError| at(Problem::Bind(error));
        args.push(match argument {
            Argument::Buffer(buffer) => {
                let extent = data[*buffer].extent();
                match &parameter.kind {
                    ParameterKind::Image(kind, is_depth) => {
                        let described = image::describe(extent, *kind, *is_depth);
                        let described =
                            described.map_err(|error| bind_error(parameter.error(error.into())))?;
                        ReadyArgument::Image(*buffer, described)
                    }
                    _ => {
                        parameter.accepts(extent).map_err(bind_error)?;
                        ReadyArgument::Buffer(*buffer)
                    }
                }
            }
            Argument::Value(value) => match parameter.bind(value).map_err(bind_error)? {
                Bound::Value(bytes) => ReadyArgument::Value(bytes),
                Bound::Local(bytes) => ReadyArgument::Local(bytes),
                Bound::Sampler(sampler) => ReadyArgument::Sampler(sampler),
                Bound::Buffer(_) | Bound::Image(..) => {
                    let problem = Problem::Unnamed { parameter: parameter.name_or_position() };
                    return Err(at(problem));
                }
            },
        });
    }
    Ok(ReadyLaunch { kernel, args })
}

fn is_called(parameter: &Parameter, name: &str) -> bool {
    parameter.name == name || (parameter.name.is_empty() && parameter.position.to_string() == name)
}
