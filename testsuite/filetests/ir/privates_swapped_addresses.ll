; An address that an atomic operation stores, or compares with what others stored, is known elsewhere from then on; variables that such
; operations change are accessed, and no more.
; analysis: homes

declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %cell) {
; homes: 8 bytes for each work-item
entry:
  %compared = alloca i32 ; homes: slot of 4 bytes at 0
  %stored = alloca i32   ; homes: slot of 4 bytes at 4
  %added.to = alloca i32
  %swapped = alloca i32
  store i32 1, ptr %compared
  store i32 2, ptr %stored
  store i32 3, ptr %added.to
  store i32 4, ptr %swapped
  %a = cmpxchg ptr addrspace(1) %cell, ptr %compared, ptr null monotonic monotonic
  %b = cmpxchg ptr addrspace(1) %cell, ptr null, ptr %stored monotonic monotonic
  %c = atomicrmw add ptr %added.to, i32 1 monotonic
  %d = cmpxchg ptr %swapped, i32 4, i32 5 monotonic monotonic
  call void @_Z7barrierj(i32 1)
  ret void
}
