; What follows from ids and arguments in few steps is computed again: by the group where all work-items share it. A division
; is not cheap.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %n, i64 %m) {
; homes: 0 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %wide = sext i32 %n to i64
  %product = mul i64 %wide, %m  ; homes: computed again by the group
  %place = add i64 %product, %l ; homes: computed again by each work-item
  %ratio = udiv i64 %m, 7       ; homes: group variable
  call void @_Z7barrierj(i32 1)
  %at = getelementptr i64, ptr addrspace(1) %out, i64 %place
  %all = add i64 %ratio, %product
  store i64 %all, ptr addrspace(1) %at
  ret void
}
