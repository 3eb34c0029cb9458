; A branch by the id: its block runs under a mask, and so do the accesses there. A branch by an argument stays a branch.
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %out, i64 %n, i32 %always) {
; plan: width 8 along rows of a run of groups
entry:                                                  ; plan: all lanes, divergent branch
  %x = call i64 @_Z13get_global_idj(i32 0)              ; plan: strided 1
  %inside = icmp slt i64 %x, %n                         ; plan: vector
  br i1 %inside, label %then, label %exit

then:                                                   ; plan: masked
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %x ; plan: strided 4
  %flag = icmp eq i32 %always, 0                        ; plan: uniform
  br i1 %flag, label %add, label %store

add:                                                    ; plan: masked
  %old = load i32, ptr addrspace(1) %p                  ; plan: consecutive
  %sum = add i32 %old, 1                                ; plan: vector
  br label %store

store:                                                  ; plan: masked
  %new = phi i32 [ 5, %then ], [ %sum, %add ]           ; plan: vector
  store i32 %new, ptr addrspace(1) %p                   ; plan: consecutive
  br label %exit

exit:                                                   ; plan: all lanes
  ret void
}
