//! The system that is looked at: files below a root, and the environment of this process.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where libraries are looked for beside the folders of `/etc/ld.so.conf`.
const LIBRARY_FOLDERS: [&str; 6] =
    ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"];

/// The system.
#[derive(Debug)]
pub(crate) struct System {
    /// `/`, or where another system's files are.
    root: PathBuf,
    /// The environment.
    pub(crate) environment: BTreeMap<String, String>,
    /// This program.
    pub(crate) program: PathBuf,
}

impl System {
    /// The system below `root`, in the environment of this process.
    pub(crate) fn below(root: &Path) -> Self {
        let environment = std::env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
            .collect();
        let program = std::env::current_exe().unwrap_or_else(|_| "oxcl".into());
        Self { root: root.to_owned(), environment, program }
    }

    /// Whether this is the system that the program runs on.
    pub(crate) fn is_this(&self) -> bool {
        self.root == Path::new("/")
    }

    /// The folder in which PyOpenCL's wheel has its loader, and looks for files that name platforms, where this program came as
    /// a wheel too.
    pub(crate) fn python_libraries(&self) -> Option<PathBuf> {
        let packages = self.program.parent()?.parent()?.parent()?;
        let is_wheel = self.is_this()
            && self.program.ends_with("oxcl/bin/oxcl")
            && packages.join("oxcl/__main__.py").is_file();
        let folder = packages.join("pyopencl/.libs");
        (is_wheel && folder.is_dir()).then_some(folder)
    }

    /// The loader that comes with PyOpenCL's wheel.
    pub(crate) fn python_loader(&self) -> Option<PathBuf> {
        let entries = std::fs::read_dir(self.python_libraries()?).ok()?.filter_map(Result::ok);
        let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        found.sort();
        let is_loader = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libOpenCL"))
        };
        found.into_iter().find(is_loader)
    }

    /// A variable's value, if it is set and not empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Where a file of the system is.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// How messages call a file: as the system itself does.
    pub(crate) fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.root) {
            Ok(inside) if !self.is_this() => Path::new("/").join(inside).display().to_string(),
            _ => path.display().to_string(),
        }
    }

    /// A text file of the system.
    pub(crate) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        fs::read(self.path(path)).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The files in a folder with this extension, by name.
    pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let mut found: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|found| found == extension))
            .collect();
        found.sort();
        found
    }

    /// The library that programs get under this name: a path, or a name that the dynamic linker looks for.
    pub(crate) fn library(&self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            let path = self.path(name);
            return path.is_file().then_some(path);
        }
        let first = self.variable("LD_LIBRARY_PATH").unwrap_or_default().split([':', ';']).map(PathBuf::from);
        let first = first.filter(|folder| folder.is_absolute());
        let mut folders: Vec<PathBuf> = first.collect();
        folders.extend(self.configured("/etc/ld.so.conf", 0).iter().map(|folder| self.path(folder)));
        folders.extend(LIBRARY_FOLDERS.iter().map(|folder| self.path(folder)));
        folders.into_iter().map(|folder| folder.join(name)).find(|path| path.is_file())
    }

    /// The folders that a file of the dynamic linker's configuration names, and those that it includes.
    fn configured(&self, file: &str, depth: u32) -> Vec<String> {
        // A file that includes itself is nobody's configuration.
        if depth > 4 {
            return Vec::new();
        }
        let mut folders = Vec::new();
        for line in self.text(file).unwrap_or_default().lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if let Some(pattern) = line.strip_prefix("include").map(str::trim) {
                // As all distributions write it: every file of a folder.
                let Some((folder, "*.conf")) = pattern.rsplit_once('/') else { continue };
                for path in Self::files(&self.path(folder), "conf") {
                    folders.extend(self.configured(&self.shown(&path), depth + 1));
                }
            } else if line.starts_with('/') {
                folders.push(line.to_owned());
            }
        }
        folders
    }

    /// What a distribution's package manager is told to install packages: those of Debian, of Fedora, of Arch.
    pub(crate) fn install(&self, debian: &str, fedora: &str, arch: &str) -> String {
        let release = self.text("/etc/os-release").unwrap_or_default();
        let like: Vec<&str> = release
            .lines()
            .filter_map(|line| line.strip_prefix("ID=").or_else(|| line.strip_prefix("ID_LIKE=")))
            .flat_map(|value| value.trim_matches('"').split_whitespace())
            .collect();
        let is = |names: &[&str]| like.iter().any(|name| names.contains(name));
        if is(&["fedora", "rhel", "centos"]) {
            format!("sudo dnf install {fedora}")
        } else if is(&["arch"]) {
            format!("sudo pacman -S {arch}")
        } else {
            format!("sudo apt install {debian}")
        }
    }
}
