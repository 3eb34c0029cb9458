; Lanes divide by doubles, by a product where all have one divisor. LLVM, which may make vectors of the loop over work-items, divides
; one by one: what the plan of one register costs is not what it would make.
; analysis: plan
; width: chosen

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %out, i32 %w) {
; plan: width 16 along rows of a run of groups, cycles for each work-item: 7.9 at 1, 1.5 at 4, 1.2 at 8, 1.1 at 16
entry:                                                   ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)               ; plan: strided 1
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %x   ; plan: strided 4
  %v = load i32, ptr addrspace(1) %pa                    ; plan: consecutive
  %q = sdiv i32 %v, %w                                   ; plan: vector
  %po = getelementptr i32, ptr addrspace(1) %out, i64 %x ; plan: strided 4
  store i32 %q, ptr addrspace(1) %po                     ; plan: consecutive
  ret void
}
