; Sums, differences and products that fit need no flag; those that do not are anything, unless a flag says that they do not
; wrap.
; analysis: range

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0) ; range: 0 to 2147483647
  %id = trunc i64 %g to i32                ; range: 0 to 2147483647
  %next = add i32 %id, 1
  %next.exact = add nsw i32 %id, 1         ; range: 1 to 2147483647
  %before = sub i32 %id, 1                 ; range: -1 to 2147483646
  %twice = mul i64 %g, 2                   ; range: 0 to 4294967294
  %twice.cut = mul i32 %id, 2
  %twice.exact = mul nsw i32 %id, -2       ; range: -2147483648 to 0
  %shifted = shl i64 %g, 3                 ; range: 0 to 17179869176
  %too.far = shl i64 %g, 40
  %even = shl nsw i32 %id, 1               ; range: 0 to 2147483647
  %odd = or disjoint i32 %even, 1          ; range: 1 to 2147483647
  %small = and i32 %n, 255                 ; range: 0 to 255
  %sum = add i32 %small, %small            ; range: 0 to 510
  %either = or i32 %small, 1               ; range: 1 to 255
  ret void
}
