; A function that was not inlined calls another that touches a variable at program scope.
; kernel: k
; analysis: access

@shared = internal addrspace(1) global i32 0

define internal void @counts() noinline {
  store i32 1, ptr addrspace(1) @shared
  ret void
}

define internal void @calls() noinline {
  call void @counts()
  ret void
}

define void @k(ptr addrspace(1) %out) {
; access: %out untouched
; access: globals
entry:
  call void @calls()
  ret void
}
