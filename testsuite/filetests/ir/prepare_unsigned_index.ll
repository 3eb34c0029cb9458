; An index of unsigned arithmetic is widened where it cannot wrap as such; a signed promise says nothing of it, nor the reverse.
; analysis: range
; step: prepare

define spir_kernel void @k(ptr addrspace(1) noundef align 4 %a, i32 noundef %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 noundef 0)
  %x = trunc i64 %id to i32
  %sum = add nuw i32 %x, %n
  %index = zext i32 %sum to i64
  %at = getelementptr inbounds float, ptr addrspace(1) %a, i64 %index
  store float 1.000000e+00, ptr addrspace(1) %at, align 4
  %product = mul nsw i32 %x, %n
  %unsigned = zext i32 %product to i64
  %at.product = getelementptr inbounds float, ptr addrspace(1) %a, i64 %unsigned
  store float 2.000000e+00, ptr addrspace(1) %at.product, align 4
  %other = mul nuw i32 %sum, %n
  %signed = sext i32 %other to i64
  %at.other = getelementptr inbounds float, ptr addrspace(1) %a, i64 %signed
  store float 3.000000e+00, ptr addrspace(1) %at.other, align 4
  %wraps = add i32 %x, %n
  %any = zext i32 %wraps to i64
  %at.any = getelementptr inbounds float, ptr addrspace(1) %a, i64 %any
  store float 4.000000e+00, ptr addrspace(1) %at.any, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32) memory(none)

; ---- after the steps:
; ; Function Attrs: memory(argmem: write)
; define void @k(ptr addrspace(1) noundef writeonly align 4 captures(none) %a, i32 noundef %n) #0 {
; entry:
;   %id = call i64 @_Z13get_global_idj(i32 noundef 0) ; range: 0 to 2147483647
;   %x = trunc i64 %id to i32                         ; range: 0 to 2147483647
;   %sum = add nuw i32 %x, %n
;   %0 = zext i32 %x to i64                           ; range: 0 to 2147483647
;   %1 = zext i32 %n to i64                           ; range: 0 to 4294967295
;   %sum1 = add nuw nsw i64 %0, %1                    ; range: 0 to 6442450942
;   %at = getelementptr inbounds float, ptr addrspace(1) %a, i64 %sum1
;   store float 1.000000e+00, ptr addrspace(1) %at, align 4
;   %product = mul nsw i32 %x, %n
;   %unsigned = zext i32 %product to i64              ; range: 0 to 4294967295
;   %at.product = getelementptr inbounds float, ptr addrspace(1) %a, i64 %unsigned
;   store float 2.000000e+00, ptr addrspace(1) %at.product, align 4
;   %other = mul nuw i32 %sum, %n
;   %signed = sext i32 %other to i64                  ; range: -2147483648 to 2147483647
;   %at.other = getelementptr inbounds float, ptr addrspace(1) %a, i64 %signed
;   store float 3.000000e+00, ptr addrspace(1) %at.other, align 4
;   store float 4.000000e+00, ptr addrspace(1) %at, align 4
;   ret void
; }
