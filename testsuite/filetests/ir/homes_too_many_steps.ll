; A chain of more operations than are worth repeating is kept.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out) {
; homes: 8 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0) ; homes: computed again by each work-item
  %a = mul i64 %l, %l
  %b = xor i64 %a, 5
  %c = mul i64 %b, %b
  %d = xor i64 %c, 7
  %e = mul i64 %d, %d
  %f = xor i64 %e, 9
  %g = mul i64 %f, %f
  %h = xor i64 %g, 11
  %i = mul i64 %h, %h
  %j = xor i64 %i, 13                     ; homes: slot of 8 bytes at 0
  call void @_Z7barrierj(i32 1)
  %at = getelementptr i64, ptr addrspace(1) %out, i64 %l
  store i64 %j, ptr addrspace(1) %at
  ret void
}
