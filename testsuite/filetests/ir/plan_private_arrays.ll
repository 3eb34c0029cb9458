; Private arrays: %beside is only accessed in parts of four bytes, and its lanes lie beside one another; %together is read in parts of two sizes,
; and %known has its address in memory.
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %out, i64 %n) {
; plan: width 8 along rows of a run of groups
entry:                                                           ; plan: all lanes
  %beside = alloca [16 x float]                                  ; plan: strided 4
  %together = alloca [16 x float]                                ; plan: strided 64
  %known = alloca [4 x i32]                                      ; plan: strided 16
  %place = alloca ptr                                            ; plan: strided 8
  %x = call i64 @_Z13get_global_idj(i32 0)                       ; plan: strided 1
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %x         ; plan: strided 4
  %va = load float, ptr addrspace(1) %pa                         ; plan: consecutive
  %own = and i64 %x, 15                                          ; plan: vector
  %b1 = getelementptr [16 x float], ptr %beside, i64 0, i64 %n   ; plan: strided 4
  store float %va, ptr %b1                                       ; plan: consecutive
  %b2 = getelementptr float, ptr %b1, i64 1                      ; plan: strided 4
  store float %va, ptr %b2                                       ; plan: consecutive
  %b3 = getelementptr [16 x float], ptr %beside, i64 0, i64 %own ; plan: vector
  %vb = load float, ptr %b3                                      ; plan: gather
  %b4 = load <2 x float>, ptr %b1                                ; plan: consecutive
  %t1 = getelementptr [16 x float], ptr %together, i64 0, i64 %n ; plan: vector
  store float %va, ptr %t1                                       ; plan: scatter
  %vt = load i16, ptr %t1                                        ; plan: gather
  store ptr %known, ptr %place                                   ; plan: consecutive
  store i32 1, ptr %known                                        ; plan: scatter, 16 bytes apart
  %e = extractelement <2 x float> %b4, i64 0                     ; plan: vector
  %s = fadd float %vb, %e                                        ; plan: vector
  %po = getelementptr float, ptr addrspace(1) %out, i64 %x       ; plan: strided 4
  store float %s, ptr addrspace(1) %po                           ; plan: consecutive
  ret void
}
