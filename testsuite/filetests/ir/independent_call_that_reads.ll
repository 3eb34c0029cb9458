; A call that may read must find what was stored before it.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @other(ptr addrspace(1)) memory(read)

define void @k(ptr addrspace(1) %a) {
; independent: region 0: no, a call that touches memory
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %first = getelementptr i32, ptr addrspace(1) %a, i64 %l
  store i32 1, ptr addrspace(1) %first
  call void @other(ptr addrspace(1) %first)
  ret void
}
