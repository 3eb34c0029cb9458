; A barrier in a loop whose count all work-items share: the group takes the loop's branch, and the flow is regular.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %n) {
; regions: kernel k: 4 regions, 1 barrier, regular, width 1
; regions: region 0: entry
; regions:   -> region 1
; regions: region 1: loop
; regions:   -> region 2
; regions: region 2: after.barrier
; regions:   -> group branch: region 1 or region 3
; regions: region 3: exit
; regions:   -> end
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %l
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store i32 %i, ptr addrspace(1) %at
  call void @_Z7barrierj(i32 1)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
