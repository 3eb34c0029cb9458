; A sum in one order whose number of rounds differs between work-items is not repeated by LLVM where one work-item runs at a time; one whose
; number is the group's is, and so is a loop of integers. What the source says of a loop stays.
; step: emit
; local: 4,1,1
; uniform: yes

declare i64 @_Z13get_global_idj(i32)
declare float @llvm.fmuladd.f32(float, float, float)

define void @k(ptr addrspace(1) %ends, ptr addrspace(1) %v, ptr addrspace(1) %out, i32 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %ends, i64 %id
  %end = load i32, ptr addrspace(1) %at
  br label %ragged
ragged:
  %i = phi i32 [ 0, %entry ], [ %i.next, %ragged ]
  %s = phi float [ 0.0, %entry ], [ %s.next, %ragged ]
  %p = getelementptr float, ptr addrspace(1) %v, i32 %i
  %x = load float, ptr addrspace(1) %p
  %s.next = call float @llvm.fmuladd.f32(float %x, float 2.0, float %s)
  %i.next = add i32 %i, 1
  %i.more = icmp slt i32 %i.next, %end
  br i1 %i.more, label %ragged, label %to.even, !llvm.loop !0
to.even:
  br label %even
even:
  %j = phi i32 [ 0, %to.even ], [ %j.next, %even ]
  %t = phi float [ %s.next, %to.even ], [ %t.next, %even ]
  %q = getelementptr float, ptr addrspace(1) %v, i32 %j
  %y = load float, ptr addrspace(1) %q
  %t.next = fadd float %t, %y
  %j.next = add i32 %j, 1
  %j.more = icmp slt i32 %j.next, %n
  br i1 %j.more, label %even, label %to.whole, !llvm.loop !2
to.whole:
  br label %whole
whole:
  %k = phi i32 [ 0, %to.whole ], [ %k.next, %whole ]
  %u = phi i32 [ 0, %to.whole ], [ %u.next, %whole ]
  %u.next = xor i32 %u, %k
  %k.next = add i32 %k, 3
  %k.more = icmp slt i32 %k.next, %end
  br i1 %k.more, label %whole, label %to.hinted, !llvm.loop !3
to.hinted:
  br label %hinted
hinted:
  %l = phi i32 [ 0, %to.hinted ], [ %l.next, %hinted ]
  %w = phi float [ %t.next, %to.hinted ], [ %w.next, %hinted ]
  %w.next = fadd float %w, 1.0
  %l.next = add i32 %l, 1
  %l.more = icmp slt i32 %l.next, %end
  br i1 %l.more, label %hinted, label %exit, !llvm.loop !4
exit:
  %o = getelementptr float, ptr addrspace(1) %out, i64 %id
  %z = sitofp i32 %u.next to float
  %sum = fadd float %w.next, %z
  store float %sum, ptr addrspace(1) %o
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
!2 = distinct !{!2, !1}
!3 = distinct !{!3, !1}
!4 = distinct !{!4, !1, !5}
!5 = !{!"llvm.loop.unroll.count", i32 4}

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(1) %ends, ptr addrspace(1) %v, ptr addrspace(1) %out, i32 %n, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch, i64 %run) {
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
;   %row = mul nuw nsw i64 4, %run
;   %print = getelementptr inbounds i8, ptr %ctx, i64 72
;   br label %r0
; r0:
;   br label %r0.z
; exit:
;   ret void
; r0.z:
;   %l = phi i64 [ 0, %r0 ], [ %13, %r0.z.next ]
;   %12 = mul nuw nsw i64 %l, 1
;   br label %r0.y
; r0.z.next:
;   %13 = add nuw nsw i64 %l, 1
;   %14 = icmp ult i64 %13, 1
;   br i1 %14, label %r0.z, label %r0.z.done, !llvm.loop !6
; r0.z.done:
;   br label %exit
; r0.y:
;   %l1 = phi i64 [ 0, %r0.z ], [ %16, %r0.y.next ]
;   %15 = add nuw nsw i64 %12, %l1
;   %row2 = mul nuw nsw i64 %15, %row
;   br label %r0.x
; r0.y.next:
;   %16 = add nuw nsw i64 %l1, 1
;   %17 = icmp ult i64 %16, 1
;   br i1 %17, label %r0.y, label %r0.y.done, !llvm.loop !8
; r0.y.done:
;   br label %r0.z.next
; r0.x:
;   %l3 = phi i64 [ 0, %r0.y ], [ %18, %r0.x.next ]
;   %linear = add nuw nsw i64 %row2, %l3
;   br label %r0.items
; r0.x.next:
;   %18 = add nuw nsw i64 %l3, 1
;   %19 = icmp ult i64 %18, %row
;   br i1 %19, label %r0.x, label %r0.x.done, !llvm.loop !9
; r0.x.done:
;   br label %r0.y.next
; r0.items:
;   br label %r0.entry
; r0.entry:
;   %g0 = add nuw nsw i64 %first.0, %l3
;   %g1 = add nuw nsw i64 %first.1, %l1
;   %g2 = add nuw nsw i64 %first.2, %l
;   %at = getelementptr i32, ptr addrspace(1) %ends, i64 %g0
;   %end = load i32, ptr addrspace(1) %at, align 4
;   br label %r0.ragged
; r0.ragged:
;   %i = phi i32 [ 0, %r0.entry ], [ %i.next, %r0.ragged ]
;   %s = phi float [ 0.000000e+00, %r0.entry ], [ %s.next, %r0.ragged ]
;   %p = getelementptr float, ptr addrspace(1) %v, i32 %i
;   %x = load float, ptr addrspace(1) %p, align 4
;   %s.next = call float @llvm.fmuladd.f32(float %x, float 2.000000e+00, float %s)
;   %i.next = add i32 %i, 1
;   %i.more = icmp slt i32 %i.next, %end
;   br i1 %i.more, label %r0.ragged, label %r0.to.even, !llvm.loop !10
; r0.to.even:
;   br label %r0.even
; r0.even:
;   %j = phi i32 [ 0, %r0.to.even ], [ %j.next, %r0.even ]
;   %t = phi float [ %s.next, %r0.to.even ], [ %t.next, %r0.even ]
;   %q = getelementptr float, ptr addrspace(1) %v, i32 %j
;   %y = load float, ptr addrspace(1) %q, align 4
;   %t.next = fadd float %t, %y
;   %j.next = add i32 %j, 1
;   %j.more = icmp slt i32 %j.next, %n
;   br i1 %j.more, label %r0.even, label %r0.to.whole, !llvm.loop !2
; r0.to.whole:
;   br label %r0.whole
; r0.whole:
;   %k = phi i32 [ 0, %r0.to.whole ], [ %k.next, %r0.whole ]
;   %u = phi i32 [ 0, %r0.to.whole ], [ %u.next, %r0.whole ]
;   %u.next = xor i32 %u, %k
;   %k.next = add i32 %k, 3
;   %k.more = icmp slt i32 %k.next, %end
;   br i1 %k.more, label %r0.whole, label %r0.to.hinted, !llvm.loop !3
; r0.to.hinted:
;   br label %r0.hinted
; r0.hinted:
;   %l4 = phi i32 [ 0, %r0.to.hinted ], [ %l.next, %r0.hinted ]
;   %w = phi float [ %t.next, %r0.to.hinted ], [ %w.next, %r0.hinted ]
;   %w.next = fadd float %w, 1.000000e+00
;   %l.next = add i32 %l4, 1
;   %l.more = icmp slt i32 %l.next, %end
;   br i1 %l.more, label %r0.hinted, label %r0.exit, !llvm.loop !4
; r0.exit:
;   %o = getelementptr float, ptr addrspace(1) %out, i64 %g0
;   %z = sitofp i32 %u.next to float
;   %sum = fadd float %w.next, %z
;   store float %sum, ptr addrspace(1) %o, align 4
;   br label %r0.x.next
; }
;
; !0 = distinct !{!0, !1}
; !1 = !{!"llvm.loop.mustprogress"}
; !2 = distinct !{!2, !1}
; !3 = distinct !{!3, !1}
; !4 = distinct !{!4, !1, !5}
; !5 = !{!"llvm.loop.unroll.count", i32 4}
; !6 = distinct !{!6, !1, !7}
; !7 = !{!"llvm.loop.unroll.runtime.disable"}
; !8 = distinct !{!8, !1, !7}
; !9 = distinct !{!9, !1}
; !10 = distinct !{!10, !1, !7}
