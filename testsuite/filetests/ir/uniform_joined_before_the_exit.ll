; Work-items that part inside the loop are together again before its exit: they leave in the same iteration.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)      ; shape: varying
  %id = trunc i64 %g to i32                     ; shape: varying
  %odd = and i32 %id, 1                         ; shape: varying
  %is.odd = icmp eq i32 %odd, 1                 ; shape: varying
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ] ; shape: uniform
  br i1 %is.odd, label %yes, label %no          ; shape: divergent
yes:
  br label %latch
no:
  br label %latch
latch:                                          ; shape: join
  %which = phi i32 [ 1, %yes ], [ %i, %no ]     ; shape: varying
  %next = add nsw i32 %i, 1                     ; shape: uniform
  %more = icmp slt i32 %next, %n                ; shape: uniform
  br i1 %more, label %head, label %exit         ; shape: uniform
exit:
  %last = phi i32 [ %next, %latch ]             ; shape: uniform
  %own = phi i32 [ %which, %latch ]             ; shape: varying
  store i32 %last, ptr addrspace(1) %out
  ret void
}
