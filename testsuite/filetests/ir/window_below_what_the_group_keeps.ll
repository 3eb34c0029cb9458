; A step of a tree: the work-items below a counter of the group's work, the others do nothing before the next barrier. The loop over
; them ends at the counter, and the comparison in it is gone.
; step: emit

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %own = trunc i64 %l to i32
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %l
  br label %loop
loop:
  %k = phi i32 [ %n, %entry ], [ %half, %next ]
  call void @_Z7barrierj(i32 1)
  %works = icmp slt i32 %own, %k
  br i1 %works, label %then, label %next
then:
  store i32 %k, ptr addrspace(1) %at
  br label %next
next:
  call void @_Z7barrierj(i32 1)
  %half = lshr i32 %k, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop, label %exit
exit:
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
;   %6 = getelementptr inbounds i8, ptr %ctx, i64 48
;   %local.0 = load i64, ptr %6, align 8
;   %7 = getelementptr inbounds i8, ptr %ctx, i64 56
;   %local.1 = load i64, ptr %7, align 8
;   %8 = getelementptr inbounds i8, ptr %ctx, i64 64
;   %local.2 = load i64, ptr %8, align 8
;   %9 = mul nuw nsw i64 %gx, %local.0
;   %10 = mul nuw nsw i64 %gy, %local.1
;   %11 = mul nuw nsw i64 %gz, %local.2
;   %first.0 = add nuw nsw i64 %9, %offset.0
;   %first.1 = add nuw nsw i64 %10, %offset.1
;   %first.2 = add nuw nsw i64 %11, %offset.2
;   %12 = getelementptr inbounds i8, ptr %ctx, i64 136
;   %global.0 = load i64, ptr %12, align 8
;   %13 = getelementptr inbounds i8, ptr %ctx, i64 144
;   %global.1 = load i64, ptr %13, align 8
;   %14 = getelementptr inbounds i8, ptr %ctx, i64 152
;   %global.2 = load i64, ptr %14, align 8
;   %15 = sub i64 %global.0, %9
;   %16 = icmp ult i64 %15, %local.0
;   %own.0 = select i1 %16, i64 %15, i64 %local.0
;   %17 = sub i64 %global.1, %10
;   %18 = icmp ult i64 %17, %local.1
;   %own.1 = select i1 %18, i64 %17, i64 %local.1
;   %19 = sub i64 %global.2, %11
;   %20 = icmp ult i64 %19, %local.2
;   %own.2 = select i1 %20, i64 %19, i64 %local.2
;   %print = getelementptr inbounds i8, ptr %ctx, i64 72
;   %plane = mul nuw nsw i64 %own.0, %own.1
;   %items = mul nuw nsw i64 %plane, %own.2
;   %21 = add nuw nsw i64 %items, 0
;   %rounded = and i64 %21, -1
;   %k.now = alloca i32, align 4
;   %k.next = alloca i32, align 4
;   br label %r0
; r0:
;   store i32 %n, ptr %k.now, align 4
;   br label %r1
; r1:
;   br label %r2
; r2:
;   %k = load i32, ptr %k.now, align 4
;   %22 = freeze i32 %k
;   %23 = sext i32 %22 to i64
;   %24 = sub i64 %23, 0
;   %25 = add i64 %24, 1
;   %26 = icmp slt i64 %own.0, %24
;   %27 = select i1 %26, i64 %own.0, i64 %24
;   %28 = icmp sge i64 0, %27
;   %k3 = load i32, ptr %k.now, align 4
;   br i1 %28, label %r2.over, label %r2.some
; r3:
;   %k4 = load i32, ptr %k.now, align 4
;   %half = lshr i32 %k4, 1
;   %more = icmp ne i32 %half, 0
;   br i1 %more, label %r3.to.1, label %r3.to.6
; r4:
;   br label %exit
; exit:
;   ret void
; r2.some:
;   br label %r2.z
; r2.over:
;   br label %r3
; r2.z:
;   %l = phi i64 [ 0, %r2.some ], [ %30, %r2.z.next ]
;   %29 = mul nuw nsw i64 %l, %own.1
;   br label %r2.y
; r2.z.next:
;   %30 = add nuw nsw i64 %l, 1
;   %31 = icmp ult i64 %30, %own.2
;   br i1 %31, label %r2.z, label %r2.z.done, !llvm.loop !0
; r2.z.done:
;   br label %r2.over
; r2.y:
;   %l1 = phi i64 [ 0, %r2.z ], [ %33, %r2.y.next ]
;   %32 = add nuw nsw i64 %29, %l1
;   %row = mul nuw nsw i64 %32, %own.0
;   br label %r2.x
; r2.y.next:
;   %33 = add nuw nsw i64 %l1, 1
;   %34 = icmp ult i64 %33, %own.1
;   br i1 %34, label %r2.y, label %r2.y.done, !llvm.loop !3
; r2.y.done:
;   br label %r2.z.next
; r2.x:
;   %l2 = phi i64 [ 0, %r2.y ], [ %35, %r2.x.next ]
;   %linear = add nuw nsw i64 %row, %l2
;   br label %r2.items
; r2.x.next:
;   %35 = add nuw nsw i64 %l2, 1
;   %36 = icmp ult i64 %35, %27
;   br i1 %36, label %r2.x, label %r2.x.done, !llvm.loop !4
; r2.x.done:
;   br label %r2.y.next
; r2.items:
;   %at = getelementptr i32, ptr addrspace(1) %out, i64 %l2
;   br label %r2.after.barrier
; r2.after.barrier:
;   br i1 true, label %r2.then, label %r2.next
; r2.then:
;   store i32 %k3, ptr addrspace(1) %at, align 4, !llvm.access.group !6
;   br label %r2.next
; r2.next:
;   br label %r2.out
; r2.out:
;   br label %r2.x.next
; r3.to.1:
;   %k5 = load i32, ptr %k.now, align 4
;   %half6 = lshr i32 %k5, 1
;   store i32 %half6, ptr %k.now, align 4
;   br label %r1, !llvm.loop !7
; r3.to.6:
;   br label %r4
; }
;
; !0 = distinct !{!0, !1, !2}
; !1 = !{!"llvm.loop.mustprogress"}
; !2 = !{!"llvm.loop.unroll.runtime.disable"}
; !3 = distinct !{!3, !1, !2}
; !4 = distinct !{!4, !1, !5}
; !5 = !{!"llvm.loop.parallel_accesses", !6}
; !6 = distinct !{}
; !7 = distinct !{!7, !8}
; !8 = !{!"oxcl.loop.own"}
