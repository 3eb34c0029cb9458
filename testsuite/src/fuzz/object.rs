//! Fuzz target: any bytes as the bitcode of a compiled object that a program is linked of.

use oxcl_binary::archive::Archive;
use oxcl_compiler::{CompileError, Emit, Request, SourceFile, compile};
use std::sync::LazyLock;

/// Where an object has its bitcode.
const MODULE: &str = "program.bc";

/// An object whose bitcode is to be replaced.
static OBJECT: LazyLock<Archive> = LazyLock::new(|| {
    let source = SourceFile { name: "object.cl".to_owned(), text: "kernel void k(void) {}".to_owned() };
    let compiled = compile(&Request::new(vec![source]), Emit::CompiledObject, None);
    let bytes = compiled.expect("the source is right").bytes;
    Archive::read(&bytes).expect("an archive")
});

/// Links a program of an object with `bytes` as its bitcode: code for all its kernels, or an error with a text.
///
/// # Panics
///
/// One of these promises is broken.
pub fn link_object(bytes: &[u8]) {
    let mut object = OBJECT.clone();
    let mut files = object.root.iter_mut().flatten();
    let file = files.find(|file| file.path.ends_with(MODULE));
    file.expect("an object has bitcode").data = bytes.to_vec();
    let mut request = Request::new(Vec::new());
    request.objects = vec![object.seal().expect("what was read can be written")];
    let linked: Result<_, CompileError> = compile(&request, Emit::Archive, None);
    match linked {
        Ok(linked) => assert!(Archive::read(&linked.bytes).is_ok(), "what was linked is no archive"),
        Err(error) => assert!(!error.to_string().is_empty() && !error.code().is_empty()),
    }
}
