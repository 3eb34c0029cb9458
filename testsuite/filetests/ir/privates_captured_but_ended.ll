; A call may keep the address, but the array is gone before any other region begins.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent
declare void @llvm.lifetime.start.p0(ptr captures(none))
declare void @llvm.lifetime.end.p0(ptr captures(none))
declare void @keep(ptr)

define void @k(ptr addrspace(1) %out, i32 %n) {
; homes: 0 bytes for each work-item
entry:
  %w = alloca [4 x i32]
  %l = call i64 @_Z12get_local_idj(i32 0)
  %place = getelementptr [4 x i32], ptr %w, i64 0, i64 %l
  call void @llvm.lifetime.start.p0(ptr %w)
  store i32 1, ptr %place
  call void @keep(ptr %w)
  call void @llvm.lifetime.end.p0(ptr %w)
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
