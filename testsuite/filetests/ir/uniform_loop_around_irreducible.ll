; An irreducible cycle inside a loop, entered apart in each iteration; the loop itself is left together.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)        ; shape: varying
  %id = trunc i64 %g to i32                       ; shape: varying
  br label %head
head:
  %r = phi i32 [ 0, %entry ], [ %r.next, %latch ] ; shape: uniform
  %some = icmp ult i32 %id, 7                     ; shape: varying
  br i1 %some, label %a, label %b                 ; shape: divergent
a:                                                ; shape: join
  %i = phi i32 [ 0, %head ], [ %i.b, %b ]         ; shape: varying
  %i.a = add i32 %i, 1                            ; shape: varying
  br label %b
b:                                                ; shape: divergent loop ; shape: join
  %j = phi i32 [ 5, %head ], [ %i.a, %a ]         ; shape: varying
  %i.b = add i32 %j, 1                            ; shape: varying
  %more = icmp slt i32 %i.b, %n                   ; shape: varying
  br i1 %more, label %a, label %latch             ; shape: divergent
latch:                                            ; shape: join
  %r.next = add nsw i32 %r, 1                     ; shape: uniform
  %r.more = icmp slt i32 %r.next, %n              ; shape: uniform
  br i1 %r.more, label %head, label %exit         ; shape: uniform
exit:
  %last = phi i32 [ %r, %latch ]                  ; shape: uniform
  store i32 %last, ptr addrspace(1) %out
  ret void
}
