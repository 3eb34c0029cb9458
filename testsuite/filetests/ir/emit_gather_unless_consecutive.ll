; The lanes' indices are compared with the first active one's, and must not wrap around where they are extended.
; step: emit
; width: 4

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(3) noalias %s, i32 %t) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %x = trunc i64 %l to i32
  %below = sub i32 %t, 1
  %low = and i32 %x, %below
  %twice = shl i32 %x, 1
  %i = sub i32 %twice, %low
  %at = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(3) %s, i64 %at
  %v = load i32, ptr addrspace(3) %p
  %swap = icmp ugt i32 %v, 7
  br i1 %swap, label %some, label %exit

some:
  store i32 %t, ptr addrspace(3) %p
  br label %exit

exit:
  ret void
}

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(3) %s, i32 %t, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch) {
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
;   %wanted38 = alloca <4 x i1>, align 1
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
;   br label %r0.items14
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
;   %below = sub i32 %t, 1
;   %36 = insertelement <4 x i32> poison, i32 %below, i64 0
;   %37 = shufflevector <4 x i32> %36, <4 x i32> poison, <4 x i32> zeroinitializer
;   %38 = insertelement <4 x i32> poison, i32 %x, i64 0
;   %39 = shufflevector <4 x i32> %38, <4 x i32> poison, <4 x i32> zeroinitializer
;   %40 = add <4 x i32> %39, <i32 0, i32 1, i32 2, i32 3>
;   %low = and <4 x i32> %40, %37
;   %twice = shl i32 %x, 1
;   %41 = insertelement <4 x i32> poison, i32 %twice, i64 0
;   %42 = shufflevector <4 x i32> %41, <4 x i32> poison, <4 x i32> zeroinitializer
;   %43 = add <4 x i32> %42, <i32 0, i32 2, i32 4, i32 6>
;   %i = sub <4 x i32> %43, %low
;   %at = zext <4 x i32> %i to <4 x i64>
;   %p = getelementptr i32, ptr addrspace(3) %s, <4 x i64> %at
;   %44 = extractelement <4 x i32> %i, i64 0
;   %45 = insertelement <4 x i32> poison, i32 %44, i64 0
;   %46 = shufflevector <4 x i32> %45, <4 x i32> poison, <4 x i32> zeroinitializer
;   %47 = add <4 x i32> %46, <i32 0, i32 1, i32 2, i32 3>
;   %48 = icmp eq <4 x i32> %i, %47
;   %49 = bitcast <4 x i1> %48 to i4
;   %all = icmp eq i4 %49, -1
;   %50 = add i32 %44, 3
;   %ascends = icmp ult i32 %44, %50
;   %consecutive = and i1 %ascends, %all
;   %51 = zext i32 %44 to i64
;   br i1 %consecutive, label %r0.consecutive, label %r0.apart
; r0.some:
;   %mask7 = load <4 x i1>, ptr %wanted, align 1
;   %52 = bitcast <4 x i1> %mask7 to i4
;   %any = icmp ne i4 %52, 0
;   br i1 %any, label %r0.run, label %r0.exit
; r0.exit:
;   br label %r0.x.next
; r0.consecutive:
;   %p4 = getelementptr i32, ptr addrspace(3) %s, i64 %51
;   %53 = load <4 x i32>, ptr addrspace(3) %p4, align 4, !llvm.access.group !6
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
;   %57 = insertelement <4 x i32> poison, i32 %t, i64 0
;   %58 = shufflevector <4 x i32> %57, <4 x i32> poison, <4 x i32> zeroinitializer
;   %59 = zext i32 %44 to i64
;   br i1 %consecutive, label %r0.consecutive9, label %r0.apart10
; r0.consecutive9:
;   %p12 = getelementptr i32, ptr addrspace(3) %s, i64 %59
;   call void @llvm.masked.store.v4i32.p3(<4 x i32> %58, ptr addrspace(3) align 4 %p12, <4 x i1> %mask8), !llvm.access.group !6
;   br label %r0.together11
; r0.apart10:
;   %60 = sext <4 x i32> %i to <4 x i64>
;   %p13 = getelementptr i32, ptr addrspace(3) %s, <4 x i64> %60
;   call void @llvm.masked.scatter.v4i32.v4p3(<4 x i32> %58, <4 x ptr addrspace(3)> align 4 %p13, <4 x i1> %mask8), !llvm.access.group !6
;   br label %r0.together11
; r0.together11:
;   br label %r0.exit
; r0.items14:
;   store <4 x i1> zeroinitializer, ptr %wanted38, align 1
;   br label %r0.entry15
; r0.entry15:
;   %x18 = trunc nuw nsw i64 %whole to i32
;   %below19 = sub i32 %t, 1
;   %61 = insertelement <4 x i32> poison, i32 %below19, i64 0
;   %62 = shufflevector <4 x i32> %61, <4 x i32> poison, <4 x i32> zeroinitializer
;   %63 = insertelement <4 x i32> poison, i32 %x18, i64 0
;   %64 = shufflevector <4 x i32> %63, <4 x i32> poison, <4 x i32> zeroinitializer
;   %65 = add <4 x i32> %64, <i32 0, i32 1, i32 2, i32 3>
;   %low20 = and <4 x i32> %65, %62
;   %twice21 = shl i32 %x18, 1
;   %66 = insertelement <4 x i32> poison, i32 %twice21, i64 0
;   %67 = shufflevector <4 x i32> %66, <4 x i32> poison, <4 x i32> zeroinitializer
;   %68 = add <4 x i32> %67, <i32 0, i32 2, i32 4, i32 6>
;   %i22 = sub <4 x i32> %68, %low20
;   %at23 = zext <4 x i32> %i22 to <4 x i64>
;   %p24 = getelementptr i32, ptr addrspace(3) %s, <4 x i64> %at23
;   %69 = bitcast <4 x i1> %rest to i4
;   %70 = zext i4 %69 to i64
;   %71 = call i64 @llvm.cttz.i64(i64 %70, i1 false)
;   %72 = icmp ne i64 %70, 0
;   %first = select i1 %72, i64 %71, i64 4
;   %73 = extractelement <4 x i32> %i22, i64 %first
;   %74 = trunc i64 %first to i32
;   %begin = sub i32 %73, %74
;   %75 = insertelement <4 x i32> poison, i32 %begin, i64 0
;   %76 = shufflevector <4 x i32> %75, <4 x i32> poison, <4 x i32> zeroinitializer
;   %77 = add <4 x i32> %76, <i32 0, i32 1, i32 2, i32 3>
;   %78 = icmp eq <4 x i32> %i22, %77
;   %79 = select <4 x i1> %rest, <4 x i1> %78, <4 x i1> splat (i1 true)
;   %80 = bitcast <4 x i1> %79 to i4
;   %all25 = icmp eq i4 %80, -1
;   %81 = add i32 %begin, 3
;   %ascends26 = icmp ult i32 %begin, %81
;   %consecutive27 = and i1 %ascends26, %all25
;   %82 = zext i32 %begin to i64
;   br i1 %consecutive27, label %r0.consecutive28, label %r0.apart29
; r0.some16:
;   %mask41 = load <4 x i1>, ptr %wanted38, align 1
;   %83 = bitcast <4 x i1> %mask41 to i4
;   %any42 = icmp ne i4 %83, 0
;   br i1 %any42, label %r0.run40, label %r0.exit17
; r0.exit17:
;   br label %r0.y.next
; r0.consecutive28:
;   %p31 = getelementptr i32, ptr addrspace(3) %s, i64 %82
;   %84 = call <4 x i32> @llvm.masked.load.v4i32.p3(ptr addrspace(3) align 4 %p31, <4 x i1> %rest, <4 x i32> poison), !llvm.access.group !6
;   br label %r0.together30
; r0.apart29:
;   %85 = sext <4 x i32> %i22 to <4 x i64>
;   %p32 = getelementptr i32, ptr addrspace(3) %s, <4 x i64> %85
;   %v33 = call <4 x i32> @llvm.masked.gather.v4i32.v4p3(<4 x ptr addrspace(3)> align 4 %p32, <4 x i1> %rest, <4 x i32> poison), !llvm.access.group !6
;   br label %r0.together30
; r0.together30:
;   %v34 = phi <4 x i32> [ %84, %r0.consecutive28 ], [ %v33, %r0.apart29 ]
;   %swap35 = icmp ugt <4 x i32> %v34, splat (i32 7)
;   %yes36 = select <4 x i1> %rest, <4 x i1> %swap35, <4 x i1> zeroinitializer
;   %86 = xor <4 x i1> %swap35, splat (i1 true)
;   %no37 = select <4 x i1> %rest, <4 x i1> %86, <4 x i1> zeroinitializer
;   %mask39 = load <4 x i1>, ptr %wanted38, align 1
;   %87 = or <4 x i1> %mask39, %yes36
;   store <4 x i1> %87, ptr %wanted38, align 1
;   br label %r0.some16
; r0.run40:
;   %mask43 = load <4 x i1>, ptr %wanted38, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted38, align 1
;   %88 = insertelement <4 x i32> poison, i32 %t, i64 0
;   %89 = shufflevector <4 x i32> %88, <4 x i32> poison, <4 x i32> zeroinitializer
;   %90 = zext i32 %begin to i64
;   br i1 %consecutive27, label %r0.consecutive44, label %r0.apart45
; r0.consecutive44:
;   %p47 = getelementptr i32, ptr addrspace(3) %s, i64 %90
;   call void @llvm.masked.store.v4i32.p3(<4 x i32> %89, ptr addrspace(3) align 4 %p47, <4 x i1> %mask43), !llvm.access.group !6
;   br label %r0.together46
; r0.apart45:
;   %91 = sext <4 x i32> %i22 to <4 x i64>
;   %p48 = getelementptr i32, ptr addrspace(3) %s, <4 x i64> %91
;   call void @llvm.masked.scatter.v4i32.v4p3(<4 x i32> %89, <4 x ptr addrspace(3)> align 4 %p48, <4 x i1> %mask43), !llvm.access.group !6
;   br label %r0.together46
; r0.together46:
;   br label %r0.exit17
; }
;
; !0 = distinct !{!0, !1, !2}
; !1 = !{!"llvm.loop.mustprogress"}
; !2 = !{!"llvm.loop.unroll.runtime.disable"}
; !3 = distinct !{!3, !1, !2}
; !4 = distinct !{!4, !1, !5}
; !5 = !{!"llvm.loop.parallel_accesses", !6}
; !6 = distinct !{}
