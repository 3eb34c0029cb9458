; An address that takes too many steps to compute again is kept; what it leads to must be one place.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out) {
; homes: 24 bytes for each work-item
entry:
  %w = alloca [4 x i32]                                   ; homes: slot of 16 bytes at 8
  %l = call i64 @_Z12get_local_idj(i32 0)
  %a = mul i64 %l, %l
  %b = xor i64 %a, 5
  %c = mul i64 %b, %b
  %d = xor i64 %c, 7
  %e = mul i64 %d, %d
  %f = xor i64 %e, 9
  %g = mul i64 %f, %f
  %i = xor i64 %g, 11
  %j = mul i64 %i, %i
  %h = and i64 %j, 3
  %place = getelementptr [4 x i32], ptr %w, i64 0, i64 %h ; homes: slot of 8 bytes at 0
  call void @_Z7barrierj(i32 1)
  store i32 1, ptr %w
  %kept = load i32, ptr %place
  store i32 %kept, ptr addrspace(1) %out
  ret void
}
