; The address of a variable at program scope is stored: whoever loads it may touch the variable.
; analysis: access

@shared = internal addrspace(1) global i32 0

define void @k(ptr addrspace(1) %cell) {
; access: %cell written
; access: globals
entry:
  store ptr addrspace(1) @shared, ptr addrspace(1) %cell
  ret void
}
