; Three places whose distances nothing says, but each is next to the next work-item's: LLVM joins nothing there.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, i32 %b, i32 %c, i32 %d) {
; independent: region 0: yes
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %x = trunc i64 %l to i32
  %xb = add nsw i32 %x, %b
  %first.at = sext i32 %xb to i64
  %first = getelementptr i32, ptr addrspace(1) %a, i64 %first.at
  store i32 1, ptr addrspace(1) %first
  %xc = add nsw i32 %x, %c
  %between.at = sext i32 %xc to i64
  %between = getelementptr i32, ptr addrspace(1) %a, i64 %between.at
  %v = load i32, ptr addrspace(1) %between
  %xd = add nsw i32 %x, %d
  %last.at = sext i32 %xd to i64
  %last = getelementptr i32, ptr addrspace(1) %a, i64 %last.at
  store i32 %v, ptr addrspace(1) %last
  ret void
}
