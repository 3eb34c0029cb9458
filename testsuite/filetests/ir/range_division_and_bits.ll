; Divisions by constants, remainders, shifts to the right and masks.
; analysis: range

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0) ; range: 0 to 2147483647
  %rest.8 = and i64 %g, 7                  ; range: 0 to 7
  %half = udiv i64 %g, 2                   ; range: 0 to 1073741823
  %half.signed = sdiv i64 %g, 2            ; range: 0 to 1073741823
  %rest.zero = urem i64 %g, 0
  %by.mask = and i64 %g, 15                ; range: 0 to 15
  %rest.mask = urem i64 %g, %by.mask
  %by.zero = udiv i64 %g, 0
  %eight = add nuw nsw i64 %rest.8, 8      ; range: 8 to 15
  %four = udiv i64 %eight, 2               ; range: 4 to 7
  %n.half = udiv i32 %n, 2
  %rest = urem i64 %g, 10                  ; range: 0 to 9
  %n.rest = urem i32 %n, 10                ; range: 0 to 9
  %n.signed.rest = srem i32 %n, 10         ; range: -9 to 9
  %by.n = urem i32 7, %n
  %shifted = lshr i64 %g, 4                ; range: 0 to 134217727
  %n.shifted = lshr i32 %n, 4              ; range: 0 to 268435455
  %n.signed = ashr i32 %n, 4               ; range: -134217728 to 134217727
  %n.none = lshr i32 %n, 0
  %mask = and i32 %n, 15                   ; range: 0 to 15
  %both = and i64 %g, -8                   ; range: 0 to 2147483647
  %n.mask = and i32 %n, -8
  ret void
}
