; Steps that several others use count once, and those that all work-items share apart from the others: an index by rows that
; takes eight of the one kind and six of the other is computed again.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %n) {
; homes: 0 bytes for each work-item
entry:
  %x = call i64 @_Z12get_local_idj(i32 0)
  %y = call i64 @_Z12get_local_idj(i32 1)
  %g = call i64 @_Z12get_group_idj(i32 1)
  %n1 = add i32 %n, 1
  %wide = sext i32 %n1 to i64
  %rows = shl i64 %wide, 4
  %first = mul i64 %rows, %g
  %edge = add i64 %wide, 1
  %row = mul i64 %wide, %y
  %a = add i64 %first, %row
  %b = add i64 %a, %x
  %c = add i64 %b, %edge
  %twice = add i64 %c, %c
  %at = getelementptr float, ptr addrspace(1) %out, i64 %twice ; homes: computed again by each work-item
  store float 1.0, ptr addrspace(1) %at
  call void @_Z7barrierj(i32 1)
  store float 2.0, ptr addrspace(1) %at
  ret void
}
