; A structure that is passed by value is the launch's own copy: it has no bounds, and what is read of it is no access of a
; buffer.
; analysis: bounds
; analysis: access

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr byval({ i32, i32 }) align 4 %s, ptr addrspace(1) %out) {
; access: %s read
; access: %out written
; bounds: 4 bytes at %out + 4*global0
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %field = getelementptr i8, ptr %s, i64 4
  %v = load i32, ptr %field
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %x
  store i32 %v, ptr addrspace(1) %at
  ret void
}
