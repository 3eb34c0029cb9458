; An induction variable that begins at the id and one whose step is the id.
; analysis: shape
; among: row

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)         ; shape: strided 1 signed
  %id = trunc i64 %g to i32                        ; shape: strided 1 signed
  br label %loop
loop:
  %i = phi i32 [ %id, %entry ], [ %i.next, %loop ] ; shape: strided 1 signed
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]   ; shape: varying
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]   ; shape: uniform
  %i.next = add nsw i32 %i, %n                     ; shape: strided 1 signed
  %j.next = add nsw i32 %j, %id                    ; shape: varying
  %k.next = add nsw i32 %k, 1                      ; shape: uniform
  %more = icmp slt i32 %k.next, %n                 ; shape: uniform
  br i1 %more, label %loop, label %exit            ; shape: uniform
exit:
  ret void
}
