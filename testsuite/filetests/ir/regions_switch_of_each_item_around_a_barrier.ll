; A switch on an id, one way of which has a barrier: only each work-item knows.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out) {
; regions: kernel k: 2 regions, 1 barrier, irregular, width 1
; regions: region 0: entry meet done
; regions:   -> region 1
; regions:   -> end
; regions: region 1: after.barrier done
; regions:   -> end
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  switch i64 %l, label %done [
    i64 1, label %meet
    i64 2, label %meet
  ]
meet:
  call void @_Z7barrierj(i32 1)
  br label %done
done:
  ret void
}
