; A sum that is kept in a buffer: each lane would gather and scatter its place in every round. The place is read before the loop
; and written behind it.
; width: 8
; step: prepare
; analysis: access
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %g = call spir_func i64 @_Z13get_global_idj(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %g
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = load i32, ptr addrspace(1) %at
  %product = mul i32 %sum, 5
  %more = add i32 %product, %i
  store i32 %more, ptr addrspace(1) %at
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; ---- after the steps:
; ; Function Attrs: memory(argmem: readwrite)
; define void @k(ptr addrspace(1) captures(none) %out, i32 %n) #1 {
; ; access: %out read and written
; ; access: %n untouched
; entry:
;   %g = call i64 @_Z13get_global_idj(i32 0)
;   %at = getelementptr i32, ptr addrspace(1) %out, i64 %g
;   %at.promoted = load i32, ptr addrspace(1) %at, align 4
;   br label %loop
;
; loop:
;   %more1 = phi i32 [ %at.promoted, %entry ], [ %more, %loop ]
;   %i = phi i32 [ 0, %entry ], [ %next, %loop ]
;   %product = mul i32 %more1, 5
;   %more = add i32 %product, %i
;   %next = add i32 %i, 1
;   %again = icmp slt i32 %next, %n
;   br i1 %again, label %loop, label %end
;
; end:
;   %more.lcssa = phi i32 [ %more, %loop ]
;   store i32 %more.lcssa, ptr addrspace(1) %at, align 4
;   ret void
; }
