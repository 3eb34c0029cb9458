//! The heart: kernels become work-group functions.
//!
//! In: a module for the OpenCL front-end target (`spir64`, `spir`), builtins linked, that is this kernel's alone. Out
//! ([`form`]): the same module for the real target, which exports the three symbols of `oxcl_binary::abi` for the
//! kernel; everything else in it is internal.
//!
//! Steps, each borrowing what the earlier ones made:
//! `prepare` (inline, SSA, simplified loops) -> `locals` (`__local` variables) -> `regions` (cut at barriers) -> `slots`
//! (what lives across, with `privates`) -> `emit` (work-item loops, W lanes at a time) -> `launch` (the two entries).
//!
//! Most launches have global ids less than 2^31, which makes `int` arithmetic on ids exact. Where the code rests on that, there is
//! other code for the rest (see `bodies`); on 32-bit devices there are no others.
//!
//! W is a parameter throughout. At W = 1 every value is one scalar and every mask is trivially true, so the emitter's
//! output is the work-item loop; at larger W the same walk over the same regions makes vectors and masks.

#![forbid(unsafe_code)]

pub mod analysis;
mod bodies;
mod context;
mod divide;
mod emit;
mod error;
mod facts;
mod indices;
mod launch;
mod locals;
mod pocl_print;
mod prepare;
mod privates;
mod regions;
mod report;
mod slots;
mod variables;
mod workitem;

pub use divide::guard as guard_divisions;
pub use error::FormError;
use oxcl_binary::meta::ArgFacts;
use oxcl_ir::Module;

/// What the names of a program's own functions begin with in the modules that are given to [`form`], so that they meet no
/// library's: messages leave it out.
pub const PROGRAM_NAMES: &str = "program.";

/// Address spaces of the front-end target, which x86 code keeps.
mod space {
    /// `__global`.
    pub(crate) const GLOBAL: u32 = 1;
    /// `__local`.
    pub(crate) const LOCAL: u32 = 3;
}

/// The real target of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Target triple.
    pub triple: String,
    /// LLVM data layout.
    pub data_layout: String,
    /// LLVM's name for the CPU; may be empty.
    pub cpu: String,
    /// Features in LLVM's notation, `+avx2,-fma`; may be empty.
    pub features: String,
}

/// The layout of the context that PoCL's entry is called with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoclAbi {
    /// 96 bytes: container version 9, PoCL 3.1.
    Context96,
    /// 112 bytes: container versions 11 and 12, PoCL 4.0 and later.
    Context112,
    /// 60 bytes: 32-bit devices, whose arguments and context are in global memory. There is a start-up for the device's own
    /// program instead of PoCL's entry, and the native entry takes its numbers in 32 bits.
    Context60,
}

/// How to form a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// W: work-items that run at a time, a power of two.
    pub width: u32,
    /// The only local size that the code must serve; `None`: any.
    pub local_size: Option<[u64; 3]>,
    /// Every work-group is whole: the local size divides the global size. Otherwise those at the edge may be smaller, but
    /// for code that serves one local size only: launchers take that for launches without such groups.
    pub uniform: bool,
    /// Variables at program scope that live in the program's own memory, by name, with their offsets there.
    pub variables: Vec<(String, u64)>,
    /// The context layout of PoCL's entry, or that of 32-bit devices.
    pub pocl: PoclAbi,
    /// The real target.
    pub target: Target,
}

impl Options {
    /// Whether the code must ask how large a work-group is that lies at the edge.
    pub(crate) fn has_edges(&self) -> bool {
        !self.uniform && self.local_size.is_none()
    }
}

/// Module-level variables that the body finds through its launch.
#[derive(Debug, Clone, Copy)]
struct Hidden<'a, 'c> {
    locals: &'a [locals::Local<'c>],
    variables: &'a [variables::Variable<'c>],
}

/// What [`form`] found out about the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// One for each parameter.
    pub args: Vec<ArgFacts>,
    /// May touch memory that no argument names.
    pub opaque: bool,
    /// Touches variables at program scope.
    pub globals: bool,
    /// Calls printf.
    pub printf: bool,
    /// Has a work-group barrier.
    pub barrier: bool,
}

/// A formed kernel: the module holds its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formed {
    /// Sizes of the kernel's own `__local` variables, in declaration order.
    pub local_sizes: Vec<u64>,
    /// Scratch bytes whatever the local size.
    pub scratch_fixed: u64,
    /// Scratch bytes for each work-item.
    pub scratch_per_item: u64,
    /// W.
    pub width: u32,
    /// Launches may have global ids of 2^31 and more.
    pub any_ids: bool,
    /// What the kernel does with its parameters; bounds hold in launches whose global ids are all less than 2^31.
    pub facts: Facts,
    /// The regions, slots and group-level branches as text, for people and snapshots.
    pub regions_report: String,
}

/// Makes the work-group functions of `kernel`.
///
/// # Errors
/// [`FormError`] where the kernel is not valid OpenCL C, cannot run `width` work-items at a time, or does not exist. The
/// module is then half-way and only good for being dropped.
pub fn form(module: &Module<'_>, kernel: &str, options: &Options) -> Result<Formed, FormError> {
    if !options.width.is_power_of_two() || options.width > 64 {
        return Err(FormError::Width { width: options.width });
    }
    let prepared = prepare::prepare(module, kernel, options)?;
    let locals = locals::collect(&prepared);
    let variables = variables::collect(&prepared, options);
    let facts = facts::collect(&prepared);
    let regions = regions::form(&prepared)?;
    let slots = slots::assign(&prepared, &regions);
    let regions_report = report::regions(&prepared, &regions, &slots, &locals, options);
    let hidden = Hidden { locals: &locals, variables: &variables };
    let bodies = emit::emit(&prepared, &regions, &slots, hidden, facts.printf, options)?;
    launch::finish(&prepared, bodies, &slots, hidden, facts.printf, options)?;
    Ok(Formed {
        local_sizes: locals.iter().map(|local| local.size).collect(),
        scratch_fixed: 0,
        scratch_per_item: slots.per_item,
        width: options.width,
        any_ids: bodies::may_be_large(options),
        facts,
        regions_report,
    })
}
