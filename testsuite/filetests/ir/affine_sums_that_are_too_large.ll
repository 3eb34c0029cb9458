; Factors and constants that 64 bits do not hold have no form, nor have shifts by more than the numbers' own bits.
; analysis: affine

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, i64 %n) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0) ; affine: 1*global0
  %y = call i64 @_Z13get_global_idj(i32 2) ; affine: 1*global2
  %g = call i64 @_Z12get_group_idj(i32 1)  ; affine: 1*group1
  %large = mul i64 %x, 4611686018427387904 ; affine: 4611686018427387904*global0
  %too.large = mul i64 %large, 2
  %too.large.sum = add i64 %large, %large
  %far = add i64 %y, 9223372036854775807   ; affine: 1*global2 + 9223372036854775807
  %too.far = add i64 %far, 1
  %back = sub i64 %y, -9223372036854775808
  %least = shl i64 %g, 0                   ; affine: 1*group1
  %most = shl i64 %g, 61                   ; affine: 2305843009213693952*group1
  %beyond = shl i64 %g, 62
  %by.n = shl i64 %g, %n
  %minus = sub i64 %g, %x                  ; affine: -1*global0 + 1*group1
  %minus.more = sub i64 %minus, %y         ; affine: -1*global0 + -1*global2 + 1*group1
  %narrow = trunc i64 %minus to i32        ; affine: -1*global0 + 1*group1
  %wide = zext i32 %narrow to i64
  %at = getelementptr [2 x i64], ptr addrspace(1) %a, i64 %minus.more, i64 1
  store i64 0, ptr addrspace(1) %at        ; affine: at %a + -16*global0 + -16*global2 + 16*group1 + 8
  %generic = addrspacecast ptr addrspace(1) %at to ptr addrspace(4)
  store i64 0, ptr addrspace(4) %generic   ; affine: at %a + -16*global0 + -16*global2 + 16*group1 + 8
  %selected = select i1 true, ptr addrspace(1) %at, ptr addrspace(1) %a
  store i64 0, ptr addrspace(1) %selected
  ret void
}
