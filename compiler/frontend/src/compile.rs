//! OpenCL C to an LLVM module.
//!
//! In: a source, options, headers. Out: a module for `spir64-unknown-unknown` (or `spir-unknown-unknown`) as clang's
//! code generator leaves it, with no LLVM pass run: work-item functions, barriers and all other builtins are undefined
//! calls; every kernel is a pair of `NAME` (calling convention `spir_kernel`, with `!kernel_arg_*`) and
//! `__clang_ocl_kern_imp_NAME`. Calls carry source locations even without `-g`, for the diagnostics of later passes;
//! without `-g` no debug information is emitted from them.
//!
//! Nothing is spawned and no file is written. Files are read only where the source includes them.

use std::ffi::{CString, c_void};
use std::fmt;

use oxcl_binary::hash::Sha256;
use oxcl_binary::pipe::{Dependency, Seen};
use oxcl_ir::{Context, Module};

use crate::bridge;
use crate::diagnostics::{Diagnostic, Diagnostics, FixIt, Location, Position, Severity, Span};
use crate::options::BuildOptions;

/// The headers that clang itself brings, by name below its `include` folder.
const RESOURCE_HEADERS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/resource_headers.rs"));

/// Where clang finds [`RESOURCE_HEADERS`] in the file system that only it sees.
pub(crate) const RESOURCE_DIR: &str = "/.oxcl/clang";

/// Where clang finds the caller's [`VirtualHeader`]s.
pub(crate) const HEADER_DIR: &str = "/.oxcl/headers";

/// Size of a pointer in device code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bits {
    /// `spir-unknown-unknown`
    Bits32,
    /// `spir64-unknown-unknown`
    #[default]
    Bits64,
}

impl Bits {
    /// The triple that modules are made for.
    #[must_use]
    pub fn triple(self) -> &'static str {
        match self {
            Self::Bits32 => "spir-unknown-unknown",
            Self::Bits64 => "spir64-unknown-unknown",
        }
    }
}

/// A source and the name that messages call it by. Includes are looked up beside a name that is a path.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Its path or name.
    pub name: &'a str,
    /// OpenCL C.
    pub text: &'a str,
}

/// A header that exists in memory only: `#include "NAME"` finds it before any file.
#[derive(Debug, Clone, Copy)]
pub struct VirtualHeader<'a> {
    /// The name as included; may hold folders.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// A compiled source.
#[derive(Debug)]
pub struct Compiled<'ctx> {
    /// What became of it.
    pub module: Module<'ctx>,
    /// Warnings and remarks.
    pub diagnostics: Diagnostics,
    /// What was read from disk, or looked for there in vain, by path.
    pub dependencies: Vec<Dependency>,
}

/// What a compilation hears from clang.
#[derive(Default)]
struct Heard {
    diagnostics: Diagnostics,
    dependencies: Vec<Dependency>,
}

/// A source that was not compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileError {
    /// Whose fault it is.
    pub kind: CompileErrorKind,
    /// Why; holds at least one message of severity error.
    pub diagnostics: Diagnostics,
}

/// Whose fault it is that a source was not compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompileErrorKind {
    /// The source's or the options'.
    Rejected,
    /// Clang's: it crashed or met a fatal error of its own. The context must not be used any more.
    Crashed,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.diagnostics.first_error() {
            Some(error) => {
                if let Some(location) = &error.location {
                    write!(f, "{}:{}:{}: ", location.file, location.position.line, location.position.column)?;
                }
                f.write_str(&error.message)?;
                match self.diagnostics.error_count() {
                    0 | 1 => Ok(()),
                    count => write!(f, " (and {} more errors)", count - 1),
                }
            }
            None => f.write_str("the source was rejected"),
        }
    }
}

impl std::error::Error for CompileError {}

/// Compiles one source into `context`.
///
/// # Errors
/// The source was rejected, or clang failed on it.
pub fn compile<'ctx>(
    context: &'ctx Context,
    source: &Source<'_>,
    options: &BuildOptions,
    headers: &[VirtualHeader<'_>],
    bits: Bits,
) -> Result<Compiled<'ctx>, CompileError> {
    let mut arguments = arguments(options, !headers.is_empty(), bits);
    arguments.extend(extra_header(source, options, headers, bits));
    run(context, source, headers, arguments).map_err(|mut error| {
        crate::later::advise(&mut error.diagnostics, options.standard());
        error
    })
}

