; Facts of barriers, which are gone when homes are known, are left out.
; analysis: shape homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
; homes: 4 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)                ; shape: varying
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %l  ; shape: varying
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %l ; shape: varying ; homes: computed again by each work-item
  %own = load i32, ptr addrspace(1) %at                  ; shape: varying ; homes: slot of 4 bytes at 0
  call void @_Z7barrierj(i32 1)
  store i32 %own, ptr addrspace(1) %to
  ret void
}
