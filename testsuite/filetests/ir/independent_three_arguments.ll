; Three arguments that may lead to the same memory: an access lies between those to others, but no two by one root are joined across it.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) {
; independent: region 0: yes
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %to.a = getelementptr i32, ptr addrspace(1) %a, i64 %l
  store i32 1, ptr addrspace(1) %to.a
  %from.b = getelementptr i32, ptr addrspace(1) %b, i64 %l
  %v = load i32, ptr addrspace(1) %from.b
  %to.c = getelementptr i32, ptr addrspace(1) %c, i64 %l
  store i32 %v, ptr addrspace(1) %to.c
  %w = load i32, ptr addrspace(1) %to.a
  ret void
}
