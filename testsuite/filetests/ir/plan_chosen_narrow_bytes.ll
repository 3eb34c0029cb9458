; The same arithmetic on bytes, done in 8 bits because the store takes no more: a register of bytes is cheapest, and is only tried where
; nothing in lanes is wider.
; step: narrow
; analysis: plan
; width: chosen

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %out) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %pa = getelementptr i8, ptr addrspace(1) %a, i64 %x
  %va = load i8, ptr addrspace(1) %pa
  %pb = getelementptr i8, ptr addrspace(1) %b, i64 %x
  %vb = load i8, ptr addrspace(1) %pb
  %wa = zext i8 %va to i32
  %wb = zext i8 %vb to i32
  %s = add i32 %wa, %wb
  %d = mul i32 %s, 5
  %e = xor i32 %d, %wa
  %f = add i32 %e, %wb
  %n = trunc i32 %f to i8
  %po = getelementptr i8, ptr addrspace(1) %out, i64 %x
  store i8 %n, ptr addrspace(1) %po
  ret void
}

; ---- after the steps:
; define void @k(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %out) {
; ; plan: width 32 along rows of a run of groups, cycles for each work-item: 0.3 at 1, 1.6 at 4, 0.8 at 8, 0.4 at 16, 0.2 at 32
; entry:                                                  ; plan: all lanes
;   %x = call i64 @_Z13get_global_idj(i32 0)              ; plan: strided 1
;   %pa = getelementptr i8, ptr addrspace(1) %a, i64 %x   ; plan: strided 1
;   %va = load i8, ptr addrspace(1) %pa, align 1          ; plan: consecutive
;   %pb = getelementptr i8, ptr addrspace(1) %b, i64 %x   ; plan: strided 1
;   %vb = load i8, ptr addrspace(1) %pb, align 1          ; plan: consecutive
;   %s1 = add i8 %va, %vb                                 ; plan: vector
;   %d2 = mul i8 %s1, 5                                   ; plan: vector
;   %e3 = xor i8 %d2, %va                                 ; plan: vector
;   %f4 = add i8 %e3, %vb                                 ; plan: vector
;   %po = getelementptr i8, ptr addrspace(1) %out, i64 %x ; plan: strided 1
;   store i8 %f4, ptr addrspace(1) %po, align 1           ; plan: consecutive
;   ret void
; }
