//! Objects to a shared object, by lld in this process.
//!
//! In: objects of [`Machine::emit`](crate::Machine::emit). Out: an ET_DYN image that exports the given symbols and
//! nothing else, with DT_NEEDED for the C libraries that it calls, the same bytes for the same input. Nothing touches
//! the disk: lld reads files in memory and writes into a pipe. (A regular file it would map, rename and so need on disk;
//! what is no regular file it writes plainly, at the end.)
//!
//! lld keeps state in the process and may run once at a time: one lock around it. A process that lld has crashed in
//! cannot link any more.

use std::collections::BTreeSet;
use std::ffi::{CString, NulError};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::sync::{Mutex, PoisonError};
use std::thread;

use object::{Object, ObjectSymbol};

use crate::architecture::Architecture;
use crate::bridge::{self, Heard};
use crate::memory_file::MemoryFile;
use crate::stubs;

/// Gives the object that defines a symbol, if there is one.
pub type Library<'f, 'a> = &'f dyn Fn(&str) -> Option<&'a [u8]>;

/// Whether lld may be entered; `false` after a crash in it.
static LLD: Mutex<bool> = Mutex::new(true);

/// Why there is no shared object.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The code calls functions that nothing defines.
    #[error("undefined: {}", quoted(.symbols))]
    Undefined {
        /// Their names, sorted.
        symbols: Vec<String>,
    },
    /// No object defines a symbol that was to be exported.
    #[error("to be exported but not defined: {}", quoted(.symbols))]
    NotDefined {
        /// The names, sorted.
        symbols: Vec<String>,
    },
    /// An input is no object.
    #[error("input {index} is not an ELF object: {reason}")]
    NotAnObject {
        /// Which.
        index: usize,
        /// Why not.
        reason: object::read::Error,
    },
    /// A name cannot stand in a linker script.
    #[error("'{0}' cannot be a symbol's name")]
    BadName(String),
    /// lld refused.
    #[error("lld: {0}")]
    Refused(String),
    /// lld crashed, now or before.
    #[error("lld crashed; this process cannot link any more{0}")]
    Crashed(String),
    /// No object with the names of a C library could be made.
    #[error("the names of the C library cannot be written: {0}")]
    Stub(#[from] object::write::Error),
    /// The system gave no file in memory.
    #[error("no file in memory: {0}")]
    File(#[from] io::Error),
}

impl From<NulError> for LinkError {
    fn from(error: NulError) -> Self {
        Self::BadName(String::from_utf8_lossy(&error.into_vec()).into_owned())
    }
}

fn quoted(symbols: &[String]) -> String {
    let quoted: Vec<String> = symbols.iter().map(|name| format!("'{name}'")).collect();
    quoted.join(", ")
}

/// Links `objects` into a shared object that exports `exports`.
///
/// # Errors
/// A symbol that is called or to be exported is not defined, an input is no object, or lld failed.
pub fn link_shared(objects: &[&[u8]], exports: &[&str]) -> Result<Vec<u8>, LinkError> {
    link_with(objects, &|_| None, exports)
}

/// The same with a library, which is asked for the object that defines a symbol; of what it gives, the image gets what is
/// called.
///
/// # Errors
/// As for [`link_shared`].
pub fn link_with<'a>(
    objects: &[&'a [u8]],
    library: Library<'_, 'a>,
    exports: &[&str],
) -> Result<Vec<u8>, LinkError> {
    let mut objects = objects.to_vec();
    let (needed, architecture) = check_symbols(&mut objects, library, exports)?;
    let mut script = String::from("{\n");
    if !exports.is_empty() {
        script.push_str("global:\n");
        for name in exports {
            script.push_str(&format!("\"{name}\";\n"));
        }
    }
    script.push_str("local: *;\n};\n");

    let script = MemoryFile::with(c"exports", script.as_bytes())?;
    let mut inputs = Vec::new();
    for object in &objects {
        inputs.push(MemoryFile::with(c"object", object)?);
    }
    let is_x86 = architecture == Architecture::X86_64;
    for library in needed {
        let made: Vec<u8>;
        let stub = match stubs::of_x86(library) {
            Some(stub) if is_x86 => stub,
            _ => {
                made = make_stub(architecture, library)?;
                &made
            }
        };
        inputs.push(MemoryFile::with(c"stub", stub)?);
    }
    // Kernels of AArch64 have pages of up to 64 KiB.
    let page_size = if is_x86 { "max-page-size=4096" } else { "max-page-size=65536" };
    let fixed = [
        "-shared",
        "--threads=1",
        "--build-id=none",
        "--hash-style=gnu",
        "--gc-sections",
        "--strip-all",
        "--no-undefined",
        // Nobody interposes: calls between exports go straight.
        "-Bsymbolic",
        "--no-rosegment",
        "-O1",
        "-z",
        page_size,
        "-z",
        "noseparate-code",
        "-z",
        "norelro",
    ];
    let script_option = format!("--version-script={}", script.path());
    write_out(fixed.into_iter().chain([script_option.as_str()]), &inputs)
}

/// A shared object with the names of a C library's functions and nothing else.
fn make_stub(architecture: Architecture, library: &str) -> Result<Vec<u8>, LinkError> {
    let symbols = MemoryFile::with(c"stub", &stubs::object(architecture, library)?)?;
    write_out(["-shared", "--build-id=none", "--hash-style=gnu", "-soname", library].into_iter(), &[symbols])
}

/// One object of `object` and what it calls of `library`; `object` itself if that is nothing. Of the library's, only what is
/// reached from `exports` is in it.
///
/// # Errors
/// As for [`link_shared`].
pub fn link_relocatable<'a>(
    object: &'a [u8],
    library: Library<'_, 'a>,
    exports: &[&str],
) -> Result<Vec<u8>, LinkError> {
    let mut objects = vec![object];
    check_symbols(&mut objects, library, exports)?;
    if objects.len() == 1 {
        return Ok(object.to_vec());
    }
    let mut inputs = Vec::new();
    for object in &objects {
        inputs.push(MemoryFile::with(c"object", object)?);
    }
    let fixed = ["-r", "--threads=1", "--gc-sections", "--strip-debug"];
    let roots = exports.iter().flat_map(|name| ["-u", *name]);
    write_out(fixed.into_iter().chain(roots), &inputs)
}

