; A work-item that asks for its local id in dimension 0 is one of a group: rows end where the group does.
; analysis: plan
; width: 8

declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %out) {
; plan: width 8 along rows of a group
entry:                                                  ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)              ; plan: strided 1
  %l = call i64 @_Z12get_local_idj(i32 0)               ; plan: strided 1
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %x ; plan: strided 8
  store i64 %l, ptr addrspace(1) %p                     ; plan: consecutive
  ret void
}
