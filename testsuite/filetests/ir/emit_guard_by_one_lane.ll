; A guard of comparisons that rise evenly from lane to lane is tested for one scalar each, the lane that is nearest to failing: the first
; against a lower end, the last against an upper one; whether or not the right side only has a value where the left one holds. A
; number that may wrap around between lanes, here of 8 bits, is compared for all lanes.
; step: guards
; step: emit
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %out, i64 %n, i32 %m) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %x to i32
  %below = icmp slt i32 %i, 1
  %down = sub nsw i32 %m, %i
  %past = icmp sle i32 %down, 3
  %outside = select i1 %below, i1 true, i1 %past
  %unsigned = icmp ult i64 %x, %n
  %byte = trunc i64 %x to i8
  %small = icmp ult i8 %byte, 100
  %both = and i1 %unsigned, %small
  %inside = xor i1 %outside, true
  %all = select i1 %inside, i1 %both, i1 false
  br i1 %all, label %then, label %exit

then:
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %x
  store i32 7, ptr addrspace(1) %p
  br label %exit

exit:
  ret void
}

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(1) %out, i64 %n, i32 %m, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch, i64 %run) {
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
;   %23 = add nuw nsw i64 %items, 7
;   %rounded = and i64 %23, -8
;   %wanted = alloca <8 x i1>, align 1
;   %wanted35 = alloca <8 x i1>, align 1
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
;   %whole = and i64 %row1, -8
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
;   %34 = insertelement <8 x i8> poison, i8 %33, i64 0
;   %35 = shufflevector <8 x i8> %34, <8 x i8> poison, <8 x i32> zeroinitializer
;   %rest = icmp ult <8 x i8> <i8 0, i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7>, %35
;   %linear5 = add nuw nsw i64 %row3, %whole
;   br label %r0.items12
; r0.x:
;   %l4 = phi i64 [ 0, %r0.x.enter ], [ %36, %r0.x.next ]
;   %linear = add nuw nsw i64 %row3, %l4
;   br label %r0.items
; r0.x.next:
;   %36 = add nuw nsw i64 %l4, 8
;   %37 = icmp ult i64 %36, %whole
;   br i1 %37, label %r0.x, label %r0.x.done, !llvm.loop !4
; r0.x.done:
;   br label %r0.x.check
; r0.items:
;   store <8 x i1> zeroinitializer, ptr %wanted, align 1
;   br label %r0.entry
; r0.entry:
;   %g0 = add nuw nsw i64 %first.0, %l4
;   %g1 = add nuw nsw i64 %first.1, %l2
;   %g2 = add nuw nsw i64 %first.2, %l
;   %i = trunc nuw nsw i64 %g0 to i32
;   %38 = insertelement <8 x i32> poison, i32 %i, i64 0
;   %39 = shufflevector <8 x i32> %38, <8 x i32> poison, <8 x i32> zeroinitializer
;   %40 = add <8 x i32> %39, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
;   %below = icmp slt <8 x i32> %40, splat (i32 1)
;   %down = sub nsw i32 %m, %i
;   %41 = insertelement <8 x i32> poison, i32 %down, i64 0
;   %42 = shufflevector <8 x i32> %41, <8 x i32> poison, <8 x i32> zeroinitializer
;   %43 = add <8 x i32> %42, <i32 0, i32 -1, i32 -2, i32 -3, i32 -4, i32 -5, i32 -6, i32 -7>
;   %past = icmp sle <8 x i32> %43, splat (i32 3)
;   %outside = select <8 x i1> %below, <8 x i1> splat (i1 true), <8 x i1> %past
;   %44 = insertelement <8 x i64> poison, i64 %g0, i64 0
;   %45 = shufflevector <8 x i64> %44, <8 x i64> poison, <8 x i32> zeroinitializer
;   %46 = add <8 x i64> %45, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
;   %47 = insertelement <8 x i64> poison, i64 %n, i64 0
;   %48 = shufflevector <8 x i64> %47, <8 x i64> poison, <8 x i32> zeroinitializer
;   %unsigned = icmp ult <8 x i64> %46, %48
;   %byte = trunc i64 %g0 to i8
;   %49 = insertelement <8 x i8> poison, i8 %byte, i64 0
;   %50 = shufflevector <8 x i8> %49, <8 x i8> poison, <8 x i32> zeroinitializer
;   %51 = add <8 x i8> %50, <i8 0, i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7>
;   %small = icmp ult <8 x i8> %51, splat (i8 100)
;   %both = and <8 x i1> %unsigned, %small
;   %inside = xor <8 x i1> %outside, splat (i1 true)
;   %all = select <8 x i1> %inside, <8 x i1> %both, <8 x i1> zeroinitializer
;   %all6 = icmp sge i32 %i, 1
;   %52 = add i32 %down, -7
;   %all7 = icmp sgt i32 %52, 3
;   %53 = select i1 %all6, i1 %all7, i1 false
;   %54 = add i64 %g0, 7
;   %all8 = icmp ult i64 %54, %n
;   %55 = bitcast <8 x i1> %small to i8
;   %all9 = icmp eq i8 %55, -1
;   %56 = and i1 %all8, %all9
;   %57 = select i1 %53, i1 %56, i1 false
;   br i1 %57, label %r0.then.all, label %r0.entry.some
; r0.entry.some:
;   %yes = select <8 x i1> splat (i1 true), <8 x i1> %all, <8 x i1> zeroinitializer
;   %58 = xor <8 x i1> %all, splat (i1 true)
;   %no = select <8 x i1> splat (i1 true), <8 x i1> %58, <8 x i1> zeroinitializer
;   %mask = load <8 x i1>, ptr %wanted, align 1
;   %59 = or <8 x i1> %mask, %yes
;   store <8 x i1> %59, ptr %wanted, align 1
;   br label %r0.then
; r0.then:
;   %mask10 = load <8 x i1>, ptr %wanted, align 1
;   %60 = bitcast <8 x i1> %mask10 to i8
;   %any = icmp ne i8 %60, 0
;   br i1 %any, label %r0.run, label %r0.exit
; r0.then.all:
;   %p2 = getelementptr i32, ptr addrspace(1) %out, i64 %g0
;   store <8 x i32> splat (i32 7), ptr addrspace(1) %p2, align 4, !llvm.access.group !6
;   br label %r0.out
; r0.exit:
;   br label %r0.x.next
; r0.run:
;   %mask11 = load <8 x i1>, ptr %wanted, align 1
;   store <8 x i1> zeroinitializer, ptr %wanted, align 1
;   %p = getelementptr i32, ptr addrspace(1) %out, i64 %g0
;   call void @llvm.masked.store.v8i32.p1(<8 x i32> splat (i32 7), ptr addrspace(1) align 4 %p, <8 x i1> %mask11), !llvm.access.group !6
;   br label %r0.exit
; r0.out:
;   br label %r0.exit
; r0.items12:
;   store <8 x i1> zeroinitializer, ptr %wanted35, align 1
;   br label %r0.entry13
; r0.entry13:
;   %g018 = add nuw nsw i64 %first.0, %whole
;   %g119 = add nuw nsw i64 %first.1, %l2
;   %g220 = add nuw nsw i64 %first.2, %l
;   %i21 = trunc nuw nsw i64 %g018 to i32
;   %61 = insertelement <8 x i32> poison, i32 %i21, i64 0
;   %62 = shufflevector <8 x i32> %61, <8 x i32> poison, <8 x i32> zeroinitializer
;   %63 = add <8 x i32> %62, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
;   %below22 = icmp slt <8 x i32> %63, splat (i32 1)
;   %down23 = sub nsw i32 %m, %i21
;   %64 = insertelement <8 x i32> poison, i32 %down23, i64 0
;   %65 = shufflevector <8 x i32> %64, <8 x i32> poison, <8 x i32> zeroinitializer
;   %66 = add <8 x i32> %65, <i32 0, i32 -1, i32 -2, i32 -3, i32 -4, i32 -5, i32 -6, i32 -7>
;   %past24 = icmp sle <8 x i32> %66, splat (i32 3)
;   %outside25 = select <8 x i1> %below22, <8 x i1> splat (i1 true), <8 x i1> %past24
;   %67 = insertelement <8 x i64> poison, i64 %g018, i64 0
;   %68 = shufflevector <8 x i64> %67, <8 x i64> poison, <8 x i32> zeroinitializer
;   %69 = add <8 x i64> %68, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
;   %70 = insertelement <8 x i64> poison, i64 %n, i64 0
;   %71 = shufflevector <8 x i64> %70, <8 x i64> poison, <8 x i32> zeroinitializer
;   %unsigned26 = icmp ult <8 x i64> %69, %71
;   %byte27 = trunc i64 %g018 to i8
;   %72 = insertelement <8 x i8> poison, i8 %byte27, i64 0
;   %73 = shufflevector <8 x i8> %72, <8 x i8> poison, <8 x i32> zeroinitializer
;   %74 = add <8 x i8> %73, <i8 0, i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7>
;   %small28 = icmp ult <8 x i8> %74, splat (i8 100)
;   %both29 = and <8 x i1> %unsigned26, %small28
;   %inside30 = xor <8 x i1> %outside25, splat (i1 true)
;   %all31 = select <8 x i1> %inside30, <8 x i1> %both29, <8 x i1> zeroinitializer
;   %75 = select <8 x i1> %rest, <8 x i1> %all31, <8 x i1> splat (i1 true)
;   %76 = bitcast <8 x i1> %75 to i8
;   %all32 = icmp eq i8 %76, -1
;   br i1 %all32, label %r0.then.all16, label %r0.entry.some14
; r0.entry.some14:
;   %yes33 = select <8 x i1> %rest, <8 x i1> %all31, <8 x i1> zeroinitializer
;   %77 = xor <8 x i1> %all31, splat (i1 true)
;   %no34 = select <8 x i1> %rest, <8 x i1> %77, <8 x i1> zeroinitializer
;   %mask36 = load <8 x i1>, ptr %wanted35, align 1
;   %78 = or <8 x i1> %mask36, %yes33
;   store <8 x i1> %78, ptr %wanted35, align 1
;   br label %r0.then15
; r0.then15:
;   %mask38 = load <8 x i1>, ptr %wanted35, align 1
;   %79 = bitcast <8 x i1> %mask38 to i8
;   %any39 = icmp ne i8 %79, 0
;   br i1 %any39, label %r0.run37, label %r0.exit17
; r0.then.all16:
;   %p242 = getelementptr i32, ptr addrspace(1) %out, i64 %g018
;   call void @llvm.masked.store.v8i32.p1(<8 x i32> splat (i32 7), ptr addrspace(1) align 4 %p242, <8 x i1> %rest), !llvm.access.group !6
;   br label %r0.out43
; r0.exit17:
;   br label %r0.y.next
; r0.run37:
;   %mask40 = load <8 x i1>, ptr %wanted35, align 1
;   store <8 x i1> zeroinitializer, ptr %wanted35, align 1
;   %p41 = getelementptr i32, ptr addrspace(1) %out, i64 %g018
;   call void @llvm.masked.store.v8i32.p1(<8 x i32> splat (i32 7), ptr addrspace(1) align 4 %p41, <8 x i1> %mask40), !llvm.access.group !6
;   br label %r0.exit17
; r0.out43:
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
