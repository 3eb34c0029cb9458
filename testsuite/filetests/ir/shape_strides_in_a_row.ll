; Neighbours in dimension 0: ids differ by one, addresses by the elements' size, other dimensions not at all.
; analysis: shape
; among: row

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %in, i64 %n) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)                     ; shape: strided 1 signed
  %y = call i64 @_Z13get_global_idj(i32 1)                     ; shape: uniform
  %row = mul nsw i64 %y, %n                                    ; shape: uniform
  %index = add nsw i64 %row, %x                                ; shape: strided 1 signed
  %at = getelementptr double, ptr addrspace(1) %in, i64 %index ; shape: strided 8 signed
  %v = load double, ptr addrspace(1) %at                       ; shape: varying
  %one = getelementptr double, ptr addrspace(1) %in, i64 %row  ; shape: uniform
  %u = load double, ptr addrspace(1) %one                      ; shape: uniform
  ret void
}
