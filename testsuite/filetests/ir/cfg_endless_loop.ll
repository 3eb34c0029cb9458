; A loop without an exit: its blocks reach no return, and have no post-dominator but the end that LLVM adds.
; analysis: cfg

define void @k(i1 %c) {
entry:                               ; cfg: ipdom end
  br i1 %c, label %spin, label %exit ; cfg: influences exit spin
spin:                                ; cfg: idom entry, ipdom end, loop spin depth 1, depends on entry, back to spin
  br label %spin
exit:                                ; cfg: idom entry, ipdom end, depends on entry
  ret void
}
