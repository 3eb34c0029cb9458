; A function that was not inlined: its pointers are touched as its attributes allow, and what it loads pointers from makes the
; kernel opaque. Functions that touch no memory touch no parameters.
; kernel: k
; analysis: access

declare void @reads(ptr addrspace(1)) memory(read)
declare void @writes(ptr addrspace(1)) memory(write)
declare i32 @pure(ptr addrspace(1)) memory(none)
declare void @oxcl_print.0(ptr addrspace(1))

define internal void @follows(ptr addrspace(1) %p) noinline {
  %q = load ptr addrspace(1), ptr addrspace(1) %p
  store i32 0, ptr addrspace(1) %q
  ret void
}

define void @k(ptr addrspace(1) %read, ptr addrspace(1) %written, ptr addrspace(1) %named, ptr addrspace(1) %printed, ptr addrspace(1) %followed) {
; access: %read read
; access: %written written
; access: %named untouched
; access: %printed untouched
; access: %followed read and written
; access: opaque
entry:
  call void @reads(ptr addrspace(1) %read)
  call void @writes(ptr addrspace(1) %written)
  %x = call i32 @pure(ptr addrspace(1) %named)
  call void @oxcl_print.0(ptr addrspace(1) %printed)
  call void @follows(ptr addrspace(1) %followed)
  ret void
}