/// Runs lld with these options over the inputs, and gives what it writes.
fn write_out<'o>(
    options: impl Iterator<Item = &'o str>,
    inputs: &[MemoryFile],
) -> Result<Vec<u8>, LinkError> {
    let mut arguments = vec![CString::new("ld.lld")?];
    for option in options {
        arguments.push(CString::new(option)?);
    }
    arguments.push(CString::new("-o")?);
    let (mut from_lld, to_us) = io::pipe()?;
    arguments.push(CString::new(format!("/proc/self/fd/{}", to_us.as_raw_fd()))?);
    for input in inputs {
        arguments.push(CString::new(input.path())?);
    }
    // A pipe holds 64 KiB: someone must read while lld writes.
    thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let mut image = Vec::new();
            from_lld.read_to_end(&mut image).map(|_| image)
        });
        let linked = run_lld(&arguments);
        // The last open end: the reader comes to the end.
        drop(to_us);
        let image = reader.join().map_err(|_| LinkError::Refused("reading its output failed".to_owned()))?;
        linked?;
        Ok(image?)
    })
}

fn run_lld(arguments: &[CString]) -> Result<(), LinkError> {
    let pointers: Vec<_> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    let mut heard = Heard::default();
    // A panic under the lock cannot leave lld half-way: nothing panics while it runs.
    let mut usable = LLD.lock().unwrap_or_else(PoisonError::into_inner);
    if !*usable {
        return Err(LinkError::Crashed(String::new()));
    }
    // SAFETY: the arguments are C strings that live until the call returns; the lock keeps every other thread out;
    // the sink gets the `Heard` of `user`.
    let result =
        unsafe { bridge::oxcl_lld(pointers.as_ptr(), pointers.len(), bridge::hear_message, heard.user()) };
    *usable = result.can_run_again != 0;
    let message = heard.message().trim().replace("ld.lld: error: ", "").replace('\n', "; ");
    match result.outcome {
        bridge::DONE => Ok(()),
        bridge::CRASHED => Err(LinkError::Crashed(format!(": {message}"))),
        _ => Err(LinkError::Refused(message)),
    }
}

/// Checks that all exports are defined and all that is called exists, adds the objects of `library` that define it, and
/// gives the C libraries needed for the rest and what the objects are for, which is one architecture.
fn check_symbols<'a>(
    objects: &mut Vec<&'a [u8]>,
    library: Library<'_, 'a>,
    exports: &[&str],
) -> Result<(BTreeSet<&'static str>, Architecture), LinkError> {
    let mut architecture = Architecture::X86_64;
    let mut defined = BTreeSet::new();
    let mut called = BTreeSet::new();
    let mut index = 0;
    while let Some(data) = objects.get(index).copied() {
        let file = object::File::parse(data).map_err(|reason| LinkError::NotAnObject { index, reason })?;
        if file.architecture() == object::Architecture::Aarch64 {
            architecture = Architecture::Aarch64;
        }
        let mut more = Vec::new();
        for symbol in file.symbols() {
            let Ok(name) = symbol.name() else { continue };
            if name.is_empty() || symbol.is_local() {
                continue;
            }
            if symbol.is_undefined() {
                // Weak references may stay open: they are null then.
                if !symbol.is_weak() {
                    more.extend(library(name));
                    called.insert(name.to_owned());
                }
            } else {
                defined.insert(name.to_owned());
            }
        }
        for object in more {
            if !objects.iter().any(|known| std::ptr::eq(*known, object)) {
                objects.push(object);
            }
        }
        index += 1;
    }
    let symbols: BTreeSet<&str> = exports.iter().copied().filter(|name| !defined.contains(*name)).collect();
    if !symbols.is_empty() {
        return Err(LinkError::NotDefined { symbols: symbols.into_iter().map(str::to_owned).collect() });
    }
    if let Some(bad) = exports.iter().find(|name| name.contains(['"', '\\', '\n', '*', '?', '['])) {
        return Err(LinkError::BadName((*bad).to_owned()));
    }
    let mut needed = BTreeSet::new();
    let mut symbols = Vec::new();
    for name in called.difference(&defined) {
        match stubs::library_of(name) {
            // Made by the linker itself.
            None if name == "_GLOBAL_OFFSET_TABLE_" => {}
            None => symbols.push(name.clone()),
            Some(library) => {
                needed.insert(library);
            }
        }
    }
    if symbols.is_empty() { Ok((needed, architecture)) } else { Err(LinkError::Undefined { symbols }) }
}
