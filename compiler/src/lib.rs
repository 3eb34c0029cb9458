//! OpenCL C and SPIR-V to device code: the pipeline from sources to an archive.
//!
//! [`Request`] says what is wanted, [`compile`] runs the stages ([`Stage`] lists them), [`run_alone`] one of them on text,
//! [`CompileError`] says what is wrong and whose fault it is. No files are read or written here but the headers that a source includes.

mod alone;
mod collective;
mod error;
mod last;
mod names;
mod native;
mod objects;
mod operations;
mod pack;
mod pieces;
mod pipeline;
mod print;
mod reference;
mod relaxed;
mod remarks;
mod request;
mod settings;
mod share;
mod stages;
mod timing;
pub mod tta;
mod undefined;
mod variables;

pub use alone::run_alone;
pub use error::{CompileError, Fault};
pub use last::LastProgram;
pub use oxcl_binary::il::is_spirv;
pub use oxcl_binary::pipe::{Kernels, Quality};
pub use oxcl_frontend::{BuildOptions, Colour, Diagnostics, OptionError, VirtualHeader, render};
pub use oxcl_spirv::{Reason as SpirvReason, SpirvError, listing as spirv_listing};
pub use oxcl_workgroup::{FormError, PlanError, PlanText};
pub use pieces::Told;
pub use pipeline::{Compiled, compile, compile_again};
pub use request::{DeviceId, Devices, IlFile, Request, SourceFile};
pub use settings::Emit;
pub use stages::Stage;
pub use timing::Timings;
