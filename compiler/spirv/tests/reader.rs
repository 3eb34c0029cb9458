//! Modules made here, word by word: what becomes of them, and what is said of those that are wrong.

use oxcl_binary::il::{CAPABILITIES, EXTENSIONS, INSTRUCTION_SETS};
use oxcl_ir::Context;
use oxcl_ir::module::print;
use oxcl_spirv::{Addresses, Parameters, Reason, Source, SpirvError, ir, listing, read, with_parameters};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Instruction, Operand};
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl,
    MemoryAccess, MemoryModel, Op, StorageClass,
};

/// A kernel that stores its global id, plus a constant that may be specialised, times another.
struct Made {
    b: Builder,
    /// The id of the parameter.
    out: u32,
}

fn kernel(addressing: AddressingModel, extra: impl FnOnce(&mut Builder, u32)) -> Made {
    let mut b = Builder::new();
    b.set_version(1, 2);
    for capability in [Capability::Kernel, Capability::Addresses, Capability::Linkage, Capability::Int64] {
        b.capability(capability);
    }
    b.memory_model(addressing, MemoryModel::OpenCL);
    let (void, uint, ulong) = (b.type_void(), b.type_int(32, 0), b.type_int(64, 0));
    let ids = b.type_vector(ulong, 3);
    let input = b.type_pointer(None, StorageClass::Input, ids);
    let global = b.type_pointer(None, StorageClass::CrossWorkgroup, uint);
    let ty = b.type_function(void, [global]);
    let added = b.spec_constant_bit32(uint, 10);
    b.decorate(added, Decoration::SpecId, [Operand::LiteralBit32(3)]);
    let factor = b.constant_bit32(uint, 7);
    let id = b.variable(input, None, StorageClass::Input, None);
    b.decorate(id, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::GlobalInvocationId)]);
    let function = b.begin_function(void, None, FunctionControl::NONE, ty).unwrap();
    let out = b.function_parameter(global).unwrap();
    b.name(out, "out");
    b.decorate(out, Decoration::Alignment, [Operand::LiteralBit32(4)]);
    b.begin_block(None).unwrap();
    let all = b.load(ids, None, id, None, []).unwrap();
    let first = b.composite_extract(ulong, None, all, [0]).unwrap();
    let narrow = b.u_convert(uint, None, first).unwrap();
    let sum = b.i_add(uint, None, narrow, added).unwrap();
    let product = b.i_mul(uint, None, sum, factor).unwrap();
    let place = b.in_bounds_ptr_access_chain(global, None, out, first, []).unwrap();
    b.store(place, product, None, []).unwrap();
    extra(&mut b, product);
    b.ret().unwrap();
    b.end_function().unwrap();
    b.entry_point(ExecutionModel::Kernel, function, "scale", [id]);
    b.execution_mode(function, ExecutionMode::LocalSize, [4, 2, 1]);
    Made { b, out }
}

