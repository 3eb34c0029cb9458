; Bytes without a sign are divided in 8 bits where the divisor is no constant, guarded or not; with a sign they are not. What divides by
; more than one is never greater, which is seen when both are bytes.
; analysis: range
; step: narrow
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i8 @llvm.umax.i8(i8, i8)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %pa = getelementptr i8, ptr addrspace(1) %a, i64 %x
  %pb = getelementptr i8, ptr addrspace(1) %b, i64 %x
  %va = load i8, ptr addrspace(1) %pa
  %vb = load i8, ptr addrspace(1) %pb
  %ca = zext i8 %va to i32
  %cb = zext i8 %vb to i32
  %d = freeze i32 %cb
  %z = icmp eq i32 %d, 0
  %safe = select i1 %z, i32 1, i32 %d
  %q = sdiv i32 %ca, %safe
  %t0 = trunc i32 %q to i8
  %po = getelementptr i8, ptr addrspace(1) %out, i64 %x
  store i8 %t0, ptr addrspace(1) %po
  %bit = or i8 %vb, 1
  %cbit = zext i8 %bit to i32
  %p = sdiv i32 %ca, %cbit
  %t1 = trunc i32 %p to i8
  %m = call i8 @llvm.umax.i8(i8 %t1, i8 %va)
  %po1 = getelementptr i8, ptr addrspace(1) %po, i64 1
  store i8 %m, ptr addrspace(1) %po1
  %sa = sext i8 %va to i32
  %sb = sext i8 %bit to i32
  %r = srem i32 %sa, %sb
  %t2 = trunc i32 %r to i8
  %po2 = getelementptr i8, ptr addrspace(1) %po, i64 2
  store i8 %t2, ptr addrspace(1) %po2
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
;   %d1 = freeze i8 %vb
;   %z5 = icmp eq i8 %d1, 0
;   %safe2 = select i1 %z5, i8 1, i8 %d1
;   %q3 = udiv i8 %va, %safe2
;   %po = getelementptr i8, ptr addrspace(1) %out, i64 %x
;   store i8 %q3, ptr addrspace(1) %po, align 1
;   %bit = or i8 %vb, 1
;   %po1 = getelementptr i8, ptr addrspace(1) %po, i64 1
;   store i8 %va, ptr addrspace(1) %po1, align 1
;   %sa = sext i8 %va to i32                 ; range: -128 to 127
;   %sb = sext i8 %bit to i32                ; range: -128 to 127
;   %r = srem i32 %sa, %sb
;   %t2 = trunc i32 %r to i8
;   %po2 = getelementptr i8, ptr addrspace(1) %po, i64 2
;   store i8 %t2, ptr addrspace(1) %po2, align 1
;   ret void
; }
