//! Functions that came with OpenCL C 2.0: a source that uses one in an earlier version of the language hears which build option
//! has it, as clang knows it only as a name that nobody declared.

use crate::diagnostics::{Diagnostic, Diagnostics, Severity};
use crate::options::Standard;

/// What clang says of a name without a declaration, before the name and its closing quote.
const UNDECLARED: &str = "use of undeclared identifier '";

/// The functions and constants; atomic functions also have a form with `_explicit` behind the name.
const NAMES: &[&str] = &[
    "atomic_compare_exchange_strong",
    "atomic_compare_exchange_weak",
    "atomic_exchange",
    "atomic_fetch_add",
    "atomic_fetch_and",
    "atomic_fetch_max",
    "atomic_fetch_min",
    "atomic_fetch_or",
    "atomic_fetch_sub",
    "atomic_fetch_xor",
    "atomic_flag_clear",
    "atomic_flag_test_and_set",
    "atomic_init",
    "atomic_load",
    "atomic_store",
    "atomic_work_item_fence",
    "get_enqueued_local_size",
    "get_global_linear_id",
    "get_local_linear_id",
    "memory_order_acq_rel",
    "memory_order_acquire",
    "memory_order_relaxed",
    "memory_order_release",
    "memory_order_seq_cst",
    "work_group_all",
    "work_group_any",
    "work_group_barrier",
    "work_group_broadcast",
    "work_group_reduce_add",
    "work_group_reduce_max",
    "work_group_reduce_min",
    "work_group_scan_exclusive_add",
    "work_group_scan_exclusive_max",
    "work_group_scan_exclusive_min",
    "work_group_scan_inclusive_add",
    "work_group_scan_inclusive_max",
    "work_group_scan_inclusive_min",
];

/// Adds to each such message what would have helped.
pub(crate) fn advise(diagnostics: &mut Diagnostics, standard: Standard) {
    if standard >= Standard::Cl20 {
        return;
    }
    for diagnostic in &mut diagnostics.items {
        let rest = diagnostic.message.strip_prefix(UNDECLARED);
        let Some((name, _)) = rest.and_then(|rest| rest.split_once('\'')) else { continue };
        if NAMES.contains(&name.strip_suffix("_explicit").unwrap_or(name)) {
            let text = format!(
                "'{name}' came with OpenCL C 2.0, and this is compiled as {standard}; \
                 the build option -cl-std=CL2.0 has it"
            );
            diagnostic.notes.push(Diagnostic::new(Severity::Note, text));
        }
    }
}
