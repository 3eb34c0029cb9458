; In a loop of its own a work-item's next round reads what may be the place that this round wrote.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, i64 %n) {
; independent: region 0: no, accesses that might be reordered
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %row = mul nsw i64 %l, %n
  %start = getelementptr i32, ptr addrspace(1) %a, i64 %row
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr i32, ptr addrspace(1) %start, i64 %i
  %v = load i32, ptr addrspace(1) %from
  %next = add nuw nsw i64 %i, 1
  %to = getelementptr i32, ptr addrspace(1) %start, i64 %next
  store i32 %v, ptr addrspace(1) %to
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
