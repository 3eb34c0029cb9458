; A row of a matrix for each work-item: every access of a vector is a gather or scatter, one work-item at a time is cheaper.
; analysis: plan
; width: chosen

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %out, i64 %n) {
; plan: width 1 along rows of a run of groups, cycles for each work-item: 35.6 at 1, 51.8 at 4, 45.5 at 8, 50.9 at 16
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %row = mul nsw i64 %x, %n
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %at = add nsw i64 %row, %i
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %at
  %va = load float, ptr addrspace(1) %pa
  %po = getelementptr float, ptr addrspace(1) %out, i64 %at
  store float %va, ptr addrspace(1) %po
  %j = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %j, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
