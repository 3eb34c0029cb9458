//! Which features stand in a program, and in how many of many programs.
//!
//! A feature that is about what happens counts only where it happens: an exit that only looks as if it parted the group
//! is one that was reached and did not part it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::ast::{
    Builtin, Expr, ExprKind, Function, Init, Linkage, LoopForm, Program, Query, Stmt, StmtKind,
};
use crate::evaluate::Facts;
use crate::types::{Scalar, Space, Type};
use crate::{Case, generate};

/// Every feature, in the order of the table.
const FEATURES: &[&str] = &[
    "break",
    "continue",
    "early return",
    "exits of different kinds in one loop",
    "exit of a barrier loop that is uniform only in fact",
    "exit inside a divergent branch",
    "flag set on a divergent way out",
    "loop in a loop",
    "barrier in a loop in a loop",
    "do-while",
    "endless loop with a break",
    "switch with fall-through",
    "short-circuit with effects",
    "helper that may be inlined",
    "helper that is always inlined",
    "helper that is never inlined",
    "helper with restrict",
    "helper with a pointer to private memory",
    "helper with a pointer to local memory",
    "helper with a pointer to global memory",
    "structure by value",
    "early return guards a barrier of a helper",
    "partly written private array through a barrier loop",
    "private pointer across a barrier",
    "vector",
    "swizzle",
    "swizzle assigned to",
    "bool",
    "char and uchar",
    "short and ushort",
    "int and uint",
    "long and ulong",
    "half",
    "float",
    "double",
    "arithmetic that wraps",
    "bit functions",
    "saturating functions and conversions",
    "vload",
    "vstore",
    "shuffle",
    "sub-groups",
    "sub-groups in divergent flow",
    "atomics",
    "atomics in local memory",
    "atomic whose old value is used",
    "group functions",
    "asynchronous copy",
    "barrier",
    "two dimensions",
    "three dimensions",
    "odd local size",
    "offset",
    "remainder groups",
    "constants of program scope",
    "variables of program scope",
    "several kernels",
    "several launches of one kernel",
    "required group size",
    "names of the C library",
    "generic pointers",
    "helper with a generic pointer",
    "pointer to one of several memories",
    "question where a pointer leads to",
    "macros of the build options",
];

/// The names of all features.
#[must_use]
pub fn feature_names() -> &'static [&'static str] {
    FEATURES
}

/// A table of the share of each feature in so many programs from a seed on.
#[must_use]
pub fn feature_table(first: u64, count: u64) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in first..first + count {
        for feature in features(&generate(seed)) {
            *counts.entry(feature).or_default() += 1;
        }
    }
    let mut text = format!("| feature | % of {count} programs |\n| --- | --- |\n");
    for feature in FEATURES {
        let share = 100.0 * counts.get(feature).copied().unwrap_or(0) as f64 / count.max(1) as f64;
        let _ = writeln!(text, "| {feature} | {share:.1} |");
    }
    text
}

/// The features of a case.
#[must_use]
pub fn features(case: &Case) -> BTreeSet<&'static str> {
    let (program, facts) = (&case.program, &case.outcome.facts);
    let mut found = BTreeSet::new();
    of_launches(program, &mut found);
    program.each_expr(&mut |_, expr| of_expr(expr, &mut found));
    for function in &program.functions {
        of_function(function, facts, &mut found);
    }
    let mut wraps = false;
    program.each_expr(&mut |_, expr| {
        if let ExprKind::Cast(inner) | ExprKind::As(inner) = &expr.kind {
            let signed = expr.ty.element().is_some_and(Scalar::is_signed);
            let unsigned = inner.ty.element().is_some_and(|scalar| !scalar.is_signed());
            wraps |= signed && unsigned && matches!(inner.kind, ExprKind::Binary(..));
        }
    });
    if wraps {
        found.insert("arithmetic that wraps");
    }
    found
}

