; The load is from the field that the first store went to.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a) {
; independent: region 0: no, accesses that might be reordered
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %first = getelementptr { i32, i32, i32 }, ptr addrspace(1) %a, i64 %l, i32 1
  store i32 1, ptr addrspace(1) %first
  %start = getelementptr { i32, i32, i32 }, ptr addrspace(1) %a, i64 %l
  %same = getelementptr i8, ptr addrspace(1) %start, i64 4
  %v = load i32, ptr addrspace(1) %same
  %last = getelementptr { i32, i32, i32 }, ptr addrspace(1) %a, i64 %l, i32 2
  store i32 %v, ptr addrspace(1) %last
  ret void
}
