; A load that differs between work-items lives in a slot across the barrier, one that all share in a variable of the group.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
; homes: 4 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)  ; homes: computed again by each work-item
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %l
  %own = load i32, ptr addrspace(1) %from  ; homes: slot of 4 bytes at 0
  %shared = load i32, ptr addrspace(1) %in ; homes: group variable
  call void @_Z7barrierj(i32 1)
  %sum = add i32 %own, %shared
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %l
  store i32 %sum, ptr addrspace(1) %to
  ret void
}
