; Some work-items return before the barrier: the flow is irregular, and each work-item remembers where it goes on.
; analysis: regions homes independent

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i64 %n) {
; regions: kernel k: 2 regions, 1 barrier, irregular, width 1
; regions: region 0: entry work exit
; regions:   -> region 1
; regions:   -> end
; regions: region 1: after.barrier exit
; regions:   -> end
; homes: continuation: slot of 4 bytes at 0
; homes: 4 bytes for each work-item
; independent: region 0: no, irregular flow
; independent: region 1: no, irregular flow
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %l ; homes: computed again by each work-item
  %beyond = icmp uge i64 %l, %n
  br i1 %beyond, label %exit, label %work
work:
  store i32 1, ptr addrspace(1) %at
  call void @_Z7barrierj(i32 1)
  store i32 2, ptr addrspace(1) %at
  br label %exit
exit:
  ret void
}