fn of_launches(program: &Program, found: &mut BTreeSet<&'static str>) {
    for launch in &program.launches {
        match launch.global.len() {
            2 => found.insert("two dimensions"),
            3 => found.insert("three dimensions"),
            _ => false,
        };
        if launch.local.iter().any(|size| size % 2 == 1 && *size > 1) {
            found.insert("odd local size");
        }
        if launch.offset.iter().any(|offset| *offset > 0) {
            found.insert("offset");
        }
        if launch.global.iter().zip(&launch.local).any(|(global, local)| global % local != 0) {
            found.insert("remainder groups");
        }
        if program.launches.iter().filter(|other| other.kernel == launch.kernel).count() > 1 {
            found.insert("several launches of one kernel");
        }
    }
    if program.functions.iter().filter(|function| function.is_kernel()).count() > 1 {
        found.insert("several kernels");
    }
    for global in &program.globals {
        found.insert(if global.space == Space::Constant {
            "constants of program scope"
        } else {
            "variables of program scope"
        });
    }
    if !program.macros.is_empty() {
        found.insert("macros of the build options");
    }
    if program.generic {
        found.insert("generic pointers");
    }
}

fn of_expr(expr: &Expr, found: &mut BTreeSet<&'static str>) {
    match expr.ty.element() {
        Some(Scalar::Bool) => found.insert("bool"),
        Some(Scalar::Char | Scalar::Uchar) => found.insert("char and uchar"),
        Some(Scalar::Short | Scalar::Ushort) => found.insert("short and ushort"),
        Some(Scalar::Int | Scalar::Uint) => found.insert("int and uint"),
        Some(Scalar::Long | Scalar::Ulong) => found.insert("long and ulong"),
        Some(Scalar::Half) => found.insert("half"),
        Some(Scalar::Float) => found.insert("float"),
        Some(Scalar::Double) => found.insert("double"),
        None => false,
    };
    if matches!(expr.ty, Type::Vector(..)) {
        found.insert("vector");
    }
    match &expr.kind {
        ExprKind::Swizzle(..) => {
            found.insert("swizzle");
        }
        ExprKind::Assign(place, _) if matches!(place.kind, ExprKind::Swizzle(..)) => {
            found.insert("swizzle assigned to");
        }
        ExprKind::AndAlso(_, b) | ExprKind::OrElse(_, b) => {
            let effect = |expr: &Expr| matches!(expr.kind, ExprKind::Assign(..) | ExprKind::Step { .. });
            if b.any(&effect) {
                found.insert("short-circuit with effects");
            }
        }
        ExprKind::Builtin(builtin, _) => {
            match builtin {
                Builtin::Clz
                | Builtin::Ctz
                | Builtin::Popcount
                | Builtin::Rotate
                | Builtin::BitSelect
                | Builtin::Upsample => found.insert("bit functions"),
                Builtin::AddSat | Builtin::SubSat | Builtin::MadSat => {
                    found.insert("saturating functions and conversions")
                }
                Builtin::Shuffle | Builtin::Shuffle2 => found.insert("shuffle"),
                _ => false,
            };
        }
        ExprKind::Convert { saturate: true, .. } => {
            found.insert("saturating functions and conversions");
        }
        ExprKind::LeadsTo(..) => {
            found.insert("question where a pointer leads to");
        }
        ExprKind::Conditional(..) if matches!(expr.ty, Type::Pointer(Space::Generic, _)) => {
            found.insert("pointer to one of several memories");
        }
        ExprKind::Load(..) => {
            found.insert("vload");
        }
        ExprKind::Store(..) => {
            found.insert("vstore");
        }
        ExprKind::Atomic { place, used, .. } => {
            found.insert("atomics");
            if matches!(place.ty, Type::Pointer(Space::Local, _)) {
                found.insert("atomics in local memory");
            }
            if *used {
                found.insert("atomic whose old value is used");
            }
        }
        _ => {}
    }
}

fn of_function(function: &Function, facts: &Facts, found: &mut BTreeSet<&'static str>) {
    if function.is_kernel() {
        if function.required.is_some() {
            found.insert("required group size");
        }
    } else {
        of_helper(function, found);
    }
    let varying = varying(function);
    let mut context = Context { function, facts, varying: &varying, found };
    context.block(&function.body, Around::default());
}

