; A stride goes through an extension where no number changes, and through a cut where ranges show that it loses nothing: an id
; plus a constant as unsigned, not as signed.
; analysis: shape range
; among: row

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0) ; shape: strided 1 signed ; range: 0 to 2147483647
  %id = trunc i64 %g to i32                ; shape: strided 1 signed ; range: 0 to 2147483647
  %id.s = sext i32 %id to i64              ; shape: strided 1 signed ; range: 0 to 2147483647
  %id.z = zext i32 %id to i64              ; shape: strided 1 signed ; range: 0 to 2147483647
  %more = add i64 %g, 5                    ; shape: strided 1 signed ; range: 5 to 2147483652
  %more.cut = trunc i64 %more to i32       ; shape: strided 1
  %more.s = sext i32 %more.cut to i64      ; shape: varying ; range: -2147483648 to 2147483647
  %more.z = zext i32 %more.cut to i64      ; shape: strided 1 signed ; range: 0 to 4294967295
  %next = add i32 %id, 1                   ; shape: strided 1
  %next.s = sext i32 %next to i64          ; shape: varying ; range: -2147483648 to 2147483647
  %next.z = zext i32 %next to i64          ; shape: varying ; range: 0 to 4294967295
  %before = sub i32 %id, 1                 ; shape: strided 1 signed ; range: -1 to 2147483646
  %before.s = sext i32 %before to i64      ; shape: strided 1 signed ; range: -1 to 2147483646
  %before.z = zext i32 %before to i64      ; shape: varying ; range: 0 to 4294967295
  %twice = mul i64 %g, 2                   ; shape: strided 2 signed ; range: 0 to 4294967294
  %twice.cut = trunc i64 %twice to i32     ; shape: strided 2
  %twice.s = sext i32 %twice.cut to i64    ; shape: varying ; range: -2147483648 to 2147483647
  %short = trunc i64 %g to i16             ; shape: strided 1
  %short.z = zext i16 %short to i32        ; shape: varying ; range: 0 to 65535
  %rest = and i32 %id, 7                   ; shape: varying ; range: 0 to 7
  ret void
}
