; Each may freeze another value out of one that is not defined; one that is stays.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0) ; shape: varying
  %id = trunc i64 %g to i32                ; shape: varying
  %f = freeze i32 %n                       ; shape: uniform
  %sum = add nsw i32 %n, 1                 ; shape: uniform
  %h = freeze i32 %sum                     ; shape: varying
  %u = freeze i32 undef                    ; shape: varying
  ret void
}
