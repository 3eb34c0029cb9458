; One instruction is made for all lanes, and freezes one value: what they have in common stays so.
; analysis: shape
; among: row

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0) ; shape: strided 1 signed
  %id = trunc i64 %g to i32                ; shape: strided 1 signed
  %f = freeze i32 %n                       ; shape: uniform
  %sum = add nsw i32 %n, 1                 ; shape: uniform
  %h = freeze i32 %sum                     ; shape: uniform
  %u = freeze i32 undef                    ; shape: uniform
  ret void
}
