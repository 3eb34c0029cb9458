//! Focused text for snapshots: what a reviewer reads, not whole dumps.

use std::fmt::Write as _;

use oxcl_binary::archive::{AccessQualifier, AddressQualifier, Arg, ArgKind, Kernel};
use oxcl_binary::meta::{Access, AccessBound, KernelMeta, PixelPlaces};

/// The argument table of a kernel with the compiler's facts.
#[must_use]
pub fn argument_table(kernel: &Kernel, meta: Option<&KernelMeta>) -> String {
    let mut out = format!("kernel {}\n", kernel.name);
    for (index, arg) in kernel.args.iter().enumerate() {
        let _ = write!(out, "  {index} {}: {} {}, {} bytes", arg.name, kind(arg), arg.type_name, arg.size);
        out.push_str(&qualifiers(arg));
        if let Some(facts) = meta.and_then(|m| m.args.get(index)) {
            out.push_str(match facts.access {
                Access::None => "",
                Access::Read => ", read",
                Access::Write => ", written",
                Access::ReadWrite => ", read and written",
            });
            for bound in &facts.bounds {
                let _ = write!(out, "\n      always touches {}", show_bound(bound));
            }
        }
        let here = |pixels: &&PixelPlaces| pixels.argument as usize == index;
        for place in meta.and_then(|m| m.pixels.iter().find(here)).iter().flat_map(|pixels| &pixels.places) {
            let at: Vec<String> = place.iter().map(show_form).collect();
            let _ = write!(out, "\n      only pixels ({})", at.join(", "));
        }
        out.push('\n');
    }
    for (index, size) in kernel.local_sizes.iter().enumerate() {
        let _ = writeln!(out, "  automatic local {index}: {size} bytes");
    }
    if kernel.reqd_wg_size != [0; 3] {
        let [x, y, z] = kernel.reqd_wg_size;
        let _ = writeln!(out, "  required local size {x},{y},{z}");
    }
    if !kernel.attributes.is_empty() {
        let _ = writeln!(out, "  attributes {}", kernel.attributes);
    }
    if let Some(meta) = meta {
        let flags = [
            (meta.barrier, "barrier"),
            (meta.opaque, "opaque"),
            (meta.globals, "globals"),
            (meta.printf, "printf"),
        ];
        let names: Vec<&str> = flags.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
        if !names.is_empty() {
            let _ = writeln!(out, "  facts: {}", names.join(", "));
        }
    }
    out
}

fn kind(arg: &Arg) -> &'static str {
    match (arg.kind, arg.address) {
        (ArgKind::Pointer, AddressQualifier::Global) => "global",
        (ArgKind::Pointer, AddressQualifier::Local) => "local",
        (ArgKind::Pointer, AddressQualifier::Constant) => "constant",
        (ArgKind::Pointer, AddressQualifier::Private) => "private pointer",
        (ArgKind::Value, _) => "value",
        (ArgKind::Image, _) => "image",
        (ArgKind::Sampler, _) => "sampler",
        (ArgKind::Pipe, _) => "pipe",
    }
}

fn qualifiers(arg: &Arg) -> String {
    let mut out = String::new();
    for (bit, name) in [(1, "const"), (2, "restrict"), (4, "volatile"), (8, "pipe")] {
        if arg.type_qualifier & bit != 0 {
            let _ = write!(out, ", {name}");
        }
    }
    out.push_str(match arg.access {
        AccessQualifier::ReadOnly => ", read_only",
        AccessQualifier::WriteOnly => ", write_only",
        AccessQualifier::ReadWrite => ", read_write",
        AccessQualifier::None => "",
    });
    out
}

fn show_bound(bound: &AccessBound) -> String {
    format!("{} bytes at {}", bound.bytes, show_form(bound))
}

fn show_form(bound: &AccessBound) -> String {
    let mut terms = Vec::new();
    for (factors, name) in [(bound.global, "global"), (bound.local, "local"), (bound.group, "group")] {
        for (dimension, factor) in factors.iter().enumerate().filter(|(_, factor)| **factor != 0) {
            terms.push(format!("{factor}*{name}{dimension}"));
        }
    }
    if bound.constant != 0 || terms.is_empty() {
        terms.push(bound.constant.to_string());
    }
    terms.join(" + ")
}

/// LLVM IR without what changes with the machine, the LLVM version or the source's path: module header, attribute
/// groups, metadata and target attributes.
#[must_use]
pub fn normalised_ir(text: &str) -> String {
    const DROPPED: [&str; 7] =
        ["; ModuleID", "source_filename", "target ", "attributes #", "!", "; Function Attrs", "declare "];
    let mut out = String::new();
    let mut blank = true;
    for line in text.lines() {
        if DROPPED.iter().any(|start| line.starts_with(start)) {
            continue;
        }
        if line.is_empty() {
            if !blank {
                out.push('\n');
            }
            blank = true;
            continue;
        }
        blank = false;
        out.push_str(&without_metadata(line));
        out.push('\n');
    }
    out
}

/// Cuts `, !name !7` tails and `#3` attribute references off a line.
fn without_metadata(line: &str) -> String {
    let mut line = match line.find(", !") {
        Some(at) => line[..at].to_owned(),
        None => line.to_owned(),
    };
    while let Some(at) = line.find(" #") {
        let end = line[at + 2..].find(|c: char| !c.is_ascii_digit()).map_or(line.len(), |n| at + 2 + n);
        line.replace_range(at..end, "");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::normalised_ir;

    #[test]
    fn metadata_and_attributes_go() {
        let text = "; ModuleID = 'x'\n\n\ndefine void @f(ptr %a) #0 !dbg !3 {\n  store i32 1, ptr %a, align 4, !tbaa !7\n  ret void\n}\n\nattributes #0 = { nounwind }\n!0 = !{}\n";
        let expected = "define void @f(ptr %a) !dbg !3 {\n  store i32 1, ptr %a, align 4\n  ret void\n}\n\n";
        assert_eq!(normalised_ir(text), expected);
    }
}
