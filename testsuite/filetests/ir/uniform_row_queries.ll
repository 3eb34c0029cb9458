; In a row ids of dimension 0 step by one, those of the others are the same; linear ids follow dimension 0.
; analysis: shape
; among: row

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare i64 @_Z20get_global_linear_idv() memory(none)
declare i64 @_Z19get_local_linear_idv() memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)    ; shape: strided 1 signed
  %y = call i64 @_Z13get_global_idj(i32 1)    ; shape: uniform
  %lx = call i64 @_Z12get_local_idj(i32 0)    ; shape: strided 1 signed
  %lz = call i64 @_Z12get_local_idj(i32 2)    ; shape: uniform
  %v = call i64 @_Z12get_local_idj(i32 %n)    ; shape: varying
  %w = call i64 @_Z12get_group_idj(i32 0)     ; shape: uniform
  %gl = call i64 @_Z20get_global_linear_idv() ; shape: strided 1 signed
  %ll = call i64 @_Z19get_local_linear_idv()  ; shape: strided 1 signed
  %none = call i64 @_Z12get_local_idj(i32 7)  ; shape: uniform
  ret void
}
