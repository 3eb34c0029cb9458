; Sixteen lanes of a function that has a form of eight: two calls.
; step: emit
; width: 16

declare i64 @_Z13get_global_idj(i32) memory(none)
declare float @_Z3sinf(float) #0

define void @k(ptr addrspace(1) %x) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr float, ptr addrspace(1) %x, i64 %g
  %v = load float, ptr addrspace(1) %p
  %s = call float @_Z3sinf(float %v)
  store float %s, ptr addrspace(1) %p
  ret void
}

attributes #0 = { nounwind willreturn memory(none) "vector-function-abi-variant"="_ZGV_LLVM_N4v__Z3sinf(_Z3sinDv4_f),_ZGV_LLVM_N8v__Z3sinf(_Z3sinDv8_f)" }

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(1) %x, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch, i64 %run) {
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
;   %23 = add nuw nsw i64 %items, 15
;   %rounded = and i64 %23, -16
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
;   %whole = and i64 %row1, -16
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
;   %34 = insertelement <16 x i8> poison, i8 %33, i64 0
;   %35 = shufflevector <16 x i8> %34, <16 x i8> poison, <16 x i32> zeroinitializer
;   %rest = icmp ult <16 x i8> <i8 0, i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7, i8 8, i8 9, i8 10, i8 11, i8 12, i8 13, i8 14, i8 15>, %35
;   %linear5 = add nuw nsw i64 %row3, %whole
;   br label %r0.items7
; r0.x:
;   %l4 = phi i64 [ 0, %r0.x.enter ], [ %36, %r0.x.next ]
;   %linear = add nuw nsw i64 %row3, %l4
;   br label %r0.items
; r0.x.next:
;   %36 = add nuw nsw i64 %l4, 16
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
;   %p = getelementptr float, ptr addrspace(1) %x, i64 %g0
;   %38 = load <16 x float>, ptr addrspace(1) %p, align 4, !llvm.access.group !6
;   %39 = shufflevector <16 x float> %38, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
;   %s = call <8 x float> @_Z3sinDv8_f(<8 x float> %39)
;   %40 = shufflevector <16 x float> %38, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
;   %s6 = call <8 x float> @_Z3sinDv8_f(<8 x float> %40)
;   %41 = shufflevector <8 x float> %s6, <8 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
;   %42 = shufflevector <8 x float> %s, <8 x float> %41, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
;   store <16 x float> %42, ptr addrspace(1) %p, align 4, !llvm.access.group !6
;   br label %r0.x.next
; r0.items7:
;   br label %r0.entry8
; r0.entry8:
;   %g09 = add nuw nsw i64 %first.0, %whole
;   %g110 = add nuw nsw i64 %first.1, %l2
;   %g211 = add nuw nsw i64 %first.2, %l
;   %p12 = getelementptr float, ptr addrspace(1) %x, i64 %g09
;   %43 = call <16 x float> @llvm.masked.load.v16f32.p1(ptr addrspace(1) align 4 %p12, <16 x i1> %rest, <16 x float> poison), !llvm.access.group !6
;   %44 = shufflevector <16 x float> %43, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
;   %s13 = call <8 x float> @_Z3sinDv8_f(<8 x float> %44)
;   %45 = shufflevector <16 x float> %43, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
;   %s14 = call <8 x float> @_Z3sinDv8_f(<8 x float> %45)
;   %46 = shufflevector <8 x float> %s14, <8 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
;   %47 = shufflevector <8 x float> %s13, <8 x float> %46, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
;   call void @llvm.masked.store.v16f32.p1(<16 x float> %47, ptr addrspace(1) align 4 %p12, <16 x i1> %rest), !llvm.access.group !6
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
