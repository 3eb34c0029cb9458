; Preparing keeps a switch, gives loops their form, and leaves the barrier.
; step: prepare
; analysis: regions

declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %x) {
entry:
  switch i32 %x, label %other [
    i32 0, label %zero
    i32 7, label %seven
  ]
zero:
  store i32 1, ptr addrspace(1) %out
  br label %join
seven:
  store i32 2, ptr addrspace(1) %out
  br label %join
other:
  br label %join
join:
  call void @_Z7barrierj(i32 1)
  store i32 3, ptr addrspace(1) %out
  ret void
}

; ---- after the steps:
; define void @k(ptr addrspace(1) writeonly captures(none) initializes((0, 4)) %out, i32 %x) {
; ; regions: kernel k: 2 regions, 1 barrier, regular, width 1
; ; regions: region 0: entry seven zero join
; ; regions:   -> region 1
; ; regions: region 1: after.barrier
; ; regions:   -> end
; entry:
;   switch i32 %x, label %join [
;     i32 0, label %zero
;     i32 7, label %seven
;   ]
;
; zero:
;   store i32 1, ptr addrspace(1) %out, align 4
;   br label %join
;
; seven:
;   store i32 2, ptr addrspace(1) %out, align 4
;   br label %join
;
; join:
;   br label %after.barrier
;
; after.barrier:
;   store i32 3, ptr addrspace(1) %out, align 4
;   ret void
; }