fn bytes(b: Builder) -> Vec<u8> {
    b.module().assemble().iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn plain() -> Vec<u8> {
    bytes(kernel(AddressingModel::Physical64, |_, _| {}).b)
}

/// Translates a module, and has LLVM read it.
fn translated(bytes: &[u8], constants: &[(u32, Vec<u8>)]) -> Result<String, SpirvError> {
    let source = Source { name: "module", bytes, constants };
    let context = Context::create();
    let module = read(&context, &source, Addresses::Bits64)?;
    assert!(!print(&module).is_empty());
    ir(&source, Addresses::Bits64)
}

fn refused(bytes: &[u8]) -> SpirvError {
    translated(bytes, &[]).expect_err("a module that is wrong")
}

#[test]
fn kernels_are_as_the_front_end_gives_them() {
    let text = translated(&plain(), &[]).unwrap();
    for part in [
        "define spir_kernel void @\"scale\"(ptr addrspace(1) align 4 %v",
        "!reqd_work_group_size",
        "!{i32 4, i32 2, i32 1}",
        "!{!\"out\"}",
        "!{!\"int*\"}",
        "call spir_func i64 @\"_Z13get_global_idj\"(i32 0) convergent nounwind willreturn memory(none)",
        "target triple = \"spir64-unknown-unknown\"",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    // Only the element that is used is asked for.
    assert!(!text.contains("(i32 1) convergent"), "{text}");
}

#[test]
fn bytes_may_stand_in_either_order() {
    let plain = plain();
    let swapped: Vec<u8> = plain.chunks(4).flat_map(|word| word.iter().rev().copied()).collect();
    assert_eq!(translated(&plain, &[]), translated(&swapped, &[]));
    assert_eq!(listing(&plain), listing(&swapped));
}

#[test]
fn constants_are_specialised_by_their_numbers() {
    let bytes = plain();
    assert!(translated(&bytes, &[]).unwrap().contains(", 10\n"));
    let text = translated(&bytes, &[(3, vec![44, 1, 0, 0]), (99, vec![1])]).unwrap();
    assert!(text.contains(", 300\n") && !text.contains(", 10\n"), "{text}");
    let error = translated(&bytes, &[(3, vec![1, 2])]).expect_err("a value of another size");
    assert!(matches!(error.reason, Reason::Invalid(_)), "{error}");
}

#[test]
fn listings_have_the_names_that_are_in_the_module() {
    let Made { b, out } = kernel(AddressingModel::Physical64, |_, _| {});
    let listing = listing(&bytes(b)).unwrap();
    assert!(listing.contains("%out = OpFunctionParameter"), "{listing}");
    assert!(!listing.contains(&format!("%{out} ")), "{listing}");
}

#[test]
fn strings_say_what_types_parameters_have() {
    let parameters = Parameters {
        kernel: "scale".to_owned(),
        types: vec![("uint*".to_owned(), "const restrict".to_owned())],
    };
    let with = with_parameters(&plain(), &[parameters]).unwrap();
    assert!(with.len() > plain().len());
    let text = translated(&with, &[]).unwrap();
    assert!(text.contains("!{!\"uint*\"}") && text.contains("!{!\"const restrict\"}"), "{text}");
}

/// A kernel of two functions of one name: the exported one is the module's own.
#[test]
fn a_kernel_may_call_a_function_that_is_exported_by_its_name() {
    let mut b = kernel(AddressingModel::Physical64, |_, _| {}).b;
    let void = b.type_void();
    let ty = b.type_function(void, []);
    let body = b.begin_function(void, None, FunctionControl::NONE, ty).unwrap();
    b.begin_block(None).unwrap();
    b.ret().unwrap();
    b.end_function().unwrap();
    let name = Operand::LiteralString("twice".to_owned());
    b.decorate(
        body,
        Decoration::LinkageAttributes,
        [name, Operand::LinkageType(rspirv::spirv::LinkageType::Export)],
    );
    let entry = b.begin_function(void, None, FunctionControl::NONE, ty).unwrap();
    b.begin_block(None).unwrap();
    b.function_call(void, None, body, []).unwrap();
    b.ret().unwrap();
    b.end_function().unwrap();
    b.entry_point(ExecutionModel::Kernel, entry, "twice", []);
    let text = translated(&bytes(b), &[]).unwrap();
    assert!(text.contains("define spir_kernel void @\"twice\"("), "{text}");
    assert!(text.contains("define internal spir_func void @\"function."), "{text}");
}

#[test]
fn addresses_are_the_devices() {
    let narrow = bytes(kernel(AddressingModel::Physical32, |_, _| {}).b);
    let error = refused(&narrow);
    assert_eq!(error.reason, Reason::Addresses { module: 32, device: 64 });
    // After the header and four capabilities of two words.
    assert_eq!(error.word, 13);
    let source = Source { name: "module", bytes: &narrow, constants: &[] };
    let text = ir(&source, Addresses::Bits32).unwrap();
    // Sizes are as wide as addresses; the variable is as the module says.
    assert!(text.contains("call spir_func i32 @\"_Z13get_global_idj\""), "{text}");
}

#[test]
fn what_is_not_supported_is_named() {
    let mut shader = kernel(AddressingModel::Physical64, |_, _| {}).b;
    shader.capability(Capability::Shader);
    let error = refused(&bytes(shader));
    assert_eq!(error.to_string(), "word 13: capability Shader is not supported");
    assert_eq!(error.code(), "OX0233");
    let mut extension = kernel(AddressingModel::Physical64, |_, _| {}).b;
    extension.extension("SPV_INTEL_function_pointers");
    let error = refused(&bytes(extension));
    assert!(error.to_string().ends_with("extension SPV_INTEL_function_pointers is not supported"), "{error}");
}

/// What devices report of the list is what the reader takes, no more and no less.
#[test]
fn the_list_of_what_is_taken_holds() {
    let with = |change: &dyn Fn(&mut Builder)| {
        let mut b = kernel(AddressingModel::Physical64, |_, _| {}).b;
        change(&mut b);
        translated(&bytes(b), &[])
    };
    let mut taken = 0;
    for number in 0..0x4000 {
        let listed = CAPABILITIES.iter().find(|(known, _)| *known == number);
        let Some(capability) = Capability::from_u32(number) else {
            assert_eq!(listed, None);
            continue;
        };
        let read = with(&|b| b.capability(capability));
        match listed {
            Some((_, name)) => {
                assert_eq!(*name, format!("{capability:?}"));
                read.unwrap_or_else(|error| panic!("{name}: {error}"));
                taken += 1;
            }
            None => assert_eq!(read.expect_err("a capability that is not listed").code(), "OX0233"),
        }
    }
    assert_eq!(taken, CAPABILITIES.len());
    for name in EXTENSIONS {
        let name = name.to_str().unwrap();
        with(&|b| b.extension(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let longer = format!("{name}x");
        for other in [&longer, &name[..name.len() - 1], &name[1..]] {
            assert_eq!(with(&|b| b.extension(other)).expect_err(other).code(), "OX0233");
        }
    }
    let import = |name: &str| with(&|b| _ = b.ext_inst_import(name));
    for name in INSTRUCTION_SETS {
        import(name.to_str().unwrap()).unwrap();
    }
    import("NonSemantic.Any").unwrap();
    for other in ["GLSL.std.450", "OpenCL.std.100", "NonSemantic", ""] {
        assert_eq!(import(other).expect_err(other).code(), "OX0233");
    }
}

/// Which accesses do not meet is read over: on loads, on stores, and on both sides of a copy.
#[test]
fn hints_on_aliases_are_read_over() {
    let made = kernel(AddressingModel::Physical64, |b, product| {
        let uint = b.type_int(32, 0);
        let mut hint = |op: Op, of: &[u32]| {
            let id = b.id();
            let of = of.iter().map(|id| Operand::IdRef(*id)).collect();
            b.module_mut().types_global_values.push(Instruction::new(op, None, Some(id), of));
            id
        };
        let domain = hint(Op::AliasDomainDeclINTEL, &[]);
        let scope = hint(Op::AliasScopeDeclINTEL, &[domain]);
        let list = hint(Op::AliasScopeListDeclINTEL, &[scope]);
        let local = b.type_pointer(None, StorageClass::Function, uint);
        let place = b.variable(local, None, StorageClass::Function, None);
        let (scoped, apart) = (MemoryAccess::ALIAS_SCOPE_INTEL_MASK, MemoryAccess::NO_ALIAS_INTEL_MASK);
        let aligned = MemoryAccess::ALIGNED;
        let (four, list) = (Operand::LiteralBit32(4), Operand::IdRef(list));
        b.store(place, product, Some(aligned | scoped | apart), [four.clone(), list.clone(), list.clone()])
            .unwrap();
        b.load(uint, None, place, Some(apart), [list.clone()]).unwrap();
        let behind = [list, Operand::MemoryAccess(aligned), four];
        b.copy_memory(place, place, Some(apart), None, behind).unwrap();
    });
    let text = translated(&bytes(made.b), &[]).unwrap();
    assert!(text.contains("align 4") && !text.contains("noalias"), "{text}");
}

/// Compilers that make variables anew forget their alignment, and leave the accesses as they were.
#[test]
fn variables_are_aligned_as_accesses_claim() {
    let callee = std::cell::Cell::new((0, 0, 0));
    let mut made = kernel(AddressingModel::Physical64, |b, product| {
        let (uint, void) = (b.type_int(32, 0), b.type_void());
        let length = b.constant_bit32(uint, 16);
        let array = b.type_array(uint, length);
        let four = b.type_vector(uint, 4);
        let aligned = |bytes: u32| (Some(MemoryAccess::ALIGNED), [Operand::LiteralBit32(bytes)]);
        let value = b.composite_construct(four, None, [product; 4]).unwrap();
        let variable = |b: &mut Builder, class: StorageClass| {
            let (whole, part) = (b.type_pointer(None, class, array), b.type_pointer(None, class, four));
            let id = if class == StorageClass::Function {
                b.variable(whole, None, class, None)
            } else {
                // Outside of the function that is at hand.
                let id = b.id();
                let class = vec![Operand::StorageClass(class)];
                let variable = Instruction::new(Op::Variable, Some(whole), Some(id), class);
                b.module_mut().types_global_values.push(variable);
                id
            };
            b.decorate(id, Decoration::Alignment, [Operand::LiteralBit32(8)]);
            (id, part)
        };
        // A cast, and what it says.
        let (own, part) = variable(b, StorageClass::Function);
        let cast = b.bitcast(part, None, own).unwrap();
        let (how, bytes) = aligned(16);
        b.store(cast, value, how, bytes).unwrap();
        // A cast, an element, a choice, and the type's own alignment.
        let (shared, part) = variable(b, StorageClass::Workgroup);
        let cast = b.bitcast(part, None, shared).unwrap();
        let element = b.in_bounds_ptr_access_chain(part, None, cast, length, []).unwrap();
        let truth = b.type_bool();
        let is_any = b.constant_true(truth);
        let chosen = b.select(part, None, is_any, element, cast).unwrap();
        b.store(chosen, value, None, []).unwrap();
        // An argument of a call.
        let (given, part) = variable(b, StorageClass::Function);
        let cast = b.bitcast(part, None, given).unwrap();
        let (function, ty) = (b.id(), b.type_function(void, [part]));
        b.function_call(void, None, function, [cast]).unwrap();
        // What says less, and what more: the widest type's is the most that an access can claim.
        let (modest, part) = variable(b, StorageClass::Function);
        let cast = b.bitcast(part, None, modest).unwrap();
        for bytes in [2, 4096] {
            let (how, bytes) = aligned(bytes);
            b.load(four, None, cast, how, bytes).unwrap();
        }
        let (other, part_of_other) = variable(b, StorageClass::Function);
        let cast = b.bitcast(part_of_other, None, other).unwrap();
        let (how, bytes) = aligned(2);
        b.load(four, None, cast, how, bytes).unwrap();
        callee.set((function, ty, part));
        for (id, name) in
            [(own, "own"), (shared, "shared"), (given, "given"), (modest, "modest"), (other, "other")]
        {
            b.name(id, name);
        }
    });
    let b = &mut made.b;
    let (function, ty, part) = callee.get();
    let (uint, void) = (b.type_int(32, 0), b.type_void());
    let four = b.type_vector(uint, 4);
    b.begin_function(void, Some(function), FunctionControl::NONE, ty).unwrap();
    let param = b.function_parameter(part).unwrap();
    b.begin_block(None).unwrap();
    let how = Some(MemoryAccess::ALIGNED);
    b.load(four, None, param, how, [Operand::LiteralBit32(32)]).unwrap();
    b.ret().unwrap();
    b.end_function().unwrap();
    let text = translated(&bytes(made.b), &[]).unwrap();
    let allocated: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_once("= alloca [16 x i32], "))
        .map(|(_, rest)| rest)
        .collect();
    assert_eq!(allocated, ["align 16", "align 32", "align 128", "align 8"], "{text}");
    let shared = text.lines().find(|line| line.starts_with("@\"shared.")).expect("the group's variable");
    assert!(shared.ends_with(", align 16"), "{shared}");
}

/// LLVM takes the parts of a value one by one: large constants are copied, other large values refused.
#[test]
fn large_values_are_copied_or_refused() {
    let with = |length: u32, use_it: &dyn Fn(&mut Builder, u32, u32, u32)| {
        let made = kernel(AddressingModel::Physical64, |b, product| {
            let uint = b.type_int(32, 0);
            let length = b.constant_bit32(uint, length);
            let array = b.type_array(uint, length);
            let place = b.type_pointer(None, StorageClass::Function, array);
            use_it(b, array, place, product);
        });
        translated(&bytes(made.b), &[])
    };
    let null = |b: &mut Builder, array: u32, place: u32, _: u32| {
        let null = b.constant_null(array);
        let variable = b.variable(place, None, StorageClass::Function, Some(null));
        b.store(variable, null, Some(MemoryAccess::VOLATILE), []).unwrap();
    };
    let text = with(10_000_000, &null).unwrap();
    let zeros = ["i8 0, i64 40000000, i1 false)", "i8 0, i64 40000000, i1 true)"];
    assert!(zeros.iter().all(|part| text.contains(part)) && !text.contains("store [1"), "{text}");
    let parts = |b: &mut Builder, array: u32, place: u32, _: u32| {
        let uint = b.type_int(32, 0);
        let (one, two) = (b.constant_bit32(uint, 1), b.constant_bit32(uint, 2));
        let whole = b.constant_composite(array, [one, two]);
        b.variable(place, None, StorageClass::Function, Some(whole));
    };
    let text = with(2, &parts).unwrap();
    assert!(text.contains("addrspace(2) constant [2 x i32] [i32 1, i32 2], align 4"), "{text}");
    assert!(text.contains("call void @llvm.memcpy.p0.p2.i64(ptr align 4 %v"), "{text}");
    let load = |b: &mut Builder, array: u32, place: u32, _: u32| {
        let variable = b.variable(place, None, StorageClass::Function, None);
        b.load(array, None, variable, None, []).unwrap();
    };
    assert!(with(1 << 14, &load).is_ok());
    assert_eq!(with((1 << 14) + 1, &load).expect_err("too many parts").code(), "OX0233");
    let store = |b: &mut Builder, array: u32, place: u32, product: u32| {
        let undefined = b.undef(array, None);
        let whole = b.composite_insert(array, None, product, undefined, [1]).unwrap();
        let variable = b.variable(place, None, StorageClass::Function, None);
        b.store(variable, whole, None, []).unwrap();
    };
    assert!(with(1 << 14, &store).is_ok());
    assert_eq!(with((1 << 14) + 1, &store).expect_err("too many parts").code(), "OX0233");
}

/// Integers that OpenCL C has no type for: what LLVM has is taken, what the library would have to do is refused.
#[test]
fn integers_of_other_widths_are_taken_where_they_are_asked_for() {
    type Use<'a> = &'a dyn Fn(&mut Builder, u32, u32);
    let with = |is_asked_for: bool, use_it: Use<'_>| {
        let mut made = kernel(AddressingModel::Physical64, |b, product| {
            let odd = b.type_int(48, 0);
            let wide = b.u_convert(odd, None, product).unwrap();
            use_it(b, odd, wide);
        });
        if is_asked_for {
            made.b.capability(Capability::ArbitraryPrecisionIntegersINTEL);
            made.b.extension("SPV_INTEL_arbitrary_precision_integers");
        }
        translated(&bytes(made.b), &[])
    };
    let add = |b: &mut Builder, odd: u32, wide: u32| {
        let function = b.type_pointer(None, StorageClass::Function, odd);
        let place = b.variable(function, None, StorageClass::Function, None);
        let number = b.constant_bit64(odd, 0xFFFF_8000_0000_0001);
        let sum = b.i_add(odd, None, wide, number).unwrap();
        let (how, four) = (Some(MemoryAccess::ALIGNED), Operand::LiteralBit32(2));
        b.store(place, sum, how, [four]).unwrap();
        b.selection_merge(sum, rspirv::spirv::SelectionControl::NONE).unwrap();
        let (first, second) = (b.id(), b.id());
        b.switch(sum, first, [(Operand::LiteralBit64(0x8000_0000_0000), second)]).unwrap();
        for label in [second, first] {
            b.begin_block(Some(label)).unwrap();
            if label == second {
                b.branch(first).unwrap();
            }
        }
    };
    let text = with(true, &add).unwrap();
    for part in [
        "= zext i32 %v",
        "= alloca i48, align 8",
        "i48 %v",
        ", -140737488355327",
        "i48 -140737488355328, label",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    let error = with(false, &add).expect_err("nobody asked for it");
    assert!(error.to_string().ends_with("integers of 48 bits is not supported"), "{error}");
    let refused: [Use<'_>; 3] =
        [&|b, odd, _| _ = b.type_vector(odd, 4), &|b, _, _| _ = b.type_int(65, 0), &|b, odd, wide| {
            let set = b.ext_inst_import("OpenCL.std");
            _ = b.ext_inst(odd, None, set, 141, [Operand::IdRef(wide)]).unwrap();
        }];
    for use_it in refused {
        assert_eq!(with(true, use_it).expect_err("no type of OpenCL C").code(), "OX0233");
    }
}

/// A structure passed by value is aligned as it is read.
#[test]
fn structures_by_value_are_aligned_as_accesses_claim() {
    let mut b = kernel(AddressingModel::Physical64, |_, _| {}).b;
    let (void, uint) = (b.type_void(), b.type_int(32, 0));
    let four = b.type_vector(uint, 4);
    let structure = named(&mut b, [uint, uint]);
    let whole = b.type_pointer(None, StorageClass::Function, structure);
    let part = b.type_pointer(None, StorageClass::Function, four);
    let ty = b.type_function(void, [whole]);
    let function = b.begin_function(void, None, FunctionControl::NONE, ty).unwrap();
    let param = b.function_parameter(whole).unwrap();
    let by_value = rspirv::spirv::FunctionParameterAttribute::ByVal;
    b.decorate(param, Decoration::FuncParamAttr, [Operand::FunctionParameterAttribute(by_value)]);
    b.begin_block(None).unwrap();
    let cast = b.bitcast(part, None, param).unwrap();
    b.load(four, None, cast, Some(MemoryAccess::ALIGNED), [Operand::LiteralBit32(16)]).unwrap();
    b.ret().unwrap();
    b.end_function().unwrap();
    b.entry_point(ExecutionModel::Kernel, function, "by_value", []);
    let text = translated(&bytes(b), &[]).unwrap();
    assert!(text.contains(") align 16 %v"), "{text}");
}

/// Blocks as `llvm-spirv` leaves them: one before the one that it has its value from. What is nowhere given on the way is refused.
#[test]
fn blocks_may_stand_before_those_that_they_follow() {
    let made = |is_reached: bool| {
        let made = kernel(AddressingModel::Physical64, |b, product| {
            let uint = b.type_int(32, 0);
            let [uses, gives, end, value] = [b.id(), b.id(), b.id(), b.id()];
            b.branch(if is_reached { gives } else { uses }).unwrap();
            b.begin_block(Some(uses)).unwrap();
            let sum = b.i_add(uint, None, value, product).unwrap();
            let local = b.constant_bit32(uint, 3);
            let is_more = b.type_bool();
            let is_more = b.u_less_than(is_more, None, sum, local).unwrap();
            b.branch_conditional(is_more, gives, end, []).unwrap();
            b.begin_block(Some(gives)).unwrap();
            b.i_mul(uint, Some(value), product, product).unwrap();
            b.branch(uses).unwrap();
            b.begin_block(Some(end)).unwrap();
        });
        bytes(made.b)
    };
    let text = translated(&made(true), &[]).unwrap();
    let [given, used] = ["= mul i32 %v", "= add i32 %v"].map(|part| text.rfind(part).expect(part));
    assert!(given < used, "{text}");
    let error = refused(&made(false));
    assert_eq!(error.code(), "OX0232", "{error}");
}

/// Composites of types that are told apart by their ids alone, and the largest that are copied part by part.
#[test]
fn composites_are_copied_to_types_of_the_same_parts() {
    let copied = |lengths: [u32; 2], other_element: bool| {
        let made = kernel(AddressingModel::Physical64, |b, product| {
            let (uint, float) = (b.type_int(32, 0), b.type_float(32, None));
            let mut pair = |length: u32, inner: u32| {
                let length = b.constant_bit32(uint, length);
                let array = b.type_array(inner, length);
                let inner = named(b, [uint, array]);
                (named(b, [inner, uint]), inner, array)
            };
            let (from, from_inner, from_array) = pair(lengths[0], uint);
            let (to, ..) = pair(lengths[1], if other_element { float } else { uint });
            let undefined = b.undef(from_array, None);
            let array = b.composite_insert(from_array, None, product, undefined, [1]).unwrap();
            let inner = b.composite_construct(from_inner, None, [product, array]).unwrap();
            let whole = b.composite_construct(from, None, [inner, product]).unwrap();
            let copy = b.copy_logical(to, None, whole).unwrap();
            b.composite_extract(uint, None, copy, [0, 0]).unwrap();
        });
        translated(&bytes(made.b), &[])
    };
    let text = copied([2, 2], false).unwrap();
    assert!(text.matches("insertvalue %\"struct").count() >= 2, "{text}");
    assert!(copied([4000, 4000], false).is_ok());
    for (lengths, other_element, code) in
        [([2, 3], false, "OX0232"), ([2, 2], true, "OX0232"), ([5000, 5000], false, "OX0233")]
    {
        assert_eq!(copied(lengths, other_element).expect_err("no copy").code(), code);
    }
}

/// A structure that no other one is.
fn named(b: &mut Builder, members: [u32; 2]) -> u32 {
    let id = b.id();
    b.type_struct_id(Some(id), members)
}

/// A structure of two of another of two, and so on: twice as many parts at each level.
#[test]
fn copies_of_deep_types_end() {
    let made = kernel(AddressingModel::Physical64, |b, _| {
        let uint = b.type_int(32, 0);
        let mut deep = || (0..30).fold(uint, |inner, _| named(b, [inner, inner]));
        let (from, to) = (deep(), deep());
        let whole = b.undef(from, None);
        b.copy_logical(to, None, whole).unwrap();
    });
    assert_eq!(refused(&bytes(made.b)).code(), "OX0233");
}

#[test]
fn addresses_are_cast_to_vectors_and_clocks_read() {
    let made = kernel(AddressingModel::Physical64, |b, product| {
        let (uint, ulong) = (b.type_int(32, 0), b.type_int(64, 0));
        let pair = b.type_vector(uint, 2);
        let local = b.type_pointer(None, StorageClass::Function, uint);
        let null = b.constant_null(local);
        let cast = b.bitcast(pair, None, null).unwrap();
        b.bitcast(local, None, cast).unwrap();
        let (device, group) = (b.constant_bit32(uint, 1), b.constant_bit32(uint, 2));
        b.read_clock_khr(ulong, None, device).unwrap();
        b.read_clock_khr(pair, None, group).unwrap();
        let _ = product;
    });
    let text = translated(&bytes(made.b), &[]).unwrap();
    for part in [
        "call spir_func i64 @\"_Z17clock_read_devicev\"()",
        "call spir_func <2 x i32> @\"_Z26clock_read_hilo_work_groupv\"()",
        "bitcast i64 %t2 to <2 x i32>",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    let made = kernel(AddressingModel::Physical64, |b, _| {
        let (uint, ulong) = (b.type_int(32, 0), b.type_int(64, 0));
        let sub_group = b.constant_bit32(uint, 3);
        b.read_clock_khr(ulong, None, sub_group).unwrap();
    });
    assert_eq!(refused(&bytes(made.b)).code(), "OX0233");
}

#[test]
fn mistakes_are_named_with_their_words() {
    let whole = plain();
    // The words of the addition: its second operand becomes an id that nothing defines, then one of another type.
    let words: Vec<u32> = whole.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let at = words.iter().position(|word| *word == 5 << 16 | 128).expect("OpIAdd");
    let with = |index: usize, value: u32| {
        let mut words = words.clone();
        words[index] = value;
        words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()
    };
    let error = refused(&with(at + 4, words[3] - 1));
    assert_eq!((error.word, error.code()), (at, "OX0232"), "{error}");
    let error = refused(&with(at + 4, words[at + 3] - 1));
    assert_eq!((error.word, error.code()), (at, "OX0232"), "{error}");
    // A length that reaches past the end, an instruction that there is none of, one of no words.
    let last = words.len() - 1;
    for (value, said) in
        [(9 << 16 | 56, "of which 1 are there"), (1 << 16 | 0xFFF0, "is not known"), (56, "no words")]
    {
        let error = refused(&with(last, value));
        assert_eq!((error.word, error.code()), (last, "OX0231"), "{error}");
        assert!(error.to_string().contains(said), "{error}");
    }
    assert_eq!(refused(&whole[..whole.len() - 2]).code(), "OX0231");
    assert_eq!(refused(b"kernel void k() {}").word, 0);
}

/// Whatever words are changed: an error at a word of the module, or a module that LLVM takes.
#[test]
fn random_words_are_modules_or_errors() {
    let whole = plain();
    let words = whole.len() / 4;
    let mut taken = 0;
    let change = (0..4, 1..words, 1..words, 0..4_usize, 0..8);
    let changes = prop::collection::vec(change, 1..=3);
    let mut runner = TestRunner::deterministic();
    for round in 0..3000 {
        let mut bytes = whole.clone();
        for (kind, at, other, byte, bit) in changes.new_tree(&mut runner).unwrap().current() {
            let (at, other) = (4 * at, 4 * other);
            match kind {
                // Another word of the module: ids in wrong places.
                0 | 1 => bytes.copy_within(other..other + 4, at),
                2 => bytes[at] = bytes[at].wrapping_add(1),
                _ => bytes[at + byte] ^= 1_u8 << bit,
            }
        }
        match translated(&bytes, &[]) {
            Ok(_) => taken += 1,
            Err(error) => {
                assert!(error.word <= words, "round {round}: {error}");
                assert!(!matches!(error.reason, Reason::Crashed(_)), "round {round}: {error}");
            }
        }
    }
    assert!(
        (100..2900).contains(&taken),
        "{taken} modules were taken: the changes are too small or too large"
    );
}
