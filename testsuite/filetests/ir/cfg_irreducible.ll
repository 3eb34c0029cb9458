; A cycle with two entries is no natural loop: neither block is in one, and each depends on both branches.
; analysis: cfg

define void @k(i1 %c, i1 %d, i1 %e) {
entry:                            ; cfg: ipdom exit
  br i1 %c, label %a, label %b    ; cfg: influences a b
a:                                ; cfg: idom entry, ipdom exit, depends on entry b
  br i1 %d, label %b, label %exit ; cfg: influences a b
b:                                ; cfg: idom entry, ipdom exit, depends on entry a
  br i1 %e, label %a, label %exit ; cfg: influences a b
exit:                             ; cfg: idom entry, ipdom end
  ret void
}
