; The only exit is a uniform branch inside a divergent one, whose immediate post-dominator lies inside the loop: work-items
; leave in different iterations all the same.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)      ; shape: varying
  %id = trunc i64 %g to i32                     ; shape: varying
  br label %head
head:                                           ; shape: divergent loop
  %i = phi i32 [ 0, %entry ], [ %next, %latch ] ; shape: uniform
  %sum = add i32 %i, %id                        ; shape: varying
  %rest = urem i32 %sum, 3                      ; shape: varying
  %mine = icmp eq i32 %rest, 0                  ; shape: varying
  br i1 %mine, label %inside, label %latch      ; shape: divergent
inside:
  store i32 -1, ptr addrspace(1) %out
  %big = icmp sgt i32 %n, 3                     ; shape: uniform
  br i1 %big, label %exit, label %latch         ; shape: uniform
latch:                                          ; shape: join
  %next = add nsw i32 %i, 1                     ; shape: uniform
  br label %head
exit:                                           ; shape: join
  %last = phi i32 [ %i, %inside ]               ; shape: varying
  store i32 %last, ptr addrspace(1) %out
  ret void
}
