; A function that was not inlined touches an element of a variable at program scope: its address is a constant that names the
; variable.
; kernel: k
; analysis: access

@numbers = internal addrspace(1) global [4 x i32] zeroinitializer

define internal void @counts() noinline {
  store i32 1, ptr addrspace(1) getelementptr ([4 x i32], ptr addrspace(1) @numbers, i64 0, i64 2)
  ret void
}

define void @k(ptr addrspace(1) %out) {
; access: %out untouched
; access: globals
entry:
  call void @counts()
  ret void
}
