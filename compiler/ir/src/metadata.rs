//! Metadata nodes that the work-item loops need: access groups, loop identities and alias scopes.

use crate::function::Function;
use crate::raw::{
    llvm, oxcl_ir_adapt_scopes, oxcl_ir_clone_scope, oxcl_ir_declared_scope, oxcl_ir_distinct_node,
    oxcl_ir_has_scopes, oxcl_ir_loop_id,
};
use crate::types::Types;
use crate::value::Value;
use inkwell::llvm_sys::prelude::LLVMValueRef;

/// A metadata node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Node<'c>(Value<'c>);

/// What LLVM is told about a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopHint {
    /// Nothing.
    None,
    /// Its body is repeated only where its count is known.
    Whole,
    /// Several rounds do not become vectors.
    Apart,
    /// Its body is not repeated, but several rounds may become vectors.
    Once,
}

impl<'c> Node<'c> {
    /// A new access group, for `llvm.access.group`.
    #[must_use]
    pub fn access_group(types: Types<'c>) -> Self {
        Node(Value::from_raw(llvm!(oxcl_ir_distinct_node; types.raw())))
    }

    /// A new loop identity, for `llvm.loop` on the back edge's branch, of a loop that ends. The accesses of `parallel` do not
    /// depend on one another across iterations.
    #[must_use]
    pub fn loop_id(types: Types<'c>, parallel: Option<Node<'c>>, hint: LoopHint) -> Self {
        let group = parallel.map_or(std::ptr::null_mut(), Node::raw);
        let unroll = match hint {
            LoopHint::Whole => c"llvm.loop.unroll.runtime.disable".as_ptr(),
            LoopHint::Once => c"llvm.loop.unroll.disable".as_ptr(),
            LoopHint::None | LoopHint::Apart => std::ptr::null(),
        };
        let apart = hint == LoopHint::Apart;
        Node(Value::from_raw(llvm!(oxcl_ir_loop_id; types.raw(), group, true, unroll, apart)))
    }

    /// A new loop identity, of a loop that may go on for ever, and whose body is never repeated.
    #[must_use]
    pub fn loop_written_once(types: Types<'c>) -> Self {
        let unroll = c"llvm.loop.unroll.disable".as_ptr();
        Node(Value::from_raw(llvm!(oxcl_ir_loop_id; types.raw(), std::ptr::null_mut(), false, unroll, false)))
    }

    /// A new loop identity that promises nothing. It keeps the branch back of a loop that ends in another one: without it LLVM
    /// makes one branch of this and of the inner loop's, and takes what that promises for the outer loop's promise. It has a word
    /// that LLVM does not know, as empty identities keep no branch.
    #[must_use]
    pub fn loop_of_its_own(types: Types<'c>) -> Self {
        let word = c"oxcl.loop.own".as_ptr();
        Node(Value::from_raw(llvm!(oxcl_ir_loop_id; types.raw(), std::ptr::null_mut(), false, word, false)))
    }

    pub(crate) fn raw(self) -> LLVMValueRef {
        self.0.raw()
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(&self.0, f)
    }
}

/// Whether any access of a function names an alias scope.
#[must_use]
pub fn has_scopes(function: Function<'_>) -> bool {
    llvm!(oxcl_ir_has_scopes; function.raw())
}

/// The alias scope that an instruction declares.
#[must_use]
pub fn declared_scope(declaration: Value<'_>) -> Option<Node<'_>> {
    Value::maybe(llvm!(oxcl_ir_declared_scope; declaration.raw())).map(Node)
}

/// Another alias scope of the same domain.
#[must_use]
pub fn clone_scope(scope: Node<'_>) -> Node<'_> {
    Node(Value::from_raw(llvm!(oxcl_ir_clone_scope; scope.raw())))
}

/// Replaces the alias scopes that an instruction names or declares, the first of each pair by the second; others are
/// forgotten in such a way that nothing more is promised than before.
pub fn adapt_scopes<'c>(instruction: Value<'c>, known: &[(Node<'c>, Node<'c>)]) {
    let old: Vec<LLVMValueRef> = known.iter().map(|(old, _)| old.raw()).collect();
    let new: Vec<LLVMValueRef> = known.iter().map(|(_, new)| new.raw()).collect();
    let count = u32::try_from(known.len()).unwrap_or(0);
    llvm!(oxcl_ir_adapt_scopes; instruction.raw(), old.as_ptr(), new.as_ptr(), count);
}
