//! The kernels of a module and their parameters, as an archive records them.
//!
//! In: a module of [`compile`](crate::compile()) (linked with others or not). What clang's metadata says is turned
//! into the words of `clGetKernelArgInfo`; sizes come from the module's data layout.

use std::ffi::c_void;

use oxcl_binary::archive::{AccessQualifier, AddressQualifier, Arg, ArgKind};
use oxcl_ir::Module;

use crate::bridge;

/// A kernel's signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelSignature {
    /// Its name.
    pub name: String,
    /// Its parameters, in order.
    pub args: Vec<Arg>,
    /// `reqd_work_group_size`.
    pub reqd_work_group_size: Option<[u64; 3]>,
    /// `work_group_size_hint`.
    pub work_group_size_hint: Option<[u64; 3]>,
    /// `vec_type_hint`.
    pub vec_type_hint: Option<String>,
    /// `intel_reqd_sub_group_size`.
    pub reqd_sub_group_size: Option<u64>,
}

impl KernelSignature {
    /// The attributes as `CL_KERNEL_ATTRIBUTES` lists them: separated by blanks.
    #[must_use]
    pub fn attributes(&self) -> String {
        let size = |name: &str, [x, y, z]: [u64; 3]| format!("{name}({x},{y},{z})");
        let list = [
            self.vec_type_hint.as_ref().map(|hint| format!("vec_type_hint({hint})")),
            self.work_group_size_hint.map(|hint| size("work_group_size_hint", hint)),
            self.reqd_work_group_size.map(|reqd| size("reqd_work_group_size", reqd)),
            self.reqd_sub_group_size.map(|reqd| format!("intel_reqd_sub_group_size({reqd})")),
        ];
        let list: Vec<String> = list.into_iter().flatten().collect();
        list.join(" ")
    }
}

/// The kernels of `module`, sorted by name.
#[must_use]
pub fn kernels(module: &Module<'_>) -> Vec<KernelSignature> {
    let mut found: Vec<KernelSignature> = Vec::new();
    let user: *mut c_void = (&raw mut found).cast();
    // SAFETY: the module is valid; `take_kernel` is called with `user`, the only way to `found` meanwhile.
    unsafe { bridge::oxcl_kernels(module.as_mut_ptr(), take_kernel, user) };
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Copies one kernel of the bridge's.
///
/// # Safety
/// `user` is the `Vec<KernelSignature>` of the running call, and `kernel` is valid for the length of this one.
unsafe extern "C" fn take_kernel(user: *mut c_void, kernel: *const bridge::Kernel) {
    // SAFETY: `user` is what `kernels` passed: a vector that nothing else touches during the call.
    let into = unsafe { &mut *user.cast::<Vec<KernelSignature>>() };
    // SAFETY: the bridge passes a valid structure.
    let kernel = unsafe { &*kernel };
    let args = if kernel.arg_count == 0 {
        &[][..]
    } else {
        // SAFETY: the bridge gives the number of elements with the pointer to the first.
        unsafe { std::slice::from_raw_parts(kernel.args, kernel.arg_count) }
    };
    // SAFETY: texts of a kernel are readable while it is shown.
    let text = |text: bridge::Text| unsafe { text.to_string() };
    let given = |size: [u64; 3]| (size != [0; 3]).then_some(size);
    let args = args.iter().enumerate().map(|(index, arg)| {
        argument(Facts {
            index,
            name: text(arg.name),
            type_name: text(arg.type_name),
            access: &text(arg.access),
            qualifiers: &text(arg.qualifiers),
            opaque_type: &text(arg.opaque_type),
            address_space: arg.address_space,
            is_pointer: arg.is_pointer != 0,
            size: u32::try_from(arg.size).unwrap_or(u32::MAX),
        })
    });
    into.push(KernelSignature {
        name: text(kernel.name),
        args: args.collect(),
        reqd_work_group_size: given(kernel.reqd_work_group_size),
        work_group_size_hint: given(kernel.work_group_size_hint),
        vec_type_hint: Some(text(kernel.vec_type_hint)).filter(|hint| !hint.is_empty()),
        reqd_sub_group_size: Some(kernel.reqd_sub_group_size).filter(|size| *size != 0),
    });
}

/// What clang recorded about one parameter.
struct Facts<'a> {
    index: usize,
    name: String,
    type_name: String,
    access: &'a str,
    qualifiers: &'a str,
    /// LLVM's name of the value's type where it is opaque; a structure may have any name.
    opaque_type: &'a str,
    address_space: u32,
    is_pointer: bool,
    size: u32,
}

fn argument(facts: Facts<'_>) -> Arg {
    let type_qualifier = facts.qualifiers.split_whitespace().fold(0, |bits, word| {
        bits | match word {
            "const" => 1,
            "restrict" => 2,
            "volatile" => 4,
            "pipe" => 8,
            _ => 0,
        }
    });
    let kind = match facts.opaque_type {
        _ if type_qualifier & 8 != 0 => ArgKind::Pipe,
        "spirv.Image" => ArgKind::Image,
        "spirv.Sampler" => ArgKind::Sampler,
        _ if facts.is_pointer => ArgKind::Pointer,
        _ => ArgKind::Value,
    };
    Arg {
        // A parameter need not have a name in C; one letter for each then.
        name: if facts.name.is_empty() { letter_name(facts.index) } else { facts.name },
        type_name: clean_type_name(&facts.type_name),
        address: match (kind, facts.address_space) {
            (ArgKind::Value | ArgKind::Sampler, _) => AddressQualifier::Private,
            (_, 1) => AddressQualifier::Global,
            (_, 2) => AddressQualifier::Constant,
            (_, 3) => AddressQualifier::Local,
            _ => AddressQualifier::Private,
        },
        access: match facts.access {
            "read_only" => AccessQualifier::ReadOnly,
            "write_only" => AccessQualifier::WriteOnly,
            "read_write" => AccessQualifier::ReadWrite,
            _ => AccessQualifier::None,
        },
        type_qualifier,
        kind,
        size: facts.size,
    }
}

fn letter_name(index: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(index % 26).unwrap_or_default());
    match index / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

/// `clGetKernelArgInfo` reports types without blanks before `*` and without address spaces or qualifiers.
fn clean_type_name(name: &str) -> String {
    let words = name.split_whitespace().filter(|word| {
        !matches!(
            *word,
            "const"
                | "volatile"
                | "restrict"
                | "__global"
                | "__local"
                | "__constant"
                | "__private"
                | "__generic"
        )
    });
    let joined = words.collect::<Vec<_>>().join(" ");
    joined.replace(" *", "*").replace("* ", "*")
}

#[cfg(test)]
#[path = "signature_tests.rs"]
mod tests;