/// Compiles one source in C for a machine of its own into `context`: freestanding, for 32-bit RISC-V, with the headers
/// given and no others. `macros` are definitions, `NAME` or `NAME=VALUE`; `folders` are searched for headers.
///
/// # Errors
/// The source was rejected, or clang failed on it.
pub fn compile_c<'ctx>(
    context: &'ctx Context,
    source: &Source<'_>,
    macros: &[String],
    folders: &[String],
    headers: &[VirtualHeader<'_>],
) -> Result<Compiled<'ctx>, CompileError> {
    let fixed = [
        "-triple",
        "riscv32-unknown-elf",
        "-x",
        "c",
        "-emit-llvm-only",
        "-O2",
        "-disable-llvm-passes",
        "-ffreestanding",
        "-ffp-contract=off",
        "-fgnuc-version=4.2.1",
        "-resource-dir",
        RESOURCE_DIR,
        "-nostdsysteminc",
        "-I",
        HEADER_DIR,
    ];
    let mut all: Vec<String> = fixed.map(str::to_owned).into();
    all.extend(macros.iter().map(|m| format!("-D{m}")));
    all.extend(folders.iter().map(|f| format!("-I{f}")));
    run(context, source, headers, all)
}

fn run<'ctx>(
    context: &'ctx Context,
    source: &Source<'_>,
    headers: &[VirtualHeader<'_>],
    arguments: Vec<String>,
) -> Result<Compiled<'ctx>, CompileError> {
    let mut heard = Heard::default();
    let arguments: Vec<CString> = match arguments.into_iter().map(CString::new).collect() {
        Ok(arguments) => arguments,
        Err(_) => return Err(rejected("a build option holds a zero byte")),
    };
    if source.text.len() >= u32::MAX as usize {
        return Err(rejected("the source is larger than 4 GiB"));
    }
    let files = files(source, headers);
    let listed: Vec<bridge::File> = files
        .iter()
        .map(|(path, text)| bridge::File { path: bridge::Text::new(path), text: bridge::Text::new(text) })
        .collect();
    let pointers: Vec<_> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    let job = bridge::Job {
        context: context.raw(),
        files: listed.as_ptr(),
        file_count: listed.len(),
        arguments: pointers.as_ptr(),
        argument_count: pointers.len(),
    };
    let mut made = std::ptr::null_mut();
    let user: *mut c_void = (&raw mut heard).cast();
    // SAFETY: `job` and all that it points to live until the call returns; both sinks are called with
    // `user`, which is the only way to `heard` meanwhile.
    let outcome =
        unsafe { bridge::oxcl_clang_compile(&job, &raw mut made, take_diagnostic, take_dependency, user) };
    let Heard { mut diagnostics, dependencies } = heard;
    match outcome {
        bridge::COMPILED if !made.is_null() => {
            // SAFETY: the bridge gives the module away; it is valid and was made in `context`.
            let module = unsafe { Module::new(made) };
            Ok(Compiled { module, diagnostics, dependencies })
        }
        bridge::REJECTED => {
            if diagnostics.error_count() == 0 {
                diagnostics.push(Diagnostic::new(Severity::Error, "clang made no module of this source"));
            }
            Err(CompileError { kind: CompileErrorKind::Rejected, diagnostics })
        }
        _ => Err(CompileError { kind: CompileErrorKind::Crashed, diagnostics }),
    }
}

fn rejected(message: &str) -> CompileError {
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(Diagnostic::new(Severity::Error, message));
    CompileError { kind: CompileErrorKind::Rejected, diagnostics }
}

