; A loop that ends when another work-item lets go of a lock: in lock step a lane would wait for one of its own vector.
; analysis: plan
; width: chosen

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %lock, ptr addrspace(1) %out) {
; plan: width 1 along rows of a run of groups, declined: cannot vectorise kernel 'k': a loop may end only when another work-item has stored something
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  br label %try

try:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire
  %taken = icmp eq i32 %old, 0
  br i1 %taken, label %own, label %try

own:
  %v = load i32, ptr addrspace(1) %out
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %out
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  ret void
}
