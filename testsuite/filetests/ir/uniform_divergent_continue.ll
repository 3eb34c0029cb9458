; A divergent continue: two ways to the header, which meet in it.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)                       ; shape: varying
  %id = trunc i64 %g to i32                                      ; shape: varying
  br label %head
head:                                                            ; shape: divergent loop ; shape: join
  %i = phi i32 [ 0, %entry ], [ %next, %body ], [ %next, %tail ] ; shape: varying
  %c = phi i32 [ 0, %entry ], [ %c, %body ], [ %c.more, %tail ]  ; shape: varying
  %k = phi i32 [ 0, %entry ], [ 1, %body ], [ 2, %tail ]         ; shape: varying
  %more = icmp slt i32 %i, %n                                    ; shape: varying
  br i1 %more, label %body, label %exit                          ; shape: divergent
body:
  %next = add nsw i32 %i, 1                                      ; shape: varying
  %skip = icmp eq i32 %i, %id                                    ; shape: varying
  br i1 %skip, label %head, label %tail                          ; shape: divergent
tail:
  %c.more = add i32 %c, 1                                        ; shape: varying
  br label %head
exit:                                                            ; shape: join
  store i32 %c, ptr addrspace(1) %out
  ret void
}
