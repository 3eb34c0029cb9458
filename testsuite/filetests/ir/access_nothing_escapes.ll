; A stored pointer that is not defined is none, and a pointer that is compared as a number stays where it is.
; analysis: access

define void @k(ptr addrspace(1) %cell, ptr addrspace(1) %compared, ptr addrspace(1) %freed) {
; access: %cell written
; access: %compared untouched
; access: %freed untouched
entry:
  store ptr addrspace(1) undef, ptr addrspace(1) %cell
  %bits = ptrtoint ptr addrspace(1) %compared to i64
  %low = icmp ult i64 %bits, 4096
  %high = icmp ugt i64 %bits, 65536
  store i32 7, ptr addrspace(1) null
  ret void
}
