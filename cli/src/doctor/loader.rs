//! The OpenCL loader, and the files that tell it where platforms are.
//!
//! Two loaders are in use: ocl-icd's and Khronos'. Both read the first line of each `.icd` file of one folder; `OCL_ICD_VENDORS`
//! names another folder (for ocl-icd also one file or library), as `OPENCL_VENDOR_PATH` does for ocl-icd.

use super::{Problem, Report, System, VERSION};
use std::fs;
use std::path::{Path, PathBuf};

/// Where loaders look.
const VENDORS: &str = "/etc/OpenCL/vendors";
/// Where `make install` writes the file below other prefixes, which loaders do not read.
const ELSEWHERE: [&str; 2] = ["/usr/local/etc/OpenCL/vendors", "/opt/oxcl/etc/OpenCL/vendors"];
/// Variables that name other places, and the loaders that read them.
const VARIABLES: [&str; 2] = ["OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"];
/// What the library's file says before its version.
const MARK: &[u8] = b"\0oxcl library version ";

/// Our library as programs get it.
#[derive(Debug)]
pub(super) struct Library {
    pub(super) path: PathBuf,
    /// None in files of versions that do not say it.
    pub(super) version: Option<String>,
}

/// A file that names a platform.
struct Vendor {
    file: PathBuf,
    /// What it names.
    name: String,
    library: Option<PathBuf>,
}

impl Vendor {
    fn is_ours(&self) -> bool {
        let name = Path::new(&self.name).file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("liboxcl.so")
    }
}

/// Looks at both; gives the library that programs get, and the files that the loader reads.
pub(super) fn examine(system: &System, report: &mut Report) -> (Option<Library>, Vec<PathBuf>) {
    if let Some(folder) = system.python_libraries() {
        return examine_python(system, &folder, report);
    }
    match system.library("libOpenCL.so.1") {
        Some(path) => report.fact("loader", system.shown(&path)),
        None => report.find(
            Problem::NoLoader,
            "there is no OpenCL loader: no libOpenCL.so.1 in the folders of the dynamic linker",
            system.install("ocl-icd-libopencl1", "ocl-icd", "ocl-icd"),
        ),
    }
    let everywhere = read(system, &system.path(VENDORS), report);
    let set = VARIABLES.iter().find_map(|name| Some((*name, system.variable(name)?)));
    let vendors = match set {
        None => everywhere,
        Some((name, value)) => {
            report.fact("vendors", format!("{name}={value}"));
            let vendors = read(system, Path::new(value), report);
            if !vendors.iter().any(Vendor::is_ours) && everywhere.iter().any(Vendor::is_ours) {
                report.find(
                    Problem::Hidden,
                    format!(
                        "{name} is '{value}', so the loader does not read {VENDORS}, where oxcl is named"
                    ),
                    format!("unset {name}"),
                );
                return (None, files(&vendors));
            }
            vendors
        }
    };
    (named(system, &vendors, report), files(&vendors))
}

/// The same where this program came as a Python wheel: PyOpenCL's loader, and the folder that it looks into first.
fn examine_python(system: &System, folder: &Path, report: &mut Report) -> (Option<Library>, Vec<PathBuf>) {
    match system.python_loader() {
        Some(path) => report.fact("loader", path.display().to_string()),
        None => report.find(
            Problem::NoLoader,
            format!(
                "there is no OpenCL loader in {}: PyOpenCL is not installed as a wheel",
                folder.display()
            ),
            "python -m pip install --force-reinstall --no-deps --only-binary :all: pyopencl",
        ),
    }
    let mut vendors = read(system, folder, report);
    for vendor in vendors.iter_mut().filter(|vendor| !vendor.name.contains('/')) {
        vendor.library = Some(folder.join(&vendor.name)).filter(|path| path.is_file());
    }
    vendors.extend(read(system, &system.path(VENDORS), report));
    (named(system, &vendors, report), files(&vendors))
}

fn files(vendors: &[Vendor]) -> Vec<PathBuf> {
    vendors.iter().map(|vendor| vendor.file.clone()).collect()
}

