; Addresses that are not consecutive: an index from memory, a column of a matrix, a constant stride, one place for all.
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %index, ptr addrspace(1) %out, i64 %n) {
; plan: width 8 along rows of a run of groups
entry:                                                        ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)                    ; plan: strided 1
  %pi = getelementptr i64, ptr addrspace(1) %index, i64 %x    ; plan: strided 8
  %i = load i64, ptr addrspace(1) %pi                         ; plan: consecutive
  %p = getelementptr float, ptr addrspace(1) %in, i64 %i      ; plan: vector
  %v = load float, ptr addrspace(1) %p                        ; plan: gather
  %row = mul nsw i64 %x, %n                                   ; plan: vector
  %c = getelementptr float, ptr addrspace(1) %in, i64 %row    ; plan: vector
  %w = load float, ptr addrspace(1) %c                        ; plan: gather
  %twice = shl nsw i64 %x, 1                                  ; plan: strided 2
  %s = getelementptr float, ptr addrspace(1) %out, i64 %twice ; plan: strided 8
  %sum = fadd float %v, %w                                    ; plan: vector
  store float %sum, ptr addrspace(1) %s                       ; plan: scatter, 8 bytes apart
  store float %sum, ptr addrspace(1) %in                      ; plan: the last lane's
  ret void
}
