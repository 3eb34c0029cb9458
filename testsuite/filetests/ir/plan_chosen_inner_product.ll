; An inner product of floats for each work-item: no lane waits for the sum of another, so lanes are worth it.
; analysis: plan
; width: chosen

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, i64 %n) {
; plan: width 32 along rows of a run of groups, cycles for each work-item: 58.5 at 1, 14.4 at 4, 7.2 at 8, 4.6 at 16, 3.4 at 32
entry:                                                     ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)                 ; plan: strided 1
  %y = call i64 @_Z13get_global_idj(i32 1)                 ; plan: uniform
  %row = mul nsw i64 %y, %n                                ; plan: uniform
  br label %loop

loop:                                                      ; plan: all lanes
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]                ; plan: uniform
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]            ; plan: vector
  %ia = add nsw i64 %row, %i                               ; plan: uniform
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %ia  ; plan: uniform
  %va = load float, ptr addrspace(1) %pa                   ; plan: once
  %ib = mul nsw i64 %i, %n                                 ; plan: uniform
  %ibx = add nsw i64 %ib, %x                               ; plan: strided 1
  %pb = getelementptr float, ptr addrspace(1) %b, i64 %ibx ; plan: strided 4
  %vb = load float, ptr addrspace(1) %pb                   ; plan: consecutive
  %m = fmul float %va, %vb                                 ; plan: vector
  %t = fadd float %s, %m                                   ; plan: vector
  %j = add nuw nsw i64 %i, 1                               ; plan: uniform
  %more = icmp slt i64 %j, %n                              ; plan: uniform
  br i1 %more, label %loop, label %exit

exit:                                                      ; plan: all lanes
  %sum = phi float [ %t, %loop ]                           ; plan: vector
  %o = add nsw i64 %row, %x                                ; plan: strided 1
  %p = getelementptr float, ptr addrspace(1) %out, i64 %o  ; plan: strided 4
  store float %sum, ptr addrspace(1) %p                    ; plan: consecutive
  ret void
}
