; A function of the library that has vector forms is called for all lanes, by the longest form that fits.
; analysis: plan
; width: 16

declare i64 @_Z13get_global_idj(i32) memory(none)
declare float @_Z3sinf(float) #0

define void @k(ptr addrspace(1) %x, ptr addrspace(1) %one) {
; plan: width 16 along rows of a run of groups
entry:                                                  ; plan: all lanes
  %g = call i64 @_Z13get_global_idj(i32 0)              ; plan: strided 1
  %p = getelementptr float, ptr addrspace(1) %x, i64 %g ; plan: strided 4
  %v = load float, ptr addrspace(1) %p                  ; plan: consecutive
  %s = call float @_Z3sinf(float %v)                    ; plan: vector form of 8 lanes
  store float %s, ptr addrspace(1) %p                   ; plan: consecutive
  %u = load float, ptr addrspace(1) %one                ; plan: once
  %t = call float @_Z3sinf(float %u)                    ; plan: once
  store float %t, ptr addrspace(1) %one                 ; plan: the last lane's
  ret void
}

attributes #0 = { nounwind willreturn memory(none) "vector-function-abi-variant"="_ZGV_LLVM_N4v__Z3sinf(_Z3sinDv4_f),_ZGV_LLVM_N8v__Z3sinf(_Z3sinDv8_f)" }
