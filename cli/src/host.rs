//! The command line as what runs workloads: it compiles their programs, shows how a run gets on, and records it for `--trace`.

use crate::error::CliError;
use crate::program::{self, How};
use crate::trace;
use crate::ui::Ui;
use crate::ui::progress::Progress;
use oxcl_runtime::Event;
use oxcl_workload::device::Device;
use oxcl_workload::host::{Host, Loaded};
use oxcl_workload::plan::{self, Action, Plan};

/// The terminal, while a workload runs.
pub(crate) struct Terminal<'u> {
    ui: &'u mut Ui,
    progress: Progress,
    cache: bool,
}

impl<'u> Terminal<'u> {
    /// Without `cache` every program is compiled anew.
    pub(crate) fn new(ui: &'u mut Ui, cache: bool) -> Self {
        let progress = Progress::new(ui);
        Self { ui, progress, cache }
    }
}

impl Host for Terminal<'_> {
    type Error = CliError;

    fn program(
        &mut self,
        program: &plan::Program,
        plan: &Plan,
        devices: &[Device],
    ) -> Result<Loaded, CliError> {
        let options = program.options.as_deref().unwrap_or_default();
        let options = program::split_options(options).map_err(|reason| CliError::File {
            path: plan.path.clone(),
            reason: format!("the options of program `{}`: {reason}", program.name),
            help: None,
        })?;
        let how = How { options: &options, width: None, plan: None, local_sizes: &[], cache: self.cache };
        let local = |command: &plan::Command| match &command.action {
            Action::Kernel(launch) if std::ptr::eq(program, plan.programs.get(launch.program)?) => {
                Some((launch.kernel.clone(), program::padded(launch.local.as_deref()?)))
            }
            _ => None,
        };
        let launches = |_: &_| plan.commands.iter().filter_map(local).collect();
        program::load_for(&program.path, how, launches, devices, self.ui)
    }

    fn step(&mut self, text: &str) {
        self.progress.step(text);
    }

    fn part(&mut self, text: &str, done: u64, all: u64) {
        self.progress.part(text, done, all);
    }

    fn enqueued(&mut self, event: &Event, command: &str, device: Device) {
        trace::name(event, command, device);
    }

    fn ended(&mut self, devices: &[(Device, &oxcl_runtime::Device)]) {
        trace::cycles(devices.iter().copied());
    }
}
