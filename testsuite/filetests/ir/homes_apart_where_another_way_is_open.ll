; The PHI node takes 0 on the way that the group may not go: it is written before the group decides, and what the other way
; reads must not be in its slot. The sum that it takes on the second way is.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
; homes: 12 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %l
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %l ; homes: computed again by each work-item
  %own = load i32, ptr addrspace(1) %at                  ; homes: slot of 4 bytes at 0
  call void @_Z7barrierj(i32 1)
  %kept = mul i32 %own, %own                             ; homes: slot of 4 bytes at 4
  %some = icmp sgt i32 %n, 3                             ; homes: computed again by the group
  br label %ask
ask:
  br i1 %some, label %join, label %work
work:
  call void @_Z7barrierj(i32 1)
  store i32 %own, ptr addrspace(1) %to
  br label %join
join:
  %value = phi i32 [ 0, %ask ], [ %kept, %work ]         ; homes: slot of 4 bytes at 8
  call void @_Z7barrierj(i32 1)
  store i32 %value, ptr addrspace(1) %to
  ret void
}
