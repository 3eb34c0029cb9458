; Stores fill an array that each work-item keeps across barriers: what is done to its elements is joined, not work-items. Not so
; where they leave gaps.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %n) {
; independent: region 0: yes
; independent: region 1: yes
; independent: region 1: elements of %sums are joined
; independent: region 2: yes
; independent: region 3: yes
; independent: region 4: yes
entry:
  %sums = alloca [4 x double]
  %gaps = alloca [16 x float]
  %l = call i64 @_Z12get_local_idj(i32 0)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %x = sitofp i32 %i to double
  %s1 = getelementptr double, ptr %sums, i64 1
  %s2 = getelementptr double, ptr %sums, i64 2
  %s3 = getelementptr double, ptr %sums, i64 3
  store double %x, ptr %sums
  store double %x, ptr %s1
  store double %x, ptr %s2
  store double %x, ptr %s3
  call void @_Z7barrierj(i32 1)
  %y = sitofp i32 %i to float
  %g2 = getelementptr float, ptr %gaps, i64 2
  %g4 = getelementptr float, ptr %gaps, i64 4
  %g6 = getelementptr float, ptr %gaps, i64 6
  %g8 = getelementptr float, ptr %gaps, i64 8
  %gA = getelementptr float, ptr %gaps, i64 10
  %gC = getelementptr float, ptr %gaps, i64 12
  %gE = getelementptr float, ptr %gaps, i64 14
  store float %y, ptr %gaps
  store float %y, ptr %g2
  store float %y, ptr %g4
  store float %y, ptr %g6
  store float %y, ptr %g8
  store float %y, ptr %gA
  store float %y, ptr %gC
  store float %y, ptr %gE
  call void @_Z7barrierj(i32 1)
  %a = load double, ptr %s3
  %b = load float, ptr %gE
  %c = fpext float %b to double
  %sum = fadd double %a, %c
  %to = getelementptr double, ptr addrspace(1) %out, i64 %l
  store double %sum, ptr addrspace(1) %to
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
