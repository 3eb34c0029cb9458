; Nothing is written: loads may be in any order.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a) {
; independent: region 0: yes
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %first = getelementptr [2 x i32], ptr addrspace(1) %a, i64 %l
  %v = load i32, ptr addrspace(1) %first
  %again = load i64, ptr addrspace(1) %first, align 4
  %last = getelementptr i8, ptr addrspace(1) %first, i64 4
  %w = load i32, ptr addrspace(1) %last
  ret void
}
