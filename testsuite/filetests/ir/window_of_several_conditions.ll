; Conditions that all must hold, one of them reversed, one behind another: every one bounds the window. In y the work-items of one row
; are left.
; analysis: regions

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i64 %n, i64 %m, i64 %row) {
; regions: kernel k: 2 regions, 1 barrier, regular, width 1
; regions: region 0: entry some work exit
; regions:   only 1*global0 + 1 < %n, unsigned
; regions:   only 1*global0 < %m
; regions:   only 1*local1 == %row
; regions:   -> region 1
; regions: region 1: after.barrier
; regions:   -> end
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z12get_local_idj(i32 1)
  %next = add nsw i64 %x, 1
  %below = icmp ult i64 %next, %n
  %inside = icmp sgt i64 %m, %x
  %both = select i1 %below, i1 %inside, i1 false
  br i1 %both, label %some, label %exit
some:
  %other = icmp ne i64 %y, %row
  br i1 %other, label %exit, label %work
work:
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %x
  store i32 7, ptr addrspace(1) %p
  br label %exit
exit:
  call void @_Z7barrierj(i32 1)
  ret void
}
