; What the loop does not change is the same behind it, though it is left in different iterations.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)     ; shape: varying
  %id = trunc i64 %g to i32                    ; shape: varying
  %twice = add i32 %n, %n                      ; shape: uniform
  br label %loop
loop:                                          ; shape: divergent loop
  %i = phi i32 [ 0, %entry ], [ %next, %loop ] ; shape: uniform
  %next = add nsw i32 %i, 1                    ; shape: uniform
  %more = icmp slt i32 %next, %id              ; shape: varying
  br i1 %more, label %loop, label %exit        ; shape: divergent
exit:                                          ; shape: join
  %kept = phi i32 [ %twice, %loop ]            ; shape: uniform
  %also = add i32 %twice, 1                    ; shape: uniform
  store i32 %also, ptr addrspace(1) %out
  ret void
}
