; An element of a variable at program scope.
; analysis: access

@numbers = internal addrspace(1) global [4 x i32] zeroinitializer

define void @k(ptr addrspace(1) %out) {
; access: %out untouched
; access: globals
entry:
  store i32 1, ptr addrspace(1) getelementptr ([4 x i32], ptr addrspace(1) @numbers, i64 0, i64 2)
  ret void
}
