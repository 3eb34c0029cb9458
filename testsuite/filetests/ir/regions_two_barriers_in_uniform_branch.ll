; Barriers on both ways of a branch on an argument: the group takes the branch, and its join begins a region.
; analysis: regions homes independent

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i32 %n) {
; regions: kernel k: 6 regions, 2 barriers, regular, width 1
; regions: region 0: entry
; regions:   -> group branch: region 3 or region 1
; regions: region 1: else
; regions:   -> region 2
; regions: region 2: after.barrier1
; regions:   -> region 5
; regions: region 3: then
; regions:   -> region 4
; regions: region 4: after.barrier
; regions:   -> region 5
; regions: region 5: join
; regions:   -> end
; homes: 4 bytes for each work-item
; independent: region 0: yes
; independent: region 1: yes
; independent: region 2: yes
; independent: region 3: yes
; independent: region 4: yes
; independent: region 5: yes
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %at = getelementptr float, ptr addrspace(1) %out, i64 %l ; homes: computed again by each work-item
  %old = load float, ptr addrspace(1) %at                  ; homes: slot of 4 bytes at 0
  %c = icmp eq i32 %n, 0                                   ; homes: computed again by the group
  br i1 %c, label %then, label %else
then:
  call void @_Z7barrierj(i32 1)
  br label %join
else:
  call void @_Z7barrierj(i32 1)
  br label %join
join:
  %which = phi float [ 1.0, %then ], [ 2.0, %else ]        ; homes: group variable
  %sum = fadd float %old, %which
  store float %sum, ptr addrspace(1) %at
  ret void
}
