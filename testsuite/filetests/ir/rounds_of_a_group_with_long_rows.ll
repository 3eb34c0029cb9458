; The same where the local size is known, and rows are long: the group goes through the rounds together.
; analysis: regions
; local: 16,4,1
; uniform: yes
declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %in, ptr addrspace(3) %bins, i64 %n) {
; regions: kernel k: 5 regions, 2 barriers, regular, width 1
; regions: region 0: entry
; regions:   -> region 1
; regions: region 1: after.barrier
; regions:   -> region 2
; regions: region 2: loop
; regions:   -> group branch: region 2 or region 3
; regions: region 3: exit
; regions:   -> region 4
; regions: region 4: after.barrier1
; regions:   -> end
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %y = call i64 @_Z12get_local_idj(i32 1)
  %own = getelementptr i32, ptr addrspace(3) %bins, i64 %l
  store i32 0, ptr addrspace(3) %own
  call void @_Z7barrierj(i32 1)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %rows = add i64 %i, %y
  %row = mul i64 %rows, 256
  %index = add i64 %row, %l
  %at = getelementptr i8, ptr addrspace(1) %in, i64 %index
  %byte = load i8, ptr addrspace(1) %at
  %bin = zext i8 %byte to i64
  %place = getelementptr i32, ptr addrspace(3) %bins, i64 %bin
  %old = atomicrmw add ptr addrspace(3) %place, i32 1 monotonic
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  call void @_Z7barrierj(i32 1)
  ret void
}
