; A loop that is left in different iterations, then one that all run together again.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)           ; shape: varying
  %id = trunc i64 %g to i32                          ; shape: varying
  br label %first
first:                                               ; shape: divergent loop
  %i = phi i32 [ 0, %entry ], [ %i.next, %first ]    ; shape: uniform
  %i.next = add nsw i32 %i, 1                        ; shape: uniform
  %i.more = icmp slt i32 %i.next, %id                ; shape: varying
  br i1 %i.more, label %first, label %between        ; shape: divergent
between:                                             ; shape: join
  br label %second
second:
  %j = phi i32 [ 0, %between ], [ %j.next, %second ] ; shape: uniform
  %j.next = add nsw i32 %j, 1                        ; shape: uniform
  %j.more = icmp slt i32 %j.next, %n                 ; shape: uniform
  br i1 %j.more, label %second, label %exit          ; shape: uniform
exit:
  %last = phi i32 [ %j, %second ]                    ; shape: uniform
  store i32 %last, ptr addrspace(1) %out
  ret void
}
