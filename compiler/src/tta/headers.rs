//! The headers that programs in C find: a freestanding part of the C library, and the operations of the machine.

use oxcl_frontend::VirtualHeader;
use oxcl_tta::model::Machine;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Headers that are the same for every machine.
const FIXED: &[(&str, &str)] = &[
    ("limits.h", include_str!("include/limits.h")),
    ("malloc.h", include_str!("include/malloc.h")),
    ("stdbool.h", include_str!("include/stdbool.h")),
    ("stddef.h", include_str!("include/stddef.h")),
    ("stdint.h", include_str!("include/stdint.h")),
    ("stdio.h", include_str!("include/stdio.h")),
    ("stdlib.h", include_str!("include/stdlib.h")),
    ("string.h", include_str!("include/string.h")),
];

/// `tceops.h`: a macro for each operation of the machine that computes, writes out or reads in. The last argument of one with a
/// result is where it goes.
pub(super) fn operations(machine: &Machine) -> String {
    let mut text = String::from("#ifndef OXCL_TCEOPS_H\n#define OXCL_TCEOPS_H\n");
    let ops: BTreeSet<_> = machine.units.iter().flat_map(|u| &u.operations).filter_map(|o| o.op).collect();
    for op in ops {
        let info = op.info();
        if info.is_control() || info.is_memory() || info.outputs > 1 {
            continue;
        }
        let names: Vec<String> = (1..=info.inputs).map(|k| format!("a{k}")).collect();
        let types = vec!["unsigned"; names.len()].join(", ");
        let result = if info.outputs == 1 { "unsigned" } else { "void" };
        let pure = if info.is_pure() { " __attribute__((const))" } else { "" };
        let (lower, upper) = (info.name, info.name.to_uppercase());
        let _ = writeln!(text, "{result} __tta_op_{lower}({types}){pure};");
        let call = format!(
            "__tta_op_{lower}({})",
            names.iter().map(|n| format!("(unsigned)({n})")).collect::<Vec<_>>().join(", ")
        );
        let mut parameters = names;
        let body = if info.outputs == 1 {
            parameters.push("out".to_owned());
            format!("((out) = {call})")
        } else {
            call
        };
        let _ = writeln!(text, "#define _TCE_{upper}({}) {body}", parameters.join(", "));
    }
    text.push_str("#endif\n");
    text
}

/// All headers; `operations` is `tceops.h`.
pub(super) fn all(operations: &str) -> Vec<VirtualHeader<'_>> {
    let mut headers: Vec<VirtualHeader<'_>> =
        FIXED.iter().map(|(name, text)| VirtualHeader { name, text }).collect();
    headers.push(VirtualHeader { name: "tceops.h", text: operations });
    headers
}
