; A pointer from memory may lead to the buffer.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(2) noalias %table) {
; independent: region 0: no, accesses that might be reordered
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %b = load ptr addrspace(1), ptr addrspace(2) %table
  %first = getelementptr [2 x i32], ptr addrspace(1) %a, i64 %l
  store i32 1, ptr addrspace(1) %first
  %from = getelementptr i32, ptr addrspace(1) %b, i64 %l
  %v = load i32, ptr addrspace(1) %from
  %last = getelementptr i8, ptr addrspace(1) %first, i64 4
  store i32 %v, ptr addrspace(1) %last
  ret void
}
