; A loop that is left from its header and from its body: the join behind it depends on neither.
; analysis: cfg

define void @k(i32 %n, ptr %p) {
entry:                                    ; cfg: ipdom header
  br label %header
header:                                   ; cfg: idom entry, ipdom exit, loop header depth 1, depends on body
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %exit   ; cfg: influences header body latch
body:                                     ; cfg: idom header, ipdom exit, loop header depth 1, depends on header
  %v = load i32, ptr %p
  %found = icmp eq i32 %v, 0
  br i1 %found, label %exit, label %latch ; cfg: influences header body latch
latch:                                    ; cfg: idom body, ipdom header, loop header depth 1, depends on body, back to header
  %next = add i32 %i, 1
  br label %header
exit:                                     ; cfg: idom header, ipdom end
  ret void
}
