; A PHI node that only grows, and may not wrap, is at least what it begins with. One that may wrap, or shrinks, is anything.
; analysis: range

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)         ; range: 0 to 2147483647
  %id = trunc i64 %g to i32                        ; range: 0 to 2147483647
  %some = and i32 %n, 15                           ; range: 0 to 15
  br label %loop
loop:
  %i = phi i32 [ %id, %entry ], [ %i.next, %loop ] ; range: 0 to 2147483647
  %j = phi i32 [ 3, %entry ], [ %j.next, %loop ]   ; range: 3 to 2147483647
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %l = phi i32 [ 0, %entry ], [ %l.next, %loop ]   ; range: -2147483648 to 2147483646
  %m = phi i32 [ 0, %entry ], [ %m.next, %loop ]
  %same = phi i32 [ 5, %entry ], [ %same, %loop ]  ; range: 5 to 5
  %i.next = add nsw i32 %i, 4                      ; range: 4 to 2147483647
  %j.next = add nsw i32 %j, %some                  ; range: 3 to 2147483647
  %k.next = add i32 %k, 1
  %l.next = add nsw i32 %l, -1                     ; range: -2147483648 to 2147483646
  %m.next = add nsw i32 %m, %n
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
