; Two variables that one address may lead to behind the barrier: both have slots, and so has the address.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %n) {
; homes: 28 bytes for each work-item
entry:
  %w = alloca [4 x i32]                                   ; homes: slot of 16 bytes at 8
  %v = alloca i32                                         ; homes: slot of 4 bytes at 24
  %l = call i64 @_Z12get_local_idj(i32 0)
  %place = getelementptr [4 x i32], ptr %w, i64 0, i64 %l ; homes: computed again by each work-item
  store i32 1, ptr %place
  store i32 2, ptr %v
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]          ; homes: group variable
  %p = phi ptr [ %v, %entry ], [ %place, %loop ]          ; homes: slot of 8 bytes at 0
  call void @_Z7barrierj(i32 1)
  %kept = load i32, ptr %p
  store i32 %kept, ptr addrspace(1) %out
  %i.next = add i32 %i, 1                                 ; homes: computed again by the group
  %more = icmp slt i32 %i.next, %n                        ; homes: computed again by the group
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
