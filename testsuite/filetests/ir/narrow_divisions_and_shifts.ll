; A number that is never negative is divided and shifted without its sign, one that may be with it; a shift by zeros of a negative number
; stays. A divisor is a constant.
; analysis: range
; step: narrow
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %pa = getelementptr i8, ptr addrspace(1) %a, i64 %x
  %pb = getelementptr i8, ptr addrspace(1) %b, i64 %x
  %va = load i8, ptr addrspace(1) %pa
  %vb = load i8, ptr addrspace(1) %pb
  %ca = zext i8 %va to i32
  %cb = zext i8 %vb to i32
  %s = add nsw i32 %ca, %cb
  %q = sdiv i32 %s, 3
  %t0 = trunc i32 %q to i8
  %po = getelementptr i8, ptr addrspace(1) %out, i64 %x
  store i8 %t0, ptr addrspace(1) %po
  %d = sub nsw i32 %ca, %cb
  %r = srem i32 %d, 10
  %t1 = trunc i32 %r to i8
  %po1 = getelementptr i8, ptr addrspace(1) %po, i64 1
  store i8 %t1, ptr addrspace(1) %po1
  %h = ashr i32 %d, 1
  %t2 = trunc i32 %h to i8
  %po2 = getelementptr i8, ptr addrspace(1) %po, i64 2
  store i8 %t2, ptr addrspace(1) %po2
  %z = lshr i32 %d, 4
  %t3 = trunc i32 %z to i8
  %po3 = getelementptr i8, ptr addrspace(1) %po, i64 3
  store i8 %t3, ptr addrspace(1) %po3
  ret void
}

; ---- after the steps:
; define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, i32 %n) {
; entry:
;   %x = call i64 @_Z13get_global_idj(i32 0) ; range: 0 to 2147483647
;   %pa = getelementptr i8, ptr addrspace(1) %a, i64 %x
;   %pb = getelementptr i8, ptr addrspace(1) %b, i64 %x
;   %va = load i8, ptr addrspace(1) %pa, align 1
;   %vb = load i8, ptr addrspace(1) %pb, align 1
;   %ca1 = zext i8 %va to i16                ; range: 0 to 255
;   %cb2 = zext i8 %vb to i16                ; range: 0 to 255
;   %s3 = add i16 %ca1, %cb2                 ; range: 0 to 510
;   %q4 = udiv i16 %s3, 3                    ; range: 0 to 170
;   %t08 = trunc i16 %q4 to i8
;   %po = getelementptr i8, ptr addrspace(1) %out, i64 %x
;   store i8 %t08, ptr addrspace(1) %po, align 1
;   %d5 = sub i16 %ca1, %cb2                 ; range: -255 to 255
;   %d9 = sext i16 %d5 to i32                ; range: -255 to 255
;   %r6 = srem i16 %d5, 10                   ; range: -9 to 9
;   %t110 = trunc i16 %r6 to i8              ; range: -9 to 9
;   %po1 = getelementptr i8, ptr addrspace(1) %po, i64 1
;   store i8 %t110, ptr addrspace(1) %po1, align 1
;   %h7 = ashr i16 %d5, 1                    ; range: -128 to 127
;   %t211 = trunc i16 %h7 to i8
;   %po2 = getelementptr i8, ptr addrspace(1) %po, i64 2
;   store i8 %t211, ptr addrspace(1) %po2, align 1
;   %z = lshr i32 %d9, 4                     ; range: 0 to 268435455
;   %t3 = trunc i32 %z to i8
;   %po3 = getelementptr i8, ptr addrspace(1) %po, i64 3
;   store i8 %t3, ptr addrspace(1) %po3, align 1
;   ret void
; }
