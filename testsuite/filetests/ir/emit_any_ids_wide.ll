; Ids in 64 bits: one body serves every launch.
; step: prepare
; step: launch
; ids: any

target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"

define spir_kernel void @k(ptr addrspace(1) noundef align 4 %a) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %place = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %x
  store i32 1, ptr addrspace(1) %place, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32) memory(none)

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(1) %a, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch, i64 %run) {
; entry:
;   %0 = getelementptr inbounds nuw i8, ptr %ctx, i64 24
;   %offset.0 = load i64, ptr %0, align 8
;   %1 = getelementptr inbounds nuw i8, ptr %ctx, i64 48
;   %local.0 = load i64, ptr %1, align 8
;   %2 = getelementptr inbounds nuw i8, ptr %ctx, i64 56
;   %local.1 = load i64, ptr %2, align 8
;   %3 = getelementptr inbounds nuw i8, ptr %ctx, i64 64
;   %local.2 = load i64, ptr %3, align 8
;   %4 = mul nuw nsw i64 %gx, %local.0
;   %5 = mul nuw nsw i64 %gy, %local.1
;   %6 = mul nuw nsw i64 %gz, %local.2
;   %7 = getelementptr inbounds nuw i8, ptr %ctx, i64 136
;   %global.0 = load i64, ptr %7, align 8
;   %8 = getelementptr inbounds nuw i8, ptr %ctx, i64 144
;   %global.1 = load i64, ptr %8, align 8
;   %9 = getelementptr inbounds nuw i8, ptr %ctx, i64 152
;   %global.2 = load i64, ptr %9, align 8
;   %10 = sub i64 %global.0, %4
;   %11 = sub i64 %global.1, %5
;   %own.1 = call i64 @llvm.umin.i64(i64 %11, i64 %local.1)
;   %12 = sub i64 %global.2, %6
;   %own.2 = call i64 @llvm.umin.i64(i64 %12, i64 %local.2)
;   %row = mul nuw nsw i64 %local.0, %run
;   %row1 = call i64 @llvm.umin.i64(i64 %10, i64 %row)
;   br label %r0.z
; r0.z:
;   %l = phi i64 [ 0, %entry ], [ %13, %r0.y.done ]
;   br label %r0.y
; r0.z.done:
;   ret void
; r0.y:
;   %l2 = phi i64 [ 0, %r0.z ], [ %19, %r0.x.done ]
;   br label %r0.x
; r0.y.done:
;   %13 = add nuw nsw i64 %l, 1
;   %14 = icmp ult i64 %13, %own.2
;   br i1 %14, label %r0.z, label %r0.z.done, !llvm.loop !0
; r0.x:
;   %l4 = phi i64 [ 0, %r0.y ], [ %17, %r0.x ]
;   %15 = getelementptr i32, ptr addrspace(1) %a, i64 %4
;   %16 = getelementptr i32, ptr addrspace(1) %15, i64 %offset.0
;   %place = getelementptr i32, ptr addrspace(1) %16, i64 %l4
;   store i32 1, ptr addrspace(1) %place, align 4, !llvm.access.group !3
;   %17 = add nuw nsw i64 %l4, 1
;   %18 = icmp ult i64 %17, %row1
;   br i1 %18, label %r0.x, label %r0.x.done, !llvm.loop !4
; r0.x.done:
;   %19 = add nuw nsw i64 %l2, 1
;   %20 = icmp ult i64 %19, %own.1
;   br i1 %20, label %r0.y, label %r0.y.done, !llvm.loop !6
; }
;
; define void @oxcl_wg_k(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, ptr %6) {
; entry:
;   %7 = icmp eq i64 %5, 0
;   br i1 %7, label %exit, label %group
; group:
;   %8 = getelementptr inbounds nuw i8, ptr %1, i64 104
;   %work_dim = load i32, ptr %8, align 4
;   %cell = load ptr, ptr %0, align 8
;   %a = load ptr addrspace(1), ptr %cell, align 8
;   call void @oxcl_body_k(ptr addrspace(1) %a, ptr %1, i64 %2, i64 %3, i64 %4, i32 %work_dim, ptr %6, i64 %5)
;   br label %exit
; exit:
;   ret void
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
