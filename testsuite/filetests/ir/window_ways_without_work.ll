; Work-items that have nothing to do may come to the region's end through several blocks, where the group then takes a branch. They
; may not meet a loop, a branch or work on the way.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i64 %n, i1 %c) {
; regions: kernel k: 6 regions, 3 barriers, regular, width 1
; regions: region 0: entry idle idle.more work branch
; regions:   only 1*local0 < %n
; regions:   -> group branch: region 1 or region 4
; regions: region 1: with
; regions:   -> region 2
; regions: region 2: after.barrier loop work.loop join.loop
; regions:   -> region 3
; regions: region 3: after.barrier1 other work.both
; regions:   -> region 4
; regions:   -> region 4
; regions: region 4: join
; regions:   -> region 5
; regions: region 5: after.barrier2 done work.last
; regions:   only 1*local0 < %n
; regions:   -> end
; regions:   -> end
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %l
  %guard = icmp slt i64 %l, %n
  br i1 %guard, label %work, label %idle
idle:
  br label %idle.more
idle.more:
  br label %branch
work:
  store i32 1, ptr addrspace(1) %p
  br label %branch
branch:
  br i1 %c, label %with, label %join
with:
  call void @_Z7barrierj(i32 1)
  %guard.loop = icmp slt i64 %l, %n
  br i1 %guard.loop, label %work.loop, label %loop
loop:
  %i = phi i64 [ 0, %with ], [ %i.next, %loop ]
  %i.next = add i64 %i, 1
  %again = icmp slt i64 %i.next, %n
  br i1 %again, label %loop, label %join.loop
work.loop:
  store i32 2, ptr addrspace(1) %p
  br label %join.loop
join.loop:
  call void @_Z7barrierj(i32 1)
  %guard.both = icmp slt i64 %l, %n
  br i1 %guard.both, label %work.both, label %other
other:
  store i32 3, ptr addrspace(1) %p
  br label %join
work.both:
  store i32 4, ptr addrspace(1) %p
  br label %join
join:
  call void @_Z7barrierj(i32 1)
  %guard.last = icmp sgt i64 %n, %l
  br i1 %guard.last, label %work.last, label %done
work.last:
  store i32 5, ptr addrspace(1) %p
  ret void
done:
  ret void
}
