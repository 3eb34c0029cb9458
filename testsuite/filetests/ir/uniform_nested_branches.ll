; Ways from an inner divergent branch that meet only where the outer one does, and a uniform branch inside.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)                      ; shape: varying
  %id = trunc i64 %g to i32                                     ; shape: varying
  %a = icmp ult i32 %id, 7                                      ; shape: varying
  br i1 %a, label %one, label %two                              ; shape: divergent
one:
  %b = icmp ult i32 %id, 3                                      ; shape: varying
  br i1 %b, label %three, label %join                           ; shape: divergent
three:
  br label %join
two:
  %c = icmp sgt i32 %n, 1                                       ; shape: uniform
  br i1 %c, label %four, label %five                            ; shape: uniform
four:
  br label %five
five:
  %inside = phi i32 [ 1, %two ], [ 2, %four ]                   ; shape: uniform
  br label %join
join:                                                           ; shape: join
  %met = phi i32 [ 1, %one ], [ 2, %three ], [ %inside, %five ] ; shape: varying
  %same = phi i32 [ %n, %one ], [ %n, %three ], [ %n, %five ]   ; shape: uniform
  store i32 %met, ptr addrspace(1) %out
  ret void
}
