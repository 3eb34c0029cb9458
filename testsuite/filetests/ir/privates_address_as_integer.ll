; The address as an integer can become any pointer.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %n) {
; homes: 16 bytes for each work-item
entry:
  %w = alloca [4 x i32]                          ; homes: slot of 16 bytes at 0
  %l = call i64 @_Z12get_local_idj(i32 0)
  %place = getelementptr [4 x i32], ptr %w, i64 0, i64 %l
  %bits = ptrtoint ptr %place to i64
  store i64 %bits, ptr addrspace(1) %out
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ] ; homes: group variable
  call void @_Z7barrierj(i32 1)
  %i.next = add i32 %i, 1                        ; homes: computed again by the group
  %more = icmp slt i32 %i.next, %n               ; homes: computed again by the group
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
