; In a row along dimension 1 its ids step by one, and linear ids by what nobody knows here.
; analysis: shape
; among: row 1

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare i64 @_Z20get_global_linear_idv() memory(none)
declare i64 @_Z19get_local_linear_idv() memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)    ; shape: uniform
  %y = call i64 @_Z13get_global_idj(i32 1)    ; shape: strided 1 signed
  %lx = call i64 @_Z12get_local_idj(i32 0)    ; shape: uniform
  %lz = call i64 @_Z12get_local_idj(i32 2)    ; shape: uniform
  %v = call i64 @_Z12get_local_idj(i32 %n)    ; shape: varying
  %w = call i64 @_Z12get_group_idj(i32 0)     ; shape: uniform
  %gl = call i64 @_Z20get_global_linear_idv() ; shape: varying
  %ll = call i64 @_Z19get_local_linear_idv()  ; shape: varying
  %none = call i64 @_Z12get_local_idj(i32 7)  ; shape: uniform
  ret void
}
