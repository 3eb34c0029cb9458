; What is cut to 32 bits and extended again is whole where it fits; to fewer bits it may lose some.
; analysis: affine

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z15get_global_sizej(i32) memory(none)
declare i64 @_Z20get_global_linear_idv() memory(none)

define void @k(ptr addrspace(1) %a) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)  ; affine: 1*global0
  %twice = mul i64 %x, 2                    ; affine: 2*global0
  %cut = trunc i64 %twice to i32
  %whole = zext i32 %cut to i64             ; affine: 2*global0
  %not.whole = sext i32 %cut to i64
  %four = mul i64 %x, 4                     ; affine: 4*global0
  %four.cut = trunc i64 %four to i32
  %lost = zext i32 %four.cut to i64
  %last = sub i64 2147483647, %x            ; affine: -1*global0 + 2147483647
  %last.cut = trunc i64 %last to i32        ; affine: -1*global0 + 2147483647
  %last.whole = zext i32 %last.cut to i64   ; affine: -1*global0 + 2147483647
  %first = sub i64 %x, 1                    ; affine: 1*global0 + -1
  %first.cut = trunc i64 %first to i32      ; affine: 1*global0 + -1
  %first.lost = zext i32 %first.cut to i64
  %first.whole = sext i32 %first.cut to i64 ; affine: 1*global0 + -1
  %short = trunc i64 %x to i31
  %short.lost = zext i31 %short to i64
  ret void
}
