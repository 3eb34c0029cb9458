; Values of one stride that meet behind a divergent branch have none; behind a uniform one they keep it. A select likewise.
; analysis: shape
; among: row

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)           ; shape: strided 1 signed
  %id = trunc i64 %g to i32                          ; shape: strided 1 signed
  %other = add nsw i32 %id, 5                        ; shape: strided 1 signed
  %apart = icmp ult i32 %id, 7                       ; shape: varying
  br i1 %apart, label %a, label %join                ; shape: divergent
a:
  br label %join
join:                                                ; shape: join
  %lost = phi i32 [ %id, %entry ], [ %other, %a ]    ; shape: varying
  %same = phi i32 [ %id, %entry ], [ %id, %a ]       ; shape: strided 1 signed
  %together = icmp ult i32 %n, 7                     ; shape: uniform
  br i1 %together, label %b, label %end              ; shape: uniform
b:
  br label %end
end:
  %kept = phi i32 [ %id, %join ], [ %other, %b ]     ; shape: strided 1 signed
  %by.all = select i1 %together, i32 %id, i32 %other ; shape: strided 1 signed
  %by.each = select i1 %apart, i32 %id, i32 %other   ; shape: varying
  ret void
}
