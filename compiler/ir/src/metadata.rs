//! Metadata nodes that the work-item loops need: access groups and loop identities.

use crate::raw::{llvm, oxcl_ir_distinct_node, oxcl_ir_loop_id};
use crate::types::Types;
use crate::value::Value;
use inkwell::llvm_sys::prelude::LLVMValueRef;

/// A metadata node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Node<'c>(Value<'c>);

impl<'c> Node<'c> {
    /// A new access group, for `llvm.access.group`.
    #[must_use]
    pub fn access_group(types: Types<'c>) -> Self {
        Node(Value::from_raw(llvm!(oxcl_ir_distinct_node; types.raw())))
    }

    /// A new loop identity, for `llvm.loop` on the back edge's branch. The accesses of `parallel` do not depend on one
    /// another across iterations. A `whole` loop's body is repeated only where its count is known.
    #[must_use]
    pub fn loop_id(types: Types<'c>, parallel: Option<Node<'c>>, whole: bool) -> Self {
        let group = parallel.map_or(std::ptr::null_mut(), Node::raw);
        Node(Value::from_raw(llvm!(oxcl_ir_loop_id; types.raw(), group, whole)))
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
