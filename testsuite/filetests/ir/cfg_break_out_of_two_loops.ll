; A `goto` out of an inner loop past the end of the outer one.
; analysis: cfg

define void @k(i32 %n, ptr %p) {
entry:                                                ; cfg: ipdom outer
  br label %outer
outer:                                                ; cfg: idom entry, ipdom inner, loop outer depth 1, depends on outer.latch
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner
inner:                                                ; cfg: idom outer, ipdom done, loop inner depth 2, depends on inner.latch outer.latch
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner.latch ]
  %v = load i32, ptr %p
  %stop = icmp eq i32 %v, 0
  br i1 %stop, label %done, label %inner.latch        ; cfg: influences outer inner inner.latch outer.latch exit
inner.latch:                                          ; cfg: idom inner, ipdom done, loop inner depth 2, depends on inner, back to inner
  %j.next = add i32 %j, 1
  %inner.more = icmp slt i32 %j.next, %n
  br i1 %inner.more, label %inner, label %outer.latch ; cfg: influences outer inner inner.latch outer.latch exit
outer.latch:                                          ; cfg: idom inner.latch, ipdom done, loop outer depth 1, depends on inner.latch, back to outer
  %i.next = add i32 %i, 1
  %outer.more = icmp slt i32 %i.next, %n
  br i1 %outer.more, label %outer, label %exit        ; cfg: influences outer inner inner.latch outer.latch exit
exit:                                                 ; cfg: idom outer.latch, ipdom done, depends on outer.latch
  br label %done
done:                                                 ; cfg: idom inner, ipdom end
  ret void
}
