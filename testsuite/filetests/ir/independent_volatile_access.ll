; A volatile access keeps its place.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a) {
; independent: region 0: no, an ordered access
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %first = getelementptr i32, ptr addrspace(1) %a, i64 %l
  store volatile i32 1, ptr addrspace(1) %first
  ret void
}
