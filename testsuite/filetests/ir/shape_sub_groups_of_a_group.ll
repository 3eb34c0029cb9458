; The work-items of a group: those of another sub-group are elsewhere, and come to something else.
; analysis: shape
; among: group

declare i64 @oxcl_sub_group_lane() memory(none)
declare i64 @oxcl_sub_group_number() memory(none)
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @oxcl_lanes_votes(i32) convergent memory(none)
declare i32 @oxcl_lanes_pick_int(i32, i32) convergent memory(none)
declare i32 @oxcl_lanes_take_int(i32, i32) convergent memory(none)
declare i32 @oxcl_lanes_reduce_add_int(i32, i32) convergent memory(none)
declare i32 @oxcl_lanes_inclusive_min_int(i32) convergent memory(none)
declare i32 @oxcl_lanes_exclusive_logical_xor_int(i32) convergent memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)              ; shape: varying
  %place = call i64 @oxcl_sub_group_lane()              ; shape: varying
  %number = call i64 @oxcl_sub_group_number()           ; shape: varying
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %g ; shape: varying
  %x = load i32, ptr addrspace(1) %at                   ; shape: varying
  %votes = call i64 @oxcl_lanes_votes(i32 %x)           ; shape: varying
  %pick = call i32 @oxcl_lanes_pick_int(i32 %x, i32 %x) ; shape: varying
  %take = call i32 @oxcl_lanes_take_int(i32 %x, i32 3)  ; shape: varying
  %all = call i32 @oxcl_lanes_reduce_add_int(i32 %x, i32 8)     ; shape: varying
  %more = call i32 @oxcl_lanes_reduce_add_int(i32 %x, i32 16)   ; shape: varying
  %pairs = call i32 @oxcl_lanes_reduce_add_int(i32 %x, i32 2)   ; shape: varying
  %any = call i32 @oxcl_lanes_reduce_add_int(i32 %x, i32 %n)    ; shape: varying
  %scan = call i32 @oxcl_lanes_inclusive_min_int(i32 %x)        ; shape: varying
  %before = call i32 @oxcl_lanes_exclusive_logical_xor_int(i32 %x) ; shape: varying
  ret void
}
