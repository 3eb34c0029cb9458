; Work-items of a row access lines of their own, which those of the row above access too: the row is cut into pieces.
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @turned(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %w, i64 %h) {
; plan: width 8 along pieces of rows of a run of groups
entry:                                                      ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)                  ; plan: strided 1
  %y = call i64 @_Z13get_global_idj(i32 1)                  ; plan: uniform
  %row = mul i64 %y, %w                                     ; plan: uniform
  %from = add i64 %row, %x                                  ; plan: strided 1
  %p = getelementptr float, ptr addrspace(1) %in, i64 %from ; plan: strided 4
  %v = load float, ptr addrspace(1) %p                      ; plan: consecutive
  %column = mul i64 %x, %h                                  ; plan: vector
  %to = add i64 %column, %y                                 ; plan: vector
  %q = getelementptr float, ptr addrspace(1) %out, i64 %to  ; plan: vector
  store float %v, ptr addrspace(1) %q                       ; plan: scatter
  ret void
}
