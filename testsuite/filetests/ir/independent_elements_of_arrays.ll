; Rows of arrays inside of arrays: the load is from the next row, and between it and the stores lies another.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a) {
; independent: region 0: yes
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %first = getelementptr [4 x [3 x i32]], ptr addrspace(1) %a, i64 %l, i64 1, i64 2
  store i32 1, ptr addrspace(1) %first
  %next = getelementptr [4 x [3 x i32]], ptr addrspace(1) %a, i64 %l, i64 2, i64 0
  %v = load i32, ptr addrspace(1) %next
  %last = getelementptr [4 x [3 x i32]], ptr addrspace(1) %a, i64 %l, i64 2, i64 1
  store i32 %v, ptr addrspace(1) %last
  ret void
}
