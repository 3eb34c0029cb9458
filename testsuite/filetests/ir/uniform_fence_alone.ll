; A fence without atomics orders nothing between work-items.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0) ; shape: varying
  %id = trunc i64 %g to i32                ; shape: varying
  fence seq_cst
  %x = load i32, ptr addrspace(1) %in      ; shape: uniform
  store i32 %id, ptr addrspace(1) %out
  ret void
}
