; An atomic counter that no loop ends by is no reason to decline.
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %next, ptr addrspace(1) %out, i32 %n) {
; plan: width 8 along rows of a run of groups
entry:                                                        ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)                    ; plan: strided 1
  br label %loop

loop:                                                         ; plan: all lanes
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]                   ; plan: uniform
  %at = atomicrmw add ptr addrspace(1) %next, i32 1 monotonic ; plan: lane by lane
  %wide = zext i32 %at to i64                                 ; plan: vector
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %wide    ; plan: vector
  store i32 %i, ptr addrspace(1) %p                           ; plan: scatter
  %j = add nuw nsw i32 %i, 1                                  ; plan: uniform
  %more = icmp slt i32 %j, %n                                 ; plan: uniform
  br i1 %more, label %loop, label %exit

exit:                                                         ; plan: all lanes
  ret void
}
