; A condition by which the group branches, and which work-items read in a later region: a variable of the group serves both.
; analysis: regions homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
; regions: kernel k: 6 regions, 2 barriers, regular, width 1
; regions: region 0: entry
; regions:   -> region 1
; regions: region 1: loop
; regions:   -> region 2
; regions: region 2: after.barrier
; regions:   -> group branch: region 4 or region 3
; regions: region 3: exit
; regions:   -> end
; regions: region 4: then
; regions:   -> region 5
; regions: region 5: after.barrier1
; regions:   -> region 1
; homes: 0 bytes for each work-item
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %l ; homes: computed again by each work-item
  br label %loop
loop:
  %v = load i32, ptr addrspace(1) %in
  %c = icmp sgt i32 %v, %n                               ; homes: group variable
  store i32 1, ptr addrspace(1) %at
  call void @_Z7barrierj(i32 1)
  br i1 %c, label %then, label %exit
then:
  call void @_Z7barrierj(i32 1)
  %z = zext i1 %c to i32
  store i32 %z, ptr addrspace(1) %at
  br label %loop
exit:
  ret void
}
