; Sub-groups that meet on one way of an irregular kernel go on before those that wait at a barrier on the other, wherever they stand.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @oxcl_sub_group_meet() convergent
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out) {
; regions: kernel k: 3 regions, 2 barriers, irregular, width 1
; regions: region 0: entry meets waits
; regions:   -> region 1
; regions:   -> region 2
; regions: region 1: after.meeting exit
; regions:   -> end
; regions: region 2: after.barrier exit
; regions:   -> end
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %low = icmp ult i64 %l, 8
  br i1 %low, label %waits, label %meets

waits:
  call void @_Z7barrierj(i32 1)
  store i32 1, ptr addrspace(1) %out
  br label %exit

meets:
  call void @oxcl_sub_group_meet()
  store i32 2, ptr addrspace(1) %out
  br label %exit

exit:
  ret void
}
