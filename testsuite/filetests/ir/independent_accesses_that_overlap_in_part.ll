; A load between two stores of which it meets the first in two of its bytes: the first store must not move behind it.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a) {
; independent: region 0: no, accesses that might be reordered
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %first = getelementptr [3 x i32], ptr addrspace(1) %a, i64 %l
  store i32 1, ptr addrspace(1) %first
  %inside = getelementptr i8, ptr addrspace(1) %first, i64 2
  %v = load i32, ptr addrspace(1) %inside, align 2
  %last = getelementptr i8, ptr addrspace(1) %first, i64 8
  store i32 %v, ptr addrspace(1) %last
  ret void
}
