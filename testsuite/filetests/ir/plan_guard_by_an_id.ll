; A branch by an id against an argument guards the kernel's work: a test sends the vectors whose lanes all pass to a copy without masks. A
; branch by an equation has no test, for lanes mostly do not agree on one; nor has one by what memory holds.
; step: guards
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %out, i64 %n) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %inside = icmp slt i64 %x, %n
  br i1 %inside, label %then, label %exit

then:
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %x
  %old = load i32, ptr addrspace(1) %p
  %small = icmp slt i32 %old, 5
  br i1 %small, label %store, label %even

store:
  store i32 5, ptr addrspace(1) %p
  br label %even

even:
  %last = icmp eq i64 %x, 7
  br i1 %last, label %mark, label %exit

mark:
  store i32 7, ptr addrspace(1) %p
  br label %exit

exit:
  ret void
}

; ---- after the steps:
; define void @k(ptr addrspace(1) %out, i64 %n) {
; ; plan: width 8 along rows of a run of groups
; entry:                                                   ; plan: all lanes
;   %x = call i64 @_Z13get_global_idj(i32 0)               ; plan: strided 1
;   %inside = icmp slt i64 %x, %n                          ; plan: vector
;   %all = call i1 @oxcl_all_lanes(i1 %inside)             ; plan: whether all lanes pass
;   br i1 %all, label %then.all, label %entry.some
;
; entry.some:                                              ; plan: all lanes, divergent branch
;   br i1 %inside, label %then, label %exit
;
; then:                                                    ; plan: masked, divergent branch
;   %p = getelementptr i32, ptr addrspace(1) %out, i64 %x  ; plan: strided 4
;   %old = load i32, ptr addrspace(1) %p, align 4          ; plan: consecutive
;   %small = icmp slt i32 %old, 5                          ; plan: vector
;   br i1 %small, label %store, label %even
;
; store:                                                   ; plan: masked
;   store i32 5, ptr addrspace(1) %p, align 4              ; plan: consecutive
;   br label %even
;
; even:                                                    ; plan: masked, divergent branch
;   %last = icmp eq i64 %x, 7                              ; plan: vector
;   br i1 %last, label %mark, label %exit
;
; mark:                                                    ; plan: masked
;   store i32 7, ptr addrspace(1) %p, align 4              ; plan: consecutive
;   br label %exit
;
; then.all:                                                ; plan: all lanes, divergent branch
;   %p1 = getelementptr i32, ptr addrspace(1) %out, i64 %x ; plan: strided 4
;   %old2 = load i32, ptr addrspace(1) %p1, align 4        ; plan: consecutive
;   %small3 = icmp slt i32 %old2, 5                        ; plan: vector
;   br i1 %small3, label %store.all, label %even.all
;
; store.all:                                               ; plan: masked
;   store i32 5, ptr addrspace(1) %p1, align 4             ; plan: consecutive
;   br label %even.all
;
; even.all:                                                ; plan: all lanes, divergent branch
;   %last4 = icmp eq i64 %x, 7                             ; plan: vector
;   br i1 %last4, label %mark.all, label %exit
;
; mark.all:                                                ; plan: masked
;   store i32 7, ptr addrspace(1) %p1, align 4             ; plan: consecutive
;   br label %exit
;
; exit:                                                    ; plan: all lanes
;   ret void
; }
