; Only a byte is asked for of sums, products, bits and choices: they are made in 8 bits whatever they wrap around to, an argument is cut.
; A shift to the right asks for the bits above.
; analysis: range
; step: narrow
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %out, i32 %n, i1 %odd) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %x
  %v = load i8, ptr addrspace(1) %p
  %c = sext i8 %v to i32
  %s = add i32 %c, %n
  %e = xor i32 %s, 85
  %l = shl i32 %e, 3
  %o = select i1 %odd, i32 %l, i32 %c
  %t = trunc i32 %o to i8
  %po = getelementptr i8, ptr addrspace(1) %out, i64 %x
  store i8 %t, ptr addrspace(1) %po
  %m = mul i32 %c, %n
  %u = sub i32 %m, %c
  %t1 = trunc i32 %u to i8
  %po1 = getelementptr i8, ptr addrspace(1) %po, i64 1
  store i8 %t1, ptr addrspace(1) %po1
  %g = add i32 %c, %n
  %h = lshr i32 %g, 1
  %t2 = trunc i32 %h to i8
  %po2 = getelementptr i8, ptr addrspace(1) %po, i64 2
  store i8 %t2, ptr addrspace(1) %po2
  ret void
}

; ---- after the steps:
; define void @k(ptr addrspace(1) %a, ptr addrspace(1) %out, i32 %n, i1 %odd) {
; entry:
;   %n1 = trunc i32 %n to i8
;   %x = call i64 @_Z13get_global_idj(i32 0) ; range: 0 to 2147483647
;   %p = getelementptr i8, ptr addrspace(1) %a, i64 %x
;   %v = load i8, ptr addrspace(1) %p, align 1
;   %c = sext i8 %v to i32                   ; range: -128 to 127
;   %s2 = add i8 %v, %n1
;   %e3 = xor i8 %s2, 85
;   %l4 = shl i8 %e3, 3
;   %o5 = select i1 %odd, i8 %l4, i8 %v
;   %po = getelementptr i8, ptr addrspace(1) %out, i64 %x
;   store i8 %o5, ptr addrspace(1) %po, align 1
;   %m6 = mul i8 %v, %n1
;   %u7 = sub i8 %m6, %v
;   %po1 = getelementptr i8, ptr addrspace(1) %po, i64 1
;   store i8 %u7, ptr addrspace(1) %po1, align 1
;   %g = add i32 %c, %n
;   %h = lshr i32 %g, 1                      ; range: 0 to 2147483647
;   %t2 = trunc i32 %h to i8
;   %po2 = getelementptr i8, ptr addrspace(1) %po, i64 2
;   store i8 %t2, ptr addrspace(1) %po2, align 1
;   ret void
; }
