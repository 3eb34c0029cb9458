; Lanes exchange places by bits that all share: stages for bits that are known later only, one shuffle for a constant; a gather where the
; first lane's place is no multiple of W; what is masked is masked by the lanes that the elements go to.
; step: emit
; width: 4

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(3) noalias %s, i32 %bits) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %x = trunc i64 %l to i32
  %i = xor i32 %x, %bits
  %at = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(3) %s, i64 %at
  %v = load i32, ptr addrspace(3) %p
  %swap = icmp ugt i32 %v, 7
  br i1 %swap, label %some, label %exit

some:
  %j = xor i64 %l, 3
  %q = getelementptr i32, ptr addrspace(3) %s, i64 %j
  store i32 %v, ptr addrspace(3) %q
  br label %exit

exit:
  ret void
}

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(3) %s, i32 %bits, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch) {
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
;   %21 = add nuw nsw i64 %items, 3
;   %rounded = and i64 %21, -4
;   %wanted = alloca <4 x i1>, align 1
;   %wanted36 = alloca <4 x i1>, align 1
;   br label %r0
; r0:
;   br label %r0.z
; exit:
;   ret void
; r0.z:
;   %l = phi i64 [ 0, %r0 ], [ %23, %r0.z.next ]
;   %22 = mul nuw nsw i64 %l, %own.1
;   br label %r0.y
; r0.z.next:
;   %23 = add nuw nsw i64 %l, 1
;   %24 = icmp ult i64 %23, %own.2
;   br i1 %24, label %r0.z, label %r0.z.done, !llvm.loop !0
; r0.z.done:
;   br label %exit
; r0.y:
;   %l1 = phi i64 [ 0, %r0.z ], [ %27, %r0.y.next ]
;   %25 = add nuw nsw i64 %22, %l1
;   %row = mul nuw nsw i64 %25, %own.0
;   %whole = and i64 %own.0, -4
;   %26 = icmp ne i64 0, %whole
;   br i1 %26, label %r0.x.enter, label %r0.x.check
; r0.y.next:
;   %27 = add nuw nsw i64 %l1, 1
;   %28 = icmp ult i64 %27, %own.1
;   br i1 %28, label %r0.y, label %r0.y.done, !llvm.loop !3
; r0.y.done:
;   br label %r0.z.next
; r0.x.enter:
;   br label %r0.x
; r0.x.check:
;   %29 = icmp ne i64 %whole, %own.0
;   br i1 %29, label %r0.x.rest, label %r0.y.next
; r0.x.rest:
;   %30 = sub i64 %own.0, %whole
;   %31 = trunc i64 %30 to i8
;   %32 = insertelement <4 x i8> poison, i8 %31, i64 0
;   %33 = shufflevector <4 x i8> %32, <4 x i8> poison, <4 x i32> zeroinitializer
;   %rest = icmp ult <4 x i8> <i8 0, i8 1, i8 2, i8 3>, %33
;   %linear3 = add nuw nsw i64 %row, %whole
;   br label %r0.items16
; r0.x:
;   %l2 = phi i64 [ 0, %r0.x.enter ], [ %34, %r0.x.next ]
;   %linear = add nuw nsw i64 %row, %l2
;   br label %r0.items
; r0.x.next:
;   %34 = add nuw nsw i64 %l2, 4
;   %35 = icmp ult i64 %34, %whole
;   br i1 %35, label %r0.x, label %r0.x.done, !llvm.loop !4
; r0.x.done:
;   br label %r0.x.check
; r0.items:
;   store <4 x i1> zeroinitializer, ptr %wanted, align 1
;   br label %r0.entry
; r0.entry:
;   %x = trunc nuw nsw i64 %l2 to i32
;   %36 = insertelement <4 x i32> poison, i32 %bits, i64 0
;   %37 = shufflevector <4 x i32> %36, <4 x i32> poison, <4 x i32> zeroinitializer
;   %38 = insertelement <4 x i32> poison, i32 %x, i64 0
;   %39 = shufflevector <4 x i32> %38, <4 x i32> poison, <4 x i32> zeroinitializer
;   %40 = add <4 x i32> %39, <i32 0, i32 1, i32 2, i32 3>
;   %i = xor <4 x i32> %40, %37
;   %at = zext <4 x i32> %i to <4 x i64>
;   %p = getelementptr i32, ptr addrspace(3) %s, <4 x i64> %at
;   %41 = and i32 %x, 3
;   %aligned = icmp eq i32 %41, 0
;   %42 = and i32 %bits, -4
;   %begin = xor i32 %x, %42
;   %43 = zext i32 %begin to i64
;   br i1 %aligned, label %r0.consecutive, label %r0.apart
; r0.some:
;   %mask7 = load <4 x i1>, ptr %wanted, align 1
;   %44 = bitcast <4 x i1> %mask7 to i4
;   %any = icmp ne i4 %44, 0
;   br i1 %any, label %r0.run, label %r0.exit
; r0.exit:
;   br label %r0.x.next
; r0.consecutive:
;   %p4 = getelementptr i32, ptr addrspace(3) %s, i64 %43
;   %45 = load <4 x i32>, ptr addrspace(3) %p4, align 4, !llvm.access.group !6
;   %46 = and i32 %bits, 1
;   %47 = icmp ne i32 %46, 0
;   %48 = shufflevector <4 x i32> %45, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
;   %49 = select i1 %47, <4 x i32> %48, <4 x i32> %45
;   %50 = and i32 %bits, 2
;   %51 = icmp ne i32 %50, 0
;   %52 = shufflevector <4 x i32> %49, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
;   %53 = select i1 %51, <4 x i32> %52, <4 x i32> %49
;   br label %r0.together
; r0.apart:
;   %54 = sext <4 x i32> %i to <4 x i64>
;   %p5 = getelementptr i32, ptr addrspace(3) %s, <4 x i64> %54
;   %v = call <4 x i32> @llvm.masked.gather.v4i32.v4p3(<4 x ptr addrspace(3)> align 4 %p5, <4 x i1> splat (i1 true), <4 x i32> poison), !llvm.access.group !6
;   br label %r0.together
; r0.together:
;   %v6 = phi <4 x i32> [ %53, %r0.consecutive ], [ %v, %r0.apart ]
;   %swap = icmp ugt <4 x i32> %v6, splat (i32 7)
;   %yes = select <4 x i1> splat (i1 true), <4 x i1> %swap, <4 x i1> zeroinitializer
;   %55 = xor <4 x i1> %swap, splat (i1 true)
;   %no = select <4 x i1> splat (i1 true), <4 x i1> %55, <4 x i1> zeroinitializer
;   %mask = load <4 x i1>, ptr %wanted, align 1
;   %56 = or <4 x i1> %mask, %yes
;   store <4 x i1> %56, ptr %wanted, align 1
;   br label %r0.some
; r0.run:
;   %mask8 = load <4 x i1>, ptr %wanted, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted, align 1
;   %57 = insertelement <4 x i64> poison, i64 %l2, i64 0
;   %58 = shufflevector <4 x i64> %57, <4 x i64> poison, <4 x i32> zeroinitializer
;   %59 = add <4 x i64> %58, <i64 0, i64 1, i64 2, i64 3>
;   %j = xor <4 x i64> %59, splat (i64 3)
;   %q = getelementptr i32, ptr addrspace(3) %s, <4 x i64> %j
;   %60 = and i64 %l2, 3
;   %aligned9 = icmp eq i64 %60, 0
;   %begin10 = xor i64 %l2, 0
;   br i1 %aligned9, label %r0.consecutive11, label %r0.apart12
; r0.consecutive11:
;   %q14 = getelementptr i32, ptr addrspace(3) %s, i64 %begin10
;   %61 = shufflevector <4 x i32> %v6, <4 x i32> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
;   %62 = shufflevector <4 x i1> %mask8, <4 x i1> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
;   call void @llvm.masked.store.v4i32.p3(<4 x i32> %61, ptr addrspace(3) align 4 %q14, <4 x i1> %62), !llvm.access.group !6
;   br label %r0.together13
; r0.apart12:
;   %q15 = getelementptr i32, ptr addrspace(3) %s, <4 x i64> %j
;   call void @llvm.masked.scatter.v4i32.v4p3(<4 x i32> %v6, <4 x ptr addrspace(3)> align 4 %q15, <4 x i1> %mask8), !llvm.access.group !6
;   br label %r0.together13
; r0.together13:
;   br label %r0.exit
; r0.items16:
;   store <4 x i1> zeroinitializer, ptr %wanted36, align 1
;   br label %r0.entry17
; r0.entry17:
;   %x20 = trunc nuw nsw i64 %whole to i32
;   %63 = insertelement <4 x i32> poison, i32 %bits, i64 0
;   %64 = shufflevector <4 x i32> %63, <4 x i32> poison, <4 x i32> zeroinitializer
;   %65 = insertelement <4 x i32> poison, i32 %x20, i64 0
;   %66 = shufflevector <4 x i32> %65, <4 x i32> poison, <4 x i32> zeroinitializer
;   %67 = add <4 x i32> %66, <i32 0, i32 1, i32 2, i32 3>
;   %i21 = xor <4 x i32> %67, %64
;   %at22 = zext <4 x i32> %i21 to <4 x i64>
;   %p23 = getelementptr i32, ptr addrspace(3) %s, <4 x i64> %at22
;   %68 = and i32 %x20, 3
;   %aligned24 = icmp eq i32 %68, 0
;   %69 = and i32 %bits, -4
;   %begin25 = xor i32 %x20, %69
;   %70 = zext i32 %begin25 to i64
;   br i1 %aligned24, label %r0.consecutive26, label %r0.apart27
; r0.some18:
;   %mask39 = load <4 x i1>, ptr %wanted36, align 1
;   %71 = bitcast <4 x i1> %mask39 to i4
;   %any40 = icmp ne i4 %71, 0
;   br i1 %any40, label %r0.run38, label %r0.exit19
; r0.exit19:
;   br label %r0.y.next
; r0.consecutive26:
;   %p29 = getelementptr i32, ptr addrspace(3) %s, i64 %70
;   %72 = and i32 %bits, 1
;   %73 = icmp ne i32 %72, 0
;   %74 = shufflevector <4 x i1> %rest, <4 x i1> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
;   %75 = select i1 %73, <4 x i1> %74, <4 x i1> %rest
;   %76 = and i32 %bits, 2
;   %77 = icmp ne i32 %76, 0
;   %78 = shufflevector <4 x i1> %75, <4 x i1> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
;   %79 = select i1 %77, <4 x i1> %78, <4 x i1> %75
;   %80 = call <4 x i32> @llvm.masked.load.v4i32.p3(ptr addrspace(3) align 4 %p29, <4 x i1> %79, <4 x i32> poison), !llvm.access.group !6
;   %81 = and i32 %bits, 1
;   %82 = icmp ne i32 %81, 0
;   %83 = shufflevector <4 x i32> %80, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
;   %84 = select i1 %82, <4 x i32> %83, <4 x i32> %80
;   %85 = and i32 %bits, 2
;   %86 = icmp ne i32 %85, 0
;   %87 = shufflevector <4 x i32> %84, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
;   %88 = select i1 %86, <4 x i32> %87, <4 x i32> %84
;   br label %r0.together28
; r0.apart27:
;   %89 = sext <4 x i32> %i21 to <4 x i64>
;   %p30 = getelementptr i32, ptr addrspace(3) %s, <4 x i64> %89
;   %v31 = call <4 x i32> @llvm.masked.gather.v4i32.v4p3(<4 x ptr addrspace(3)> align 4 %p30, <4 x i1> %rest, <4 x i32> poison), !llvm.access.group !6
;   br label %r0.together28
; r0.together28:
;   %v32 = phi <4 x i32> [ %88, %r0.consecutive26 ], [ %v31, %r0.apart27 ]
;   %swap33 = icmp ugt <4 x i32> %v32, splat (i32 7)
;   %yes34 = select <4 x i1> %rest, <4 x i1> %swap33, <4 x i1> zeroinitializer
;   %90 = xor <4 x i1> %swap33, splat (i1 true)
;   %no35 = select <4 x i1> %rest, <4 x i1> %90, <4 x i1> zeroinitializer
;   %mask37 = load <4 x i1>, ptr %wanted36, align 1
;   %91 = or <4 x i1> %mask37, %yes34
;   store <4 x i1> %91, ptr %wanted36, align 1
;   br label %r0.some18
; r0.run38:
;   %mask41 = load <4 x i1>, ptr %wanted36, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted36, align 1
;   %92 = insertelement <4 x i64> poison, i64 %whole, i64 0
;   %93 = shufflevector <4 x i64> %92, <4 x i64> poison, <4 x i32> zeroinitializer
;   %94 = add <4 x i64> %93, <i64 0, i64 1, i64 2, i64 3>
;   %j42 = xor <4 x i64> %94, splat (i64 3)
;   %q43 = getelementptr i32, ptr addrspace(3) %s, <4 x i64> %j42
;   %95 = and i64 %whole, 3
;   %aligned44 = icmp eq i64 %95, 0
;   %begin45 = xor i64 %whole, 0
;   br i1 %aligned44, label %r0.consecutive46, label %r0.apart47
; r0.consecutive46:
;   %q49 = getelementptr i32, ptr addrspace(3) %s, i64 %begin45
;   %96 = shufflevector <4 x i32> %v32, <4 x i32> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
;   %97 = shufflevector <4 x i1> %mask41, <4 x i1> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
;   call void @llvm.masked.store.v4i32.p3(<4 x i32> %96, ptr addrspace(3) align 4 %q49, <4 x i1> %97), !llvm.access.group !6
;   br label %r0.together48
; r0.apart47:
;   %q50 = getelementptr i32, ptr addrspace(3) %s, <4 x i64> %j42
;   call void @llvm.masked.scatter.v4i32.v4p3(<4 x i32> %v32, <4 x ptr addrspace(3)> align 4 %q50, <4 x i1> %mask41), !llvm.access.group !6
;   br label %r0.together48
; r0.together48:
;   br label %r0.exit19
; }
;
; !0 = distinct !{!0, !1, !2}
; !1 = !{!"llvm.loop.mustprogress"}
; !2 = !{!"llvm.loop.unroll.runtime.disable"}
; !3 = distinct !{!3, !1, !2}
; !4 = distinct !{!4, !1, !5}
; !5 = !{!"llvm.loop.parallel_accesses", !6}
; !6 = distinct !{}
