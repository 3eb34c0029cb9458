; A loop in a branch that parts the lanes: those that come to it leave it together, so that its flow is that of one work-item.
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %out, i32 %count) {
; plan: width 8 along rows of a run of groups
entry:                                                  ; plan: all lanes, divergent branch
  %x = call i64 @_Z13get_global_idj(i32 0)              ; plan: strided 1
  %low = trunc i64 %x to i32                            ; plan: strided 1
  %odd = and i32 %low, 3                                ; plan: vector
  %some = icmp eq i32 %odd, 1                           ; plan: vector
  br i1 %some, label %loop, label %exit

loop:                                                   ; plan: masked, loop that lanes leave together
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]         ; plan: uniform
  %sum = phi i32 [ %low, %entry ], [ %more, %latch ]    ; plan: vector
  %big = icmp sgt i32 %i, 5                             ; plan: uniform
  br i1 %big, label %extra, label %latch

extra:                                                  ; plan: masked
  %twice = mul i32 %sum, 3                              ; plan: vector
  br label %latch

latch:                                                  ; plan: masked
  %more = phi i32 [ %sum, %loop ], [ %twice, %extra ]   ; plan: vector
  %next = add i32 %i, 1                                 ; plan: uniform
  %again = icmp slt i32 %next, %count                   ; plan: uniform
  br i1 %again, label %loop, label %left

left:                                                   ; plan: masked
  br label %exit

exit:                                                   ; plan: all lanes
  %last = phi i32 [ 7, %entry ], [ %more, %left ]       ; plan: vector
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %x ; plan: strided 4
  store i32 %last, ptr addrspace(1) %p                  ; plan: consecutive
  ret void
}
