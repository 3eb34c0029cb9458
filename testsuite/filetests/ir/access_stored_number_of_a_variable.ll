; The same as a number.
; analysis: access

@shared = internal addrspace(1) global i32 0

define void @k(ptr addrspace(1) %cell) {
; access: %cell written
; access: globals
entry:
  store i64 ptrtoint (ptr addrspace(1) @shared to i64), ptr addrspace(1) %cell
  ret void
}
