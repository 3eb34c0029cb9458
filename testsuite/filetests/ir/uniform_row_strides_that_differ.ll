; Where all take one way, or all the other, a stride is kept only if both ways have it.
; analysis: shape
; among: row

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, i1 noundef %c) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)                ; shape: strided 1 signed
  %twice = shl nuw nsw i64 %g, 1                          ; shape: strided 2 signed
  %next = add nuw nsw i64 %g, 1                           ; shape: strided 1 signed
  br i1 %c, label %then, label %join                      ; shape: uniform
then:
  br label %join
join:
  %differ = phi i64 [ %g, %entry ], [ %twice, %then ]     ; shape: varying
  %same = phi i64 [ %g, %entry ], [ %next, %then ]        ; shape: strided 1 signed
  %one.way.is.none = phi i64 [ %g, %entry ], [ 0, %then ] ; shape: varying
  %differ.too = select i1 %c, i64 %g, i64 %twice          ; shape: varying
  %same.too = select i1 %c, i64 %g, i64 %next             ; shape: strided 1 signed
  ret void
}
