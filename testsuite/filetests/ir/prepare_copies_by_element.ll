; Fills and copies of private arrays that are accessed by elements of four bytes are made by elements: short ones in a row, long ones in a
; loop. One of a length that is not known stays.
; step: prepare
; analysis: regions
; width: 8
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %n) {
entry:
  %short = alloca [40 x i32]
  %long = alloca [40 x i32]
  %other = alloca [40 x i32]
  %g = call spir_func i64 @_Z13get_global_idj(i32 0)
  call void @llvm.memset.p0.i64(ptr align 4 %short, i8 1, i64 12, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr align 4 %long, ptr addrspace(1) align 4 %in, i64 160, i1 false)
  call void @llvm.memset.p0.i64(ptr align 4 %other, i8 0, i64 %n, i1 false)
  %a = getelementptr i32, ptr %short, i64 %n
  %va = load i32, ptr %a
  %b = getelementptr i32, ptr %long, i64 %n
  %vb = load i32, ptr %b
  %c = getelementptr i32, ptr %other, i64 %n
  %vc = load i32, ptr %c
  %s = add i32 %va, %vb
  %t = add i32 %s, %vc
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %g
  store i32 %t, ptr addrspace(1) %place
  ret void
}

declare spir_func i64 @_Z13get_global_idj(i32)

; ---- after the steps:
; define void @k(ptr addrspace(1) writeonly captures(none) %out, ptr addrspace(1) readonly captures(none) %in, i64 %n) {
; ; regions: kernel k: 1 region, 0 barriers, regular, width 8
; ; regions: region 0: entry entry.split entry.split.split
; ; regions:   -> end
; entry:
;   %short = alloca [40 x i32], align 4
;   %long = alloca [40 x i32], align 4
;   %other = alloca [40 x i32], align 4
;   %g = call i64 @_Z13get_global_idj(i32 0)
;   store i32 16843009, ptr %short, align 4
;   %0 = getelementptr inbounds i32, ptr %short, i64 1
;   store i32 16843009, ptr %0, align 4
;   %1 = getelementptr inbounds i32, ptr %short, i64 2
;   store i32 16843009, ptr %1, align 4
;   br label %entry.split
;
; entry.split:
;   %iv = phi i64 [ 0, %entry ], [ %iv.next, %entry.split ]
;   %2 = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %iv
;   %3 = load i32, ptr addrspace(1) %2, align 4
;   %4 = getelementptr inbounds i32, ptr %long, i64 %iv
;   store i32 %3, ptr %4, align 4
;   %iv.next = add nuw nsw i64 %iv, 1
;   %iv.check = icmp eq i64 %iv.next, 40
;   br i1 %iv.check, label %entry.split.split, label %entry.split
;
; entry.split.split:
;   call void @llvm.memset.p0.i64(ptr align 4 %other, i8 0, i64 %n, i1 false)
;   %a = getelementptr i32, ptr %short, i64 %n
;   %va = load i32, ptr %a, align 4
;   %b = getelementptr i32, ptr %long, i64 %n
;   %vb = load i32, ptr %b, align 4
;   %c = getelementptr i32, ptr %other, i64 %n
;   %vc = load i32, ptr %c, align 4
;   %s = add i32 %va, %vb
;   %t = add i32 %s, %vc
;   %place = getelementptr i32, ptr addrspace(1) %out, i64 %g
;   store i32 %t, ptr addrspace(1) %place, align 4
;   ret void
; }
