; With -g the body stands for the kernel: its instructions keep their lines.
; step: emit
; local: 4,1,1
; uniform: yes

define void @k(ptr addrspace(1) %out) !dbg !3 {
entry:
  store i32 1, ptr addrspace(1) %out, !dbg !6
  ret void, !dbg !6
}
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "k.cl", directory: "/")
!3 = distinct !DISubprogram(name: "k", scope: !2, file: !2, line: 7, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{null}
!6 = !DILocation(line: 8, scope: !3)

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(1) %out, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch, i64 %run) !dbg !4 {
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
;   br i1 %14, label %r0.z, label %r0.z.done, !llvm.loop !7
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
;   br i1 %17, label %r0.y, label %r0.y.done, !llvm.loop !10
; r0.y.done:
;   br label %r0.z.next
; r0.x:
;   %l3 = phi i64 [ 0, %r0.y ], [ %18, %r0.x.next ]
;   %linear = add nuw nsw i64 %row2, %l3
;   br label %r0.items
; r0.x.next:
;   %18 = add nuw nsw i64 %l3, 1
;   %19 = icmp ult i64 %18, %row
;   br i1 %19, label %r0.x, label %r0.x.done, !llvm.loop !11
; r0.x.done:
;   br label %r0.y.next
; r0.items:
;   br label %r0.entry
; r0.entry:
;   store i32 1, ptr addrspace(1) %out, align 4, !dbg !3, !llvm.access.group !13
;   br label %r0.x.next
; }
;
; !llvm.module.flags = !{!0}
; !llvm.dbg.cu = !{!1}
; !0 = !{i32 2, !"Debug Info Version", i32 3}
; !1 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !2, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
; !2 = !DIFile(filename: "k.cl", directory: "/")
; !3 = !DILocation(line: 8, scope: !4)
; !4 = distinct !DISubprogram(name: "k", scope: !2, file: !2, line: 7, type: !5, spFlags: DISPFlagDefinition, unit: !1)
; !5 = !DISubroutineType(types: !6)
; !6 = !{null}
; !7 = distinct !{!7, !8, !9}
; !8 = !{!"llvm.loop.mustprogress"}
; !9 = !{!"llvm.loop.unroll.runtime.disable"}
; !10 = distinct !{!10, !8, !9}
; !11 = distinct !{!11, !8, !12}
; !12 = !{!"llvm.loop.parallel_accesses", !13}
; !13 = distinct !{}
