; Under a mask lane 0 may be off, and its index may have wrapped around where those of the lanes that are on have not: the
; first active lane's is extended.
; step: emit
; width: 4
; local: 8,1,1

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %out, i32 %from) {
entry:
  %x = call i64 @_Z12get_local_idj(i32 0)
  %inside = icmp ne i64 %x, 0
  br i1 %inside, label %then, label %exit

then:
  %id = trunc i64 %x to i32
  %i = add nsw i32 %id, %from
  %wide = sext i32 %i to i64
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %x
  store i64 %wide, ptr addrspace(1) %p
  br label %exit

exit:
  ret void
}

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(1) %out, i32 %from, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch) {
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
;   %6 = mul nuw nsw i64 %gx, 8
;   %7 = mul nuw nsw i64 %gy, 1
;   %8 = mul nuw nsw i64 %gz, 1
;   %first.0 = add nuw nsw i64 %6, %offset.0
;   %first.1 = add nuw nsw i64 %7, %offset.1
;   %first.2 = add nuw nsw i64 %8, %offset.2
;   %9 = mul nuw nsw i64 %groups.0, 8
;   %10 = mul nuw nsw i64 %groups.1, 1
;   %11 = mul nuw nsw i64 %groups.2, 1
;   %print = getelementptr inbounds i8, ptr %ctx, i64 72
;   %wanted = alloca <4 x i1>, align 1
;   %wanted11 = alloca <4 x i1>, align 1
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
;   br i1 %14, label %r0.z, label %r0.z.done, !llvm.loop !0
; r0.z.done:
;   br label %exit
; r0.y:
;   %l1 = phi i64 [ 0, %r0.z ], [ %16, %r0.y.next ]
;   %15 = add nuw nsw i64 %12, %l1
;   %row = mul nuw nsw i64 %15, 8
;   br i1 true, label %r0.x.enter, label %r0.x.check
; r0.y.next:
;   %16 = add nuw nsw i64 %l1, 1
;   %17 = icmp ult i64 %16, 1
;   br i1 %17, label %r0.y, label %r0.y.done, !llvm.loop !3
; r0.y.done:
;   br label %r0.z.next
; r0.x.enter:
;   br label %r0.x
; r0.x.check:
;   br i1 false, label %r0.x.rest, label %r0.y.next
; r0.x.rest:
;   %linear3 = add nuw nsw i64 %row, 8
;   br label %r0.items7
; r0.x:
;   %l2 = phi i64 [ 0, %r0.x.enter ], [ %18, %r0.x.next ]
;   %linear = add nuw nsw i64 %row, %l2
;   br label %r0.items
; r0.x.next:
;   %18 = add nuw nsw i64 %l2, 4
;   %19 = icmp ult i64 %18, 8
;   br i1 %19, label %r0.x, label %r0.x.done, !llvm.loop !4
; r0.x.done:
;   br label %r0.x.check
; r0.items:
;   store <4 x i1> zeroinitializer, ptr %wanted, align 1
;   br label %r0.entry
; r0.entry:
;   %20 = insertelement <4 x i64> poison, i64 %l2, i64 0
;   %21 = shufflevector <4 x i64> %20, <4 x i64> poison, <4 x i32> zeroinitializer
;   %22 = add <4 x i64> %21, <i64 0, i64 1, i64 2, i64 3>
;   %inside = icmp ne <4 x i64> %22, zeroinitializer
;   %yes = select <4 x i1> splat (i1 true), <4 x i1> %inside, <4 x i1> zeroinitializer
;   %23 = xor <4 x i1> %inside, splat (i1 true)
;   %no = select <4 x i1> splat (i1 true), <4 x i1> %23, <4 x i1> zeroinitializer
;   %mask = load <4 x i1>, ptr %wanted, align 1
;   %24 = or <4 x i1> %mask, %yes
;   store <4 x i1> %24, ptr %wanted, align 1
;   br label %r0.then
; r0.then:
;   %mask4 = load <4 x i1>, ptr %wanted, align 1
;   %25 = bitcast <4 x i1> %mask4 to i4
;   %any = icmp ne i4 %25, 0
;   br i1 %any, label %r0.run, label %r0.exit
; r0.exit:
;   br label %r0.x.next
; r0.run:
;   %mask5 = load <4 x i1>, ptr %wanted, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted, align 1
;   %id = trunc i64 %l2 to i32
;   %i = add i32 %id, %from
;   %26 = bitcast <4 x i1> %mask5 to i4
;   %27 = zext i4 %26 to i64
;   %28 = call i64 @llvm.cttz.i64(i64 %27, i1 false)
;   %29 = icmp ne i64 %27, 0
;   %first = select i1 %29, i64 %28, i64 4
;   %30 = trunc i64 %first to i32
;   %31 = mul i32 %30, 1
;   %32 = add i32 %i, %31
;   %wide = sext i32 %32 to i64
;   %33 = mul i64 %first, 1
;   %wide6 = sub i64 %wide, %33
;   %p = getelementptr i64, ptr addrspace(1) %out, i64 %l2
;   %34 = insertelement <4 x i64> poison, i64 %wide6, i64 0
;   %35 = shufflevector <4 x i64> %34, <4 x i64> poison, <4 x i32> zeroinitializer
;   %36 = add <4 x i64> %35, <i64 0, i64 1, i64 2, i64 3>
;   call void @llvm.masked.store.v4i64.p1(<4 x i64> %36, ptr addrspace(1) align 4 %p, <4 x i1> %mask5), !llvm.access.group !6
;   br label %r0.exit
; r0.items7:
;   store <4 x i1> zeroinitializer, ptr %wanted11, align 1
;   br label %r0.entry8
; r0.entry8:
;   %mask12 = load <4 x i1>, ptr %wanted11, align 1
;   %37 = or <4 x i1> %mask12, zeroinitializer
;   store <4 x i1> %37, ptr %wanted11, align 1
;   br label %r0.then9
; r0.then9:
;   %mask14 = load <4 x i1>, ptr %wanted11, align 1
;   %38 = bitcast <4 x i1> %mask14 to i4
;   %any15 = icmp ne i4 %38, 0
;   br i1 %any15, label %r0.run13, label %r0.exit10
; r0.exit10:
;   br label %r0.y.next
; r0.run13:
;   %mask16 = load <4 x i1>, ptr %wanted11, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted11, align 1
;   %id17 = trunc i64 8 to i32
;   %i18 = add i32 %id17, %from
;   %39 = bitcast <4 x i1> %mask16 to i4
;   %40 = zext i4 %39 to i64
;   %41 = call i64 @llvm.cttz.i64(i64 %40, i1 false)
;   %42 = icmp ne i64 %40, 0
;   %first19 = select i1 %42, i64 %41, i64 4
;   %43 = trunc i64 %first19 to i32
;   %44 = mul i32 %43, 1
;   %45 = add i32 %i18, %44
;   %wide20 = sext i32 %45 to i64
;   %46 = mul i64 %first19, 1
;   %wide21 = sub i64 %wide20, %46
;   %p22 = getelementptr i64, ptr addrspace(1) %out, i64 8
;   %47 = insertelement <4 x i64> poison, i64 %wide21, i64 0
;   %48 = shufflevector <4 x i64> %47, <4 x i64> poison, <4 x i32> zeroinitializer
;   %49 = add <4 x i64> %48, <i64 0, i64 1, i64 2, i64 3>
;   call void @llvm.masked.store.v4i64.p1(<4 x i64> %49, ptr addrspace(1) align 4 %p22, <4 x i1> %mask16), !llvm.access.group !6
;   br label %r0.exit10
; }
;
; !0 = distinct !{!0, !1, !2}
; !1 = !{!"llvm.loop.mustprogress"}
; !2 = !{!"llvm.loop.unroll.runtime.disable"}
; !3 = distinct !{!3, !1, !2}
; !4 = distinct !{!4, !1, !5}
; !5 = !{!"llvm.loop.parallel_accesses", !6}
; !6 = distinct !{}
