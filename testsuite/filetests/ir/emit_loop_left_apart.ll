; Lanes leave a loop in different rounds. What is carried from round to round is not blended, for nobody reads that of a lane
; that has left; the live-out keeps what lanes took that left before; and of the inner branch nothing is carried along.
; kernel: steps
; step: prepare
; step: emit
; width: 4
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

define spir_kernel void @steps(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias readonly %table) {
entry:
  %g = call spir_func i64 @_Z13get_global_idj(i32 0)
  %begin = trunc i64 %g to i32
  br label %loop

loop:
  %n = phi i32 [ %begin, %entry ], [ %next, %again ]
  %count = phi i32 [ 0, %entry ], [ %more, %again ]
  %done = icmp ult i32 %n, 2
  br i1 %done, label %exit, label %round

round:
  %bit = and i32 %n, 1
  %odd = icmp ne i32 %bit, 0
  br i1 %odd, label %grow, label %again

grow:
  %place = getelementptr i32, ptr addrspace(1) %table, i32 %n
  %high = load i32, ptr addrspace(1) %place
  br label %again

again:
  %taken = phi i32 [ %n, %round ], [ %high, %grow ]
  %next = lshr i32 %taken, 1
  %more = add i32 %count, 1
  br label %loop

exit:
  %last = phi i32 [ %count, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %g
  store i32 %last, ptr addrspace(1) %at
  ret void
}

declare spir_func i64 @_Z13get_global_idj(i32) #0
attributes #0 = { memory(none) nounwind willreturn }

; ---- after the steps:
; define internal void @oxcl_body_steps(ptr addrspace(1) %out, ptr addrspace(1) %table, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch, i64 %run) {
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
;   %n = alloca <4 x i32>, align 16
;   %count = alloca i32, align 4
;   %wanted = alloca <4 x i1>, align 1
;   %count.lcssa = alloca <4 x i32>, align 16
;   %wanted11 = alloca <4 x i1>, align 1
;   %wanted20 = alloca <4 x i1>, align 1
;   %taken = alloca <4 x i32>, align 16
;   %wanted22 = alloca <4 x i1>, align 1
;   %n52 = alloca <4 x i32>, align 16
;   %count53 = alloca i32, align 4
;   %wanted54 = alloca <4 x i1>, align 1
;   %count.lcssa66 = alloca <4 x i32>, align 16
;   %wanted67 = alloca <4 x i1>, align 1
;   %wanted78 = alloca <4 x i1>, align 1
;   %taken80 = alloca <4 x i32>, align 16
;   %wanted81 = alloca <4 x i1>, align 1
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
;   br label %r0.items40
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
;   store <4 x i32> poison, ptr %n, align 16
;   store i32 poison, ptr %count, align 4
;   store <4 x i1> zeroinitializer, ptr %wanted, align 1
;   store <4 x i32> poison, ptr %count.lcssa, align 16
;   store <4 x i1> zeroinitializer, ptr %wanted11, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted20, align 1
;   store <4 x i32> poison, ptr %taken, align 16
;   store <4 x i1> zeroinitializer, ptr %wanted22, align 1
;   br label %r0.entry
; r0.entry:
;   %g0 = add nuw nsw i64 %first.0, %l4
;   %g1 = add nuw nsw i64 %first.1, %l2
;   %g2 = add nuw nsw i64 %first.2, %l
;   %begin = trunc nuw nsw i64 %g0 to i32
;   br label %r0.out
; r0.loop:
;   %mask6 = load <4 x i1>, ptr %wanted, align 1
;   %38 = bitcast <4 x i1> %mask6 to i4
;   %any = icmp ne i4 %38, 0
;   br i1 %any, label %r0.run, label %r0.exit
; r0.round:
;   %mask14 = load <4 x i1>, ptr %wanted11, align 1
;   %39 = bitcast <4 x i1> %mask14 to i4
;   %any15 = icmp ne i4 %39, 0
;   br i1 %any15, label %r0.run13, label %r0.exit
; r0.grow:
;   %mask25 = load <4 x i1>, ptr %wanted20, align 1
;   %40 = bitcast <4 x i1> %mask25 to i4
;   %any26 = icmp ne i4 %40, 0
;   br i1 %any26, label %r0.run24, label %r0.again
; r0.again:
;   %mask31 = load <4 x i1>, ptr %wanted22, align 1
;   %41 = bitcast <4 x i1> %mask31 to i4
;   %any32 = icmp ne i4 %41, 0
;   br i1 %any32, label %r0.run30, label %r0.exit
; r0.exit:
;   %count.lcssa39 = load <4 x i32>, ptr %count.lcssa, align 16
;   %at = getelementptr i32, ptr addrspace(1) %out, i64 %g0
;   store <4 x i32> %count.lcssa39, ptr addrspace(1) %at, align 4, !llvm.access.group !6
;   br label %r0.x.next
; r0.out:
;   %42 = insertelement <4 x i32> poison, i32 %begin, i64 0
;   %43 = shufflevector <4 x i32> %42, <4 x i32> poison, <4 x i32> zeroinitializer
;   %44 = add <4 x i32> %43, <i32 0, i32 1, i32 2, i32 3>
;   store <4 x i32> %44, ptr %n, align 16
;   store i32 0, ptr %count, align 4
;   %mask = load <4 x i1>, ptr %wanted, align 1
;   %45 = or <4 x i1> %mask, splat (i1 true)
;   store <4 x i1> %45, ptr %wanted, align 1
;   br label %r0.loop
; r0.run:
;   store <4 x i32> poison, ptr %taken, align 16
;   %mask8 = load <4 x i1>, ptr %wanted, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted, align 1
;   %n9 = load <4 x i32>, ptr %n, align 16
;   %count10 = load i32, ptr %count, align 4
;   %done = icmp ult <4 x i32> %n9, splat (i32 2)
;   %yes = select <4 x i1> %mask8, <4 x i1> %done, <4 x i1> zeroinitializer
;   %46 = xor <4 x i1> %done, splat (i1 true)
;   %no = select <4 x i1> %mask8, <4 x i1> %46, <4 x i1> zeroinitializer
;   %47 = insertelement <4 x i32> poison, i32 %count10, i64 0
;   %48 = shufflevector <4 x i32> %47, <4 x i32> poison, <4 x i32> zeroinitializer
;   %49 = load <4 x i32>, ptr %count.lcssa, align 16
;   %50 = select <4 x i1> %mask8, <4 x i32> %48, <4 x i32> %49
;   store <4 x i32> %50, ptr %count.lcssa, align 16
;   %mask12 = load <4 x i1>, ptr %wanted11, align 1
;   %51 = or <4 x i1> %mask12, %no
;   store <4 x i1> %51, ptr %wanted11, align 1
;   br label %r0.round
; r0.again7:
;   %mask37 = load <4 x i1>, ptr %wanted, align 1
;   %52 = bitcast <4 x i1> %mask37 to i4
;   %any38 = icmp ne i4 %52, 0
;   br i1 %any38, label %r0.run, label %r0.exit
; r0.run13:
;   %mask16 = load <4 x i1>, ptr %wanted11, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted11, align 1
;   %n17 = load <4 x i32>, ptr %n, align 16
;   %bit = and <4 x i32> %n17, splat (i32 1)
;   %odd = icmp ne <4 x i32> %bit, zeroinitializer
;   %yes18 = select <4 x i1> %mask16, <4 x i1> %odd, <4 x i1> zeroinitializer
;   %53 = xor <4 x i1> %odd, splat (i1 true)
;   %no19 = select <4 x i1> %mask16, <4 x i1> %53, <4 x i1> zeroinitializer
;   %mask21 = load <4 x i1>, ptr %wanted20, align 1
;   %54 = or <4 x i1> %mask21, %yes18
;   store <4 x i1> %54, ptr %wanted20, align 1
;   %55 = load <4 x i32>, ptr %taken, align 16
;   %56 = select <4 x i1> %mask16, <4 x i32> %n17, <4 x i32> %55
;   store <4 x i32> %56, ptr %taken, align 16
;   %mask23 = load <4 x i1>, ptr %wanted22, align 1
;   %57 = or <4 x i1> %mask23, %no19
;   store <4 x i1> %57, ptr %wanted22, align 1
;   br label %r0.grow
; r0.run24:
;   %mask27 = load <4 x i1>, ptr %wanted20, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted20, align 1
;   %n28 = load <4 x i32>, ptr %n, align 16
;   %place = getelementptr i32, ptr addrspace(1) %table, <4 x i32> %n28
;   %high = call <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> %mask27, <4 x i32> poison), !llvm.access.group !6
;   %58 = load <4 x i32>, ptr %taken, align 16
;   %59 = select <4 x i1> %mask27, <4 x i32> %high, <4 x i32> %58
;   store <4 x i32> %59, ptr %taken, align 16
;   %mask29 = load <4 x i1>, ptr %wanted22, align 1
;   %60 = or <4 x i1> %mask29, %mask27
;   store <4 x i1> %60, ptr %wanted22, align 1
;   br label %r0.again
; r0.run30:
;   %mask33 = load <4 x i1>, ptr %wanted22, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted22, align 1
;   %taken34 = load <4 x i32>, ptr %taken, align 16
;   %next = lshr <4 x i32> %taken34, splat (i32 1)
;   %count35 = load i32, ptr %count, align 4
;   %more = add i32 %count35, 1
;   store <4 x i32> %next, ptr %n, align 16
;   store i32 %more, ptr %count, align 4
;   %mask36 = load <4 x i1>, ptr %wanted, align 1
;   %61 = or <4 x i1> %mask36, %mask33
;   store <4 x i1> %61, ptr %wanted, align 1
;   br label %r0.again7
; r0.items40:
;   store <4 x i32> poison, ptr %n52, align 16
;   store i32 poison, ptr %count53, align 4
;   store <4 x i1> zeroinitializer, ptr %wanted54, align 1
;   store <4 x i32> poison, ptr %count.lcssa66, align 16
;   store <4 x i1> zeroinitializer, ptr %wanted67, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted78, align 1
;   store <4 x i32> poison, ptr %taken80, align 16
;   store <4 x i1> zeroinitializer, ptr %wanted81, align 1
;   br label %r0.entry41
; r0.entry41:
;   %g047 = add nuw nsw i64 %first.0, %whole
;   %g148 = add nuw nsw i64 %first.1, %l2
;   %g249 = add nuw nsw i64 %first.2, %l
;   %begin50 = trunc nuw nsw i64 %g047 to i32
;   br label %r0.out51
; r0.loop42:
;   %mask57 = load <4 x i1>, ptr %wanted54, align 1
;   %62 = bitcast <4 x i1> %mask57 to i4
;   %any58 = icmp ne i4 %62, 0
;   br i1 %any58, label %r0.run56, label %r0.exit46
; r0.round43:
;   %mask70 = load <4 x i1>, ptr %wanted67, align 1
;   %63 = bitcast <4 x i1> %mask70 to i4
;   %any71 = icmp ne i4 %63, 0
;   br i1 %any71, label %r0.run69, label %r0.exit46
; r0.grow44:
;   %mask84 = load <4 x i1>, ptr %wanted78, align 1
;   %64 = bitcast <4 x i1> %mask84 to i4
;   %any85 = icmp ne i4 %64, 0
;   br i1 %any85, label %r0.run83, label %r0.again45
; r0.again45:
;   %mask92 = load <4 x i1>, ptr %wanted81, align 1
;   %65 = bitcast <4 x i1> %mask92 to i4
;   %any93 = icmp ne i4 %65, 0
;   br i1 %any93, label %r0.run91, label %r0.exit46
; r0.exit46:
;   %count.lcssa102 = load <4 x i32>, ptr %count.lcssa66, align 16
;   %at103 = getelementptr i32, ptr addrspace(1) %out, i64 %g047
;   call void @llvm.masked.store.v4i32.p1(<4 x i32> %count.lcssa102, ptr addrspace(1) align 4 %at103, <4 x i1> %rest), !llvm.access.group !6
;   br label %r0.y.next
; r0.out51:
;   %66 = insertelement <4 x i32> poison, i32 %begin50, i64 0
;   %67 = shufflevector <4 x i32> %66, <4 x i32> poison, <4 x i32> zeroinitializer
;   %68 = add <4 x i32> %67, <i32 0, i32 1, i32 2, i32 3>
;   store <4 x i32> %68, ptr %n52, align 16
;   store i32 0, ptr %count53, align 4
;   %mask55 = load <4 x i1>, ptr %wanted54, align 1
;   %69 = or <4 x i1> %mask55, %rest
;   store <4 x i1> %69, ptr %wanted54, align 1
;   br label %r0.loop42
; r0.run56:
;   store <4 x i32> poison, ptr %taken80, align 16
;   %mask60 = load <4 x i1>, ptr %wanted54, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted54, align 1
;   %n61 = load <4 x i32>, ptr %n52, align 16
;   %count62 = load i32, ptr %count53, align 4
;   %done63 = icmp ult <4 x i32> %n61, splat (i32 2)
;   %yes64 = select <4 x i1> %mask60, <4 x i1> %done63, <4 x i1> zeroinitializer
;   %70 = xor <4 x i1> %done63, splat (i1 true)
;   %no65 = select <4 x i1> %mask60, <4 x i1> %70, <4 x i1> zeroinitializer
;   %71 = insertelement <4 x i32> poison, i32 %count62, i64 0
;   %72 = shufflevector <4 x i32> %71, <4 x i32> poison, <4 x i32> zeroinitializer
;   %73 = load <4 x i32>, ptr %count.lcssa66, align 16
;   %74 = select <4 x i1> %mask60, <4 x i32> %72, <4 x i32> %73
;   store <4 x i32> %74, ptr %count.lcssa66, align 16
;   %mask68 = load <4 x i1>, ptr %wanted67, align 1
;   %75 = or <4 x i1> %mask68, %no65
;   store <4 x i1> %75, ptr %wanted67, align 1
;   br label %r0.round43
; r0.again59:
;   %mask100 = load <4 x i1>, ptr %wanted54, align 1
;   %76 = bitcast <4 x i1> %mask100 to i4
;   %any101 = icmp ne i4 %76, 0
;   br i1 %any101, label %r0.run56, label %r0.exit46
; r0.run69:
;   %mask72 = load <4 x i1>, ptr %wanted67, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted67, align 1
;   %n73 = load <4 x i32>, ptr %n52, align 16
;   %bit74 = and <4 x i32> %n73, splat (i32 1)
;   %odd75 = icmp ne <4 x i32> %bit74, zeroinitializer
;   %yes76 = select <4 x i1> %mask72, <4 x i1> %odd75, <4 x i1> zeroinitializer
;   %77 = xor <4 x i1> %odd75, splat (i1 true)
;   %no77 = select <4 x i1> %mask72, <4 x i1> %77, <4 x i1> zeroinitializer
;   %mask79 = load <4 x i1>, ptr %wanted78, align 1
;   %78 = or <4 x i1> %mask79, %yes76
;   store <4 x i1> %78, ptr %wanted78, align 1
;   %79 = load <4 x i32>, ptr %taken80, align 16
;   %80 = select <4 x i1> %mask72, <4 x i32> %n73, <4 x i32> %79
;   store <4 x i32> %80, ptr %taken80, align 16
;   %mask82 = load <4 x i1>, ptr %wanted81, align 1
;   %81 = or <4 x i1> %mask82, %no77
;   store <4 x i1> %81, ptr %wanted81, align 1
;   br label %r0.grow44
; r0.run83:
;   %mask86 = load <4 x i1>, ptr %wanted78, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted78, align 1
;   %n87 = load <4 x i32>, ptr %n52, align 16
;   %place88 = getelementptr i32, ptr addrspace(1) %table, <4 x i32> %n87
;   %high89 = call <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)> align 4 %place88, <4 x i1> %mask86, <4 x i32> poison), !llvm.access.group !6
;   %82 = load <4 x i32>, ptr %taken80, align 16
;   %83 = select <4 x i1> %mask86, <4 x i32> %high89, <4 x i32> %82
;   store <4 x i32> %83, ptr %taken80, align 16
;   %mask90 = load <4 x i1>, ptr %wanted81, align 1
;   %84 = or <4 x i1> %mask90, %mask86
;   store <4 x i1> %84, ptr %wanted81, align 1
;   br label %r0.again45
; r0.run91:
;   %mask94 = load <4 x i1>, ptr %wanted81, align 1
;   store <4 x i1> zeroinitializer, ptr %wanted81, align 1
;   %taken95 = load <4 x i32>, ptr %taken80, align 16
;   %next96 = lshr <4 x i32> %taken95, splat (i32 1)
;   %count97 = load i32, ptr %count53, align 4
;   %more98 = add i32 %count97, 1
;   store <4 x i32> %next96, ptr %n52, align 16
;   store i32 %more98, ptr %count53, align 4
;   %mask99 = load <4 x i1>, ptr %wanted54, align 1
;   %85 = or <4 x i1> %mask99, %mask94
;   store <4 x i1> %85, ptr %wanted54, align 1
;   br label %r0.again59
; }
;
; !0 = distinct !{!0, !1, !2}
; !1 = !{!"llvm.loop.mustprogress"}
; !2 = !{!"llvm.loop.unroll.runtime.disable"}
; !3 = distinct !{!3, !1, !2}
; !4 = distinct !{!4, !1, !5}
; !5 = !{!"llvm.loop.parallel_accesses", !6}
; !6 = distinct !{}
