//! Alias scopes of a region's copies: what `restrict` of an inlined helper promises.
//!
//! In: a kernel whose accesses name scopes, each declared where the helper was called. Out, for each copy of a region:
//! scopes of the copy's own, declared in it, which its accesses name instead. A promise holds from its declaration on, for
//! one run of what follows: a region that begins behind the declaration, or wraps around to before it, makes no such
//! promise, for the copy of an access may run many times where the declaration ran once.

use crate::regions::Regions;
use crate::slots::is_external;
use oxcl_ir::metadata::{self, Node};
use oxcl_ir::{Function, Value};

/// The declarations of a kernel.
#[derive(Debug)]
pub(super) struct Scopes<'c> {
    /// Whether any access names a scope.
    named: bool,
    declared: Vec<(Value<'c>, Node<'c>)>,
}

impl<'c> Scopes<'c> {
    /// Finds the declarations of a kernel. Lanes make accesses of their own, which name no scopes: for them none is `kept`.
    pub(super) fn of(kernel: Function<'c>, kept: bool) -> Self {
        let named = metadata::has_scopes(kernel);
        let declaration = |call: Value<'c>| metadata::declared_scope(call).map(|scope| (call, scope));
        let declared = if named && kept {
            kernel.instructions().into_iter().filter_map(declaration).collect()
        } else {
            Vec::new()
        };
        Scopes { named, declared }
    }

    /// The scopes of a new copy of a region.
    pub(super) fn copy(&self, regions: &Regions<'c>, region: usize) -> OwnScopes<'c> {
        let here = &regions.regions[region];
        let holds = |declaration: Value<'c>| {
            let block = declaration.block().map(|block| regions.cfg.number(block));
            block.filter(|&block| here.contains(block) && !is_external(regions, region, declaration))
        };
        let own = self.declared.iter().filter_map(|&(declaration, scope)| {
            let block = holds(declaration)?;
            Some(Own { block, scope, copy: metadata::clone_scope(scope) })
        });
        OwnScopes { named: self.named, own: own.collect() }
    }
}

/// A scope that a copy of a region declares.
#[derive(Debug)]
struct Own<'c> {
    /// The block of the kernel that declares it.
    block: usize,
    scope: Node<'c>,
    copy: Node<'c>,
}

/// The scopes of one copy of a region.
#[derive(Debug)]
pub(super) struct OwnScopes<'c> {
    named: bool,
    own: Vec<Own<'c>>,
}

impl<'c> OwnScopes<'c> {
    /// Whether the copy declares what this instruction declares.
    pub(super) fn declares(&self, declaration: Value<'c>) -> bool {
        let scope = metadata::declared_scope(declaration);
        scope.is_some_and(|scope| self.own.iter().any(|own| own.scope == scope))
    }

    /// Lets the copy of an instruction name the scopes that hold in its block, and no others.
    pub(super) fn adapt(&self, regions: &Regions<'c>, original: Value<'c>, copy: Value<'c>) {
        if !self.named {
            return;
        }
        let Some(block) = original.block().map(|block| regions.cfg.number(block)) else { return };
        let known: Vec<(Node<'c>, Node<'c>)> = self
            .own
            .iter()
            .filter(|own| regions.cfg.dominates(own.block, block))
            .map(|own| (own.scope, own.copy))
            .collect();
        metadata::adapt_scopes(copy, &known);
    }
}
