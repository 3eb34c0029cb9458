; What the group's own queries say is computed again, by the group where a branch of its asks for it.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare i64 @_Z14get_num_groupsj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i64 %n) {
; homes: 0 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %g = call i64 @_Z12get_group_idj(i32 0)
  %count = call i64 @_Z14get_num_groupsj(i32 0)
  %left = sub i64 %count, %g
  %last = icmp eq i64 %left, %n                          ; homes: computed again by the group
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %l ; homes: computed again by each work-item
  store i32 1, ptr addrspace(1) %at
  call void @_Z7barrierj(i32 1)
  br i1 %last, label %then, label %exit
then:
  call void @_Z7barrierj(i32 1)
  store i32 2, ptr addrspace(1) %at
  br label %exit
exit:
  ret void
}
