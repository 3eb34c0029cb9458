; A loop of a constant count goes through an array on the stack: unrolled, its elements are values. The loop around it stays.
; step: prepare
; analysis: regions
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
entry:
  %sums = alloca [2 x i32]
  %g = call spir_func i64 @_Z13get_global_idj(i32 0)
  store i64 0, ptr %sums
  br label %rounds

rounds:
  %k = phi i32 [ 0, %entry ], [ %k.next, %latch ]
  %again = icmp slt i32 %k, %n
  br i1 %again, label %walk, label %exit

walk:
  %r = phi i64 [ 0, %rounds ], [ %r.next, %body ]
  %more = icmp slt i64 %r, 2
  br i1 %more, label %body, label %latch

body:
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %r
  %x = load i32, ptr addrspace(1) %from
  %element = getelementptr [2 x i32], ptr %sums, i64 0, i64 %r
  %old = load i32, ptr %element
  %new = add i32 %old, %x
  store i32 %new, ptr %element
  %r.next = add i64 %r, 1
  br label %walk

latch:
  %k.next = add i32 %k, 1
  br label %rounds

exit:
  %first = load i32, ptr %sums
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %g
  store i32 %first, ptr addrspace(1) %place
  ret void
}

declare spir_func i64 @_Z13get_global_idj(i32)

; ---- after the steps:
; define void @k(ptr addrspace(1) writeonly captures(none) %out, ptr addrspace(1) readonly captures(none) %in, i32 %n) {
; ; regions: kernel k: 1 region, 0 barriers, regular, width 1
; ; regions: region 0: entry rounds exit body
; ; regions:   -> end
; entry:
;   %g = call i64 @_Z13get_global_idj(i32 0)
;   br label %rounds
;
; rounds:
;   %sums.sroa.0.0 = phi i32 [ 0, %entry ], [ %new, %body ]
;   %k = phi i32 [ 0, %entry ], [ %k.next, %body ]
;   %again = icmp slt i32 %k, %n
;   br i1 %again, label %body, label %exit
;
; body:
;   %x = load i32, ptr addrspace(1) %in, align 4
;   %new = add i32 %sums.sroa.0.0, %x
;   %k.next = add i32 %k, 1
;   br label %rounds
;
; exit:
;   %sums.sroa.0.0.lcssa = phi i32 [ %sums.sroa.0.0, %rounds ]
;   %place = getelementptr i32, ptr addrspace(1) %out, i64 %g
;   store i32 %sums.sroa.0.0.lcssa, ptr addrspace(1) %place, align 4
;   ret void
; }
