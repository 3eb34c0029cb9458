; What nothing leads to is in no order and has no facts, also where it leads to something.
; analysis: cfg

define void @k() {
entry: ; cfg: ipdom exit
  br label %exit
lost:  ; cfg: unreachable
  br label %exit
exit:  ; cfg: idom entry, ipdom end
  ret void
}
