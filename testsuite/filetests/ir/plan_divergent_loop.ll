; A loop that lanes leave in different rounds runs until no lane is live; what comes of it is a vector.
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %out) {
; plan: width 8 along rows of a run of groups
entry:                                                  ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)              ; plan: strided 1
  br label %loop

loop:                                                   ; plan: masked, loop until no lane is live, divergent branch
  %n = phi i64 [ %x, %entry ], [ %half, %loop ]         ; plan: vector
  %count = phi i32 [ 0, %entry ], [ %more, %loop ]      ; plan: uniform
  %half = lshr i64 %n, 1                                ; plan: vector
  %more = add i32 %count, 1                             ; plan: uniform
  %done = icmp eq i64 %half, 0                          ; plan: vector
  br i1 %done, label %exit, label %loop

exit:                                                   ; plan: all lanes
  %last = phi i32 [ %more, %loop ]                      ; plan: vector
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %x ; plan: strided 4
  store i32 %last, ptr addrspace(1) %p                  ; plan: consecutive
  ret void
}
