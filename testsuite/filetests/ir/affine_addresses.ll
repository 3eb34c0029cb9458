; Addresses in bytes: ids of each kind and dimension, structures, constants, and what no form is known of.
; analysis: affine

%pair = type { i32, [4 x double] }

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0) ; affine: 1*global0
  %y = call i64 @_Z13get_global_idj(i32 1) ; affine: 1*global1
  %l = call i64 @_Z12get_local_idj(i32 0)  ; affine: 1*local0
  %g = call i64 @_Z12get_group_idj(i32 2)  ; affine: 1*group2
  %size = call i64 @_Z14get_local_sizej(i32 0)
  %beyond = call i64 @_Z13get_global_idj(i32 3)
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %x
  %v = load i32, ptr addrspace(1) %at      ; affine: at %a + 4*global0
  %five = mul i64 %y, 5                    ; affine: 5*global1
  %sum = add i64 %five, %l                 ; affine: 5*global1 + 1*local0
  %less = sub i64 %sum, 7                  ; affine: 5*global1 + 1*local0 + -7
  %double = shl i64 %g, 1                  ; affine: 2*group2
  %all = add i64 %less, %double            ; affine: 5*global1 + 1*local0 + 2*group2 + -7
  %in = getelementptr %pair, ptr addrspace(1) %b, i64 %x, i32 1, i64 %all
  store double 0.0, ptr addrspace(1) %in   ; affine: at %b + 40*global0 + 40*global1 + 8*local0 + 16*group2 + -48
  %unknown = add i64 %x, %n
  %far = getelementptr i8, ptr addrspace(1) %a, i64 %unknown
  store i8 0, ptr addrspace(1) %far
  store i8 1, ptr addrspace(1) %a          ; affine: at %a + 0
  %square = mul i64 %x, %x
  %left = mul i64 3, %x                    ; affine: 3*global0
  %by.size = mul i64 %l, %size
  ret void
}
