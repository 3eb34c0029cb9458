; As with a cheap value, but this one is loaded: the region that makes it anew on some ways asks its slot.
; analysis: regions homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
; regions: kernel k: 2 regions, 1 barrier, irregular, width 1
; regions: region 0: entry outer inner meet outer.next exit
; regions:   -> region 1
; regions:   -> end
; regions: region 1: after.barrier inner.next outer.next exit outer inner meet
; regions:   -> end
; regions:   -> region 1
; homes: continuation: slot of 4 bytes at 12
; homes: 17 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %l ; homes: computed again by each work-item
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.next ]  ; homes: slot of 4 bytes at 0
  %bound = load i32, ptr addrspace(1) %in               ; homes: slot of 4 bytes at 4
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner.next ]  ; homes: slot of 4 bytes at 8
  %stop = icmp sgt i32 %j, %bound                       ; homes: slot of 1 bytes at 16
  br i1 %stop, label %outer.next, label %meet
meet:
  call void @_Z7barrierj(i32 1)
  %own = load i32, ptr addrspace(1) %at
  %leave = icmp sgt i32 %own, 95
  br i1 %leave, label %outer.next, label %inner.next
inner.next:
  %j.next = add i32 %j, 5
  %more = icmp ult i32 %j.next, 10
  br i1 %more, label %inner, label %outer.next
outer.next:
  %i.next = add i32 %i, 5
  %again = icmp slt i32 %i.next, 25
  br i1 %again, label %outer, label %exit
exit:
  ret void
}
