; A load that begins where the store before it ends: neither is in the other's way.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a) {
; independent: region 0: yes
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %first = getelementptr [3 x i32], ptr addrspace(1) %a, i64 %l
  store i32 1, ptr addrspace(1) %first
  %behind = getelementptr i8, ptr addrspace(1) %first, i64 4
  %v = load i32, ptr addrspace(1) %behind
  %last = getelementptr i8, ptr addrspace(1) %first, i64 8
  store i32 %v, ptr addrspace(1) %last
  ret void
}
