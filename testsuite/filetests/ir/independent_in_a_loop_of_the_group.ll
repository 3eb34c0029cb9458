; The group goes round a loop with a barrier: each region in it is run once for each work-item, and its accesses stand alone.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %a, i32 %n) {
; independent: region 0: yes
; independent: region 1: yes
; independent: region 2: yes
; independent: region 3: yes
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @_Z7barrierj(i32 1)
  %first = getelementptr [3 x i32], ptr addrspace(1) %a, i64 %l
  store i32 %i, ptr addrspace(1) %first
  %second = getelementptr i8, ptr addrspace(1) %first, i64 4
  %v = load i32, ptr addrspace(1) %second
  %third = getelementptr i8, ptr addrspace(1) %first, i64 8
  store i32 %v, ptr addrspace(1) %third
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
