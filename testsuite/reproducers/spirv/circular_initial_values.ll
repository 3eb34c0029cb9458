; LLVM 22.1.8's SPIR-V back end calls itself without end for variables whose initial values point to each other.
;   llc-22 -mtriple=spirv64-unknown-unknown -O0 -filetype=obj circular_initial_values.ll -o /dev/null
; Found: a crash ("Running pass 'SPIRV module analysis' on module").
; SPIR-V has no order of instructions for such variables, so a message would be in its place.
target triple = "spirv64-unknown-unknown"
@a = addrspace(1) global ptr addrspace(1) @b
@b = addrspace(1) global ptr addrspace(1) @a
define spir_kernel void @k(ptr addrspace(1) %out) {
  %next = load ptr addrspace(1), ptr addrspace(1) @a
  store ptr addrspace(1) %next, ptr addrspace(1) %out
  ret void
}
