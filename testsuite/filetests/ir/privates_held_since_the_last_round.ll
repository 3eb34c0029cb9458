; A variable that is accessed late in each round: it may hold something where the next round begins, two blocks further on.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %n, i1 %c) {
; homes: 4 bytes for each work-item
entry:
  %w = alloca i32                                        ; homes: slot of 4 bytes at 0
  %l = call i64 @_Z12get_local_idj(i32 0)
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %l ; homes: computed again by each work-item
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]        ; homes: group variable
  call void @_Z7barrierj(i32 1)
  %v = load i32, ptr %w
  store i32 %v, ptr addrspace(1) %to
  br label %change
change:
  %next = add i32 %v, %i
  store i32 %next, ptr %w
  br label %latch
latch:
  %i.next = add i32 %i, 1                                ; homes: computed again by the group
  %more = icmp slt i32 %i.next, %n                       ; homes: computed again by the group
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
