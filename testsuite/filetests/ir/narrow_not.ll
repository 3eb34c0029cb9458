; What stays: sums that do not fit, one operation between conversions, and ids, which are addresses' parts.
; analysis: range
; step: narrow
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %pa = getelementptr i16, ptr addrspace(1) %a, i64 %x
  %pb = getelementptr i16, ptr addrspace(1) %b, i64 %x
  %va = load i16, ptr addrspace(1) %pa
  %vb = load i16, ptr addrspace(1) %pb
  %ca = zext i16 %va to i32
  %cb = zext i16 %vb to i32
  %s = add nuw nsw i32 %ca, %cb
  %h = lshr i32 %s, 1
  %po = getelementptr i32, ptr addrspace(1) %out, i64 %x
  store i32 %h, ptr addrspace(1) %po
  %na = trunc i16 %va to i8
  %da = zext i8 %na to i32
  %nb = trunc i16 %vb to i8
  %db = zext i8 %nb to i32
  %one = add nuw nsw i32 %da, %db
  %po1 = getelementptr i32, ptr addrspace(1) %po, i64 1
  store i32 %one, ptr addrspace(1) %po1
  %y = trunc i64 %x to i32
  %i = and i32 %y, 15
  %j = mul nuw nsw i32 %i, 3
  %k = add nuw nsw i32 %j, 1
  %kk = zext i32 %k to i64
  %po2 = getelementptr i32, ptr addrspace(1) %out, i64 %kk
  store i32 %k, ptr addrspace(1) %po2
  ret void
}

; ---- after the steps:
; define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out) {
; entry:
;   %x = call i64 @_Z13get_global_idj(i32 0) ; range: 0 to 2147483647
;   %pa = getelementptr i16, ptr addrspace(1) %a, i64 %x
;   %pb = getelementptr i16, ptr addrspace(1) %b, i64 %x
;   %va = load i16, ptr addrspace(1) %pa, align 2
;   %vb = load i16, ptr addrspace(1) %pb, align 2
;   %ca = zext i16 %va to i32                ; range: 0 to 65535
;   %cb = zext i16 %vb to i32                ; range: 0 to 65535
;   %s = add nuw nsw i32 %ca, %cb            ; range: 0 to 131070
;   %h = lshr i32 %s, 1                      ; range: 0 to 65535
;   %po = getelementptr i32, ptr addrspace(1) %out, i64 %x
;   store i32 %h, ptr addrspace(1) %po, align 4
;   %na = trunc i16 %va to i8
;   %da = zext i8 %na to i32                 ; range: 0 to 255
;   %nb = trunc i16 %vb to i8
;   %db = zext i8 %nb to i32                 ; range: 0 to 255
;   %one = add nuw nsw i32 %da, %db          ; range: 0 to 510
;   %po1 = getelementptr i32, ptr addrspace(1) %po, i64 1
;   store i32 %one, ptr addrspace(1) %po1, align 4
;   %y = trunc i64 %x to i32                 ; range: 0 to 2147483647
;   %i = and i32 %y, 15                      ; range: 0 to 15
;   %j = mul nuw nsw i32 %i, 3               ; range: 0 to 45
;   %k = add nuw nsw i32 %j, 1               ; range: 1 to 46
;   %kk = zext i32 %k to i64                 ; range: 1 to 46
;   %po2 = getelementptr i32, ptr addrspace(1) %out, i64 %kk
;   store i32 %k, ptr addrspace(1) %po2, align 4
;   ret void
; }
