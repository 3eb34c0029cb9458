; As the flag of two exits, but each way out passes a block of its own before they meet.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)      ; shape: varying
  %id = trunc i64 %g to i32                     ; shape: varying
  br label %head
head:                                           ; shape: divergent loop
  %i = phi i32 [ 0, %entry ], [ %next, %latch ] ; shape: uniform
  %more = icmp slt i32 %i, %n                   ; shape: uniform
  br i1 %more, label %body, label %done         ; shape: uniform
body:
  %hit = icmp eq i32 %i, %id                    ; shape: varying
  br i1 %hit, label %found, label %latch        ; shape: divergent
latch:
  %next = add nsw i32 %i, 1                     ; shape: uniform
  br label %head
found:                                          ; shape: join
  br label %exit
done:
  br label %exit
exit:                                           ; shape: join
  %flag = phi i32 [ 0, %done ], [ 1, %found ]   ; shape: varying
  store i32 %flag, ptr addrspace(1) %out
  ret void
}
