; A loop that waits for its chain of two numbers: four registers of lanes, as rounds are made one register after the other.
; analysis: plan
; width: chosen

declare i64 @_Z13get_global_idj(i32) memory(none)
declare float @llvm.fmuladd.f32(float, float, float)

define void @orbit(ptr addrspace(1) %c, ptr addrspace(1) %out) {
; plan: width 32 along rows of a run of groups, cycles for each work-item: 128.6 at 1, 41.7 at 4, 20.9 at 8, 22.8 at 16, 9.9 at 32

entry:                                                                   ; plan: all lanes
  %i = call i64 @_Z13get_global_idj(i32 0)                               ; plan: strided 1
  %p = getelementptr float, ptr addrspace(1) %c, i64 %i                  ; plan: strided 4
  %cr = load float, ptr addrspace(1) %p                                  ; plan: consecutive
  br label %test
test:                                                                    ; plan: masked, loop until no lane is live, divergent branch
  %a = phi float [ 0.0, %entry ], [ %a.next, %more ]                     ; plan: vector
  %b = phi float [ 0.0, %entry ], [ %b.next, %more ]                     ; plan: vector
  %n = phi i32 [ 0, %entry ], [ %n.next, %more ]                         ; plan: uniform
  %bb = fmul float %b, %b                                                ; plan: vector
  %size = call float @llvm.fmuladd.f32(float %a, float %a, float %bb)    ; plan: vector
  %small = fcmp olt float %size, 4.0                                     ; plan: vector
  br i1 %small, label %more, label %done
more:                                                                    ; plan: masked
  %minus = fneg float %bb                                                ; plan: vector
  %t = call float @llvm.fmuladd.f32(float %a, float %a, float %minus)    ; plan: vector
  %a.next = fadd float %t, %cr                                           ; plan: vector
  %d = fmul float %a, 2.0                                                ; plan: vector
  %b.next = call float @llvm.fmuladd.f32(float %d, float %b, float 0.25) ; plan: vector
  %n.next = add i32 %n, 1                                                ; plan: uniform
  br label %test
done:                                                                    ; plan: all lanes
  %n.last = phi i32 [ %n, %test ]                                        ; plan: vector
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %i                  ; plan: strided 4
  store i32 %n.last, ptr addrspace(1) %q                                 ; plan: consecutive
  ret void
}
