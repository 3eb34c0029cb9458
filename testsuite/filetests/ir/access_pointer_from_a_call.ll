; What a call returns leads anywhere, also where the call touches no memory itself.
; analysis: access

declare ptr addrspace(1) @where(i32) memory(none)

define void @k(ptr addrspace(1) %out) {
; access: %out untouched
; access: opaque
entry:
  %p = call ptr addrspace(1) @where(i32 1)
  store i32 0, ptr addrspace(1) %p
  ret void
}
