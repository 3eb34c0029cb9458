; A flag that is constant on each way out of a loop, one divergent, one uniform: work-items come to the exit in different
; iterations, so its PHI node tells them apart.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)              ; shape: varying
  %id = trunc i64 %g to i32                             ; shape: varying
  br label %head
head:                                                   ; shape: divergent loop
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]         ; shape: uniform
  %more = icmp slt i32 %i, %n                           ; shape: uniform
  br i1 %more, label %body, label %exit                 ; shape: uniform
body:
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %i  ; shape: uniform
  %x = load i32, ptr addrspace(1) %p                    ; shape: uniform
  %hit = icmp eq i32 %x, %id                            ; shape: varying
  br i1 %hit, label %exit, label %latch                 ; shape: divergent
latch:
  %next = add nsw i32 %i, 1                             ; shape: uniform
  br label %head
exit:                                                   ; shape: join
  %found = phi i32 [ 0, %head ], [ 1, %body ]           ; shape: varying
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %g ; shape: varying
  store i32 %found, ptr addrspace(1) %q
  ret void
}
