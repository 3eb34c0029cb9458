; The sum of two bytes takes 9 bits, what is left of it after the shift a byte: the store takes its low bits.
; analysis: range
; step: narrow
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %pa = getelementptr i8, ptr addrspace(1) %a, i64 %x
  %pb = getelementptr i8, ptr addrspace(1) %b, i64 %x
  %va = load i8, ptr addrspace(1) %pa
  %vb = load i8, ptr addrspace(1) %pb
  %ca = zext i8 %va to i32
  %cb = zext i8 %vb to i32
  %s = add nuw nsw i32 %ca, %cb
  %r = add nuw nsw i32 %s, 1
  %h = lshr i32 %r, 1
  %t = trunc i32 %h to i8
  %po = getelementptr i8, ptr addrspace(1) %out, i64 %x
  store i8 %t, ptr addrspace(1) %po
  ret void
}

; ---- after the steps:
; define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out) {
; entry:
;   %x = call i64 @_Z13get_global_idj(i32 0) ; range: 0 to 2147483647
;   %pa = getelementptr i8, ptr addrspace(1) %a, i64 %x
;   %pb = getelementptr i8, ptr addrspace(1) %b, i64 %x
;   %va = load i8, ptr addrspace(1) %pa, align 1
;   %vb = load i8, ptr addrspace(1) %pb, align 1
;   %ca1 = zext i8 %va to i16                ; range: 0 to 255
;   %cb2 = zext i8 %vb to i16                ; range: 0 to 255
;   %s3 = add i16 %ca1, %cb2                 ; range: 0 to 510
;   %r4 = add i16 %s3, 1                     ; range: 1 to 511
;   %h5 = lshr i16 %r4, 1                    ; range: 0 to 255
;   %t6 = trunc i16 %h5 to i8
;   %po = getelementptr i8, ptr addrspace(1) %out, i64 %x
;   store i8 %t6, ptr addrspace(1) %po, align 1
;   ret void
; }
