; Without a PHI node at the exit the sum has no stride in the loop either.
; analysis: shape
; among: row

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)     ; shape: strided 1 signed
  %id = trunc i64 %g to i32                    ; shape: strided 1 signed
  br label %loop
loop:                                          ; shape: divergent loop
  %i = phi i32 [ 0, %entry ], [ %next, %loop ] ; shape: uniform
  %sum = add i32 %i, %id                       ; shape: varying
  %next = add nsw i32 %i, 1                    ; shape: uniform
  %more = icmp slt i32 %next, %id              ; shape: varying
  br i1 %more, label %loop, label %exit        ; shape: divergent
exit:                                          ; shape: join
  %later = add i32 %sum, 1                     ; shape: varying
  ret void
}
