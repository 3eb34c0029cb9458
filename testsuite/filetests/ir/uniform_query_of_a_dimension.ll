; A query whose dimension is not known is the same for all who ask for the same, if its answer does not differ in a group.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare i32 @_Z12get_work_dimv() memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)     ; shape: varying
  %id = trunc i64 %g to i32                    ; shape: varying
  %size = call i64 @_Z14get_local_sizej(i32 0) ; shape: uniform
  %a = call i64 @_Z14get_local_sizej(i32 %n)   ; shape: uniform
  %b = call i64 @_Z14get_local_sizej(i32 %id)  ; shape: varying
  %c = call i64 @_Z12get_group_idj(i32 %n)     ; shape: uniform
  %d = call i64 @_Z13get_global_idj(i32 %n)    ; shape: varying
  %e = call i32 @_Z12get_work_dimv()           ; shape: uniform
  ret void
}
