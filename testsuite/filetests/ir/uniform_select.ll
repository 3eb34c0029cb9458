; A select by a uniform condition is as its operands are, by another it differs.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0) ; shape: varying
  %id = trunc i64 %g to i32                ; shape: varying
  %c = icmp sgt i32 %n, 1                  ; shape: uniform
  %d = icmp sgt i32 %id, 1                 ; shape: varying
  %a = select i1 %c, i32 1, i32 %n         ; shape: uniform
  %b = select i1 %c, i32 %id, i32 %n       ; shape: varying
  %e = select i1 %d, i32 1, i32 %n         ; shape: varying
  store i32 %a, ptr addrspace(1) %out
  ret void
}
