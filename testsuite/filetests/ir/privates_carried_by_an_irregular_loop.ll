; The array is used behind the barrier only, in the one region that goes on in itself.
; analysis: regions homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
; regions: kernel k: 2 regions, 1 barrier, irregular, width 1
; regions: region 0: entry loop
; regions:   -> region 1
; regions: region 1: after.barrier exit loop
; regions:   -> end
; regions:   -> region 1
; homes: continuation: slot of 4 bytes at 24
; homes: 28 bytes for each work-item
entry:
  %w = alloca [4 x i32]                          ; homes: slot of 16 bytes at 0
  %l = call i64 @_Z12get_local_idj(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %l
  %rounds = load i32, ptr addrspace(1) %at       ; homes: slot of 4 bytes at 16
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ] ; homes: slot of 4 bytes at 20
  call void @_Z7barrierj(i32 1)
  %index = and i32 %i, 3
  %place = getelementptr [4 x i32], ptr %w, i64 0, i32 %index
  %old = load i32, ptr %place
  store i32 %old, ptr addrspace(1) %out
  store i32 %i, ptr %place
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %rounds
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
