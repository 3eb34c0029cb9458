; A counter that all work-items share is a variable of the group, a sum of own values a slot.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
; homes: 4 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)               ; homes: computed again by each work-item
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %l ; homes: computed again by each work-item
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]        ; homes: group variable
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]    ; homes: slot of 4 bytes at 0
  %own = load i32, ptr addrspace(1) %at
  %sum.next = add i32 %sum, %own                        ; homes: slot of 4 bytes at 0
  call void @_Z7barrierj(i32 1)
  %i.next = add i32 %i, 1                               ; homes: computed again by the group
  %more = icmp slt i32 %i.next, %n                      ; homes: computed again by the group
  br i1 %more, label %loop, label %exit
exit:
  %last = phi i32 [ %sum.next, %loop ]
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %l
  store i32 %last, ptr addrspace(1) %to
  ret void
}
