; A switch that the group takes keeps its form.
; step: emit
; local: 4,1,1
; uniform: yes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  switch i32 %n, label %done [
    i32 1, label %one
    i32 2, label %two
  ]
one:
  store i32 1, ptr addrspace(1) %out
  br label %done
two:
  call void @_Z7barrierj(i32 1)
  br label %done
done:
  ret void
}

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
;   br label %r0
; r0:
;   switch i32 %n, label %r0.to.4 [
;     i32 1, label %r0.to.1
;     i32 2, label %r0.to.2
;   ]
; r1:
;   br label %r2
; r2:
;   br label %r4
; r3:
;   br label %r3.z
; r4:
;   br label %exit
; exit:
;   ret void
; r0.to.4:
;   br label %r4
; r0.to.1:
;   br label %r3
; r0.to.2:
;   br label %r1
; r3.z:
;   %l = phi i64 [ 0, %r3 ], [ %13, %r3.z.next ]
;   %12 = mul nuw nsw i64 %l, 1
;   br label %r3.y
; r3.z.next:
;   %13 = add nuw nsw i64 %l, 1
;   %14 = icmp ult i64 %13, 1
;   br i1 %14, label %r3.z, label %r3.z.done, !llvm.loop !0
; r3.z.done:
;   br label %r4
; r3.y:
;   %l1 = phi i64 [ 0, %r3.z ], [ %16, %r3.y.next ]
;   %15 = add nuw nsw i64 %12, %l1
;   %row = mul nuw nsw i64 %15, 4
;   br label %r3.x
; r3.y.next:
;   %16 = add nuw nsw i64 %l1, 1
;   %17 = icmp ult i64 %16, 1
;   br i1 %17, label %r3.y, label %r3.y.done, !llvm.loop !3
; r3.y.done:
;   br label %r3.z.next
; r3.x:
;   %l2 = phi i64 [ 0, %r3.y ], [ %18, %r3.x.next ]
;   %linear = add nuw nsw i64 %row, %l2
;   br label %r3.items
; r3.x.next:
;   %18 = add nuw nsw i64 %l2, 1
;   %19 = icmp ult i64 %18, 4
;   br i1 %19, label %r3.x, label %r3.x.done, !llvm.loop !4
; r3.x.done:
;   br label %r3.y.next
; r3.items:
;   br label %r3.one
; r3.one:
;   store i32 1, ptr addrspace(1) %out, align 4, !llvm.access.group !6
;   br label %r3.out
; r3.out:
;   br label %r3.x.next
; }
;
; !0 = distinct !{!0, !1, !2}
; !1 = !{!"llvm.loop.mustprogress"}
; !2 = !{!"llvm.loop.unroll.runtime.disable"}
; !3 = distinct !{!3, !1, !2}
; !4 = distinct !{!4, !1, !5}
; !5 = !{!"llvm.loop.parallel_accesses", !6}
; !6 = distinct !{}
