; An index made of ids that are cut to 32 bits and widened again: small ids lose nothing by it, others do in a body of their own.
; step: prepare
; step: launch
; ids: any

target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"

define spir_kernel void @k(ptr addrspace(1) noundef align 4 %a, i32 noundef %w) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 noundef 0)
  %x = trunc i64 %id to i32
  %id1 = call i64 @_Z13get_global_idj(i32 noundef 1)
  %y = trunc i64 %id1 to i32
  %row = mul nsw i32 %y, %w
  %sum = add nsw i32 %row, %x
  %index = sext i32 %sum to i64
  %place = getelementptr inbounds float, ptr addrspace(1) %a, i64 %index
  store float 1.000000e+00, ptr addrspace(1) %place, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32) memory(none)

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(1) %a, i32 %w, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch, i64 %run) {
; entry:
;   %0 = getelementptr inbounds nuw i8, ptr %ctx, i64 24
;   %offset.0 = load i64, ptr %0, align 8
;   %1 = getelementptr inbounds nuw i8, ptr %ctx, i64 32
;   %offset.1 = load i64, ptr %1, align 8
;   %2 = getelementptr inbounds nuw i8, ptr %ctx, i64 48
;   %local.0 = load i64, ptr %2, align 8
;   %3 = getelementptr inbounds nuw i8, ptr %ctx, i64 56
;   %local.1 = load i64, ptr %3, align 8
;   %4 = getelementptr inbounds nuw i8, ptr %ctx, i64 64
;   %local.2 = load i64, ptr %4, align 8
;   %5 = mul nuw nsw i64 %gx, %local.0
;   %6 = mul nuw nsw i64 %gy, %local.1
;   %7 = mul nuw nsw i64 %gz, %local.2
;   %first.1 = add nuw nsw i64 %6, %offset.1
;   %8 = getelementptr inbounds nuw i8, ptr %ctx, i64 136
;   %global.0 = load i64, ptr %8, align 8
;   %9 = getelementptr inbounds nuw i8, ptr %ctx, i64 144
;   %global.1 = load i64, ptr %9, align 8
;   %10 = getelementptr inbounds nuw i8, ptr %ctx, i64 152
;   %global.2 = load i64, ptr %10, align 8
;   %11 = sub i64 %global.0, %5
;   %12 = sub i64 %global.1, %6
;   %own.1 = call i64 @llvm.umin.i64(i64 %12, i64 %local.1)
;   %13 = sub i64 %global.2, %7
;   %own.2 = call i64 @llvm.umin.i64(i64 %13, i64 %local.2)
;   %row = mul nuw nsw i64 %local.0, %run
;   %row1 = call i64 @llvm.umin.i64(i64 %11, i64 %row)
;   br label %r0.z
; r0.z:
;   %l = phi i64 [ 0, %entry ], [ %14, %r0.y.done ]
;   br label %r0.y
; r0.z.done:
;   ret void
; r0.y:
;   %l2 = phi i64 [ 0, %r0.z ], [ %22, %r0.x.done ]
;   br label %r0.x
; r0.y.done:
;   %14 = add nuw nsw i64 %l, 1
;   %15 = icmp ult i64 %14, %own.2
;   br i1 %15, label %r0.z, label %r0.z.done, !llvm.loop !0
; r0.x:
;   %l4 = phi i64 [ 0, %r0.y ], [ %20, %r0.x ]
;   %g16 = add nuw nsw i64 %first.1, %l2
;   %16 = sext i32 %w to i64
;   %row18 = mul nsw i64 %g16, %16
;   %17 = getelementptr float, ptr addrspace(1) %a, i64 %row18
;   %18 = getelementptr float, ptr addrspace(1) %17, i64 %5
;   %19 = getelementptr float, ptr addrspace(1) %18, i64 %offset.0
;   %place = getelementptr float, ptr addrspace(1) %19, i64 %l4
;   store float 1.000000e+00, ptr addrspace(1) %place, align 4, !llvm.access.group !3
;   %20 = add nuw nsw i64 %l4, 1
;   %21 = icmp ult i64 %20, %row1
;   br i1 %21, label %r0.x, label %r0.x.done, !llvm.loop !4
; r0.x.done:
;   %22 = add nuw nsw i64 %l2, 1
;   %23 = icmp ult i64 %22, %own.1
;   br i1 %23, label %r0.y, label %r0.y.done, !llvm.loop !6
; }
;
; define internal void @oxcl_any_body_k(ptr addrspace(1) %a, i32 %w, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch, i64 %run) {
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
;   %23 = add nuw nsw i64 %items, 0
;   %rounded = and i64 %23, -1
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
;   br i1 %26, label %r0.z, label %r0.z.done, !llvm.loop !7
; r0.z.done:
;   br label %exit
; r0.y:
;   %l2 = phi i64 [ 0, %r0.z ], [ %28, %r0.y.next ]
;   %27 = add nuw nsw i64 %24, %l2
;   %row3 = mul nuw nsw i64 %27, %row1
;   br label %r0.x
; r0.y.next:
;   %28 = add nuw nsw i64 %l2, 1
;   %29 = icmp ult i64 %28, %own.1
;   br i1 %29, label %r0.y, label %r0.y.done, !llvm.loop !8
; r0.y.done:
;   br label %r0.z.next
; r0.x:
;   %l4 = phi i64 [ 0, %r0.y ], [ %30, %r0.x.next ]
;   %linear = add nuw nsw i64 %row3, %l4
;   br label %r0.items
; r0.x.next:
;   %30 = add nuw nsw i64 %l4, 1
;   %31 = icmp ult i64 %30, %row1
;   br i1 %31, label %r0.x, label %r0.x.done, !llvm.loop !9
; r0.x.done:
;   br label %r0.y.next
; r0.items:
;   br label %r0.entry
; r0.entry:
;   %g0 = add nuw nsw i64 %first.0, %l4
;   %g1 = add nuw nsw i64 %first.1, %l2
;   %g2 = add nuw nsw i64 %first.2, %l
;   %x = trunc i64 %g0 to i32
;   %g05 = add nuw nsw i64 %first.0, %l4
;   %g16 = add nuw nsw i64 %first.1, %l2
;   %g27 = add nuw nsw i64 %first.2, %l
;   %y = trunc i64 %g16 to i32
;   %32 = sext i32 %y to i64
;   %33 = sext i32 %w to i64
;   %row18 = mul nsw i64 %32, %33
;   %34 = sext i32 %x to i64
;   %sum2 = add nsw i64 %row18, %34
;   %place = getelementptr inbounds float, ptr addrspace(1) %a, i64 %sum2
;   store float 1.000000e+00, ptr addrspace(1) %place, align 4, !llvm.access.group !11
;   br label %r0.x.next
; }
;
; define void @oxcl_wg_k(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, ptr %6) {
; entry:
;   %cell = load ptr, ptr %0, align 8
;   %a = load ptr addrspace(1), ptr %cell, align 8
;   %7 = getelementptr inbounds nuw i8, ptr %0, i64 8
;   %cell1 = load ptr, ptr %7, align 8
;   %w = load i32, ptr %cell1, align 4
;   %8 = getelementptr inbounds nuw i8, ptr %1, i64 104
;   %work_dim = load i32, ptr %8, align 4
;   %9 = icmp eq i64 %5, 0
;   br i1 %9, label %exit, label %group
; group:
;   %10 = getelementptr inbounds nuw i8, ptr %1, i64 24
;   %11 = load i64, ptr %10, align 8
;   %12 = load i64, ptr %1, align 8
;   %13 = getelementptr inbounds nuw i8, ptr %1, i64 48
;   %14 = load i64, ptr %13, align 8
;   %15 = mul i64 %12, %14
;   %16 = add i64 %11, %15
;   %last.0 = add i64 %16, -1
;   %17 = getelementptr inbounds nuw i8, ptr %1, i64 32
;   %18 = load i64, ptr %17, align 8
;   %19 = getelementptr inbounds nuw i8, ptr %1, i64 8
;   %20 = load i64, ptr %19, align 8
;   %21 = getelementptr inbounds nuw i8, ptr %1, i64 56
;   %22 = load i64, ptr %21, align 8
;   %23 = mul i64 %20, %22
;   %24 = add i64 %18, %23
;   %last.1 = add i64 %24, -1
;   %25 = or i64 %last.0, %last.1
;   %26 = getelementptr inbounds nuw i8, ptr %1, i64 40
;   %27 = load i64, ptr %26, align 8
;   %28 = getelementptr inbounds nuw i8, ptr %1, i64 16
;   %29 = load i64, ptr %28, align 8
;   %30 = getelementptr inbounds nuw i8, ptr %1, i64 64
;   %31 = load i64, ptr %30, align 8
;   %32 = mul i64 %29, %31
;   %33 = add i64 %27, %32
;   %last.2 = add i64 %33, -1
;   %34 = or i64 %25, %last.2
;   %has.large.ids = icmp ugt i64 %34, 2147483647
;   br i1 %has.large.ids, label %large.ids, label %others
; exit:
;   ret void
; large.ids:
;   call void @oxcl_any_body_k(ptr addrspace(1) %a, i32 %w, ptr nonnull %1, i64 %2, i64 %3, i64 %4, i32 %work_dim, ptr %6, i64 %5)
;   br label %exit
; others:
;   call void @oxcl_body_k(ptr addrspace(1) %a, i32 %w, ptr nonnull %1, i64 %2, i64 %3, i64 %4, i32 %work_dim, ptr %6, i64 %5)
;   br label %exit
; }
;
; define void @_pocl_kernel_k_workgroup(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4) {
; entry:
;   %context = alloca [160 x i8], align 8
;   call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(112) %context, ptr noundef nonnull align 8 dereferenceable(112) %1, i64 112, i1 false)
;   %5 = load i64, ptr %1, align 8
;   %6 = getelementptr inbounds nuw i8, ptr %1, i64 48
;   %7 = load i64, ptr %6, align 8
;   %global = mul nuw nsw i64 %5, %7
;   %8 = getelementptr inbounds nuw i8, ptr %context, i64 136
;   store i64 %global, ptr %8, align 8
;   %9 = getelementptr inbounds nuw i8, ptr %1, i64 8
;   %10 = load i64, ptr %9, align 8
;   %11 = getelementptr inbounds nuw i8, ptr %1, i64 56
;   %12 = load i64, ptr %11, align 8
;   %global1 = mul nuw nsw i64 %10, %12
;   %13 = getelementptr inbounds nuw i8, ptr %context, i64 144
;   store i64 %global1, ptr %13, align 8
;   %14 = getelementptr inbounds nuw i8, ptr %1, i64 16
;   %15 = load i64, ptr %14, align 8
;   %16 = getelementptr inbounds nuw i8, ptr %1, i64 64
;   %17 = load i64, ptr %16, align 8
;   %global2 = mul nuw nsw i64 %15, %17
;   %18 = getelementptr inbounds nuw i8, ptr %context, i64 152
;   store i64 %global2, ptr %18, align 8
;   call void @oxcl_wg_k(ptr %0, ptr nonnull %context, i64 %2, i64 %3, i64 %4, i64 1, ptr poison)
;   ret void
; }
;
; !0 = distinct !{!0, !1, !2}
; !1 = !{!"llvm.loop.mustprogress"}
; !2 = !{!"llvm.loop.unroll.runtime.disable"}
; !3 = distinct !{}
; !4 = distinct !{!4, !1, !5}
; !5 = !{!"llvm.loop.parallel_accesses", !3}
; !6 = distinct !{!6, !1, !2}
; !7 = distinct !{!7, !1, !2}
; !8 = distinct !{!8, !1, !2}
; !9 = distinct !{!9, !1, !10}
; !10 = !{!"llvm.loop.parallel_accesses", !11}
; !11 = distinct !{}
