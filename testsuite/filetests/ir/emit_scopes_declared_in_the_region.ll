; What `restrict` of an inlined call promises is declared in the copy, for a scope of the copy's own.
; step: emit
; local: 4,1,1
; uniform: yes

declare void @llvm.experimental.noalias.scope.decl(metadata)

define void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %from = getelementptr i32, ptr addrspace(1) %a, i32 %i
  %to = getelementptr i32, ptr addrspace(1) %a, i32 %next
  call void @llvm.experimental.noalias.scope.decl(metadata !3)
  call void @llvm.experimental.noalias.scope.decl(metadata !4)
  %v = load i32, ptr addrspace(1) %from, !alias.scope !4, !noalias !3
  store i32 %v, ptr addrspace(1) %to, !alias.scope !3, !noalias !4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
!0 = distinct !{!0, !"step"}
!1 = distinct !{!1, !0, !"step: to"}
!2 = distinct !{!2, !0, !"step: from"}
!3 = !{!1}
!4 = !{!2}

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(1) %a, i32 %n, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch, i64 %run) {
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
;   br i1 %14, label %r0.z, label %r0.z.done, !llvm.loop !5
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
;   br label %r0.loop
; r0.loop:
;   %i = phi i32 [ 0, %r0.entry ], [ %next, %r0.loop ]
;   %next = add i32 %i, 1
;   %from = getelementptr i32, ptr addrspace(1) %a, i32 %i
;   %to = getelementptr i32, ptr addrspace(1) %a, i32 %next
;   call void @llvm.experimental.noalias.scope.decl(metadata !12), !llvm.access.group !11
;   call void @llvm.experimental.noalias.scope.decl(metadata !14), !llvm.access.group !11
;   %v = load i32, ptr addrspace(1) %from, align 4, !alias.scope !14, !noalias !12, !llvm.access.group !11
;   store i32 %v, ptr addrspace(1) %to, align 4, !alias.scope !12, !noalias !14, !llvm.access.group !11
;   %more = icmp slt i32 %next, %n
;   br i1 %more, label %r0.loop, label %r0.exit
; r0.exit:
;   br label %r0.x.next
; }
;
; !0 = !{!1}
; !1 = distinct !{!1, !2, !"step: to"}
; !2 = distinct !{!2, !"step"}
; !3 = !{!4}
; !4 = distinct !{!4, !2, !"step: from"}
; !5 = distinct !{!5, !6, !7}
; !6 = !{!"llvm.loop.mustprogress"}
; !7 = !{!"llvm.loop.unroll.runtime.disable"}
; !8 = distinct !{!8, !6, !7}
; !9 = distinct !{!9, !6, !10}
; !10 = !{!"llvm.loop.parallel_accesses", !11}
; !11 = distinct !{}
; !12 = !{!13}
; !13 = distinct !{!13, !2, !"step: to"}
; !14 = !{!15}
; !15 = distinct !{!15, !2, !"step: from"}
