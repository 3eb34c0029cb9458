; Numbers without common bits are added by `or`; of others nothing is known.
; analysis: range

define spir_kernel void @k(ptr addrspace(1) %in, i32 noundef %n) {
entry:
  %small = and i32 %n, 255                   ; range: 0 to 255
  %even = shl i32 %small, 1                  ; range: 0 to 510
  %odd = or disjoint i32 %even, 1            ; range: 1 to 511
  %or = or i32 %even, 1                      ; range: 1 to 511
  %large = and i32 %n, 2147483646            ; range: 0 to 2147483646
  %full = or disjoint i32 %large, 1          ; range: 1 to 2147483647
  %top = or disjoint i32 %large, -2147483648 ; range: -2147483648 to -2
  ret void
}
