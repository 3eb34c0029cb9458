; Comparisons, the least and the greatest go by numbers: by their signs where all fit 16 bits with one, without where some are 32768 and
; more, and in 32 bits where one side may be anything.
; analysis: range
; step: narrow
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.abs.i32(i32, i1)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %pa = getelementptr i8, ptr addrspace(1) %a, i64 %x
  %pb = getelementptr i16, ptr addrspace(1) %b, i64 %x
  %va = load i8, ptr addrspace(1) %pa
  %vb = load i16, ptr addrspace(1) %pb
  %ca = zext i8 %va to i32
  %cb = zext i16 %vb to i32
  %d = add nsw i32 %ca, -100
  %e = call i32 @llvm.abs.i32(i32 %d, i1 true)
  %low = call i32 @llvm.smax.i32(i32 %d, i32 0)
  %high = call i32 @llvm.smin.i32(i32 %low, i32 120)
  %t0 = trunc i32 %high to i8
  %po = getelementptr i8, ptr addrspace(1) %out, i64 %x
  store i8 %t0, ptr addrspace(1) %po
  %half = lshr i32 %cb, 1
  %less = icmp slt i32 %half, %cb
  %cut = and i32 %cb, 65534
  %large = call i32 @llvm.smin.i32(i32 %cut, i32 %half)
  %either = select i1 %less, i32 %large, i32 %half
  %t1 = trunc i32 %either to i8
  %po1 = getelementptr i8, ptr addrspace(1) %po, i64 1
  store i8 %t1, ptr addrspace(1) %po1
  %negative = icmp slt i32 %d, 7
  %any = icmp slt i32 %d, %n
  %both = and i1 %negative, %any
  %or = select i1 %both, i32 %d, i32 %ca
  %t2 = trunc i32 %or to i8
  %po2 = getelementptr i8, ptr addrspace(1) %po, i64 2
  store i8 %t2, ptr addrspace(1) %po2
  %po3 = getelementptr i8, ptr addrspace(1) %po, i64 3
  %t3 = trunc i32 %e to i8
  store i8 %t3, ptr addrspace(1) %po3
  ret void
}

; ---- after the steps:
; define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, i32 %n) {
; entry:
;   %x = call i64 @_Z13get_global_idj(i32 0)                 ; range: 0 to 2147483647
;   %pa = getelementptr i8, ptr addrspace(1) %a, i64 %x
;   %pb = getelementptr i16, ptr addrspace(1) %b, i64 %x
;   %va = load i8, ptr addrspace(1) %pa, align 1
;   %vb = load i16, ptr addrspace(1) %pb, align 2
;   %ca1 = zext i8 %va to i16                                ; range: 0 to 255
;   %d2 = add i16 %ca1, -100                                 ; range: -100 to 155
;   %d12 = sext i16 %d2 to i32                               ; range: -100 to 155
;   %e3 = call i16 @llvm.abs.i16(i16 %d2, i1 false)          ; range: 0 to 155
;   %low4 = call i16 @llvm.smax.i16(i16 %d2, i16 0)          ; range: 0 to 155
;   %high5 = call i16 @llvm.smin.i16(i16 %low4, i16 120)     ; range: 0 to 120
;   %t014 = trunc i16 %high5 to i8                           ; range: 0 to 120
;   %po = getelementptr i8, ptr addrspace(1) %out, i64 %x
;   store i8 %t014, ptr addrspace(1) %po, align 1
;   %half6 = lshr i16 %vb, 1                                 ; range: 0 to 32767
;   %less15 = icmp ult i16 %half6, %vb
;   %cut7 = and i16 %vb, -2
;   %large8 = call i16 @llvm.umin.i16(i16 %cut7, i16 %half6) ; range: 0 to 32767
;   %either9 = select i1 %less15, i16 %large8, i16 %half6    ; range: 0 to 32767
;   %t116 = trunc i16 %either9 to i8
;   %po1 = getelementptr i8, ptr addrspace(1) %po, i64 1
;   store i8 %t116, ptr addrspace(1) %po1, align 1
;   %negative11 = icmp slt i16 %d2, 7
;   %any = icmp slt i32 %d12, %n
;   %both = and i1 %negative11, %any
;   %or10 = select i1 %both, i16 %d2, i16 %ca1               ; range: -100 to 255
;   %t217 = trunc i16 %or10 to i8
;   %po2 = getelementptr i8, ptr addrspace(1) %po, i64 2
;   store i8 %t217, ptr addrspace(1) %po2, align 1
;   %po3 = getelementptr i8, ptr addrspace(1) %po, i64 3
;   %t313 = trunc i16 %e3 to i8
;   store i8 %t313, ptr addrspace(1) %po3, align 1
;   ret void
; }
