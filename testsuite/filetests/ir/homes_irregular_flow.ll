; Where only each work-item knows its way, nothing is the group's: a shared counter has a slot, and so has the region that the
; work-item goes on in.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
; homes: continuation: slot of 4 bytes at 8
; homes: 12 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %l
  %rounds = load i32, ptr addrspace(1) %at       ; homes: slot of 4 bytes at 0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ] ; homes: slot of 4 bytes at 4
  call void @_Z7barrierj(i32 1)
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %rounds
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
