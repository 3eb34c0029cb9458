; Vectors that are only loaded, computed with element by element and stored: lanes keep them as memory has them, in one vector. One that
; is taken apart has a vector for each component.
; step: emit
; width: 4

declare i64 @_Z13get_global_idj(i32) memory(none)
declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)

define void @k(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %out, <4 x float> %s, i32 %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %pa = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %g
  %first = load <4 x float>, ptr addrspace(1) %pa, align 16
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %more = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %first, <4 x float> %s, <4 x float> %sum)
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop

end:
  %po = getelementptr <4 x float>, ptr addrspace(1) %out, i64 %g
  store <4 x float> %more, ptr addrspace(1) %po, align 16
  %pb = getelementptr <4 x float>, ptr addrspace(1) %b, i64 %g
  %apart = load <4 x float>, ptr addrspace(1) %pb, align 16
  %y = extractelement <4 x float> %apart, i32 1
  %changed = insertelement <4 x float> %apart, float %y, i32 0
  store <4 x float> %changed, ptr addrspace(1) %pb, align 16
  ret void
}

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, <4 x float> %s, i32 %n, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch, i64 %run) {
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
;   %row = mul nuw nsw i64 %local.0, %run
;   %21 = sub i64 %global.0, %9
;   %22 = icmp ult i64 %21, %row
;   %row1 = select i1 %22, i64 %21, i64 %row
;   %print = getelementptr inbounds i8, ptr %ctx, i64 72
;   %plane = mul nuw nsw i64 %own.0, %own.1
;   %items = mul nuw nsw i64 %plane, %own.2
;   %23 = add nuw nsw i64 %items, 3
;   %rounded = and i64 %23, -4
;   br label %r0
; r0:
;   br label %r0.z
; exit:
;   ret void
; r0.z:
;   %l = phi i64 [ 0, %r0 ], [ %25, %r0.z.next ]
;   %24 = mul nuw nsw i64 %l, %own.1
;   br label %r0.y
; r0.z.next:
;   %25 = add nuw nsw i64 %l, 1
;   %26 = icmp ult i64 %25, %own.2
;   br i1 %26, label %r0.z, label %r0.z.done, !llvm.loop !0
; r0.z.done:
;   br label %exit
; r0.y:
;   %l2 = phi i64 [ 0, %r0.z ], [ %29, %r0.y.next ]
;   %27 = add nuw nsw i64 %24, %l2
;   %row3 = mul nuw nsw i64 %27, %row1
;   %whole = and i64 %row1, -4
;   %28 = icmp ne i64 0, %whole
;   br i1 %28, label %r0.x.enter, label %r0.x.check
; r0.y.next:
;   %29 = add nuw nsw i64 %l2, 1
;   %30 = icmp ult i64 %29, %own.1
;   br i1 %30, label %r0.y, label %r0.y.done, !llvm.loop !3
; r0.y.done:
;   br label %r0.z.next
; r0.x.enter:
;   br label %r0.x
; r0.x.check:
;   %31 = icmp ne i64 %whole, %row1
;   br i1 %31, label %r0.x.rest, label %r0.y.next
; r0.x.rest:
;   %32 = sub i64 %row1, %whole
;   %33 = trunc i64 %32 to i8
;   %34 = insertelement <4 x i8> poison, i8 %33, i64 0
;   %35 = shufflevector <4 x i8> %34, <4 x i8> poison, <4 x i32> zeroinitializer
;   %rest = icmp ult <4 x i8> <i8 0, i8 1, i8 2, i8 3>, %35
;   %linear5 = add nuw nsw i64 %row3, %whole
;   br label %r0.items6
; r0.x:
;   %l4 = phi i64 [ 0, %r0.x.enter ], [ %36, %r0.x.next ]
;   %linear = add nuw nsw i64 %row3, %l4
;   br label %r0.items
; r0.x.next:
;   %36 = add nuw nsw i64 %l4, 4
;   %37 = icmp ult i64 %36, %whole
;   br i1 %37, label %r0.x, label %r0.x.done, !llvm.loop !4
; r0.x.done:
;   br label %r0.x.check
; r0.items:
;   br label %r0.entry
; r0.entry:
;   %g0 = add nuw nsw i64 %first.0, %l4
;   %g1 = add nuw nsw i64 %first.1, %l2
;   %g2 = add nuw nsw i64 %first.2, %l
;   %pa = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %g0
;   %38 = load <16 x float>, ptr addrspace(1) %pa, align 16, !llvm.access.group !6
;   br label %r0.loop
; r0.loop:
;   %i = phi i32 [ 0, %r0.entry ], [ %next, %r0.loop ]
;   %sum = phi <16 x float> [ zeroinitializer, %r0.entry ], [ %more, %r0.loop ]
;   %39 = shufflevector <4 x float> %s, <4 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3>
;   %more = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %38, <16 x float> %39, <16 x float> %sum)
;   %next = add i32 %i, 1
;   %done = icmp eq i32 %next, %n
;   br i1 %done, label %r0.end, label %r0.loop
; r0.end:
;   %po = getelementptr <4 x float>, ptr addrspace(1) %out, i64 %g0
;   store <16 x float> %more, ptr addrspace(1) %po, align 16, !llvm.access.group !6
;   %pb = getelementptr <4 x float>, ptr addrspace(1) %b, i64 %g0
;   %40 = load <16 x float>, ptr addrspace(1) %pb, align 16, !llvm.access.group !6
;   %41 = shufflevector <16 x float> %40, <16 x float> poison, <4 x i32> <i32 0, i32 4, i32 8, i32 12>
;   %42 = shufflevector <16 x float> %40, <16 x float> poison, <4 x i32> <i32 1, i32 5, i32 9, i32 13>
;   %43 = shufflevector <16 x float> %40, <16 x float> poison, <4 x i32> <i32 2, i32 6, i32 10, i32 14>
;   %44 = shufflevector <16 x float> %40, <16 x float> poison, <4 x i32> <i32 3, i32 7, i32 11, i32 15>
;   %45 = shufflevector <4 x float> %42, <4 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
;   %46 = shufflevector <4 x float> %42, <4 x float> %45, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
;   %47 = shufflevector <4 x float> %43, <4 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 poison, i32 poison, i32 poison, i32 poison>
;   %48 = shufflevector <8 x float> %46, <8 x float> %47, <12 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11>
;   %49 = shufflevector <4 x float> %44, <4 x float> poison, <12 x i32> <i32 0, i32 1, i32 2, i32 3, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
;   %50 = shufflevector <12 x float> %48, <12 x float> %49, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
;   %51 = shufflevector <16 x float> %50, <16 x float> poison, <16 x i32> <i32 0, i32 4, i32 8, i32 12, i32 1, i32 5, i32 9, i32 13, i32 2, i32 6, i32 10, i32 14, i32 3, i32 7, i32 11, i32 15>
;   store <16 x float> %51, ptr addrspace(1) %pb, align 16, !llvm.access.group !6
;   br label %r0.x.next
; r0.items6:
;   br label %r0.entry7
; r0.entry7:
;   %g010 = add nuw nsw i64 %first.0, %whole
;   %g111 = add nuw nsw i64 %first.1, %l2
;   %g212 = add nuw nsw i64 %first.2, %l
;   %pa13 = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %g010
;   %52 = shufflevector <4 x i1> %rest, <4 x i1> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1, i32 2, i32 2, i32 2, i32 2, i32 3, i32 3, i32 3, i32 3>
;   %53 = call <16 x float> @llvm.masked.load.v16f32.p1(ptr addrspace(1) align 16 %pa13, <16 x i1> %52, <16 x float> poison), !llvm.access.group !6
;   br label %r0.loop8
; r0.loop8:
;   %i14 = phi i32 [ 0, %r0.entry7 ], [ %next17, %r0.loop8 ]
;   %sum15 = phi <16 x float> [ zeroinitializer, %r0.entry7 ], [ %more16, %r0.loop8 ]
;   %54 = shufflevector <4 x float> %s, <4 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3>
;   %more16 = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %53, <16 x float> %54, <16 x float> %sum15)
;   %next17 = add i32 %i14, 1
;   %done18 = icmp eq i32 %next17, %n
;   br i1 %done18, label %r0.end9, label %r0.loop8
; r0.end9:
;   %po19 = getelementptr <4 x float>, ptr addrspace(1) %out, i64 %g010
;   %55 = shufflevector <4 x i1> %rest, <4 x i1> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1, i32 2, i32 2, i32 2, i32 2, i32 3, i32 3, i32 3, i32 3>
;   call void @llvm.masked.store.v16f32.p1(<16 x float> %more16, ptr addrspace(1) align 16 %po19, <16 x i1> %55), !llvm.access.group !6
;   %pb20 = getelementptr <4 x float>, ptr addrspace(1) %b, i64 %g010
;   %56 = shufflevector <4 x i1> %rest, <4 x i1> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1, i32 2, i32 2, i32 2, i32 2, i32 3, i32 3, i32 3, i32 3>
;   %57 = call <16 x float> @llvm.masked.load.v16f32.p1(ptr addrspace(1) align 16 %pb20, <16 x i1> %56, <16 x float> poison), !llvm.access.group !6
;   %58 = shufflevector <16 x float> %57, <16 x float> poison, <4 x i32> <i32 0, i32 4, i32 8, i32 12>
;   %59 = shufflevector <16 x float> %57, <16 x float> poison, <4 x i32> <i32 1, i32 5, i32 9, i32 13>
;   %60 = shufflevector <16 x float> %57, <16 x float> poison, <4 x i32> <i32 2, i32 6, i32 10, i32 14>
;   %61 = shufflevector <16 x float> %57, <16 x float> poison, <4 x i32> <i32 3, i32 7, i32 11, i32 15>
;   %62 = shufflevector <4 x float> %59, <4 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
;   %63 = shufflevector <4 x float> %59, <4 x float> %62, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
;   %64 = shufflevector <4 x float> %60, <4 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 poison, i32 poison, i32 poison, i32 poison>
;   %65 = shufflevector <8 x float> %63, <8 x float> %64, <12 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11>
;   %66 = shufflevector <4 x float> %61, <4 x float> poison, <12 x i32> <i32 0, i32 1, i32 2, i32 3, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
;   %67 = shufflevector <12 x float> %65, <12 x float> %66, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
;   %68 = shufflevector <16 x float> %67, <16 x float> poison, <16 x i32> <i32 0, i32 4, i32 8, i32 12, i32 1, i32 5, i32 9, i32 13, i32 2, i32 6, i32 10, i32 14, i32 3, i32 7, i32 11, i32 15>
;   %69 = shufflevector <4 x i1> %rest, <4 x i1> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1, i32 2, i32 2, i32 2, i32 2, i32 3, i32 3, i32 3, i32 3>
;   call void @llvm.masked.store.v16f32.p1(<16 x float> %68, ptr addrspace(1) align 16 %pb20, <16 x i1> %69), !llvm.access.group !6
;   br label %r0.y.next
; }
;
; !0 = distinct !{!0, !1, !2}
; !1 = !{!"llvm.loop.mustprogress"}
; !2 = !{!"llvm.loop.unroll.runtime.disable"}
; !3 = distinct !{!3, !1, !2}
; !4 = distinct !{!4, !1, !5}
; !5 = !{!"llvm.loop.parallel_accesses", !6}
; !6 = distinct !{}
