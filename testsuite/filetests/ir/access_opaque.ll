; A pointer that is loaded from memory leads anywhere.
; analysis: access

define void @k(ptr addrspace(1) %table, ptr addrspace(1) %untouched) {
; access: %table read
; access: %untouched untouched
; access: opaque
entry:
  %p = load ptr addrspace(1), ptr addrspace(1) %table
  store i32 1, ptr addrspace(1) %p
  ret void
}
