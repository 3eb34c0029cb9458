; All work-items take the same way of a switch, one of which has a barrier: the group takes it.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %n) {
; regions: kernel k: 5 regions, 1 barrier, regular, width 1
; regions: region 0: entry
; regions:   -> group branch: region 4 or region 3 or region 1 or region 1
; regions: region 1: two
; regions:   -> region 2
; regions: region 2: after.barrier
; regions:   -> region 4
; regions: region 3: one
; regions:   -> region 4
; regions: region 4: done
; regions:   -> end
entry:
  switch i32 %n, label %done [
    i32 1, label %one
    i32 2, label %two
    i32 3, label %two
  ]
one:
  store i32 1, ptr addrspace(1) %out
  br label %done
two:
  call void @_Z7barrierj(i32 1)
  br label %done
done:
  ret void
}
