; Sums and products that may wrap around say nothing of distances.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a) {
; independent: region 0: no, accesses that might be reordered
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %l32 = trunc i64 %l to i32
  %x = shl nuw nsw i32 %l32, 1
  %first.x = add i32 %x, 0
  %first.at = sext i32 %first.x to i64
  %first = getelementptr i32, ptr addrspace(1) %a, i64 %first.at
  store i32 1, ptr addrspace(1) %first
  %between.x = add i32 %x, 1
  %between.at = sext i32 %between.x to i64
  %between = getelementptr i32, ptr addrspace(1) %a, i64 %between.at
  %v = load i32, ptr addrspace(1) %between
  %last.x = add i32 %x, 2
  %last.at = sext i32 %last.x to i64
  %last = getelementptr i32, ptr addrspace(1) %a, i64 %last.at
  store i32 %v, ptr addrspace(1) %last
  ret void
}
