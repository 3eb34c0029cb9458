//! The devices by the names that the command line uses.

use clap::ValueEnum;

/// A device of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Device {
    /// All cores of the CPU
    Cpu,
    /// The CPU, one thread, in the caller
    Basic,
    /// The reference executor: slow, and checks what it runs
    Ref,
    /// The CPU, one thread, behind 64 MiB of memory of its own
    Discrete,
}

impl Device {
    /// Every device, in the order in which they are listed.
    pub(crate) const ALL: [Device; 4] = [Device::Cpu, Device::Basic, Device::Ref, Device::Discrete];

    /// The name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Basic => "basic",
            Device::Ref => "ref",
            Device::Discrete => "discrete",
        }
    }

    /// The word by which the runtime makes it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Device::Discrete => "discrete:64M",
            other => other.name(),
        }
    }

    /// The device of a name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|d| d.name() == name)
    }
}
