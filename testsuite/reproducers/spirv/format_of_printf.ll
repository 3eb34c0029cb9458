; LLVM 22.1.8's SPIR-V back end gives printf a pointer to an array of bytes as its format, where a pointer to bytes is wanted.
;   llc-22 -mtriple=spirv64-unknown-unknown -O0 -filetype=obj format_of_printf.ll -o format_of_printf.spv && spirv-val format_of_printf.spv
; Found: "OpenCL.std printf: expected Format data type to be 8-bit int"
target triple = "spirv64-unknown-unknown"
@format = private unnamed_addr addrspace(2) constant [4 x i8] c"%d\0A\00"
define spir_kernel void @k(i32 %number) {
  %printed = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @format, i32 %number)
  ret void
}
declare spir_func i32 @printf(ptr addrspace(2), ...)
