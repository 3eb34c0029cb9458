; A loop that holds eight vectors of four: with one register of lanes for each component they would not all be in registers.
; analysis: plan
; width: chosen

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %out, i32 %n) {
; plan: width 4 along rows of a run of groups, cycles for each work-item: 82.8 at 1, 59.4 at 4, 108.3 at 8, 132.8 at 16
entry:                                                              ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)                          ; plan: strided 1
  %p0 = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %x      ; plan: strided 16
  %p1 = getelementptr <4 x float>, ptr addrspace(1) %p0, i64 1024   ; plan: strided 16
  %p2 = getelementptr <4 x float>, ptr addrspace(1) %p0, i64 2048   ; plan: strided 16
  %p3 = getelementptr <4 x float>, ptr addrspace(1) %p0, i64 3072   ; plan: strided 16
  %v0 = load <4 x float>, ptr addrspace(1) %p0, align 16            ; plan: consecutive
  %v1 = load <4 x float>, ptr addrspace(1) %p1, align 16            ; plan: consecutive
  %v2 = load <4 x float>, ptr addrspace(1) %p2, align 16            ; plan: consecutive
  %v3 = load <4 x float>, ptr addrspace(1) %p3, align 16            ; plan: consecutive
  br label %loop

loop:                                                               ; plan: all lanes
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]                      ; plan: uniform
  %s0 = phi <4 x float> [ zeroinitializer, %entry ], [ %t0, %loop ] ; plan: vector
  %s1 = phi <4 x float> [ zeroinitializer, %entry ], [ %t1, %loop ] ; plan: vector
  %s2 = phi <4 x float> [ zeroinitializer, %entry ], [ %t2, %loop ] ; plan: vector
  %s3 = phi <4 x float> [ zeroinitializer, %entry ], [ %t3, %loop ] ; plan: vector
  %at = zext i32 %i to i64                                          ; plan: uniform
  %pb = getelementptr <4 x float>, ptr addrspace(1) %b, i64 %at     ; plan: uniform
  %vb = load <4 x float>, ptr addrspace(1) %pb, align 16            ; plan: once
  %m0 = fmul <4 x float> %v0, %vb                                   ; plan: vector
  %t0 = fadd <4 x float> %s0, %m0                                   ; plan: vector
  %m1 = fmul <4 x float> %v1, %vb                                   ; plan: vector
  %t1 = fadd <4 x float> %s1, %m1                                   ; plan: vector
  %m2 = fmul <4 x float> %v2, %vb                                   ; plan: vector
  %t2 = fadd <4 x float> %s2, %m2                                   ; plan: vector
  %m3 = fmul <4 x float> %v3, %vb                                   ; plan: vector
  %t3 = fadd <4 x float> %s3, %m3                                   ; plan: vector
  %next = add i32 %i, 1                                             ; plan: uniform
  %done = icmp eq i32 %next, %n                                     ; plan: uniform
  br i1 %done, label %end, label %loop

end:                                                                ; plan: all lanes
  %q0 = getelementptr <4 x float>, ptr addrspace(1) %out, i64 %x    ; plan: strided 16
  %q1 = getelementptr <4 x float>, ptr addrspace(1) %q0, i64 1024   ; plan: strided 16
  %q2 = getelementptr <4 x float>, ptr addrspace(1) %q0, i64 2048   ; plan: strided 16
  %q3 = getelementptr <4 x float>, ptr addrspace(1) %q0, i64 3072   ; plan: strided 16
  store <4 x float> %t0, ptr addrspace(1) %q0, align 16             ; plan: consecutive
  store <4 x float> %t1, ptr addrspace(1) %q1, align 16             ; plan: consecutive
  store <4 x float> %t2, ptr addrspace(1) %q2, align 16             ; plan: consecutive
  store <4 x float> %t3, ptr addrspace(1) %q3, align 16             ; plan: consecutive
  ret void
}
