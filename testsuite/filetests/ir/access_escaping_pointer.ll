; A pointer that is stored may be read and written from now on, and by whom is not known.
; analysis: access

define void @k(ptr addrspace(1) %cell, ptr addrspace(1) %escapes, ptr addrspace(1) %number, ptr addrspace(1) %untouched) {
; access: %cell written
; access: %escapes read and written
; access: %number read and written
; access: %untouched untouched
; access: opaque
entry:
  store ptr addrspace(1) %escapes, ptr addrspace(1) %cell
  %bits = ptrtoint ptr addrspace(1) %number to i64
  %odd = and i64 %bits, 1
  ret void
}
