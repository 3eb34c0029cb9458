//! What only the source tells about a function: where its parameters stand, and the comment that documents it.
//!
//! For `check` and `inspect`; not on the way of a compilation, and slower than one. libclang is linked, never loaded at
//! run time. A source with errors gives what could be understood.

use std::ffi::{CStr, CString, c_int, c_uint, c_void};

use clang_sys::{
    CXChildVisit_Continue, CXChildVisitResult, CXClientData, CXCursor, CXCursor_FunctionDecl, CXFile,
    CXIndex, CXSourceLocation, CXString, CXTranslationUnit, CXTranslationUnit_KeepGoing, CXUnsavedFile,
    clang_Cursor_getArgument, clang_Cursor_getNumArguments, clang_Cursor_getRawCommentText,
    clang_Location_isFromMainFile, clang_createIndex, clang_disposeIndex, clang_disposeString,
    clang_disposeTranslationUnit, clang_getCString, clang_getCursorExtent, clang_getCursorKind,
    clang_getCursorLocation, clang_getCursorSpelling, clang_getCursorType, clang_getRangeEnd,
    clang_getRangeStart, clang_getSpellingLocation, clang_getTranslationUnitCursor, clang_getTypeSpelling,
    clang_isCursorDefinition, clang_parseTranslationUnit2, clang_visitChildren,
};
use serde::{Deserialize, Serialize};

use crate::compile::{HEADER_DIR, RESOURCE_DIR, extra_header, files};
use crate::diagnostics::{Position, Span};
use crate::options::BuildOptions;
use crate::{Bits, Source, VirtualHeader};

/// A parameter as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceParameter {
    /// Its name; may be empty.
    pub name: String,
    /// Its type in clang's spelling, qualifiers and all.
    pub type_text: String,
    /// The whole declaration.
    pub span: Span,
}

/// A function that the source itself (no header) defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFunction {
    /// Its name.
    pub name: String,
    /// The whole definition.
    pub span: Span,
    /// The documenting comment before it, without comment marks.
    pub documentation: Option<String>,
    /// Its parameters, in order.
    pub parameters: Vec<SourceParameter>,
}

/// Why a source could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DescribeError {
    /// A text or an option holds a zero byte.
    #[error("a zero byte in a text, a name or an option")]
    ZeroByte,
    /// libclang gave up.
    #[error("libclang could not parse the source (code {0})")]
    Parse(c_int),
}

