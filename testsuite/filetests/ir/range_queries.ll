; What a launch without ids of 2^31 and more answers. A size may be 2^31 itself: cut to 32 bits it is not a signed number.
; analysis: range

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare i64 @_Z15get_global_sizej(i32) memory(none)
declare i64 @_Z14get_num_groupsj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z23get_enqueued_local_sizej(i32) memory(none)
declare i64 @_Z17get_global_offsetj(i32) memory(none)
declare i32 @_Z12get_work_dimv() memory(none)
declare i64 @_Z20get_global_linear_idv() memory(none)
declare i64 @oxcl_sub_group_lane() memory(none)
declare i64 @oxcl_sub_group_number() memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)               ; range: 0 to 2147483647
  %l = call i64 @_Z12get_local_idj(i32 0)                ; range: 0 to 32767
  %group = call i64 @_Z12get_group_idj(i32 0)            ; range: 0 to 2147483647
  %size = call i64 @_Z15get_global_sizej(i32 0)          ; range: 1 to 2147483648
  %count = call i64 @_Z14get_num_groupsj(i32 0)          ; range: 1 to 2147483648
  %own = call i64 @_Z14get_local_sizej(i32 0)            ; range: 1 to 32768
  %whole = call i64 @_Z23get_enqueued_local_sizej(i32 0) ; range: 1 to 32768
  %offset = call i64 @_Z17get_global_offsetj(i32 0)      ; range: 0 to 2147483647
  %dim = call i32 @_Z12get_work_dimv()                   ; range: 1 to 3
  %linear = call i64 @_Z20get_global_linear_idv()        ; range: 0 to 9223372036854775807
  %place = call i64 @oxcl_sub_group_lane()               ; range: 0 to 63
  %number = call i64 @oxcl_sub_group_number()            ; range: 0 to 32767
  %cut = trunc i64 %g to i32                             ; range: 0 to 2147483647
  %cut.size = trunc i64 %size to i32
  %cut.linear = trunc i64 %linear to i32
  %short = trunc i64 %g to i16
  ret void
}
