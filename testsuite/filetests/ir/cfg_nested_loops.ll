; Two loops, the inner one left to the outer one's latch.
; analysis: cfg

define void @k(i32 %n) {
entry:                                                ; cfg: ipdom outer
  br label %outer
outer:                                                ; cfg: idom entry, ipdom inner, loop outer depth 1, depends on outer.latch
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner
inner:                                                ; cfg: idom outer, ipdom outer.latch, loop inner depth 2, depends on inner outer.latch, back to inner
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %j.next = add i32 %j, 1
  %inner.more = icmp slt i32 %j.next, %i
  br i1 %inner.more, label %inner, label %outer.latch ; cfg: influences inner
outer.latch:                                          ; cfg: idom inner, ipdom exit, loop outer depth 1, depends on outer.latch, back to outer
  %i.next = add i32 %i, 1
  %outer.more = icmp slt i32 %i.next, %n
  br i1 %outer.more, label %outer, label %exit        ; cfg: influences outer inner outer.latch
exit:                                                 ; cfg: idom outer.latch, ipdom end
  ret void
}
