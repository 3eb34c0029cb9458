; What is counted inside a divergent branch differs at the latch; the exit beside it is divergent.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)              ; shape: varying
  %id = trunc i64 %g to i32                             ; shape: varying
  br label %head
head:                                                   ; shape: divergent loop
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]         ; shape: uniform
  %c = phi i32 [ 0, %entry ], [ %c.next, %latch ]       ; shape: varying
  %sum = add i32 %i, %id                                ; shape: varying
  %rest = urem i32 %sum, 3                              ; shape: varying
  %mine = icmp eq i32 %rest, 0                          ; shape: varying
  br i1 %mine, label %inside, label %latch              ; shape: divergent
inside:
  %c.more = add i32 %c, 1                               ; shape: varying
  %big = icmp sge i32 %i, %n                            ; shape: uniform
  br i1 %big, label %exit, label %latch                 ; shape: uniform
latch:                                                  ; shape: join
  %c.next = phi i32 [ %c, %head ], [ %c.more, %inside ] ; shape: varying
  %next = add nsw i32 %i, 1                             ; shape: uniform
  br label %head
exit:                                                   ; shape: join
  %counted = phi i32 [ %c.more, %inside ]               ; shape: varying
  store i32 %counted, ptr addrspace(1) %out
  ret void
}
