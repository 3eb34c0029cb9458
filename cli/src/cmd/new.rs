//! `oxcl new`: a folder with a kernel, a workload that runs it on data, and a test of it.

use crate::error::CliError;
use crate::exit::Outcome;
use crate::ui::Ui;
use clap::Args;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Write a kernel, a workload that runs it, and its test
#[derive(Debug, Args)]
#[command(after_help = "Example: oxcl new blur && oxcl run blur/blur.toml && oxcl run blur/test.toml")]
pub(crate) struct NewArgs {
    /// The folder to make; its last part is the kernel's name
    name: PathBuf,
}

const KERNEL: &str = "\
// One work-item for each element: out[i] = factor * in[i].
kernel void NAME(global const float *in, global float *out, float factor, uint count) {
  size_t i = get_global_id(0);
  if (i < count)
    out[i] = factor * in[i];
}
";

const WORKLOAD: &str = "\
# Runs NAME on a million numbers: oxcl run NAME.toml
title = \"NAME\"

[programs.NAME]
source = \"NAME.cl\"

# Data of your own: npy = \"FILE.npy\" or png = \"FILE.png\" in place of random and seed.
[buffers.in]
type = \"float\"
random = 1000000
seed = 1

[buffers.out]
like = \"in\"

[[commands]]
kernel = \"NAME\"
global = 1000000
args = { in = \"in\", out = \"out\", factor = 2.0, count = 1000000 }
bytes = \"8 * count\"

[[outputs]]
buffer = \"out\"
npy = \"out/NAME.npy\"

# The same again on the reference executor, one work-item at a time, must give the same.
[[expectations]]
buffer = \"out\"
device = \"ref\"
";

const TEST: &str = "\
# Tests NAME on numbers worked out by hand: oxcl run test.toml ends with code 1 where one differs.
title = \"test of NAME\"

[programs.NAME]
source = \"NAME.cl\"

[buffers.in]
type = \"float\"
values = [0, 1, -2.5, 1e6, 7, 8]

[buffers.out]
type = \"float\"
values = [9, 9, 9, 9, 9, 9]

# More work-items than numbers: those behind the end write nothing.
[[commands]]
kernel = \"NAME\"
global = 8
args = { in = \"in\", out = \"out\", factor = 2.0, count = 5 }

[[expectations]]
buffer = \"out\"
values = [0, 2, -5, 2e6, 14, 9]
";

/// Words of OpenCL C that no kernel can be called, as far as people think of them.
const TAKEN: [&str; 22] = [
    "kernel", "global", "local", "private", "constant", "generic", "void", "int", "uint", "float", "double",
    "half", "char", "short", "long", "if", "for", "while", "return", "main", "pipe", "struct",
];

/// Writes the files.
pub(crate) fn run(args: &NewArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let folder = &args.name;
    let name = kernel_name(folder)?;
    if folder.exists() {
        return Err(CliError::usage_with_help(
            format!("'{}' is there already", folder.display()),
            "choose another name: nothing is written over",
        ));
    }
    let written = |path: &Path, source| CliError::Write { path: path.to_owned(), source };
    fs::create_dir_all(folder).map_err(|source| written(folder, source))?;
    let mut files = Vec::new();
    for (file, text) in
        [(format!("{name}.cl"), KERNEL), (format!("{name}.toml"), WORKLOAD), ("test.toml".into(), TEST)]
    {
        let path = folder.join(file);
        fs::write(&path, text.replace("NAME", &name)).map_err(|source| written(&path, source))?;
        files.push(path.display().to_string());
    }
    if ui.json {
        ui.json("new", &json!({ "kernel": name, "files": files }))?;
        return Ok(Outcome::Ok);
    }
    ui.result(&format!(
        "{}    the kernel\n{}    oxcl run {1}\n{}    oxcl run {2}\n",
        files[0], files[1], files[2]
    ))?;
    Ok(Outcome::Ok)
}

/// The kernel's name: the folder's, as OpenCL C takes it.
fn kernel_name(folder: &Path) -> Result<String, CliError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().replace('-', "_");
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !begins || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(CliError::usage_with_help(
            format!("no kernel can be called `{name}`"),
            "take letters, digits and _, such as my_blur",
        ));
    }
    if TAKEN.contains(&name.as_str()) {
        return Err(CliError::usage_with_help(
            format!("`{name}` is a word of OpenCL C's own"),
            format!("for example: oxcl new my_{name}"),
        ));
    }
    Ok(name)
}