/// What `clang -cc1` is told.
fn arguments(options: &BuildOptions, has_headers: bool, bits: Bits) -> Vec<String> {
    let fixed = [
        "-triple",
        bits.triple(),
        "-x",
        "cl",
        "-emit-llvm-only",
        "-O1",
        // At -O1 clang would say of every loop without a hint that it must not be unrolled.
        "-funroll-loops",
        "-disable-llvm-passes",
        "-fdeclare-opencl-builtins",
        "-finclude-default-header",
        "-cl-kernel-arg-info",
        "-ffp-contract=on",
        "-resource-dir",
        RESOURCE_DIR,
        "-nostdsysteminc",
        // Kernels are not SPIR's: what they see is OpenCL's macros.
        "-U__SPIR__",
        "-U__SPIR64__",
        "-U__SPIR32__",
        "-U__SPIR",
        "-U__SPIR64",
        "-U__SPIR32",
        // Deeper nesting than this overflows clang's stack before its own limit is met.
        "-fbracket-depth",
        "256",
    ];
    let mut out: Vec<String> = fixed.map(str::to_owned).into();
    if bits == Bits::Bits32 {
        // Devices of 32 bits have no images, and no SPIR-V, which OpenCL 3.1 asks for.
        out.extend(["-U__IMAGE_SUPPORT__", "-D__OPENCL_VERSION__=300"].map(str::to_owned));
    } else {
        out.push("-D__OPENCL_VERSION__=310".to_owned());
    }
    if has_headers {
        out.extend(["-I".to_owned(), HEADER_DIR.to_owned()]);
    }
    out.extend(options.clang_arguments(bits));
    out.extend(["-internal-isystem".to_owned(), format!("{RESOURCE_DIR}/include")]);
    out
}

/// Declarations of extensions' functions that clang does not know by itself.
struct ExtraHeader {
    file: &'static str,
    text: &'static str,
    /// What is in the names of the functions.
    names: &'static [&'static str],
}

const EXTRA_HEADERS: [ExtraHeader; 3] = [
    ExtraHeader {
        file: "oxcl-intel-sub-groups.h",
        text: include_str!("headers/intel_sub_groups.h"),
        names: &["intel_sub_group"],
    },
    ExtraHeader {
        file: "oxcl-work-group.h",
        text: include_str!("headers/work_group.h"),
        names: &["work_group_reduce_", "work_group_scan_", "work_group_copy_"],
    },
    ExtraHeader { file: "oxcl-mipmaps.h", text: include_str!("headers/mipmaps.h"), names: &["read_write"] },
];

