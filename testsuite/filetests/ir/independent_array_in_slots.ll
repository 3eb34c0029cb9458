; Each work-item has an array of its own: accesses are independent where their order cannot matter.
; analysis: homes independent

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %n) {
; homes: 16 bytes for each work-item
; independent: region 0: yes
; independent: region 1: yes
; independent: region 2: yes
; independent: region 3: yes
entry:
  %w = alloca [4 x i32]                                   ; homes: slot of 16 bytes at 0
  %l = call i64 @_Z12get_local_idj(i32 0)                 ; homes: computed again by each work-item
  %place = getelementptr [4 x i32], ptr %w, i64 0, i64 %l ; homes: computed again by each work-item
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]          ; homes: group variable
  store i32 %i, ptr %place
  call void @_Z7barrierj(i32 1)
  %kept = load i32, ptr %place
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %l
  store i32 %kept, ptr addrspace(1) %to
  %i.next = add i32 %i, 1                                 ; homes: computed again by the group
  %more = icmp slt i32 %i.next, %n                        ; homes: computed again by the group
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
