; The loop's header itself is the divergent branch, one side of which holds the exit.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)      ; shape: varying
  %id = trunc i64 %g to i32                     ; shape: varying
  br label %head
head:                                           ; shape: divergent loop
  %i = phi i32 [ 0, %entry ], [ %next, %latch ] ; shape: uniform
  %apart = icmp ult i32 %i, %id                 ; shape: varying
  br i1 %apart, label %latch, label %check      ; shape: divergent
check:
  %big = icmp sgt i32 %i, %n                    ; shape: uniform
  br i1 %big, label %exit, label %latch         ; shape: uniform
latch:                                          ; shape: join
  %next = add nsw i32 %i, 1                     ; shape: uniform
  br label %head
exit:                                           ; shape: join
  %last = phi i32 [ %i, %check ]                ; shape: varying
  store i32 %last, ptr addrspace(1) %out
  ret void
}
