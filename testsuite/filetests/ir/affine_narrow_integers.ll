; In 32 bits a form is exact only where nothing wraps: an id cut to 32 bits is itself, a sum only with `nsw`.
; analysis: affine

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)    ; affine: 1*global0
  %cut = trunc i64 %x to i32                  ; affine: 1*global0
  %short = trunc i64 %x to i16
  %next = add nsw i32 %cut, 1                 ; affine: 1*global0 + 1
  %wraps = add i32 %cut, 1
  %before = sub nsw i32 %cut, 1               ; affine: 1*global0 + -1
  %before.wraps = sub i32 %cut, 1
  %twice.wraps = mul i32 %cut, 2
  %even.wraps = shl i32 %cut, 1
  %signed = sext i32 %next to i64             ; affine: 1*global0 + 1
  %unsigned = zext i32 %next to i64           ; affine: 1*global0 + 1
  %zext.of.negative = zext i32 %before to i64
  %sext.of.negative = sext i32 %before to i64 ; affine: 1*global0 + -1
  %more = add i64 %x, 1                       ; affine: 1*global0 + 1
  %cut.sum = trunc i64 %more to i32
  %twice = mul i64 %x, 2                      ; affine: 2*global0
  %cut.twice = trunc i64 %twice to i32
  %frozen = freeze i32 %next                  ; affine: 1*global0 + 1
  %even = shl nsw i32 %cut, 1                 ; affine: 2*global0
  %odd = or disjoint i32 %even, 1             ; affine: 2*global0 + 1
  %or = or i32 %even, 1
  ret void
}
