; Where a group prints to is the same for all of its work-items.
; analysis: shape

declare ptr addrspace(1) @oxcl_print_block() memory(none)

define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %block = call ptr addrspace(1) @oxcl_print_block() ; shape: uniform
  ret void
}
