; Some of the work-items may leave for one of two blocks, the others later for one of them: what is chosen there differs.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)          ; shape: varying
  %c = icmp ult i64 %g, 3                           ; shape: varying
  br label %head
head:                                               ; shape: divergent loop
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]     ; shape: uniform
  %done = icmp eq i32 %i, %n                        ; shape: uniform
  br i1 %done, label %second, label %body           ; shape: uniform
body:
  br i1 %c, label %some, label %latch               ; shape: divergent
some:
  %s = and i32 %i, 3                                ; shape: uniform
  switch i32 %s, label %latch [ i32 1, label %first ; shape: uniform
                                i32 2, label %second ]
latch:                                              ; shape: join
  %next = add i32 %i, 1                             ; shape: uniform
  br label %head
first:                                              ; shape: join
  store i32 5, ptr addrspace(1) %out
  br label %exit
second:                                             ; shape: join
  %flag = phi i32 [ 1, %head ], [ 2, %some ]        ; shape: varying
  store i32 %flag, ptr addrspace(1) %out
  br label %exit
exit:                                               ; shape: join
  ret void
}
