; A loop that only a divergent return ends.
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
  br i1 %mine, label %out.of.it, label %latch   ; shape: divergent
latch:
  %next = add i32 %i, 1                         ; shape: uniform
  br label %head
out.of.it:                                      ; shape: join
  %last = phi i32 [ %i, %head ]                 ; shape: varying
  store i32 %last, ptr addrspace(1) %out
  ret void
}
