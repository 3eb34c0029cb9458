; Products that may wrap around say nothing of distances.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a) {
; independent: region 0: no, accesses that might be reordered
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %x = trunc i64 %l to i32
  %first.x = mul i32 %x, 3
  %first.at = sext i32 %first.x to i64
  %first = getelementptr i32, ptr addrspace(1) %a, i64 %first.at
  store i32 1, ptr addrspace(1) %first
  %b3 = mul nsw i32 %x, 3
  %between.x = add nsw i32 %b3, 1
  %between.at = sext i32 %between.x to i64
  %between = getelementptr i32, ptr addrspace(1) %a, i64 %between.at
  %v = load i32, ptr addrspace(1) %between
  %l3 = mul i32 %x, 3
  %last.x = add nsw i32 %l3, 2
  %last.at = sext i32 %last.x to i64
  %last = getelementptr i32, ptr addrspace(1) %a, i64 %last.at
  store i32 %v, ptr addrspace(1) %last
  ret void
}
