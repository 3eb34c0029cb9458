; Several ways lead from one region to the next. Where they bring different values, each work-item says which; where they bring the same,
; the group knows it.
; step: emit
; local: 4,1,1
; uniform: yes

declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i1 %c, i1 %d) {
entry:
  br i1 %c, label %x, label %y
x:
  br i1 %d, label %one, label %two
one:
  store i32 1, ptr addrspace(1) %out
  br label %join
two:
  store i32 2, ptr addrspace(1) %out
  br label %join
y:
  call void @_Z7barrierj(i32 1)
  br label %join
join:
  %differ = phi i32 [ 11, %one ], [ 12, %two ], [ 13, %y ]
  %same = phi i32 [ 21, %one ], [ 21, %two ], [ 22, %y ]
  %sum = add i32 %differ, %same
  store i32 %sum, ptr addrspace(1) %out
  ret void
}

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(1) %out, i1 %c, i1 %d, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch) {
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
;   %differ.now = alloca i32, align 4
;   %differ.next = alloca i32, align 4
;   %same.now = alloca i32, align 4
;   %same.next = alloca i32, align 4
;   br label %r0
; r0:
;   br i1 %c, label %r0.to.1, label %r0.to.4
; r1:
;   br label %r2
; r2:
;   store i32 13, ptr %differ.now, align 4
;   store i32 22, ptr %same.now, align 4
;   br label %r4
; r3:
;   br label %r3.z
; r4:
;   %differ10 = load i32, ptr %differ.now, align 4
;   %same = load i32, ptr %same.now, align 4
;   br label %r4.z
; exit:
;   ret void
; r0.to.1:
;   br label %r3
; r0.to.4:
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
;   %differ = load i32, ptr %differ.next, align 4
;   store i32 %differ, ptr %differ.now, align 4
;   store i32 21, ptr %same.now, align 4
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
;   br label %r3.x3
; r3.x3:
;   br i1 %d, label %r3.one, label %r3.two
; r3.two:
;   store i32 2, ptr addrspace(1) %out, align 4, !llvm.access.group !6
;   br label %r3.out
; r3.one:
;   store i32 1, ptr addrspace(1) %out, align 4, !llvm.access.group !6
;   br label %r3.out4
; r3.out:
;   store i32 12, ptr %differ.next, align 4
;   br label %r3.x.next
; r3.out4:
;   store i32 11, ptr %differ.next, align 4
;   br label %r3.x.next
; r4.z:
;   %l5 = phi i64 [ 0, %r4 ], [ %21, %r4.z.next ]
;   %20 = mul nuw nsw i64 %l5, 1
;   br label %r4.y
; r4.z.next:
;   %21 = add nuw nsw i64 %l5, 1
;   %22 = icmp ult i64 %21, 1
;   br i1 %22, label %r4.z, label %r4.z.done, !llvm.loop !7
; r4.z.done:
;   br label %exit
; r4.y:
;   %l6 = phi i64 [ 0, %r4.z ], [ %24, %r4.y.next ]
;   %23 = add nuw nsw i64 %20, %l6
;   %row7 = mul nuw nsw i64 %23, 4
;   br label %r4.x
; r4.y.next:
;   %24 = add nuw nsw i64 %l6, 1
;   %25 = icmp ult i64 %24, 1
;   br i1 %25, label %r4.y, label %r4.y.done, !llvm.loop !8
; r4.y.done:
;   br label %r4.z.next
; r4.x:
;   %l8 = phi i64 [ 0, %r4.y ], [ %26, %r4.x.next ]
;   %linear9 = add nuw nsw i64 %row7, %l8
;   br label %r4.items
; r4.x.next:
;   %26 = add nuw nsw i64 %l8, 1
;   %27 = icmp ult i64 %26, 4
;   br i1 %27, label %r4.x, label %r4.x.done, !llvm.loop !9
; r4.x.done:
;   br label %r4.y.next
; r4.items:
;   br label %r4.join
; r4.join:
;   %sum = add i32 %differ10, %same
;   store i32 %sum, ptr addrspace(1) %out, align 4, !llvm.access.group !11
;   br label %r4.x.next
; }
;
; !0 = distinct !{!0, !1, !2}
; !1 = !{!"llvm.loop.mustprogress"}
; !2 = !{!"llvm.loop.unroll.runtime.disable"}
; !3 = distinct !{!3, !1, !2}
; !4 = distinct !{!4, !1, !5}
; !5 = !{!"llvm.loop.parallel_accesses", !6}
; !6 = distinct !{}
; !7 = distinct !{!7, !1, !2}
; !8 = distinct !{!8, !1, !2}
; !9 = distinct !{!9, !1, !10}
; !10 = !{!"llvm.loop.parallel_accesses", !11}
; !11 = distinct !{}