/// The functions that `source` defines, kernels and others, in the order of the source.
///
/// # Errors
/// libclang cannot parse the source at all; a mere error in it is none.
pub fn describe(
    source: &Source<'_>,
    options: &BuildOptions,
    headers: &[VirtualHeader<'_>],
) -> Result<Vec<SourceFunction>, DescribeError> {
    let c_string = |text: &str| CString::new(text).map_err(|_| DescribeError::ZeroByte);
    let mut arguments = Vec::new();
    for argument in arguments_for(options, extra_header(source, options, headers, Bits::Bits64)) {
        arguments.push(c_string(&argument)?);
    }
    let mut contents = Vec::new();
    for (path, text) in files(source, headers) {
        contents.push((c_string(&path)?, c_string(text)?));
    }
    let mut unsaved: Vec<CXUnsavedFile> = contents
        .iter()
        .map(|(path, text)| CXUnsavedFile {
            Filename: path.as_ptr(),
            Contents: text.as_ptr(),
            Length: text.as_bytes().len() as std::ffi::c_ulong,
        })
        .collect();
    let pointers: Vec<_> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    let index = Index::new();
    let mut unit = std::ptr::null_mut();
    let count = |n: usize| c_int::try_from(n).unwrap_or(c_int::MAX);
    // SAFETY: the index is valid; names, arguments and files live until the call returns (and libclang copies them),
    // with their numbers; `unit` is written.
    let code = unsafe {
        clang_parseTranslationUnit2(
            index.0,
            unsaved[0].Filename,
            pointers.as_ptr(),
            count(pointers.len()),
            unsaved.as_mut_ptr(),
            count(unsaved.len()) as c_uint,
            CXTranslationUnit_KeepGoing,
            &raw mut unit,
        )
    };
    if code != 0 || unit.is_null() {
        return Err(DescribeError::Parse(code));
    }
    let unit = Unit(unit);
    let mut found: Vec<SourceFunction> = Vec::new();
    // SAFETY: the unit is valid.
    let root = unsafe { clang_getTranslationUnitCursor(unit.0) };
    let user: *mut c_void = (&raw mut found).cast();
    // SAFETY: the cursor is of a living unit; `visit` is called with `user`, the only way to `found` meanwhile.
    unsafe { clang_visitChildren(root, visit, user) };
    Ok(found)
}

/// What libclang, which takes the options of the `clang` program, is told.
fn arguments_for(options: &BuildOptions, extra: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = ["-x", "cl", "-target", Bits::Bits64.triple(), "-cl-no-stdinc", "-nostdinc"]
        .map(str::to_owned)
        .into();
    let inner = ["-fdeclare-opencl-builtins".to_owned(), "-U__SPIR__".to_owned(), "-U__SPIR64__".to_owned()];
    for argument in inner.into_iter().chain(options.clang_arguments(Bits::Bits64)) {
        out.extend(["-Xclang".to_owned(), argument]);
    }
    out.extend(["-I".to_owned(), HEADER_DIR.to_owned()]);
    out.extend(["-include".to_owned(), format!("{RESOURCE_DIR}/include/opencl-c-base.h")]);
    out.extend(extra);
    out
}

/// Owns an index.
struct Index(CXIndex);

impl Index {
    fn new() -> Self {
        // libclang would enter them itself, beside whatever else is compiled in this process.
        oxcl_ir::enter_targets();
        // SAFETY: takes two flags: no precompiled headers, no printing of diagnostics.
        Self(unsafe { clang_createIndex(0, 0) })
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        // SAFETY: the index is valid and this was its only owner; all its units are gone.
        unsafe { clang_disposeIndex(self.0) };
    }
}

/// Owns a translation unit.
struct Unit(CXTranslationUnit);

impl Drop for Unit {
    fn drop(&mut self) {
        // SAFETY: the unit is valid and this was its only owner.
        unsafe { clang_disposeTranslationUnit(self.0) };
    }
}

/// Takes one declaration of the top level in.
extern "C" fn visit(cursor: CXCursor, _parent: CXCursor, user: CXClientData) -> CXChildVisitResult {
    // SAFETY: `user` is what `describe` passed: a vector that nothing else touches during the visit.
    let into = unsafe { &mut *user.cast::<Vec<SourceFunction>>() };
    // SAFETY: cursors given to a visitor are valid.
    let kind = unsafe { clang_getCursorKind(cursor) };
    // SAFETY: as above.
    let defined = unsafe { clang_isCursorDefinition(cursor) } != 0;
    // SAFETY: as above.
    let place = unsafe { clang_getCursorLocation(cursor) };
    // SAFETY: the location is of a living unit.
    let here = unsafe { clang_Location_isFromMainFile(place) } != 0;
    if kind == CXCursor_FunctionDecl && defined && here {
        into.push(function(cursor));
    }
    CXChildVisit_Continue
}

fn function(cursor: CXCursor) -> SourceFunction {
    // SAFETY: the cursor is valid.
    let count = unsafe { clang_Cursor_getNumArguments(cursor) };
    let parameters = (0..count.max(0)).map(|index| {
        // SAFETY: the index is below the number of arguments.
        let parameter = unsafe { clang_Cursor_getArgument(cursor, index as c_uint) };
        // SAFETY: the cursor is valid.
        let ty = unsafe { clang_getCursorType(parameter) };
        SourceParameter {
            name: name(parameter),
            // SAFETY: the type is of a living unit.
            type_text: text(unsafe { clang_getTypeSpelling(ty) }),
            span: span(parameter),
        }
    });
    // SAFETY: the cursor is valid.
    let comment = text(unsafe { clang_Cursor_getRawCommentText(cursor) });
    SourceFunction {
        name: name(cursor),
        span: span(cursor),
        documentation: Some(without_marks(&comment)).filter(|comment| !comment.is_empty()),
        parameters: parameters.collect(),
    }
}

fn name(cursor: CXCursor) -> String {
    // SAFETY: the cursor is valid.
    text(unsafe { clang_getCursorSpelling(cursor) })
}

/// Copies a string of libclang's and frees it.
fn text(string: CXString) -> String {
    // SAFETY: the string is valid until it is disposed of, below.
    let pointer = unsafe { clang_getCString(string) };
    let copy = if pointer.is_null() {
        String::new()
    } else {
        // SAFETY: not null, so a C string of libclang's that lives as long as `string`.
        unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
    };
    // SAFETY: the string is valid and not used any more.
    unsafe { clang_disposeString(string) };
    copy
}

fn span(cursor: CXCursor) -> Span {
    // SAFETY: the cursor is valid.
    let range = unsafe { clang_getCursorExtent(cursor) };
    // SAFETY: the range is of a living unit.
    let begin = unsafe { clang_getRangeStart(range) };
    // SAFETY: as above.
    let end = unsafe { clang_getRangeEnd(range) };
    Span { begin: position(begin), end: position(end) }
}

fn position(place: CXSourceLocation) -> Position {
    let mut position = Position { offset: 0, line: 0, column: 0 };
    let file: *mut CXFile = std::ptr::null_mut();
    // SAFETY: the location is of a living unit; each pointer is null or to a number.
    unsafe {
        clang_getSpellingLocation(
            place,
            file,
            &raw mut position.line,
            &raw mut position.column,
            &raw mut position.offset,
        );
    }
    position
}

/// A comment's text without `/**`, `///`, `*` and the like.
fn without_marks(comment: &str) -> String {
    let inner = comment.trim().trim_start_matches("/**").trim_start_matches("/*!").trim_end_matches("*/");
    let lines: Vec<&str> = inner
        .lines()
        .map(|line| {
            line.trim().trim_start_matches("///").trim_start_matches("//!").trim_start_matches('*').trim()
        })
        .collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::describe;
    use crate::{BuildOptions, Source, VirtualHeader};

    #[test]
    fn functions_are_described_as_written() {
        let text = "#include \"h.h\"
/**
 * Scales a vector.
 * By k.
 */
kernel void scale(global const float *in, NUMBER k, global float4 *out) {
  out[get_global_id(0)] = in[0] * k;
}
/// Helps.
int helper(int x) { return x; }
int declared(int);
void broken(int y) { undefined(; }
";
        let headers = [VirtualHeader { name: "h.h", text: "typedef int NUMBER; void elsewhere(void) {}" }];
        let options = BuildOptions::parse("-DX=1 -cl-std=CL2.0").unwrap();
        let functions = describe(&Source { name: "d.cl", text }, &options, &headers).unwrap();
        let names: Vec<&str> = functions.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["scale", "helper", "broken"]);
        let scale = &functions[0];
        assert_eq!(scale.documentation.as_deref(), Some("Scales a vector.\nBy k."));
        assert_eq!(functions[1].documentation.as_deref(), Some("Helps."));
        assert_eq!(functions[2].documentation, None);
        let written: Vec<&str> = scale
            .parameters
            .iter()
            .map(|p| &text[p.span.begin.offset as usize..p.span.end.offset as usize])
            .collect();
        assert_eq!(written, ["global const float *in", "NUMBER k", "global float4 *out"]);
        assert_eq!(scale.parameters[0].name, "in");
        assert!(scale.parameters[0].type_text.contains("const __global float *"), "{scale:?}");
        assert_eq!((scale.span.begin.line, scale.parameters[1].span.begin.column), (6, 43));
    }
}
