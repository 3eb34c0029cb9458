; An irreducible cycle that all enter and leave together.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0) ; shape: varying
  %id = trunc i64 %g to i32                ; shape: varying
  %some = icmp ult i32 %n, 7               ; shape: uniform
  br i1 %some, label %a, label %b          ; shape: uniform
a:
  %i = phi i32 [ 0, %entry ], [ %i.b, %b ] ; shape: uniform
  %i.a = add i32 %i, 1                     ; shape: uniform
  br label %b
b:
  %j = phi i32 [ 5, %entry ], [ %i.a, %a ] ; shape: uniform
  %i.b = add i32 %j, 1                     ; shape: uniform
  %more = icmp slt i32 %i.b, %n            ; shape: uniform
  br i1 %more, label %a, label %exit       ; shape: uniform
exit:
  %last = phi i32 [ %i.b, %b ]             ; shape: uniform
  store i32 %last, ptr addrspace(1) %out
  ret void
}
