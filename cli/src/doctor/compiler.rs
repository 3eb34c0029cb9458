//! The compiler program, as the library finds it.

use super::loader::Library;
use super::{Problem, Report, System};
use oxcl_runtime::seek_compiler;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// Looks for the compiler of this library.
pub(super) fn examine(system: &System, library: Option<&Library>, report: &mut Report) {
    let Some(library) = library else { return };
    let Some(path) = find(system, library, report) else { return };
    // A library that does not say its version has been found fault with already.
    let Some(wanted) = library.version.as_deref() else { return };
    match said(&path) {
        Ok(version) if version == wanted => report.fact("compiler", format!("{}, version {version}", path.display())),
        Ok(version) => report.find(
            Problem::OtherCompiler,
            format!(
                "the library is of version {wanted}, and its compiler '{}' of version {version}: they do not understand \
                 each other",
                path.display()
            ),
            match system.variable("OXCL_COMPILER") {
                Some(_) => "unset OXCL_COMPILER".to_owned(),
                None => format!("export OXCL_COMPILER={}", system.program.display()),
            },
        ),
        Err(why) => report.find(
            Problem::NoCompiler,
            format!("the library's compiler '{}' {why}", path.display()),
            format!("export OXCL_COMPILER={}", system.program.display()),
        ),
    }
}

fn find(system: &System, library: &Library, report: &mut Report) -> Option<PathBuf> {
    let named = |program: &Path| format!("export OXCL_COMPILER={}", program.display());
    if let Some(given) = system.variable("OXCL_COMPILER") {
        let path = PathBuf::from(given);
        if path.is_file() {
            return Some(path);
        }
        report.find(
            Problem::NoCompiler,
            format!("OXCL_COMPILER is '{given}', which is no program: no kernel can be compiled"),
            "unset OXCL_COMPILER",
        );
        return None;
    }
    let canonical = library.path.canonicalize().unwrap_or_else(|_| library.path.clone());
    let path = system.variable("PATH").unwrap_or_default();
    // Programs of this system are of no use to a library of another one.
    let path: Vec<PathBuf> =
        std::env::split_paths(path).filter(|folder| system.is_this() && folder.is_absolute()).collect();
    let search = seek_compiler(Some(&canonical), None, &path);
    for refused in &search.refused {
        let shown = system.shown(refused);
        report.find(
            Problem::CompilerRefused,
            format!("the library does not run '{shown}', because others may have written it"),
            format!("sudo chown root {shown} && sudo chmod go-w {shown}"),
        );
    }
    if search.found.is_none() && search.refused.is_empty() {
        let looked: Vec<String> =
            search.looked.iter().map(|folder| system.shown(Path::new(folder))).collect();
        report.find(
            Problem::NoCompiler,
            format!("the library finds no compiler: no program 'oxcl' in {}", looked.join(", ")),
            named(&system.program),
        );
    }
    search.found
}

/// What a program says of its version.
fn said(path: &Path) -> Result<String, String> {
    let mut command = Command::new(path);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let begin = Instant::now();
    let mut child = loop {
        match command.spawn() {
            Ok(child) => break child,
            // Somebody is just writing it: an installation.
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy && begin.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(error) => return Err(format!("cannot be started: {error}")),
        }
    };
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if begin.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                // It may have ended meanwhile.
                let _ = child.kill();
                let _ = child.wait();
                return Err("does not answer".to_owned());
            }
        }
    };
    let mut text = String::new();
    if let Some(mut out) = child.stdout.take() {
        // What is no text is no version.
        let _ = out.read_to_string(&mut text);
    }
    match text.trim().strip_prefix("oxcl ") {
        Some(version) if status.success() => Ok(version.to_owned()),
        _ => Err(format!("does not say its version: it ended with {status}")),
    }
}
