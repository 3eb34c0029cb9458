; A switch on an id in front of a barrier that all meet: part of the first region.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out) {
; regions: kernel k: 2 regions, 1 barrier, regular, width 1
; regions: region 0: entry one meet
; regions:   -> region 1
; regions: region 1: after.barrier
; regions:   -> end
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  switch i64 %l, label %meet [
    i64 1, label %one
    i64 2, label %meet
  ]
one:
  store i32 1, ptr addrspace(1) %out
  br label %meet
meet:
  call void @_Z7barrierj(i32 1)
  ret void
}
