; Strides of addresses in bytes, through structures, arrays and narrow indices.
; analysis: shape
; among: row

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)                          ; shape: strided 1 signed
  %id = trunc i64 %g to i32                                         ; shape: strided 1 signed
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %g              ; shape: strided 4 signed
  %q = getelementptr { i32, [4 x i64] }, ptr addrspace(1) %in, i64 %g, i32 1, i64 2 ; shape: strided 40 signed
  %r = getelementptr [4 x i16], ptr addrspace(1) %in, i64 0, i64 %g ; shape: strided 2 signed
  %narrow = add i32 %id, %n                                         ; shape: strided 1
  %s = getelementptr i32, ptr addrspace(1) %in, i32 %narrow         ; shape: varying
  %exact = add nsw i32 %id, %n                                      ; shape: strided 1 signed
  %t = getelementptr i32, ptr addrspace(1) %in, i32 %exact          ; shape: strided 4 signed
  %twice = shl nsw i32 %id, 1                                       ; shape: strided 2 signed
  %back = sub nsw i32 %n, %twice                                    ; shape: strided -2 signed
  %wide = sext i32 %back to i64                                     ; shape: strided -2 signed
  %u = getelementptr i8, ptr addrspace(1) %in, i64 %wide            ; shape: strided -2 signed
  %square = mul nsw i32 %id, %id                                    ; shape: varying
  %half = lshr i32 %id, 1                                           ; shape: varying
  ret void
}