/// What the vendors' files come to.
fn named(system: &System, vendors: &[Vendor], report: &mut Report) -> Option<Library> {
    for vendor in vendors {
        let file = system.shown(&vendor.file);
        if vendor.library.is_some() {
            report.fact("platform", format!("{} ({file})", vendor.name));
        } else if vendor.is_ours() {
            report.find(
                Problem::LibraryGone,
                format!("{file} names '{}', which is not there", vendor.name),
                register(system, &file),
            );
        } else {
            report.find(
                Problem::OtherLibraryGone,
                format!("{file} names '{}', which is not there: another platform's library", vendor.name),
                format!("sudo rm {file}"),
            );
        }
    }
    let ours: Vec<&Vendor> = vendors.iter().filter(|vendor| vendor.is_ours()).collect();
    let Some(first) = ours.first() else {
        not_named(system, report);
        return None;
    };
    for more in &ours[1..] {
        let (first, more) = (system.shown(&first.file), system.shown(&more.file));
        report.find(
            Problem::NamedTwice,
            format!("oxcl is named twice, in {first} and in {more}: programs see the platform of either or of both"),
            format!("sudo rm {more}"),
        );
    }
    let path = first.library.clone()?;
    let contents = fs::read(&path).unwrap_or_default();
    if !is_library(&contents) {
        report.find(
            Problem::LibraryBroken,
            format!("'{}' is no library for this processor, or is not whole", system.shown(&path)),
            "install oxcl again: sudo apt install --reinstall oxcl",
        );
        return None;
    }
    let version = version(&contents);
    if version.as_deref() != Some(VERSION) {
        let found = version
            .as_deref()
            .map_or("does not say its version".to_owned(), |found| format!("is of version {found}"));
        report.find(
            Problem::OtherLibrary,
            format!(
                "programs load '{}', which {found}, and this program is of version {VERSION}: two installations, \
                 or half of an upgrade",
                system.shown(&path)
            ),
            register(system, &system.shown(&first.file)),
        );
    }
    report.fact(
        "library",
        format!("{}, version {}", system.shown(&path), version.as_deref().unwrap_or("not said")),
    );
    Some(Library { path, version })
}

fn not_named(system: &System, report: &mut Report) {
    let elsewhere = ELSEWHERE
        .iter()
        .flat_map(|folder| System::files(&system.path(folder), "icd"))
        .find(|file| fs::read_to_string(file).is_ok_and(|text| text.contains("liboxcl.so")));
    let (message, mend) = match elsewhere {
        Some(file) => {
            let file = system.shown(&file);
            (
                format!("{file} names oxcl, but loaders read {VENDORS} only"),
                format!("sudo cp {file} {VENDORS}/"),
            )
        }
        None => (
            format!("no file in {VENDORS} names oxcl: programs do not see it"),
            register(system, &format!("{VENDORS}/oxcl.icd")),
        ),
    };
    report.find(Problem::NotNamed, message, mend);
}

/// The command that writes a vendor file anew.
fn register(system: &System, file: &str) -> String {
    format!("sudo {} icd {file}", system.program.display())
}

/// The platforms that a folder's files name, or a single file, or a library.
fn read(system: &System, place: &Path, report: &mut Report) -> Vec<Vendor> {
    let ending = place.extension().unwrap_or_default();
    if ending == "icd" {
        return one(system, place, report).into_iter().collect();
    }
    if place.is_file() {
        let library = Some(place.to_owned());
        return vec![Vendor { file: place.to_owned(), name: place.display().to_string(), library }];
    }
    System::files(place, "icd").iter().filter_map(|file| one(system, file, report)).collect()
}

fn one(system: &System, file: &Path, report: &mut Report) -> Option<Vendor> {
    let shown = system.shown(file);
    let text = match fs::read(file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            report.find(
                Problem::BadFile,
                format!("{shown} cannot be read: {error}"),
                format!("sudo chmod a+r {shown}"),
            );
            return None;
        }
    };
    let line = text.lines().next().unwrap_or_default();
    let name = line.trim().to_owned();
    if name.is_empty()
        || line != name
        || text.contains('\r')
        || text.lines().skip(1).any(|line| !line.is_empty())
    {
        let ours = text.contains("liboxcl.so") || shown.ends_with("oxcl.icd");
        let mend = if ours { register(system, &shown) } else { format!("sudoedit {shown}") };
        report.find(
            Problem::BadFile,
            format!("{shown} is not one line with the name of a library, and loaders differ over what they make of it"),
            mend,
        );
    }
    if name.is_empty() {
        return None;
    }
    let library = system.library(&name);
    Some(Vendor { file: file.to_owned(), name, library })
}

/// Whether a file is a shared object for x86-64, as long as its headers say.
fn is_library(contents: &[u8]) -> bool {
    match goblin::elf::Elf::parse(contents) {
        Ok(elf) => {
            elf.header.e_machine == goblin::elf::header::EM_X86_64
                && elf.header.e_type == goblin::elf::header::ET_DYN
        }
        Err(_) => false,
    }
}

fn version(contents: &[u8]) -> Option<String> {
    let at = contents.windows(MARK.len()).position(|window| window == MARK)? + MARK.len();
    let rest = contents[at..].split(|byte| *byte == b'\n').next()?;
    (rest.len() < 64).then(|| String::from_utf8_lossy(rest).into_owned())
}