fn of_helper(function: &Function, found: &mut BTreeSet<&'static str>) {
    found.insert(match function.linkage {
        Linkage::NoInline => "helper that is never inlined",
        Linkage::AlwaysInline => "helper that is always inlined",
        _ => "helper that may be inlined",
    });
    for parameter in &function.variables[..function.parameters] {
        if parameter.restrict {
            found.insert("helper with restrict");
        }
        match parameter.ty {
            Type::Pointer(Space::Private, _) => found.insert("helper with a pointer to private memory"),
            Type::Pointer(Space::Local, _) => found.insert("helper with a pointer to local memory"),
            Type::Pointer(Space::Global, _) => found.insert("helper with a pointer to global memory"),
            Type::Pointer(Space::Generic, _) => found.insert("helper with a generic pointer"),
            Type::Struct(_) => found.insert("structure by value"),
            _ => false,
        };
    }
    let own = function.name.strip_prefix('h').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
    if !own {
        found.insert("names of the C library");
    }
    let mut returned = false;
    for stmt in &function.body {
        if returned && has_barrier(stmt) {
            found.insert("early return guards a barrier of a helper");
        }
        returned |= stmt.any(&|stmt| matches!(stmt.kind, StmtKind::Return(_)));
    }
}

fn has_barrier(stmt: &Stmt) -> bool {
    stmt.any(&|stmt| matches!(stmt.kind, StmtKind::Barrier { .. }))
}

fn is_exit(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Break | StmtKind::Continue | StmtKind::Return(_))
}

/// Variables that may differ between work-items: what is computed from ids and from memory, wherever it stands.
fn varying(function: &Function) -> Vec<bool> {
    let mut varying = vec![false; function.variables.len()];
    loop {
        let before = varying.clone();
        for stmt in &function.body {
            stmt.walk(&mut |stmt| {
                if let StmtKind::Declare { variable, init: Init::Value(value) } = &stmt.kind {
                    varying[*variable] |= looks_varying(value, &before);
                }
                for expr in stmt.expressions() {
                    expr.walk(&mut |expr| {
                        if let ExprKind::Assign(place, value) | ExprKind::Compound(_, place, value) =
                            &expr.kind
                            && let ExprKind::Variable(variable) = place.kind
                        {
                            varying[variable] |= looks_varying(value, &before);
                        }
                    });
                }
            });
        }
        if varying == before {
            return varying;
        }
    }
}

fn looks_varying(expr: &Expr, varying: &[bool]) -> bool {
    expr.any(&|expr| match &expr.kind {
        ExprKind::Item(Query::GlobalId | Query::LocalId | Query::GlobalLinear | Query::LocalLinear, _) => {
            true
        }
        ExprKind::Variable(variable) => varying[*variable],
        _ => false,
    })
}

#[derive(Debug, Clone, Copy, Default)]
struct Around {
    /// Loops around.
    loops: u32,
    /// The innermost loop has a barrier in it.
    barrier: bool,
    /// A condition in the innermost loop parted the group.
    parted: bool,
}

struct Context<'a> {
    function: &'a Function,
    facts: &'a Facts,
    varying: &'a [bool],
    found: &'a mut BTreeSet<&'static str>,
}