/// What clang is told where a program may name such functions: most do not, and reading the declarations takes time.
pub(crate) fn extra_header(
    source: &Source<'_>,
    options: &BuildOptions,
    headers: &[VirtualHeader<'_>],
    bits: Bits,
) -> Vec<String> {
    // Files on disk are not looked into; a program that is given folders need not include any. A line that goes on in the next one may
    // spell the directive over both.
    let includes = ["include", "import", "\\\n", "\\\r"].iter().any(|word| source.text.contains(word));
    let given = options.clang_arguments(bits);
    let on_disk = includes && given.iter().any(|argument| argument.starts_with("-I"));
    let wanted = |extra: &&ExtraHeader| {
        let names = |text: &str| extra.names.iter().any(|name| text.contains(name));
        let defined = given.iter().filter_map(|argument| argument.split_once('=')).any(|(_, to)| names(to));
        on_disk || defined || names(source.text) || headers.iter().any(|header| names(header.text))
    };
    let arguments =
        |extra: &ExtraHeader| ["-include".to_owned(), format!("{RESOURCE_DIR}/include/{}", extra.file)];
    EXTRA_HEADERS.iter().filter(wanted).flat_map(arguments).collect()
}

/// The files that clang sees beside the real ones, by path: the source first.
pub(crate) fn files<'a>(source: &Source<'a>, headers: &[VirtualHeader<'a>]) -> Vec<(String, &'a str)> {
    let name = if source.name.is_empty() { "program.cl" } else { source.name };
    let mut files = vec![(name.to_owned(), source.text)];
    files.extend(headers.iter().map(|header| (format!("{HEADER_DIR}/{}", header.name), header.text)));
    files.extend(
        EXTRA_HEADERS.iter().map(|extra| (format!("{RESOURCE_DIR}/include/{}", extra.file), extra.text)),
    );
    files.extend(
        RESOURCE_HEADERS.iter().map(|(name, text)| (format!("{RESOURCE_DIR}/include/{name}"), *text)),
    );
    files
}

/// The name that a person knows a file by: those that only clang sees lose their folder.
fn shown_name(path: String) -> String {
    let rest =
        path.strip_prefix(HEADER_DIR).or_else(|| path.strip_prefix(RESOURCE_DIR)?.strip_prefix("/include"));
    match rest.and_then(|rest| rest.strip_prefix('/')) {
        Some(name) => name.to_owned(),
        None => path,
    }
}

/// Copies one diagnostic of the bridge's.
///
/// # Safety
/// `user` is the `Heard` of the running call, and `shown` is valid for the length of this one.
unsafe extern "C" fn take_diagnostic(user: *mut c_void, shown: *const bridge::Diagnostic) {
    // SAFETY: `user` is what `compile` passed: a `Heard` that nothing else touches during the call.
    let into = unsafe { &mut (*user.cast::<Heard>()).diagnostics };
    // SAFETY: the bridge passes a valid structure.
    let shown = unsafe { &*shown };
    // SAFETY: texts of a diagnostic are readable while it is shown.
    let text = |text: bridge::Text| unsafe { text.to_string() };
    let position = |p: bridge::Position| Position { offset: p.offset, line: p.line, column: p.column };
    let span = |r: &bridge::Range| Span { begin: position(r.begin), end: position(r.end) };
    let ranges = if shown.range_count == 0 {
        &[][..]
    } else {
        // SAFETY: the bridge gives the number of elements with the pointer to the first.
        unsafe { std::slice::from_raw_parts(shown.ranges, shown.range_count) }
    };
    let fix_its = if shown.fix_it_count == 0 {
        &[][..]
    } else {
        // SAFETY: the bridge gives the number of elements with the pointer to the first.
        unsafe { std::slice::from_raw_parts(shown.fix_its, shown.fix_it_count) }
    };
    let severity = match shown.severity {
        bridge::NOTE => Severity::Note,
        bridge::REMARK => Severity::Remark,
        bridge::WARNING => Severity::Warning,
        bridge::ERROR => Severity::Error,
        _ => Severity::Fatal,
    };
    let location = (shown.file.size > 0).then(|| Location {
        file: shown_name(text(shown.file)),
        position: position(shown.position),
        source_line: text(shown.source_line),
        spans: ranges.iter().map(span).collect(),
    });
    into.push(Diagnostic {
        severity,
        message: text(shown.message),
        option: Some(text(shown.option)).filter(|option| !option.is_empty()),
        location,
        fix_its: fix_its.iter().map(|fix| FixIt { span: span(&fix.replace), text: text(fix.text) }).collect(),
        notes: Vec::new(),
    });
}

/// Notes one thing on disk that the source depends on. Clang's own headers and the caller's are in memory: what is asked
/// of the disk below their folders is never there.
///
/// # Safety
/// `user` is the `Heard` of the running call, and `shown` is valid for the length of this one.
unsafe extern "C" fn take_dependency(user: *mut c_void, shown: *const bridge::Dependency) {
    // SAFETY: `user` is what `compile` passed: a `Heard` that nothing else touches during the call.
    let into = unsafe { &mut (*user.cast::<Heard>()).dependencies };
    // SAFETY: the bridge passes a valid structure.
    let shown = unsafe { &*shown };
    // SAFETY: the path is readable while it is shown.
    let path = unsafe { shown.path.to_string() };
    if path.starts_with("/.oxcl/") {
        return;
    }
    let seen = match shown.present {
        bridge::MISSING => Seen::Absent,
        // SAFETY: the contents are readable while they are shown.
        bridge::READ => Seen::File(Sha256::of(unsafe { shown.contents.bytes() })),
        // Only asked about: what it holds matters to nobody, but whoever compares later sees a file.
        _ => match std::fs::read(&path) {
            Ok(bytes) => Seen::File(Sha256::of(&bytes)),
            Err(_) => Seen::Absent,
        },
    };
    into.push(Dependency { path, seen });
}

#[cfg(test)]
#[path = "compile_tests.rs"]
mod tests;
