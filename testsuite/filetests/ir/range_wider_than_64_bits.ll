; Of integers of more than 64 bits nothing is known, and nothing is of what is cut out of them.
; analysis: range

define spir_kernel void @k(ptr addrspace(1) %in, i128 %n, i64 %m) {
entry:
  %wide = and i128 %n, 255
  %sum = add i128 %wide, 1
  %longer = zext i64 %m to i128
  %cut = trunc i128 %sum to i32
  %low = and i32 %cut, 15 ; range: 0 to 15
  ret void
}
