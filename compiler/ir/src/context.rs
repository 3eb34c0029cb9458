//! Contexts and modules: inkwell's, but that those in which LLVM failed are left as they are.
//!
//! A crash or a fatal error inside of LLVM leaves what it was at work on in no state that its own destructors could bear. The
//! bridge notes the context as a wreck (`bridge/crash_guard.h`); from then on its modules and itself are not freed, and to use
//! them is a panic. What is lost is some memory of a process that ends soon, or of a server that begins anew.
//!
//! In: bytes. Out: modules that are valid. What this file does not do: it edits nothing.

use crate::IrError;
use crate::check::fits;
use crate::raw::{
    c_name, ended, llvm, oxcl_ir_enter_targets, oxcl_ir_has_failed, oxcl_ir_is_wreck, oxcl_ir_read_module,
};
use inkwell::llvm_sys::core as c;
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMModuleRef};
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;

/// Whether LLVM has failed in this process, in whatever context: then nothing of it can be relied on any more.
#[must_use]
pub fn has_llvm_failed() -> bool {
    llvm!(oxcl_ir_has_failed;)
}

/// Enters the targets that LLVM makes code for into its list, where that has not been done in this process. To be called
/// before anything else does so, or looks one up, in whatever thread: LLVM's list has no lock (`bridge/targets.h`).
pub fn enter_targets() {
    llvm!(oxcl_ir_enter_targets;);
}

fn is_wreck(context: LLVMContextRef) -> bool {
    llvm!(oxcl_ir_is_wreck; context)
}

fn check(context: LLVMContextRef) {
    fits(!is_wreck(context), "using what LLVM failed in");
}

/// An LLVM context; by way of it, inkwell's.
pub struct Context {
    inner: ManuallyDrop<inkwell::context::Context>,
}

impl Context {
    /// A new one.
    #[must_use]
    pub fn create() -> Self {
        Self { inner: ManuallyDrop::new(inkwell::context::Context::create()) }
    }
}

impl Deref for Context {
    type Target = inkwell::context::Context;

    /// # Panics
    /// Where LLVM failed in it.
    fn deref(&self) -> &inkwell::context::Context {
        check(self.inner.raw());
        &self.inner
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if !is_wreck(self.inner.raw()) {
            // SAFETY: this is the only place that drops it, and it is not used afterwards.
            unsafe { ManuallyDrop::drop(&mut self.inner) };
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Context")
    }
}

/// A module of a context; by way of it, inkwell's.
pub struct Module<'c> {
    inner: ManuallyDrop<inkwell::module::Module<'c>>,
    context: LLVMContextRef,
}

impl<'c> Module<'c> {
    /// Takes a module of LLVM's.
    ///
    /// # Safety
    /// It is valid, of a context that lives for `'c`, and nobody else's.
    #[must_use]
    pub unsafe fn new(raw: LLVMModuleRef) -> Self {
        let context = llvm!(c::LLVMGetModuleContext; raw);
        // SAFETY: by the caller's promise.
        let inner = unsafe { inkwell::module::Module::new(raw) };
        Self { inner: ManuallyDrop::new(inner), context }
    }
}

impl Clone for Module<'_> {
    /// Another module with the same contents.
    fn clone(&self) -> Self {
        Self { inner: ManuallyDrop::new(Deref::deref(self).clone()), context: self.context }
    }
}

impl<'c> Deref for Module<'c> {
    type Target = inkwell::module::Module<'c>;

    /// # Panics
    /// Where LLVM failed in its context.
    fn deref(&self) -> &inkwell::module::Module<'c> {
        check(self.context);
        &self.inner
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        if !is_wreck(self.context) {
            // SAFETY: this is the only place that drops it, and it is not used afterwards.
            unsafe { ManuallyDrop::drop(&mut self.inner) };
        }
    }
}

impl fmt::Debug for Module<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Module")
    }
}

/// What reading a module may take: over bytes that are none some parts of LLVM come to no end.
#[derive(Debug, PartialEq, Eq)]
struct Limits {
    /// Of a processor's time.
    seconds: u32,
    /// That the process grows by.
    bytes: u64,
}

impl Limits {
    /// About a hundred times what modules of this size take.
    fn of(size: usize) -> Self {
        let seconds = u32::try_from(size >> 20).unwrap_or(u32::MAX);
        let bytes = u64::try_from(size).unwrap_or(u64::MAX);
        Limits {
            seconds: seconds.saturating_add(10),
            bytes: bytes.saturating_mul(100).saturating_add(1 << 30),
        }
    }
}

/// Reads a module from bitcode or from IR text; `name` is its name.
///
/// # Errors
/// [`IrError::Read`] with LLVM's words where the bytes are no valid module, [`IrError::Crash`] where LLVM fails over them.
pub fn read_module<'c>(context: &'c Context, bytes: &[u8], name: &str) -> Result<Module<'c>, IrError> {
    let (name, limits) = (c_name(name), Limits::of(bytes.len()));
    let (mut made, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
    let how = llvm!(
        oxcl_ir_read_module; context.raw(), bytes.as_ptr().cast(), bytes.len(), name.as_ptr(),
        limits.seconds, limits.bytes, &raw mut made, &raw mut message
    );
    ended(how, message, "reading a module", |message| IrError::Read { message })?;
    fits(!made.is_null(), "a module that was read");
    // SAFETY: the bridge gives the module away; it is valid and was made in `context`.
    Ok(unsafe { Module::new(made) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_modules_may_take_longer_and_more() {
        assert_eq!(Limits::of(0), Limits { seconds: 10, bytes: 1 << 30 });
        assert_eq!(Limits::of(32 << 20), Limits { seconds: 42, bytes: (1 << 30) + (3200 << 20) });
        assert_eq!(Limits::of(usize::MAX).bytes, u64::MAX);
    }
}
