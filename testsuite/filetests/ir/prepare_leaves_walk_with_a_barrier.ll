; The same kind of loop in a kernel with a barrier: an array that crosses it is one place for each work-item, and stays an array.
; step: prepare
; analysis: regions
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) {
entry:
  %kept = alloca [2 x i32]
  %g = call spir_func i64 @_Z13get_global_idj(i32 0)
  br label %walk

walk:
  %r = phi i64 [ 0, %entry ], [ %r.next, %body ]
  %more = icmp slt i64 %r, 2
  br i1 %more, label %body, label %met

body:
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %r
  %x = load i32, ptr addrspace(1) %from
  %element = getelementptr [2 x i32], ptr %kept, i64 0, i64 %r
  store i32 %x, ptr %element
  %r.next = add i64 %r, 1
  br label %walk

met:
  call spir_func void @_Z7barrierj(i32 1)
  %first = load i32, ptr %kept
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %g
  store i32 %first, ptr addrspace(1) %place
  ret void
}

declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func void @_Z7barrierj(i32)

; ---- after the steps:
; define void @k(ptr addrspace(1) writeonly captures(none) %out, ptr addrspace(1) readonly captures(none) %in) {
; ; regions: kernel k: 2 regions, 1 barrier, regular, width 1
; ; regions: region 0: entry walk met body
; ; regions:   -> region 1
; ; regions: region 1: after.barrier
; ; regions:   -> end
; entry:
;   %kept = alloca [2 x i32], align 4
;   %g = call i64 @_Z13get_global_idj(i32 0)
;   br label %walk
;
; walk:
;   %r = phi i64 [ 0, %entry ], [ %r.next, %body ]
;   %more = icmp slt i64 %r, 2
;   br i1 %more, label %body, label %met
;
; body:
;   %from = getelementptr i32, ptr addrspace(1) %in, i64 %r
;   %x = load i32, ptr addrspace(1) %from, align 4
;   %element = getelementptr [2 x i32], ptr %kept, i64 0, i64 %r
;   store i32 %x, ptr %element, align 4
;   %r.next = add i64 %r, 1
;   br label %walk
;
; met:
;   br label %after.barrier
;
; after.barrier:
;   %first = load i32, ptr %kept, align 4
;   %place = getelementptr i32, ptr addrspace(1) %out, i64 %g
;   store i32 %first, ptr addrspace(1) %place, align 4
;   ret void
; }
