; No window: the work-items that fail the comparison store something too.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i64 %n) {
; regions: kernel k: 2 regions, 1 barrier, regular, width 1
; regions: region 0: entry work exit
; regions:   -> region 1
; regions: region 1: after.barrier
; regions:   -> end
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %l
  %works = icmp slt i64 %l, %n
  br i1 %works, label %work, label %exit
work:
  store i32 7, ptr addrspace(1) %p
  br label %exit
exit:
  store i32 8, ptr addrspace(1) %out
  call void @_Z7barrierj(i32 1)
  ret void
}
