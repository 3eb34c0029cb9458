; LLVM 22.1.8's SPIR-V back end takes an offset in bytes of an initial value for an index into the variable.
;   llc-22 -mtriple=spirv64-unknown-unknown -O0 -filetype=obj bytes_in_initial_values.ll -o bytes.spv && spirv-val bytes.spv
; Found: "OpConstantComposite Constituent <id> ...'s type does not match Result Type <id> ...'s array element type."; and
; spirv-dis shows `InBoundsPtrAccessChain %table %null %ulong_8`: element 8 of an array of two.
target triple = "spirv64-unknown-unknown"
@table = addrspace(2) constant [2 x [2 x i32]] [[2 x i32] [i32 4, i32 3], [2 x i32] [i32 2, i32 1]]
@rows = addrspace(2) constant [2 x ptr addrspace(2)] [ptr addrspace(2) @table, ptr addrspace(2) getelementptr (i8, ptr addrspace(2) @table, i64 8)]
define spir_kernel void @k(ptr addrspace(1) %out, i64 %i) {
  %place = getelementptr [2 x ptr addrspace(2)], ptr addrspace(2) @rows, i64 0, i64 %i
  %row = load ptr addrspace(2), ptr addrspace(2) %place
  %number = load i32, ptr addrspace(2) %row
  store i32 %number, ptr addrspace(1) %out
  ret void
}
