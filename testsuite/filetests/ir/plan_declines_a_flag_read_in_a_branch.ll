; The same by a flag that a branch sets: what the loop's end depends on is what another work-item has stored.
; analysis: plan
; width: chosen

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %flag, ptr addrspace(1) %out) {
; plan: width 1 along rows of a run of groups, declined: cannot vectorise kernel 'k': a loop may end only when another work-item has stored something
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %x
  br label %wait

wait:
  %seen = load volatile i32, ptr addrspace(1) %flag
  %is = icmp ne i32 %seen, 0
  br i1 %is, label %yes, label %join

yes:
  br label %join

join:
  %go = phi i1 [ false, %wait ], [ true, %yes ]
  br i1 %go, label %exit, label %wait

exit:
  store i32 1, ptr addrspace(1) %p
  ret void
}
