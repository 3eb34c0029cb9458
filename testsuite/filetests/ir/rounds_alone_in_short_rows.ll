; The kernel asks for ids in dimension 1, and its rows may be short: each work-item goes through the loop alone.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %in, ptr addrspace(3) %bins, i64 %n) {
; regions: kernel k: 3 regions, 2 barriers, regular, width 1
; regions: region 0: entry
; regions:   -> region 1
; regions: region 1: after.barrier loop exit
; regions:   -> region 2
; regions: region 2: after.barrier1
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
