; Behind a loop of the group a value is read that the next round would have changed: work-items compute that round's before the
; group knows that there is none, so that the value behind the loop is one of its own.
; analysis: regions homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %n) {
; regions: kernel k: 5 regions, 2 barriers, regular, width 1
; regions: region 0: entry
; regions:   -> region 1
; regions: region 1: loop
; regions:   -> region 2
; regions: region 2: after.barrier
; regions:   -> group branch: region 1 or region 3
; regions: region 3: exit
; regions:   -> region 4
; regions: region 4: after.barrier1
; regions:   -> end
; homes: 8 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)                ; homes: computed again by each work-item
  %own = trunc i64 %l to i32                             ; homes: computed again by each work-item
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]         ; homes: group variable
  %sum = phi i32 [ %own, %entry ], [ %sum.next, %loop ]  ; homes: slot of 4 bytes at 0
  call void @_Z7barrierj(i32 1)
  %sum.next = mul i32 %sum, %own
  %i.next = add i32 %i, 1                                ; homes: computed again by the group
  %more = icmp slt i32 %i.next, %n                       ; homes: computed again by the group
  br i1 %more, label %loop, label %exit
exit:
  %last = phi i32 [ %sum, %loop ]                        ; homes: slot of 4 bytes at 4
  %rounds = phi i32 [ %i, %loop ]                        ; homes: group variable
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %l ; homes: computed again by each work-item
  %both = add i32 %last, %rounds
  store i32 %both, ptr addrspace(1) %to
  call void @_Z7barrierj(i32 1)
  store i32 %last, ptr addrspace(1) %to
  ret void
}
