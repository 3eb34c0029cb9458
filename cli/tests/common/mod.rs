//! Runs the built program in a temporary folder of its own.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A temporary folder and the program in it.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

/// How a run went: exit code, standard output, standard error, with the folder's name taken out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, contents).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.path().join(name)).unwrap()
    }

    /// Names of the files in the folder, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oxcl"));
        command.args(args).current_dir(self.folder.path()).stdin(Stdio::null());
        command
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env_remove("OXCL_WIDTH")
            .env_remove("OXCL_CPU")
            .env("COLUMNS", "100");
        // What runs before another test must not change what that one sees.
        command.env("OXCL_CACHE", "off");
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.finished(self.command(args).output().unwrap())
    }

    pub(crate) fn finished(&self, output: Output) -> Ran {
        let folder = self.folder.path().display().to_string();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).replace(&folder, "DIR");
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// A command line split at blanks; what is in single quotes is one word.
pub(crate) fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part);
        } else {
            words.extend(part.split_whitespace());
        }
    }
    words
}
