; Atomic operations are accesses too. Ids of each kind and dimension; a dimension that does not exist has no id.
; analysis: bounds

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)

define void @k(ptr addrspace(1) %counters, ptr addrspace(3) %tile, ptr addrspace(1) %groups, ptr addrspace(1) %beyond, ptr addrspace(1) %sizes) {
; bounds: 8 bytes at %counters + 8*global2
; bounds: 2 bytes at %tile + 8*local1 + 6
; bounds: 4 bytes at %groups + 4*group0
entry:
  %x = call i64 @_Z13get_global_idj(i32 2)
  %counter = getelementptr i64, ptr addrspace(1) %counters, i64 %x
  %old = atomicrmw add ptr addrspace(1) %counter, i64 1 monotonic
  %l = call i64 @_Z12get_local_idj(i32 1)
  %cell = getelementptr [4 x i16], ptr addrspace(3) %tile, i64 %l, i64 3
  %v = load i16, ptr addrspace(3) %cell
  %g = call i64 @_Z12get_group_idj(i32 0)
  %sum = getelementptr float, ptr addrspace(1) %groups, i64 %g
  store float 0.0, ptr addrspace(1) %sum
  %nothing = call i64 @_Z13get_global_idj(i32 3)
  %lost = getelementptr i32, ptr addrspace(1) %beyond, i64 %nothing
  store i32 0, ptr addrspace(1) %lost
  %size = call i64 @_Z14get_local_sizej(i32 0)
  %last = getelementptr i32, ptr addrspace(1) %sizes, i64 %size
  store i32 0, ptr addrspace(1) %last
  ret void
}
