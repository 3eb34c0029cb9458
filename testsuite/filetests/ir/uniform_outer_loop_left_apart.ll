; The inner loop is left by all together, the outer one not: what the inner loop counts is the same for those in the outer
; loop, and differs outside.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)              ; shape: varying
  %id = trunc i64 %g to i32                             ; shape: varying
  br label %outer
outer:                                                  ; shape: divergent loop
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ] ; shape: uniform
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]       ; shape: uniform
  %j.next = add nsw i32 %j, 1                           ; shape: uniform
  %j.more = icmp slt i32 %j.next, %n                    ; shape: uniform
  br i1 %j.more, label %inner, label %outer.latch       ; shape: uniform
outer.latch:
  %j.last = phi i32 [ %j, %inner ]                      ; shape: uniform
  %i.next = add nsw i32 %i, %j.last                     ; shape: uniform
  %i.more = icmp slt i32 %i.next, %id                   ; shape: varying
  br i1 %i.more, label %outer, label %exit              ; shape: divergent
exit:                                                   ; shape: join
  %j.out = phi i32 [ %j.last, %outer.latch ]            ; shape: varying
  store i32 %j.out, ptr addrspace(1) %out
  ret void
}
