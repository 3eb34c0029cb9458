; A sum that an inner loop adds to, carried by a loop with a barrier, has one slot: it is added to in its place.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
; homes: 4 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %l  ; homes: computed again by each work-item
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %l ; homes: computed again by each work-item
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %behind ]       ; homes: group variable
  %sum = phi i32 [ 0, %entry ], [ %all, %behind ]        ; homes: slot of 4 bytes at 0
  call void @_Z7barrierj(i32 1)
  br label %inner
inner:
  %j = phi i32 [ 0, %loop ], [ %j.next, %body ]
  %all = phi i32 [ %sum, %loop ], [ %more, %body ]       ; homes: slot of 4 bytes at 0
  %on = icmp slt i32 %j, %i
  br i1 %on, label %body, label %behind
body:
  %own = load i32, ptr addrspace(1) %at
  %more = add i32 %all, %own
  %j.next = add i32 %j, 1
  br label %inner
behind:
  call void @_Z7barrierj(i32 1)
  %i.next = add i32 %i, 1                                ; homes: computed again by the group
  %again = icmp slt i32 %i.next, %n                      ; homes: computed again by the group
  br i1 %again, label %loop, label %exit
exit:
  store i32 %all, ptr addrspace(1) %to
  ret void
}
