//! Code for AArch64: made, linked and read. It is run by the file tests, under an emulator.

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use object::{Architecture, Object, ObjectSymbol};
use oxcl_codegen::{CpuTarget, Level, Machine, Output, Passes, disassemble, link_shared};

/// Calls what a C library has, and has a loop that becomes vectors.
const ROOTS: &str = r#"
target triple = "spir64-unknown-unknown"
declare float @cbrtf(float)
define spir_kernel void @roots(ptr addrspace(1) noalias %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p
  %twice = fmul float %x, 2.0
  store float %twice, ptr addrspace(1) %p
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  %first = load float, ptr addrspace(1) %a
  %root = call float @cbrtf(float %first)
  store float %root, ptr addrspace(1) %a
  ret void
}
"#;

fn made(text: &str, cpu: &str, exports: &[&str], output: Output) -> Vec<u8> {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(format!("{text}\0").as_bytes(), "test");
    let module = context.create_module_from_ir(buffer).unwrap();
    let machine = Machine::new(&CpuTarget::named(cpu).unwrap(), Level::O3).unwrap();
    machine.retarget(&module);
    machine.optimise(&module, &Passes { exports, ..Passes::default() }).unwrap();
    machine.emit(&module, output).unwrap()
}

#[test]
fn a_function_is_compiled_linked_and_disassembled() {
    for (cpu, register) in [("armv8-a", "v0.4s"), ("armv8-a+sve256", "z0.s"), ("armv8-a+sve512", "z0.s")] {
        let object = made(ROOTS, cpu, &["roots"], Output::Object);
        let image = link_shared(&[&object], &["roots"]).unwrap();
        assert_eq!(image, link_shared(&[&object], &["roots"]).unwrap(), "the same bytes");
        let file = object::File::parse(image.as_slice()).unwrap();
        assert_eq!(file.architecture(), Architecture::Aarch64);
        let name = |symbol: object::Symbol<'_, '_>| symbol.name().unwrap().to_owned();
        let undefined: Vec<String> =
            file.dynamic_symbols().filter(ObjectSymbol::is_undefined).map(name).collect();
        assert_eq!(undefined, ["cbrtf"]);
        // The name of the library that has it.
        assert!(image.windows(10).any(|bytes| bytes == b"libm.so.6\0"));
        let rows = disassemble(&image).unwrap();
        assert!(rows.iter().all(|row| row.bytes.len() == 4));
        assert!(rows.iter().any(|row| row.symbol.as_deref() == Some("roots")));
        let text: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
        assert!(text.iter().any(|line| line.contains(register)), "{cpu}: {text:?}");
        assert_eq!(text.iter().filter(|line| **line == "ret").count(), 1, "{cpu}: {text:?}");
    }
}

/// LLVM 22.1 has no instruction for a copy that it makes of this where the extension is joined with the gather.
#[test]
fn gathers_of_bytes_that_become_floating_point_are_compiled() {
    for (cpu, lanes, bits) in [("armv8-a+sve256", 4, 8), ("armv8-a+sve512", 4, 16), ("armv8-a+sve512", 8, 8)]
    {
        let text = format!(
            "target triple = \"spir64-unknown-unknown\"
define <{lanes} x float> @f(<{lanes} x ptr> %at, <{lanes} x i1> %mask) {{
  %x = call <{lanes} x i{bits}> @llvm.masked.gather.v{lanes}i{bits}.v{lanes}p0(<{lanes} x ptr> align 1 %at, \
<{lanes} x i1> %mask, <{lanes} x i{bits}> zeroinitializer)
  %y = uitofp <{lanes} x i{bits}> %x to <{lanes} x float>
  ret <{lanes} x float> %y
}}
declare <{lanes} x i{bits}> @llvm.masked.gather.v{lanes}i{bits}.v{lanes}p0(<{lanes} x ptr>, <{lanes} x i1>, \
<{lanes} x i{bits}>)
"
        );
        let text = String::from_utf8(made(&text, cpu, &["f"], Output::Assembly)).unwrap();
        assert!(text.contains("ld1"), "{text}");
    }
}
