; With lanes the window begins and ends with whole vectors, or with the row, and the comparison stays.
; step: emit
; width: 8

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i64 %n, i64 %m) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %after = icmp sge i64 %l, %n
  %before = icmp slt i64 %l, %m
  %works = and i1 %after, %before
  br i1 %works, label %work, label %exit
work:
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %l
  store i32 7, ptr addrspace(1) %p
  br label %exit
exit:
  call void @_Z7barrierj(i32 1)
  ret void
}

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(1) %out, i64 %n, i64 %m, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch) {
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
;   %21 = add nuw nsw i64 %items, 7
;   %rounded = and i64 %21, -8
;   %wanted = alloca <8 x i1>, align 1
;   %wanted15 = alloca <8 x i1>, align 1
;   br label %r0
; r0:
;   %22 = freeze i64 %n
;   %23 = icmp slt i64 %22, 2305843009213693952
;   %24 = select i1 %23, i64 %22, i64 2305843009213693952
;   %25 = icmp sgt i64 %24, -2305843009213693952
;   %26 = select i1 %25, i64 %24, i64 -2305843009213693952
;   %27 = sub i64 %26, 0
;   %28 = add i64 %27, 1
;   %29 = icmp sgt i64 0, %27
;   %30 = select i1 %29, i64 0, i64 %27
;   %31 = freeze i64 %m
;   %32 = icmp slt i64 %31, 2305843009213693952
;   %33 = select i1 %32, i64 %31, i64 2305843009213693952
;   %34 = icmp sgt i64 %33, -2305843009213693952
;   %35 = select i1 %34, i64 %33, i64 -2305843009213693952
;   %36 = sub i64 %35, 0
;   %37 = add i64 %36, 1
;   %38 = icmp slt i64 %own.0, %36
;   %39 = select i1 %38, i64 %own.0, i64 %36
;   %40 = and i64 %30, -8
;   %41 = add i64 %39, 7
;   %42 = and i64 %41, -8
;   %43 = icmp slt i64 %42, %own.0
;   %44 = select i1 %43, i64 %42, i64 %own.0
;   %45 = icmp sge i64 %40, %44
;   br i1 %45, label %r0.over, label %r0.some
; r1:
;   br label %exit
; exit:
;   ret void
; r0.some:
;   br label %r0.z
; r0.over:
;   br label %r1
; r0.z:
;   %l = phi i64 [ 0, %r0.some ], [ %47, %r0.z.next ]
;   %46 = mul nuw nsw i64 %l, %own.1
;   br label %r0.y
; r0.z.next:
;   %47 = add nuw nsw i64 %l, 1
;   %48 = icmp ult i64 %47, %own.2
;   br i1 %48, label %r0.z, label %r0.z.done, !llvm.loop !0
; r0.z.done:
;   br label %r0.over
; r0.y:
;   %l1 = phi i64 [ 0, %r0.z ], [ %51, %r0.y.next ]
;   %49 = add nuw nsw i64 %46, %l1
;   %row = mul nuw nsw i64 %49, %own.0
;   %whole = and i64 %44, -8
;   %50 = icmp ne i64 %40, %whole
;   br i1 %50, label %r0.x.enter, label %r0.x.check
; r0.y.next:
;   %51 = add nuw nsw i64 %l1, 1
;   %52 = icmp ult i64 %51, %own.1
;   br i1 %52, label %r0.y, label %r0.y.done, !llvm.loop !3
; r0.y.done:
;   br label %r0.z.next
; r0.x.enter:
;   br label %r0.x
; r0.x.check:
;   %53 = icmp ne i64 %whole, %44
;   br i1 %53, label %r0.x.rest, label %r0.y.next
; r0.x.rest:
;   %54 = sub i64 %44, %whole
;   %55 = trunc i64 %54 to i8
;   %56 = insertelement <8 x i8> poison, i8 %55, i64 0
;   %57 = shufflevector <8 x i8> %56, <8 x i8> poison, <8 x i32> zeroinitializer
;   %rest = icmp ult <8 x i8> <i8 0, i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7>, %57
;   %linear3 = add nuw nsw i64 %row, %whole
;   br label %r0.items6
; r0.x:
;   %l2 = phi i64 [ %40, %r0.x.enter ], [ %58, %r0.x.next ]
;   %linear = add nuw nsw i64 %row, %l2
;   br label %r0.items
; r0.x.next:
;   %58 = add nuw nsw i64 %l2, 8
;   %59 = icmp ult i64 %58, %whole
;   br i1 %59, label %r0.x, label %r0.x.done, !llvm.loop !4
; r0.x.done:
;   br label %r0.x.check
; r0.items:
;   store <8 x i1> zeroinitializer, ptr %wanted, align 1
;   br label %r0.entry
; r0.entry:
;   %60 = insertelement <8 x i64> poison, i64 %l2, i64 0
;   %61 = shufflevector <8 x i64> %60, <8 x i64> poison, <8 x i32> zeroinitializer
;   %62 = add <8 x i64> %61, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
;   %63 = insertelement <8 x i64> poison, i64 %n, i64 0
;   %64 = shufflevector <8 x i64> %63, <8 x i64> poison, <8 x i32> zeroinitializer
;   %after = icmp sge <8 x i64> %62, %64
;   %65 = insertelement <8 x i64> poison, i64 %l2, i64 0
;   %66 = shufflevector <8 x i64> %65, <8 x i64> poison, <8 x i32> zeroinitializer
;   %67 = add <8 x i64> %66, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
;   %68 = insertelement <8 x i64> poison, i64 %m, i64 0
;   %69 = shufflevector <8 x i64> %68, <8 x i64> poison, <8 x i32> zeroinitializer
;   %before = icmp slt <8 x i64> %67, %69
;   %works = and <8 x i1> %after, %before
;   %yes = select <8 x i1> splat (i1 true), <8 x i1> %works, <8 x i1> zeroinitializer
;   %70 = xor <8 x i1> %works, splat (i1 true)
;   %no = select <8 x i1> splat (i1 true), <8 x i1> %70, <8 x i1> zeroinitializer
;   %mask = load <8 x i1>, ptr %wanted, align 1
;   %71 = or <8 x i1> %mask, %yes
;   store <8 x i1> %71, ptr %wanted, align 1
;   br label %r0.work
; r0.work:
;   %mask4 = load <8 x i1>, ptr %wanted, align 1
;   %72 = bitcast <8 x i1> %mask4 to i8
;   %any = icmp ne i8 %72, 0
;   br i1 %any, label %r0.run, label %r0.exit
; r0.exit:
;   br label %r0.out
; r0.run:
;   %mask5 = load <8 x i1>, ptr %wanted, align 1
;   store <8 x i1> zeroinitializer, ptr %wanted, align 1
;   %p = getelementptr i32, ptr addrspace(1) %out, i64 %l2
;   call void @llvm.masked.store.v8i32.p1(<8 x i32> splat (i32 7), ptr addrspace(1) align 4 %p, <8 x i1> %mask5), !llvm.access.group !6
;   br label %r0.exit
; r0.out:
;   br label %r0.x.next
; r0.items6:
;   store <8 x i1> zeroinitializer, ptr %wanted15, align 1
;   br label %r0.entry7
; r0.entry7:
;   %73 = insertelement <8 x i64> poison, i64 %whole, i64 0
;   %74 = shufflevector <8 x i64> %73, <8 x i64> poison, <8 x i32> zeroinitializer
;   %75 = add <8 x i64> %74, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
;   %76 = insertelement <8 x i64> poison, i64 %n, i64 0
;   %77 = shufflevector <8 x i64> %76, <8 x i64> poison, <8 x i32> zeroinitializer
;   %after10 = icmp sge <8 x i64> %75, %77
;   %78 = insertelement <8 x i64> poison, i64 %whole, i64 0
;   %79 = shufflevector <8 x i64> %78, <8 x i64> poison, <8 x i32> zeroinitializer
;   %80 = add <8 x i64> %79, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
;   %81 = insertelement <8 x i64> poison, i64 %m, i64 0
;   %82 = shufflevector <8 x i64> %81, <8 x i64> poison, <8 x i32> zeroinitializer
;   %before11 = icmp slt <8 x i64> %80, %82
;   %works12 = and <8 x i1> %after10, %before11
;   %yes13 = select <8 x i1> %rest, <8 x i1> %works12, <8 x i1> zeroinitializer
;   %83 = xor <8 x i1> %works12, splat (i1 true)
;   %no14 = select <8 x i1> %rest, <8 x i1> %83, <8 x i1> zeroinitializer
;   %mask16 = load <8 x i1>, ptr %wanted15, align 1
;   %84 = or <8 x i1> %mask16, %yes13
;   store <8 x i1> %84, ptr %wanted15, align 1
;   br label %r0.work8
; r0.work8:
;   %mask18 = load <8 x i1>, ptr %wanted15, align 1
;   %85 = bitcast <8 x i1> %mask18 to i8
;   %any19 = icmp ne i8 %85, 0
;   br i1 %any19, label %r0.run17, label %r0.exit9
; r0.exit9:
;   br label %r0.out22
; r0.run17:
;   %mask20 = load <8 x i1>, ptr %wanted15, align 1
;   store <8 x i1> zeroinitializer, ptr %wanted15, align 1
;   %p21 = getelementptr i32, ptr addrspace(1) %out, i64 %whole
;   call void @llvm.masked.store.v8i32.p1(<8 x i32> splat (i32 7), ptr addrspace(1) align 4 %p21, <8 x i1> %mask20), !llvm.access.group !6
;   br label %r0.exit9
; r0.out22:
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
