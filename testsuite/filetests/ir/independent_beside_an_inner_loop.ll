; An access in a loop of the work-item's own may be to any place by its root, whatever its address looks like; those in front of the
; loop and behind it are not joined across it.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, i64 %n) {
; independent: region 0: no, accesses that might be reordered
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %three = mul nsw i64 %l, 3
  %p0 = getelementptr i32, ptr addrspace(1) %a, i64 %three
  %one = add nsw i64 %three, 1
  %p1 = getelementptr i32, ptr addrspace(1) %a, i64 %one
  %two = add nsw i64 %three, 2
  %p2 = getelementptr i32, ptr addrspace(1) %a, i64 %two
  store i32 1, ptr addrspace(1) %p0
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v = load i32, ptr addrspace(1) %p1
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  store i32 2, ptr addrspace(1) %p2
  ret void
}
