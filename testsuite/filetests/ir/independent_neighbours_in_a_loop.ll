; In a loop of its own a work-item reads and writes one place after the other, which may be the same again. LLVM joins none of them
; with another, for between the places of neighbours there is no gap.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, i32 %n) {
; independent: region 0: yes
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %x = trunc i64 %l to i32
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %row = mul nsw i32 %i, %n
  %at = add nsw i32 %row, %x
  %wide = sext i32 %at to i64
  %place = getelementptr i32, ptr addrspace(1) %a, i64 %wide
  %v = load i32, ptr addrspace(1) %place
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %place
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 16
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
