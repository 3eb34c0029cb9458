; No window: a work-item that fails the comparison brings the next region a value of its own all the same.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i64 %n) {
; regions: kernel k: 2 regions, 1 barrier, regular, width 1
; regions: region 0: entry work join
; regions:   -> region 1
; regions: region 1: after.barrier
; regions:   -> end
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %l
  %works = icmp slt i64 %l, %n
  br i1 %works, label %work, label %join
work:
  %old = load i32, ptr addrspace(1) %p
  br label %join
join:
  %kept = phi i32 [ %old, %work ], [ 3, %entry ]
  call void @_Z7barrierj(i32 1)
  store i32 %kept, ptr addrspace(1) %p
  ret void
}
