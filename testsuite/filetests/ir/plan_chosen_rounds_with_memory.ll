; A loop that waits for a chain and reads a vector in each round is not made one register of lanes after the other: two registers at most.
; analysis: plan
; width: chosen

declare i64 @_Z13get_global_idj(i32) memory(none)
declare float @llvm.fmuladd.f32(float, float, float)

define void @from_memory(ptr addrspace(1) %c, ptr addrspace(1) %out) {
; plan: width 16 along rows of a run of groups, cycles for each work-item: 146.1 at 1, 47.4 at 4, 23.7 at 8, 22.0 at 16

entry:                                                                   ; plan: all lanes
  %i = call i64 @_Z13get_global_idj(i32 0)                               ; plan: strided 1
  br label %test
test:                                                                    ; plan: masked, loop until no lane is live, divergent branch
  %a = phi float [ 0.0, %entry ], [ %a.next, %more ]                     ; plan: vector
  %n = phi i64 [ 0, %entry ], [ %n.next, %more ]                         ; plan: uniform
  %at = add i64 %i, %n                                                   ; plan: strided 1
  %p = getelementptr float, ptr addrspace(1) %c, i64 %at                 ; plan: strided 4
  %cr = load float, ptr addrspace(1) %p                                  ; plan: consecutive
  %square = call float @llvm.fmuladd.f32(float %a, float %a, float %cr)  ; plan: vector
  %small = fcmp olt float %square, 4.0                                   ; plan: vector
  br i1 %small, label %more, label %done
more:                                                                    ; plan: masked
  %d = fmul float %square, 0.5                                           ; plan: vector
  %a.next = call float @llvm.fmuladd.f32(float %d, float %a, float 0.25) ; plan: vector
  %n.next = add i64 %n, 1                                                ; plan: uniform
  br label %test
done:                                                                    ; plan: all lanes
  %a.last = phi float [ %a, %test ]                                      ; plan: vector
  %q = getelementptr float, ptr addrspace(1) %out, i64 %i                ; plan: strided 4
  store float %a.last, ptr addrspace(1) %q                               ; plan: consecutive
  ret void
}
