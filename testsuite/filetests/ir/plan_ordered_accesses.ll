; Volatile and atomic accesses are made lane by lane, in the order of the work-items.
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
; plan: width 8 along rows of a run of groups
entry:                                                         ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)                     ; plan: strided 1
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %x         ; plan: strided 4
  %v = load volatile i32, ptr addrspace(1) %p                  ; plan: lane by lane
  %old = atomicrmw add ptr addrspace(1) %out, i32 %v monotonic ; plan: lane by lane
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %x        ; plan: strided 4
  store volatile i32 %old, ptr addrspace(1) %q                 ; plan: lane by lane
  ret void
}
