; The same loop with doubles, of which a register holds half as many: four registers of them would be eight, which do not fit.
; analysis: plan
; width: chosen

declare i64 @_Z13get_global_idj(i32) memory(none)
declare double @llvm.fmuladd.f64(double, double, double)

define void @orbit(ptr addrspace(1) %c, ptr addrspace(1) %out) {
; plan: width 8 along rows of a run of groups, cycles for each work-item: 128.6 at 1, 41.7 at 4, 26.0 at 8, 31.4 at 16


entry:                                                   ; plan: all lanes
  %i = call i64 @_Z13get_global_idj(i32 0)               ; plan: strided 1
  %p = getelementptr double, ptr addrspace(1) %c, i64 %i ; plan: strided 8
  %cr = load double, ptr addrspace(1) %p                 ; plan: consecutive
  br label %test
test:                                                    ; plan: masked, loop until no lane is live, divergent branch
  %a = phi double [ 0.0, %entry ], [ %a.next, %more ]    ; plan: vector
  %b = phi double [ 0.0, %entry ], [ %b.next, %more ]    ; plan: vector
  %n = phi i32 [ 0, %entry ], [ %n.next, %more ]         ; plan: uniform
  %bb = fmul double %b, %b                               ; plan: vector
  %size = call double @llvm.fmuladd.f64(double %a, double %a, double %bb) ; plan: vector
  %small = fcmp olt double %size, 4.0                    ; plan: vector
  br i1 %small, label %more, label %done
more:                                                    ; plan: masked
  %minus = fneg double %bb                               ; plan: vector
  %t = call double @llvm.fmuladd.f64(double %a, double %a, double %minus) ; plan: vector
  %a.next = fadd double %t, %cr                          ; plan: vector
  %d = fmul double %a, 2.0                               ; plan: vector
  %b.next = call double @llvm.fmuladd.f64(double %d, double %b, double 0.25) ; plan: vector
  %n.next = add i32 %n, 1                                ; plan: uniform
  br label %test
done:                                                    ; plan: all lanes
  %n.last = phi i32 [ %n, %test ]                        ; plan: vector
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %i  ; plan: strided 4
  store i32 %n.last, ptr addrspace(1) %q                 ; plan: consecutive
  ret void
}
