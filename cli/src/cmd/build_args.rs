//! The build options that several commands take.

use clap::Args;
use std::path::PathBuf;

/// Build options for OpenCL C.
#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "Build options")]
    define: Vec<String>,
    /// Search a folder for #include
    #[arg(short = 'I', value_name = "FOLDER", help_heading = "Build options")]
    include: Vec<String>,
    /// How hard to optimise, 0 to 3
    #[arg(short = 'O', value_name = "LEVEL", help_heading = "Build options")]
    optimise: Option<String>,
    /// OpenCL's own options, written as they are: -cl-std=CL1.2, -cl-fast-relaxed-math, -Werror, ...
    #[arg(
        long = "build-option",
        value_name = "OPTION",
        allow_hyphen_values = true,
        help_heading = "Build options"
    )]
    build_option: Vec<String>,
    /// Work-items that a work-group function runs at a time, a power of two; 1 leaves vectors to LLVM. The compiler chooses
    /// for each kernel where this is left out: see compile --emit plan
    #[arg(long, value_name = "W")]
    pub(crate) width: Option<u32>,
    /// A plan for some kernels, as compile --emit plan prints it and perhaps edited: W, the rows, and how accesses and calls
    /// are made. One that cannot be followed is refused
    #[arg(long, value_name = "FILE", conflicts_with = "width")]
    pub(crate) plan: Option<PathBuf>,
    /// More build options, after --
    #[arg(last = true, value_name = "BUILD_OPTIONS", allow_hyphen_values = true)]
    trailing: Vec<String>,
}

impl BuildArgs {
    /// The options as a compiler takes them.
    pub(crate) fn options(&self) -> Vec<String> {
        let mut options: Vec<String> = Vec::new();
        options.extend(self.define.iter().map(|d| format!("-D{d}")));
        options.extend(self.include.iter().map(|i| format!("-I{i}")));
        options.extend(self.optimise.iter().map(|o| format!("-O{o}")));
        options.extend(self.build_option.iter().cloned());
        options.extend(self.trailing.iter().cloned());
        options
    }
}
