; A sum that mentions an id in more places than are followed: the conversions stop inside of it, on either side.
; analysis: range
; step: prepare

define spir_kernel void @k(ptr addrspace(1) noundef align 4 %a, i32 noundef %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 noundef 0)
  %x = trunc i64 %id to i32
  %l1 = mul nsw i32 %x, %n
  %l2 = add nsw i32 %l1, %x
  %l3 = mul nsw i32 %l2, %n
  %l4 = add nsw i32 %l3, %x
  %l5 = mul nsw i32 %l4, %n
  %l6 = add nsw i32 %l5, %x
  %l7 = mul nsw i32 %l6, %n
  %l8 = add nsw i32 %l7, %x
  %left = sext i32 %l8 to i64
  %at = getelementptr inbounds float, ptr addrspace(1) %a, i64 %left
  store float 1.000000e+00, ptr addrspace(1) %at, align 4
  %r1 = sub nsw i32 %n, %x
  %r2 = mul nsw i32 %r1, %n
  %r3 = sub nsw i32 %x, %r2
  %r4 = mul nsw i32 %r3, %n
  %r5 = sub nsw i32 %x, %r4
  %r6 = mul nsw i32 %r5, %n
  %r7 = sub nsw i32 %x, %r6
  %r8 = mul nsw i32 %r7, %n
  %right = sext i32 %r8 to i64
  %to = getelementptr inbounds float, ptr addrspace(1) %a, i64 %right
  store float 2.000000e+00, ptr addrspace(1) %to, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32) memory(none)

; ---- after the steps:
; ; Function Attrs: memory(argmem: write)
; define void @k(ptr addrspace(1) noundef writeonly align 4 captures(none) %a, i32 noundef %n) #0 {
; entry:
;   %id = call i64 @_Z13get_global_idj(i32 noundef 0) ; range: 0 to 2147483647
;   %x = trunc i64 %id to i32                         ; range: 0 to 2147483647
;   %l1 = mul nsw i32 %x, %n
;   %l2 = add nsw i32 %l1, %x
;   %l3 = mul nsw i32 %l2, %n
;   %0 = sext i32 %l3 to i64                          ; range: -2147483648 to 2147483647
;   %1 = sext i32 %x to i64                           ; range: 0 to 2147483647
;   %l41 = add nsw i64 %0, %1                         ; range: -2147483648 to 4294967294
;   %2 = sext i32 %n to i64                           ; range: -2147483648 to 2147483647
;   %l52 = mul nsw i64 %l41, %2                       ; range: -9223372032559808512 to 9223372028264841218
;   %l63 = add nsw i64 %l52, %1                       ; range: -9223372032559808512 to 9223372030412324865
;   %l74 = mul nsw i64 %l63, %2
;   %l85 = add nsw i64 %l74, %1
;   %at = getelementptr inbounds float, ptr addrspace(1) %a, i64 %l85
;   store float 1.000000e+00, ptr addrspace(1) %at, align 4
;   %r1 = sub nsw i32 %n, %x
;   %r2 = mul nsw i32 %r1, %n
;   %3 = sext i32 %r2 to i64                          ; range: -2147483648 to 2147483647
;   %r36 = sub nsw i64 %1, %3                         ; range: -2147483647 to 4294967295
;   %r47 = mul nsw i64 %r36, %2                       ; range: -9223372034707292160 to 9223372030412324865
;   %r58 = sub nsw i64 %1, %r47                       ; range: -9223372030412324865 to 9223372036854775807
;   %r69 = mul nsw i64 %r58, %2
;   %r710 = sub nsw i64 %1, %r69                      ; range: -9223372036854775807 to 9223372036854775807
;   %r811 = mul nsw i64 %r710, %2
;   %to = getelementptr inbounds float, ptr addrspace(1) %a, i64 %r811
;   store float 2.000000e+00, ptr addrspace(1) %to, align 4
;   ret void
; }
