; Work-items leave the loop in different iterations: the counter is the same for all inside, and differs outside.
; analysis: shape

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %out) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)                   ; shape: varying
  br label %loop
loop:                                                       ; shape: divergent loop
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]              ; shape: uniform
  %next = add nsw i64 %i, 1                                 ; shape: uniform
  %more = icmp slt i64 %next, %l                            ; shape: varying
  br i1 %more, label %loop, label %exit                     ; shape: divergent
exit:                                                       ; shape: join
  %last = phi i64 [ %next, %loop ]                          ; shape: varying
  %at = getelementptr i64, ptr addrspace(1) %out, i64 %last ; shape: varying
  store i64 0, ptr addrspace(1) %at
  ret void
}
