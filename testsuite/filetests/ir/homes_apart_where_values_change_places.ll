; Two values that change places in every round: both are live at once.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
; homes: 8 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %l
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %l ; homes: computed again by each work-item
  %first = load i32, ptr addrspace(1) %at
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]         ; homes: group variable
  %a = phi i32 [ %first, %entry ], [ %b, %loop ]         ; homes: slot of 4 bytes at 0
  %b = phi i32 [ 0, %entry ], [ %a, %loop ]              ; homes: slot of 4 bytes at 4
  call void @_Z7barrierj(i32 1)
  %i.next = add i32 %i, 1                                ; homes: computed again by the group
  %more = icmp slt i32 %i.next, %n                       ; homes: computed again by the group
  br i1 %more, label %loop, label %exit
exit:
  store i32 %a, ptr addrspace(1) %to
  ret void
}
