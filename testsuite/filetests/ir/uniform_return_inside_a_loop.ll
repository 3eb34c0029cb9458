; Some return from inside the loop: those who stay are together, and behind the loop nobody else comes.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)      ; shape: varying
  %id = trunc i64 %g to i32                     ; shape: varying
  br label %head
head:                                           ; shape: divergent loop
  %i = phi i32 [ 0, %entry ], [ %next, %latch ] ; shape: uniform
  %mine = icmp eq i32 %i, %id                   ; shape: varying
  br i1 %mine, label %gone, label %latch        ; shape: divergent
gone:                                           ; shape: join
  %i.gone = phi i32 [ %i, %head ]               ; shape: varying
  store i32 %i.gone, ptr addrspace(1) %out
  ret void
latch:
  %next = add nsw i32 %i, 1                     ; shape: uniform
  %more = icmp slt i32 %next, %n                ; shape: uniform
  br i1 %more, label %head, label %exit         ; shape: uniform
exit:
  %last = phi i32 [ %next, %latch ]             ; shape: varying
  store i32 %last, ptr addrspace(1) %out
  ret void
}