impl Context<'_> {
    fn block(&mut self, body: &[Stmt], around: Around) {
        for (index, stmt) in body.iter().enumerate() {
            self.stmt(stmt, around);
            self.array(stmt, &body[index + 1..]);
            if let StmtKind::Declare { variable, .. } = stmt.kind {
                let ty = &self.function.variables[variable].ty;
                let crosses = body[index + 1..].iter().any(has_barrier);
                if matches!(ty, Type::Pointer(Space::Private, _)) && crosses {
                    self.found.insert("private pointer across a barrier");
                }
            }
        }
    }

    /// A private array that begins with elements that were never written, and a loop with a barrier that uses it.
    fn array(&mut self, stmt: &Stmt, behind: &[Stmt]) {
        let StmtKind::Declare { variable, init } = &stmt.kind else { return };
        let declared = &self.function.variables[*variable];
        let partly = matches!(declared.ty, Type::Array(..)) && matches!(init, Init::None);
        if !partly || declared.space != Space::Private {
            return;
        }
        let uses = |stmt: &Stmt| {
            stmt.expressions().into_iter().any(|expr| {
                expr.any(&|expr| matches!(expr.kind, ExprKind::Variable(used) if used == *variable))
            })
        };
        if behind.iter().any(|stmt| {
            stmt.any(&|stmt| {
                matches!(stmt.kind, StmtKind::Loop { .. }) && has_barrier(stmt) && stmt.any(&uses)
            })
        }) {
            self.found.insert("partly written private array through a barrier loop");
        }
    }

    fn stmt(&mut self, stmt: &Stmt, around: Around) {
        match &stmt.kind {
            StmtKind::Break => {
                self.found.insert("break");
            }
            StmtKind::Continue => {
                self.found.insert("continue");
            }
            StmtKind::Barrier { .. } => {
                self.found.insert("barrier");
                if around.loops > 1 {
                    self.found.insert("barrier in a loop in a loop");
                }
            }
            StmtKind::Collective { .. } => {
                self.found.insert("group functions");
            }
            StmtKind::SubGroup { .. } => {
                self.found.insert("sub-groups");
                if around.parted {
                    self.found.insert("sub-groups in divergent flow");
                }
            }
            StmtKind::Copy { .. } => {
                self.found.insert("asynchronous copy");
            }
            StmtKind::If { condition, then, .. } => {
                let parted = self.facts.has_diverged(stmt.id);
                if then.iter().any(is_exit) {
                    self.exit(stmt, condition, then, around, parted);
                }
                let inside = Around { parted: around.parted || parted, ..around };
                for block in stmt.blocks() {
                    self.block(block, inside);
                }
                return;
            }
            StmtKind::Loop { form, condition, body, .. } => {
                self.in_loop(*form, condition.as_ref(), body, around);
                return;
            }
            StmtKind::Switch { cases, .. } => {
                let ends = |stmt: &Stmt| is_exit(stmt);
                let falls = |body: &[Stmt]| !body.is_empty() && !body.last().is_some_and(ends);
                let last = cases.len().saturating_sub(1);
                if cases[..last].iter().any(|case| falls(&case.body)) {
                    self.found.insert("switch with fall-through");
                }
            }
            _ => {}
        }
        for block in stmt.blocks() {
            self.block(block, around);
        }
    }

    fn exit(&mut self, stmt: &Stmt, condition: &Expr, then: &[Stmt], around: Around, parted: bool) {
        if then.iter().any(|stmt| matches!(stmt.kind, StmtKind::Return(_))) {
            self.found.insert("early return");
        }
        if around.loops == 0 {
            return;
        }
        let reached = self.facts.was_executed(stmt.id);
        if around.barrier && reached && !parted && !around.parted && looks_varying(condition, self.varying) {
            self.found.insert("exit of a barrier loop that is uniform only in fact");
        }
        if around.parted && reached {
            self.found.insert("exit inside a divergent branch");
        }
        let sets = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Expr(expr) if matches!(expr.kind, ExprKind::Assign(..)));
        if parted && then.iter().any(sets) {
            self.found.insert("flag set on a divergent way out");
        }
    }

    fn in_loop(&mut self, form: LoopForm, condition: Option<&Expr>, body: &[Stmt], around: Around) {
        if form == LoopForm::Do {
            self.found.insert("do-while");
        }
        if condition.is_none_or(|condition| matches!(condition.kind, ExprKind::Literal(1))) {
            self.found.insert("endless loop with a break");
        }
        if around.loops > 0 {
            self.found.insert("loop in a loop");
        }
        let mut kinds = BTreeSet::new();
        for inner in body {
            exits(inner, true, &mut kinds);
        }
        if kinds.len() > 1 {
            self.found.insert("exits of different kinds in one loop");
        }
        let barrier = body.iter().any(has_barrier);
        self.block(body, Around { loops: around.loops + 1, barrier, parted: false });
    }
}

/// The kinds of exits from the loop that a statement stands in.
fn exits(stmt: &Stmt, breaks_out: bool, kinds: &mut BTreeSet<u8>) {
    match &stmt.kind {
        StmtKind::Break if breaks_out => {
            kinds.insert(0);
        }
        StmtKind::Continue => {
            kinds.insert(1);
        }
        StmtKind::Return(_) => {
            kinds.insert(2);
        }
        StmtKind::Loop { .. } => {
            if stmt.any(&|stmt| matches!(stmt.kind, StmtKind::Return(_))) {
                kinds.insert(2);
            }
        }
        StmtKind::Switch { cases, .. } => {
            for stmt in cases.iter().flat_map(|case| &case.body) {
                exits(stmt, false, kinds);
            }
        }
        _ => {
            for stmt in stmt.blocks().into_iter().flatten() {
                exits(stmt, breaks_out, kinds);
            }
        }
    }
}
