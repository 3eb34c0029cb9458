; A loop that the group goes round keeps the weights, but not the hint: each round runs all work-items.
; step: emit
; local: 4,1,1
; uniform: yes

declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @_Z7barrierj(i32 1)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit, !prof !0, !llvm.loop !1
exit:
  ret void
}
!0 = !{!"branch_weights", i32 2000, i32 1}
!1 = distinct !{!1, !2}
!2 = !{!"llvm.loop.unroll.count", i32 8}

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(1) %out, i32 %n, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch) {
; entry:
;   %0 = getelementptr inbounds i8, ptr %ctx, i64 0
;   %groups.0 = load i64, ptr %0, align 8
;   %1 = getelementptr inbounds i8, ptr %ctx, i64 8
;   %groups.1 = load i64, ptr %1, align 8
;   %2 = getelementptr inbounds i8, ptr %ctx, i64 16
;   %groups.2 = load i64, ptr %2, align 8
;   %3 = getelementptr inbounds i8, ptr %ctx, i64 24
;   %offset.0 = load i64, ptr %3, align 8
;   %4 = getelementptr inbounds i8, ptr %ctx, i64 32
;   %offset.1 = load i64, ptr %4, align 8
;   %5 = getelementptr inbounds i8, ptr %ctx, i64 40
;   %offset.2 = load i64, ptr %5, align 8
;   %6 = mul nuw nsw i64 %gx, 4
;   %7 = mul nuw nsw i64 %gy, 1
;   %8 = mul nuw nsw i64 %gz, 1
;   %first.0 = add nuw nsw i64 %6, %offset.0
;   %first.1 = add nuw nsw i64 %7, %offset.1
;   %first.2 = add nuw nsw i64 %8, %offset.2
;   %9 = mul nuw nsw i64 %groups.0, 4
;   %10 = mul nuw nsw i64 %groups.1, 1
;   %11 = mul nuw nsw i64 %groups.2, 1
;   %print = getelementptr inbounds i8, ptr %ctx, i64 72
;   %i.now = alloca i32, align 4
;   %i.next = alloca i32, align 4
;   br label %r0
; r0:
;   store i32 0, ptr %i.now, align 4
;   br label %r1
; r1:
;   br label %r2
; r2:
;   %i = load i32, ptr %i.now, align 4
;   %next = add i32 %i, 1
;   %more = icmp slt i32 %next, %n
;   br i1 %more, label %r2.to.1, label %r2.to.3, !prof !0
; r3:
;   br label %exit
; exit:
;   ret void
; r2.to.1:
;   %i1 = load i32, ptr %i.now, align 4
;   %next2 = add i32 %i1, 1
;   store i32 %next2, ptr %i.now, align 4
;   br label %r1, !llvm.loop !3
; r2.to.3:
;   br label %r3
; }
;
; !0 = !{!"branch_weights", i32 2000, i32 1}
; !1 = distinct !{!1, !2}
; !2 = !{!"llvm.loop.unroll.count", i32 8}
; !3 = distinct !{!3, !4}
; !4 = !{!"oxcl.loop.own"}
