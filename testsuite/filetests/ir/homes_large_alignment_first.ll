; Slots of larger alignment come first, so that none needs padding.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
; homes: 27 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)          ; homes: computed again by each work-item
  %from = getelementptr i8, ptr addrspace(1) %in, i64 %l
  %byte = load i8, ptr addrspace(1) %from          ; homes: slot of 1 bytes at 26
  %vector = load <4 x i32>, ptr addrspace(1) %from ; homes: slot of 16 bytes at 0
  %short = load i16, ptr addrspace(1) %from        ; homes: slot of 2 bytes at 24
  %long = load i64, ptr addrspace(1) %from         ; homes: slot of 8 bytes at 16
  call void @_Z7barrierj(i32 1)
  %to = getelementptr i8, ptr addrspace(1) %out, i64 %l
  store i8 %byte, ptr addrspace(1) %to
  store i16 %short, ptr addrspace(1) %to
  store i64 %long, ptr addrspace(1) %to
  store <4 x i32> %vector, ptr addrspace(1) %to
  ret void
}
