; Lanes that are off divide by the constant as the others do: LLVM makes that a product. By any other number quotients are those
; of doubles, which do not trap.
; kernel: quotients
; step: emit
; width: 4

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @quotients(ptr addrspace(1) noalias %a, i32 %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %g
  %v = load i32, ptr addrspace(1) %p
  %low = icmp slt i32 %v, 100
  br i1 %low, label %some, label %exit

some:
  %unsigned = udiv i32 %v, 10
  %signed = srem i32 %unsigned, 7
  %any = udiv i32 %signed, %n
  %minus = sdiv i32 %any, -1
  store i32 %minus, ptr addrspace(1) %p
  br label %exit

exit:
  ret void
}

; ---- after the steps:
; define internal void @oxcl_body_quotients(ptr addrspace(1) %a, i32 %n, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch, i64 %run) {
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
;   %wanted = alloca <4 x i1>, align 1
;   %wanted19 = alloca <4 x i1>, align 1
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
;   br label %r0.items8
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
;   store <4 x i1> zeroinitializer, ptr %wanted, align 1
;   br label %r0.entry
; r0.entry:
;   %g0 = add nuw nsw i64 %first.0, %l4
;   %g1 = add nuw nsw i64 %first.1, %l2
;   %g2 = add nuw nsw i64 %first.2, %l
;   %p = getelementptr i32, ptr addrspace(1) %a, i64 %g0
;   %38 = load <4 x i32>, ptr addrspace(1) %p, align 4, !llvm.access.group !6
;   %low = icmp slt <4 x i32> %38, splat (i32 100)
;   %yes = select <4 x i1> splat (i1 true), <4 x i1> %low, <4 x i1> zeroinitializer
;   %39 = xor <4 x i1> %low, splat (i1 true)
;   %no = select <4 x i1> splat (i1 true), <4 x i1> %39, <4 x i1> zeroinitializer
;   %mask = load <4 x i1>, ptr %wanted, align 1
;   %40 = or <4 x i1> %mask, %yes
;   store <4 x i1> %40, ptr %wanted, align 1
;   br label %r0.some
; r0.some:
;   %mask6 = load <4 x i1>, ptr %wanted, align 1
;   %41 = bitcast <4 x i1> %mask6 to i4
;   %any = icmp ne i4 %41, 0
;   br i1 %any, label %r0.run, label %r0.exit
; r0.exit:
;   br label %r0.x.next
; r0.run:
;   %mask7 = load <4 x i1>, ptr %wanted, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted, align 1
;   %unsigned = udiv <4 x i32> %38, splat (i32 10)
;   %signed = srem <4 x i32> %unsigned, splat (i32 7)
;   %42 = insertelement <4 x i32> poison, i32 %n, i64 0
;   %43 = shufflevector <4 x i32> %42, <4 x i32> poison, <4 x i32> zeroinitializer
;   %44 = uitofp <4 x i32> %signed to <4 x double>
;   %45 = uitofp i32 %n to double
;   %46 = fdiv double 1.000000e+00, %45
;   %inverse = fmul double %46, 0x3FF0000000000004
;   %47 = insertelement <4 x double> poison, double %inverse, i64 0
;   %48 = shufflevector <4 x double> %47, <4 x double> poison, <4 x i32> zeroinitializer
;   %49 = fmul <4 x double> %44, %48
;   %quotient = fptoui <4 x double> %49 to <4 x i32>
;   %divisor = select <4 x i1> %mask7, <4 x i32> splat (i32 -1), <4 x i32> splat (i32 1)
;   %minus = sdiv <4 x i32> %quotient, %divisor
;   call void @llvm.masked.store.v4i32.p1(<4 x i32> %minus, ptr addrspace(1) align 4 %p, <4 x i1> %mask7), !llvm.access.group !6
;   br label %r0.exit
; r0.items8:
;   store <4 x i1> zeroinitializer, ptr %wanted19, align 1
;   br label %r0.entry9
; r0.entry9:
;   %g012 = add nuw nsw i64 %first.0, %whole
;   %g113 = add nuw nsw i64 %first.1, %l2
;   %g214 = add nuw nsw i64 %first.2, %l
;   %p15 = getelementptr i32, ptr addrspace(1) %a, i64 %g012
;   %50 = call <4 x i32> @llvm.masked.load.v4i32.p1(ptr addrspace(1) align 4 %p15, <4 x i1> %rest, <4 x i32> poison), !llvm.access.group !6
;   %low16 = icmp slt <4 x i32> %50, splat (i32 100)
;   %yes17 = select <4 x i1> %rest, <4 x i1> %low16, <4 x i1> zeroinitializer
;   %51 = xor <4 x i1> %low16, splat (i1 true)
;   %no18 = select <4 x i1> %rest, <4 x i1> %51, <4 x i1> zeroinitializer
;   %mask20 = load <4 x i1>, ptr %wanted19, align 1
;   %52 = or <4 x i1> %mask20, %yes17
;   store <4 x i1> %52, ptr %wanted19, align 1
;   br label %r0.some10
; r0.some10:
;   %mask22 = load <4 x i1>, ptr %wanted19, align 1
;   %53 = bitcast <4 x i1> %mask22 to i4
;   %any23 = icmp ne i4 %53, 0
;   br i1 %any23, label %r0.run21, label %r0.exit11
; r0.exit11:
;   br label %r0.y.next
; r0.run21:
;   %mask24 = load <4 x i1>, ptr %wanted19, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted19, align 1
;   %unsigned25 = udiv <4 x i32> %50, splat (i32 10)
;   %signed26 = srem <4 x i32> %unsigned25, splat (i32 7)
;   %54 = insertelement <4 x i32> poison, i32 %n, i64 0
;   %55 = shufflevector <4 x i32> %54, <4 x i32> poison, <4 x i32> zeroinitializer
;   %56 = uitofp <4 x i32> %signed26 to <4 x double>
;   %57 = uitofp i32 %n to double
;   %58 = fdiv double 1.000000e+00, %57
;   %inverse27 = fmul double %58, 0x3FF0000000000004
;   %59 = insertelement <4 x double> poison, double %inverse27, i64 0
;   %60 = shufflevector <4 x double> %59, <4 x double> poison, <4 x i32> zeroinitializer
;   %61 = fmul <4 x double> %56, %60
;   %quotient28 = fptoui <4 x double> %61 to <4 x i32>
;   %divisor29 = select <4 x i1> %mask24, <4 x i32> splat (i32 -1), <4 x i32> splat (i32 1)
;   %minus30 = sdiv <4 x i32> %quotient28, %divisor29
;   call void @llvm.masked.store.v4i32.p1(<4 x i32> %minus30, ptr addrspace(1) align 4 %p15, <4 x i1> %mask24), !llvm.access.group !6
;   br label %r0.exit11
; }
;
; !0 = distinct !{!0, !1, !2}
; !1 = !{!"llvm.loop.mustprogress"}
; !2 = !{!"llvm.loop.unroll.runtime.disable"}
; !3 = distinct !{!3, !1, !2}
; !4 = distinct !{!4, !1, !5}
; !5 = !{!"llvm.loop.parallel_accesses", !6}
; !6 = distinct !{}
