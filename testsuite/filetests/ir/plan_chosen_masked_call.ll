; A call under a mask, of a function with vector forms: LLVM, which would widen the loop over work-items otherwise, has turns for it,
; for these forms take no mask. Ours compute lanes that are off, too.
; analysis: plan
; width: chosen

declare i64 @_Z13get_global_idj(i32) memory(none)
declare float @f(float) #0
declare <8 x float> @f8(<8 x float>)

define void @k(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %out) {
; plan: width 16 along rows of a run of groups, cycles for each work-item: 31.9 at 1, 29.9 at 4, 3.4 at 8, 3.5 at 16
entry:                                                     ; plan: all lanes, divergent branch
  %x = call i64 @_Z13get_global_idj(i32 0)                 ; plan: strided 1
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %x   ; plan: strided 4
  %v = load float, ptr addrspace(1) %pa                    ; plan: consecutive
  %s = fmul float %v, 3.0                                  ; plan: vector
  %t = fadd float %s, %v                                   ; plan: vector
  %some = fcmp olt float %t, 1.0                           ; plan: vector
  br i1 %some, label %then, label %exit

then:                                                      ; plan: masked
  %w = call float @f(float %t)                             ; plan: vector form of 8 lanes
  br label %exit

exit:                                                      ; plan: all lanes
  %r = phi float [ %t, %entry ], [ %w, %then ]             ; plan: vector
  %po = getelementptr float, ptr addrspace(1) %out, i64 %x ; plan: strided 4
  store float %r, ptr addrspace(1) %po                     ; plan: consecutive
  ret void
}

attributes #0 = { memory(none) nounwind willreturn "vector-function-abi-variant"="_ZGV_LLVM_N8v_f(f8)" }
