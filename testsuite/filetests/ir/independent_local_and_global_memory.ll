; What lies in local memory is not in a buffer.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(3) %b) {
; independent: region 0: yes
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %first = getelementptr [2 x i32], ptr addrspace(1) %a, i64 %l
  store i32 1, ptr addrspace(1) %first
  %from = getelementptr i32, ptr addrspace(3) %b, i64 %l
  %v = load i32, ptr addrspace(3) %from
  %last = getelementptr i8, ptr addrspace(1) %first, i64 4
  store i32 %v, ptr addrspace(1) %last
  ret void
}
