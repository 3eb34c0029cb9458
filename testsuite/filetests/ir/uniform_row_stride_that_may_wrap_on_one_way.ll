; The same stride on both ways, but on one of them numbers may wrap around: then so may what comes of both.
; analysis: shape
; among: row

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, i1 noundef %c, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)              ; shape: strided 1 signed
  %cut = trunc i64 %g to i32                            ; shape: strided 1 signed
  %wraps = add i32 %cut, %n                             ; shape: strided 1
  br i1 %c, label %then, label %join                    ; shape: uniform
then:
  br label %join
join:
  %first = phi i32 [ %cut, %entry ], [ %wraps, %then ]  ; shape: strided 1
  %second = phi i32 [ %wraps, %entry ], [ %cut, %then ] ; shape: strided 1
  %either = select i1 %c, i32 %wraps, i32 %cut          ; shape: strided 1
  %neither = select i1 %c, i32 %wraps, i32 %wraps       ; shape: strided 1
  %wide = sext i32 %first to i64                        ; shape: varying
  ret void
}
