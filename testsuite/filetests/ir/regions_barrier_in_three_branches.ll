; A barrier inside three branches that meet again in one block: all three are taken by the group.
; analysis: regions

declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i1 %a, i1 %b, i1 %c) {
; regions: kernel k: 6 regions, 1 barrier, regular, width 1
; regions: region 0: entry
; regions:   -> group branch: region 1 or region 5
; regions: region 1: outer
; regions:   -> group branch: region 2 or region 5
; regions: region 2: middle
; regions:   -> group branch: region 3 or region 5
; regions: region 3: inner
; regions:   -> region 4
; regions: region 4: after.barrier
; regions:   -> region 5
; regions: region 5: join
; regions:   -> end
entry:
  br i1 %a, label %outer, label %join
outer:
  br i1 %b, label %middle, label %join
middle:
  br i1 %c, label %inner, label %join
inner:
  call void @_Z7barrierj(i32 1)
  br label %join
join:
  store i32 1, ptr addrspace(1) %out
  ret void
}
