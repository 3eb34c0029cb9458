; A function that was not inlined makes a pointer from a number.
; kernel: k
; analysis: access

define internal void @pokes(i64 %n) noinline {
  %p = inttoptr i64 %n to ptr addrspace(1)
  store i32 0, ptr addrspace(1) %p
  ret void
}

define void @k(ptr addrspace(1) %out) {
; access: %out untouched
; access: opaque
entry:
  call void @pokes(i64 4096)
  ret void
}
