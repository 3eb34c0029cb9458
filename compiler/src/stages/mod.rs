//! The stages of a compilation: the list of them, and one file with one function for each.
//!
//! | stage | from | to | file |
//! | --- | --- | --- | --- |
//! | memory | nothing | memory mapped, LLVM warming up | [`memory`] |
//! | request | a request | [`Settings`](crate::settings::Settings), which all others take what they need from | [`crate::settings`] |
//! | frontend | sources, SPIR-V, compiled objects | one module | [`front_end`] |
//! | builtins | that module | the same, complete but for work-item functions and barriers | [`builtins`] |
//! | kernels | that module | the kernels that code is made of, and where variables lie | [`kernels`] |
//! | target | CPUs | LLVM's machines for them | [`target`] |
//! | work-group | the module, a kernel | a module of its own with the kernel's work-group function | [`work_group`] |
//! | optimise | that module | the same, optimised | [`optimise`] |
//! | emit | that module | an object, or assembly | [`mod@emit`] |
//! | schedule | machine IR | units for transport-triggered processors | [`schedule`] |
//! | link | an object | a shared object | [`link`] |
//! | pack | code and facts of all kernels | an archive | [`crate::pack`] |
//!
//! A stage takes settings and what the one before it gave; it never sees the request. [`crate::pipeline`] calls them in
//! this order, some once a kernel, local size and CPU; each call is measured under the stage's name. [`crate::alone`] runs
//! one on text.

pub(crate) mod builtins;
pub(crate) mod emit;
pub(crate) mod front_end;
pub(crate) mod kernels;
pub(crate) mod link;
pub(crate) mod memory;
pub(crate) mod optimise;
pub(crate) mod schedule;
pub(crate) mod target;
pub(crate) mod work_group;

/// A stage of a compilation, in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Mapping memory for what follows; once in a process.
    Memory,
    /// Deciding from the request how everything is compiled.
    Request,
    /// Clang, or the reader of SPIR-V.
    FrontEnd,
    /// Linking the builtins that the kernels reach.
    Builtins,
    /// Choosing kernels and laying out variables.
    Kernels,
    /// LLVM's machines.
    Target,
    /// Forming work-group functions, or the reference executor's functions.
    WorkGroup,
    /// LLVM's optimiser.
    Optimise,
    /// LLVM's code generator.
    Emit,
    /// Registers and schedules for transport-triggered processors.
    Schedule,
    /// Linking objects.
    Link,
    /// Writing the archive.
    Pack,
}

impl Stage {
    /// All, in their order.
    pub const ALL: [Stage; 12] = [
        Stage::Memory,
        Stage::Request,
        Stage::FrontEnd,
        Stage::Builtins,
        Stage::Kernels,
        Stage::Target,
        Stage::WorkGroup,
        Stage::Optimise,
        Stage::Emit,
        Stage::Schedule,
        Stage::Link,
        Stage::Pack,
    ];

    /// The stage's name, as `--time` shows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Stage::Memory => "memory",
            Stage::Request => "request",
            Stage::FrontEnd => "frontend",
            Stage::Builtins => "builtins",
            Stage::Kernels => "kernels",
            Stage::Target => "target",
            Stage::WorkGroup => "work-group",
            Stage::Optimise => "optimise",
            Stage::Emit => "emit",
            Stage::Schedule => "schedule",
            Stage::Link => "link",
            Stage::Pack => "pack",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Stage;

    #[test]
    fn the_list_is_in_order_and_whole() {
        assert!(Stage::ALL.is_sorted());
        // The last one of the enumeration is the last of as many.
        assert_eq!(Stage::Pack as usize + 1, Stage::ALL.len());
    }
}
