; A factor may stand on either side. Indices that are the same for all add nothing to a stride; what has no size that is known, or no
; constant factor, has no stride. Pointers in vectors have none either.
; analysis: shape
; among: row

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, i64 %n, i32 %m, <2 x i64> %both) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)                              ; shape: strided 1 signed
  %left = mul nsw i64 3, %g                                             ; shape: strided 3 signed
  %right = mul nsw i64 %g, 5                                            ; shape: strided 5 signed
  %none = mul nsw i64 %g, %n                                            ; shape: varying
  %nothing = mul i64 %g, 0                                              ; shape: uniform
  %less = sub nsw i64 %n, %right                                        ; shape: strided -5 signed
  %apart = sub nsw i64 %right, %left                                    ; shape: strided 2 signed
  %same = sub i64 %g, %g                                                ; shape: uniform
  %shifted = shl i64 %g, 62                                             ; shape: strided 4611686018427387904
  %too.far = shl i64 %g, 63                                             ; shape: varying
  %by.n = shl i64 %g, %n                                                ; shape: varying
  %even = shl nsw i64 %g, 1                                             ; shape: strided 2 signed
  %odd = or disjoint i64 %even, 1                                       ; shape: strided 2 signed
  %or = or i64 %even, 1                                                 ; shape: varying
  %frozen = freeze i64 %odd                                             ; shape: strided 2 signed
  %p = getelementptr { i32, [4 x i64], i16 }, ptr addrspace(1) %in, i64 %n, i32 1, i64 %left ; shape: strided 24 signed
  %q = getelementptr [3 x i16], ptr addrspace(1) %p, i64 %g, i64 %apart ; shape: strided 34 signed
  %r = getelementptr i8, ptr addrspace(1) %q, i64 %n                    ; shape: strided 34 signed
  %s = getelementptr i8, ptr addrspace(1) %in, i64 %none                ; shape: varying
  %generic = addrspacecast ptr addrspace(1) %q to ptr addrspace(4)      ; shape: strided 34 signed
  %many = getelementptr i32, ptr addrspace(1) %p, <2 x i64> %both       ; shape: varying
  %cut = trunc i64 %g to i32                                            ; shape: strided 1 signed
  %sum = add i32 %cut, %m                                               ; shape: strided 1
  %unsigned = zext i32 %sum to i64                                      ; shape: varying
  %t = getelementptr [2 x i16], ptr addrspace(1) %in, i64 0, i32 %sum   ; shape: varying
  %bit = trunc i64 %g to i1                                             ; shape: varying
  %natural = and i32 %m, 255                                            ; shape: uniform
  %near = add i32 %cut, %natural                                        ; shape: strided 1
  ret void
}
