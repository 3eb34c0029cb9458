; LLVM 22.1.8's SPIR-V back end writes a null pointer of another address space as an initial value with the type of an integer.
;   llc-22 -mtriple=spirv64-unknown-unknown -O0 -filetype=obj null_of_a_pointer.ll -o null_of_a_pointer.spv && spirv-val null_of_a_pointer.spv
; Found: "Initializer type must match the type pointed to by the Result Type"
target triple = "spirv64-unknown-unknown"
@none = addrspace(1) global ptr addrspace(1) addrspacecast (ptr addrspace(4) null to ptr addrspace(1))
define spir_kernel void @k(ptr addrspace(1) %out) {
  %none = load ptr addrspace(1), ptr addrspace(1) @none
  store ptr addrspace(1) %none, ptr addrspace(1) %out
  ret void
}
