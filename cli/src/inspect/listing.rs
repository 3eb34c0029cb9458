//! Machine code as text: of an ELF file, or of each kernel's generic work-group function in an archive.

use super::Contents;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::ui::Ui;
use std::path::Path;

#[cfg(not(feature = "compiler"))]
pub(crate) fn show(
    path: &Path,
    _contents: &Contents,
    _kernel: Option<&str>,
    _ui: &mut Ui,
) -> Result<Outcome, CliError> {
    Err(CliError::usage_with_help(
        format!("'{}' cannot be disassembled: this oxcl was built without the compiler", path.display()),
        "write the files out with --extract, and use objdump",
    ))
}

/// Lists the machine code.
#[cfg(feature = "compiler")]
pub(crate) fn show(
    path: &Path,
    contents: &Contents,
    kernel: Option<&str>,
    ui: &mut Ui,
) -> Result<Outcome, CliError> {
    use super::archive;
    use oxcl_binary::archive::slots::{ANY_SIZE, Code};

    let refuse = |reason: String| CliError::File { path: path.to_owned(), reason, help: None };
    let mut parts: Vec<(String, &[u8])> = Vec::new();
    match contents {
        Contents::Elf(bytes) => parts.push((path.display().to_string(), bytes)),
        Contents::Archive(archive) => {
            for kernel in crate::cmd::inspect::chosen(path, archive, kernel)? {
                let object =
                    kernel.object(Code::First, ANY_SIZE).or_else(|| kernel.object(Code::Ref, ANY_SIZE));
                let Some(object) = object else {
                    let reason =
                        format!("kernel '{}' has no machine code that takes any local size", kernel.name);
                    let help = Some(format!("see its files: oxcl inspect {}", path.display()));
                    return Err(CliError::File { path: path.to_owned(), reason, help });
                };
                parts.push((object.path.clone(), &object.data));
            }
            if archive.kernels.is_empty() {
                return Err(archive::no_such_kernel(path, archive, kernel.unwrap_or_default()));
            }
        }
        Contents::Bitcode(_) | Contents::Spirv(_) | Contents::Data(_) => {
            return Err(refuse("it holds no machine code".to_owned()));
        }
    }
    let mut listings = Vec::new();
    for (name, bytes) in parts {
        let rows = oxcl_codegen::disassemble(bytes).map_err(|error| refuse(format!("'{name}': {error}")))?;
        listings.push((name, rows));
    }
    if ui.json {
        let data: Vec<_> = listings.iter().map(|(name, rows)| as_json(name, rows)).collect();
        ui.json("disassembly", &data)?;
        return Ok(Outcome::Ok);
    }
    for (index, (name, rows)) in listings.iter().enumerate() {
        let gap = if index == 0 { "" } else { "\n" };
        ui.result(&format!("{gap}{name}\n{}", as_text(rows)))?;
    }
    Ok(Outcome::Ok)
}

#[cfg(feature = "compiler")]
fn as_text(rows: &[oxcl_codegen::Row]) -> String {
    use std::fmt::Write as _;

    let mut text = String::new();
    for row in rows {
        if let Some(symbol) = &row.symbol {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\n{symbol}:");
        }
        let shown = if row.text.is_empty() { "(no instruction)" } else { &row.text };
        let _ = writeln!(text, "{:>8x}  {shown}", row.address);
    }
    text
}

#[cfg(feature = "compiler")]
fn as_json(name: &str, rows: &[oxcl_codegen::Row]) -> serde_json::Value {
    let rows: Vec<serde_json::Value> = rows
        .iter()
        .map(|row| {
            serde_json::json!({
                "address": row.address,
                "bytes": row.bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
                "text": row.text,
                "symbol": row.symbol,
            })
        })
        .collect();
    serde_json::json!({ "file": name, "rows": rows })
}
