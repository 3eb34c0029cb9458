; Sums and differences of bytes fit 16 bits and are made in these; their products do not, and take them extended by their sign.
; analysis: range
; step: narrow
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %out, i64 %w) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %p0 = getelementptr i8, ptr addrspace(1) %a, i64 %x
  %p1 = getelementptr i8, ptr addrspace(1) %p0, i64 %w
  %p2 = getelementptr i8, ptr addrspace(1) %p1, i64 %w
  %v0 = load i8, ptr addrspace(1) %p0
  %v1 = load i8, ptr addrspace(1) %p1
  %v2 = load i8, ptr addrspace(1) %p2
  %c0 = zext i8 %v0 to i32
  %c1 = zext i8 %v1 to i32
  %c2 = zext i8 %v2 to i32
  %twice = shl nuw nsw i32 %c1, 1
  %s = add nuw nsw i32 %c0, %twice
  %d = sub nsw i32 %s, %c2
  %e = sub nsw i32 %d, %c1
  %square = mul nsw i32 %e, %e
  %f = sitofp i32 %square to float
  %po = getelementptr float, ptr addrspace(1) %out, i64 %x
  store float %f, ptr addrspace(1) %po
  ret void
}

; ---- after the steps:
; define void @k(ptr addrspace(1) %a, ptr addrspace(1) %out, i64 %w) {
; entry:
;   %x = call i64 @_Z13get_global_idj(i32 0) ; range: 0 to 2147483647
;   %p0 = getelementptr i8, ptr addrspace(1) %a, i64 %x
;   %p1 = getelementptr i8, ptr addrspace(1) %p0, i64 %w
;   %p2 = getelementptr i8, ptr addrspace(1) %p1, i64 %w
;   %v0 = load i8, ptr addrspace(1) %p0, align 1
;   %v1 = load i8, ptr addrspace(1) %p1, align 1
;   %v2 = load i8, ptr addrspace(1) %p2, align 1
;   %c03 = zext i8 %v0 to i16                ; range: 0 to 255
;   %c11 = zext i8 %v1 to i16                ; range: 0 to 255
;   %c25 = zext i8 %v2 to i16                ; range: 0 to 255
;   %twice2 = shl i16 %c11, 1                ; range: 0 to 510
;   %s4 = add i16 %c03, %twice2              ; range: 0 to 765
;   %d6 = sub i16 %s4, %c25                  ; range: -255 to 765
;   %e7 = sub i16 %d6, %c11                  ; range: -510 to 765
;   %e8 = sext i16 %e7 to i32                ; range: -510 to 765
;   %square = mul nsw i32 %e8, %e8           ; range: -390150 to 585225
;   %f = sitofp i32 %square to float
;   %po = getelementptr float, ptr addrspace(1) %out, i64 %x
;   store float %f, ptr addrspace(1) %po, align 4
;   ret void
; }
