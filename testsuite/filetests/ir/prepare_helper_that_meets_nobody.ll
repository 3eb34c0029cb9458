; A helper that reaches no barrier computes the same for equal arguments: neither it nor a call of it is convergent.
; step: prepare
; analysis: shape
; kernel: k

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @tiles(i32 %n) #0
  store i32 %t, ptr addrspace(1) %out
  ret void
}
define i32 @tiles(i32 %n) #1 {
entry:
  %m = add i32 %n, 15
  %t = sdiv i32 %m, 16
  ret i32 %t
}
attributes #0 = { convergent nounwind }
attributes #1 = { convergent noinline }

; ---- after the steps:
; ; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write)
; define void @k(ptr addrspace(1) writeonly captures(none) initializes((0, 4)) %out, i32 %n) #0 {
; entry:
;   %t = call i32 @tiles(i32 %n) #2 ; shape: uniform
;   store i32 %t, ptr addrspace(1) %out, align 4
;   ret void
; }
