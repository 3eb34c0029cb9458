; A row of floats: accesses of neighbours are vectors, what the row shares is loaded once, ids stay scalars.
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %factor, ptr addrspace(1) %out) {
; plan: width 8 along rows of a run of groups
entry:                                                    ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)                ; plan: strided 1
  %p = getelementptr float, ptr addrspace(1) %in, i64 %x  ; plan: strided 4
  %v = load float, ptr addrspace(1) %p                    ; plan: consecutive
  %f = load float, ptr addrspace(1) %factor               ; plan: once
  %r = fmul float %v, %f                                  ; plan: vector
  %q = getelementptr float, ptr addrspace(1) %out, i64 %x ; plan: strided 4
  store float %r, ptr addrspace(1) %q                     ; plan: consecutive
  ret void
}
