//! The devices by the names that the command line and workloads use.

use crate::nearest::nearest;
use std::path::Path;

/// What the name of a simulated processor begins with; the path of its description follows.
const PROCESSOR: &str = "ttasim:";
/// What the name of a device of another rank begins with.
const NODE: &str = "mpi:";

/// A device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Device {
    /// All cores of the CPU.
    Cpu,
    /// The CPU, one thread, in the caller.
    Basic,
    /// The reference executor: slow, and checks what it runs.
    Ref,
    /// The CPU, one thread, behind 64 MiB of memory of its own.
    Discrete,
    /// A transport-triggered processor, simulated.
    Processor(Processor),
    /// A device of another rank of an MPI job, or all of them.
    Node(Node),
}

/// A device of another rank: `mpi:2/cpu`; or `mpi:*`, which is all of them in turn, queue by queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    /// The whole name; it lives as long as the process, as there are few.
    name: &'static str,
}

impl Node {
    /// All devices of all other ranks.
    pub const ALL: Node = Node { name: "mpi:*" };
}

/// A simulated processor: `ttasim:`, the path of its description, and what tells it apart from others of the same
/// description, such as `#2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Processor {
    /// The whole name; it lives as long as the process, as there are few.
    name: &'static str,
}

impl Processor {
    /// The path of its description.
    pub fn path(self) -> &'static Path {
        let word = self.word();
        let path = word.strip_prefix(PROCESSOR).unwrap_or(word);
        Path::new(path.strip_suffix(",strict").unwrap_or(path))
    }

    fn word(self) -> &'static str {
        self.name.split_once('#').map_or(self.name, |(word, _)| word)
    }
}

impl Device {
    /// The devices of this machine, in the order in which they are listed.
    pub const ALL: [Device; 4] = [Device::Cpu, Device::Basic, Device::Ref, Device::Discrete];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Basic => "basic",
            Device::Ref => "ref",
            Device::Discrete => "discrete",
            Device::Processor(processor) => processor.name,
            Device::Node(node) => node.name,
        }
    }

    /// The word by which the runtime makes it.
    pub fn word(self) -> &'static str {
        match self {
            Device::Discrete => "discrete:64M",
            Device::Processor(processor) => processor.word(),
            other => other.name(),
        }
    }

    /// The device of a queue that names none: in a job of several ranks the others' devices in turn, else the CPU.
    pub fn standard() -> Self {
        #[cfg(feature = "mpi")]
        if oxcl_runtime::ranks() > 1 {
            return Device::Node(Node::ALL);
        }
        Device::Cpu
    }

    /// The device of a name; paths in it begin at `folder`.
    pub fn of_name(name: &str, folder: &Path) -> Option<Self> {
        if let Some(path) = name.strip_prefix(PROCESSOR).filter(|path| !path.is_empty()) {
            let whole = format!("{PROCESSOR}{}", folder.join(path).display());
            return Some(Device::Processor(Processor { name: Box::leak(whole.into_boxed_str()) }));
        }
        let name = name.to_ascii_lowercase();
        if name == Node::ALL.name {
            return Some(Device::Node(Node::ALL));
        }
        if name.strip_prefix(NODE).is_some_and(|rank| !rank.is_empty()) {
            return Some(Device::Node(Node { name: Box::leak(name.into_boxed_str()) }));
        }
        Self::ALL.into_iter().find(|d| d.name() == name)
    }
}

/// Reads a device on the command line.
pub fn parse(text: &str) -> Result<Device, String> {
    Device::of_name(text, Path::new("")).ok_or_else(|| {
        let lower = text.to_ascii_lowercase();
        match nearest(&lower, Device::ALL.map(Device::name)) {
            Some(near) => format!("did you mean {near}?"),
            None => "devices are cpu, basic, ref, discrete and ttasim:MACHINE.adf".to_owned(),
        }
    })
}
