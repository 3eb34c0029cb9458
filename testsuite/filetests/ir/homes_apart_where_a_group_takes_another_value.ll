; At one edge two PHI nodes take each other's candidates: each is written while what the other takes is still needed.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
; homes: 12 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %l  ; homes: computed again by each work-item
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %l ; homes: computed again by each work-item
  %own = load i32, ptr addrspace(1) %at                  ; homes: slot of 4 bytes at 0
  %other = load i32, ptr addrspace(1) %to                ; homes: slot of 4 bytes at 4
  call void @_Z7barrierj(i32 1)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]         ; homes: group variable
  %a = phi i32 [ %own, %entry ], [ %b.next, %loop ]      ; homes: slot of 4 bytes at 0
  %b = phi i32 [ %other, %entry ], [ %a.next, %loop ]    ; homes: slot of 4 bytes at 4
  %x = load i32, ptr addrspace(1) %at
  %a.next = add i32 %a, %x                               ; homes: slot of 4 bytes at 8
  %b.next = add i32 %b, %x                               ; homes: slot of 4 bytes at 0
  call void @_Z7barrierj(i32 1)
  %i.next = add i32 %i, 1                                ; homes: computed again by the group
  %more = icmp slt i32 %i.next, %n                       ; homes: computed again by the group
  br i1 %more, label %loop, label %exit
exit:
  store i32 %a.next, ptr addrspace(1) %to
  ret void
}
