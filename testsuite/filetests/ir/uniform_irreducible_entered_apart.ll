; Two ways from a divergent branch enter an irreducible cycle at different blocks: nothing is known in it.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0) ; shape: varying
  %id = trunc i64 %g to i32                ; shape: varying
  %some = icmp ult i32 %id, 7              ; shape: varying
  br i1 %some, label %a, label %b          ; shape: divergent
a:                                         ; shape: join
  %i = phi i32 [ 0, %entry ], [ %i.b, %b ] ; shape: varying
  %i.a = add i32 %i, 1                     ; shape: varying
  br label %b
b:                                         ; shape: divergent loop ; shape: join
  %j = phi i32 [ 5, %entry ], [ %i.a, %a ] ; shape: varying
  %i.b = add i32 %j, 1                     ; shape: varying
  %more = icmp slt i32 %i.b, %n            ; shape: varying
  br i1 %more, label %a, label %exit       ; shape: divergent
exit:                                      ; shape: join
  %last = phi i32 [ %i.b, %b ]             ; shape: varying
  store i32 %last, ptr addrspace(1) %out
  ret void
}
