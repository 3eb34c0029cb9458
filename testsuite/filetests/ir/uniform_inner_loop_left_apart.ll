; Work-items leave the inner loop in different iterations and meet behind it: the outer counter is the same for all, what the
; inner loop counted is not.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)              ; shape: varying
  %id = trunc i64 %g to i32                             ; shape: varying
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ] ; shape: uniform
  br label %inner
inner:                                                  ; shape: divergent loop
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]       ; shape: uniform
  %j.next = add nsw i32 %j, 1                           ; shape: uniform
  %j.more = icmp slt i32 %j.next, %id                   ; shape: varying
  br i1 %j.more, label %inner, label %outer.latch       ; shape: divergent
outer.latch:                                            ; shape: join
  %j.last = phi i32 [ %j, %inner ]                      ; shape: varying
  %i.next = add nsw i32 %i, 1                           ; shape: uniform
  %i.more = icmp slt i32 %i.next, %n                    ; shape: uniform
  br i1 %i.more, label %outer, label %exit              ; shape: uniform
exit:
  %i.last = phi i32 [ %i, %outer.latch ]                ; shape: uniform
  store i32 %i.last, ptr addrspace(1) %out
  ret void
}
