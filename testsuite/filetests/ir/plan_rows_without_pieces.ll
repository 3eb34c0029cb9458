; Work-items of a row share lines: there is nothing to gain from those of the row above.
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @near(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %w) {
; plan: width 8 along rows of a run of groups
entry:                                                      ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)                  ; plan: strided 1
  %y = call i64 @_Z13get_global_idj(i32 1)                  ; plan: uniform
  %four = shl i64 %x, 2                                     ; plan: strided 4
  %from = add i64 %four, %y                                 ; plan: strided 4
  %p = getelementptr float, ptr addrspace(1) %in, i64 %from ; plan: strided 16
  %v = load float, ptr addrspace(1) %p                      ; plan: gather, 16 bytes apart
  %row = mul i64 %y, %w                                     ; plan: uniform
  %to = add i64 %row, %x                                    ; plan: strided 1
  %q = getelementptr float, ptr addrspace(1) %out, i64 %to  ; plan: strided 4
  store float %v, ptr addrspace(1) %q                       ; plan: consecutive
  ret void
}
