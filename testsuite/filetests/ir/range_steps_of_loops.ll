; The step of a counter may stand on either side. A number that is doubled is no counter, nor one that falls, nor one whose step
; may wrap around.
; analysis: range

define spir_kernel void @k(ptr addrspace(1) %in, i32 noundef %n) {
entry:
  br label %loop
loop:
  %left = phi i32 [ 2, %entry ], [ %left.next, %loop ]   ; range: 2 to 2147483647
  %twice = phi i32 [ 1, %entry ], [ %twice.next, %loop ]
  %other = phi i32 [ 0, %entry ], [ %other.next, %loop ] ; range: 0 to 2147483647
  %less = phi i32 [ 0, %entry ], [ %less.next, %loop ]   ; range: -2147483648 to 2147483646
  %none = phi i32 [ 4, %entry ], [ %none.next, %loop ]   ; range: 4 to 2147483647
  %unsigned = phi i32 [ 4, %entry ], [ %unsigned.next, %loop ]
  %ways = phi i32 [ 4, %entry ], [ %ways.next, %loop ]   ; range: -2147483647 to 2147483647
  %left.next = add nsw i32 3, %left                      ; range: 5 to 2147483647
  %twice.next = add nsw i32 %twice, %twice
  %other.next = add nsw i32 %left, 1                     ; range: 3 to 2147483647
  %less.next = sub nsw i32 %less, 1                      ; range: -2147483648 to 2147483646
  %none.next = add nsw i32 %none, 0                      ; range: 4 to 2147483647
  %unsigned.next = add nuw i32 %unsigned, 1
  %up = icmp slt i32 %n, 7
  %ways.up = add nsw i32 %ways, 1                        ; range: -2147483647 to 2147483647
  %ways.next = select i1 %up, i32 %ways.up, i32 9        ; range: -2147483647 to 2147483647
  %more = icmp slt i32 %left.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
