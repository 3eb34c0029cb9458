; Arithmetic on bytes alone: LLVM's loop over work-items takes as many lanes as bytes fit a register, ours are wider than the
; numbers are. One work-item at a time is cheaper.
; analysis: plan
; width: chosen

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %out) {
; plan: width 1 along rows of a run of groups, cycles for each work-item: 0.4 at 1, 2.0 at 4, 1.0 at 8, 0.8 at 16
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
