; A division by a constant is a product and shifts, also of vectors; of 64 bits four products of 32 bits, while LLVM leaves loops with
; it as they are.
; analysis: plan
; width: chosen

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %out) {
; plan: width 16 along rows of a run of groups, cycles for each work-item: 9.2 at 1, 4.4 at 4, 4.3 at 8, 4.2 at 16
entry:                                                   ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)               ; plan: strided 1
  %pa = getelementptr i64, ptr addrspace(1) %a, i64 %x   ; plan: strided 8
  %v = load i64, ptr addrspace(1) %pa                    ; plan: consecutive
  %v1 = mul i64 %v, 5                                    ; plan: vector
  %v2 = lshr i64 %v1, 3                                  ; plan: vector
  %v3 = xor i64 %v1, %v2                                 ; plan: vector
  %v4 = add i64 %v3, %v                                  ; plan: vector
  %v5 = mul i64 %v4, 5                                   ; plan: vector
  %v6 = lshr i64 %v5, 3                                  ; plan: vector
  %v7 = xor i64 %v5, %v6                                 ; plan: vector
  %q = udiv i64 %v7, 3                                   ; plan: vector
  %h = udiv i64 %q, 8                                    ; plan: vector
  %po = getelementptr i64, ptr addrspace(1) %out, i64 %x ; plan: strided 8
  store i64 %h, ptr addrspace(1) %po                     ; plan: consecutive
  ret void
}
