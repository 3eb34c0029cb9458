; Two cases of a switch with one target: each successor counts once.
; analysis: cfg

define void @k(i32 %x) {
entry:                          ; cfg: ipdom exit
  switch i32 %x, label %other [ ; cfg: influences zero two other
    i32 0, label %zero
    i32 1, label %zero
    i32 2, label %two
  ]
zero:                           ; cfg: idom entry, ipdom two, depends on entry
  br label %two
two:                            ; cfg: idom entry, ipdom exit, depends on entry
  br label %exit
other:                          ; cfg: idom entry, ipdom exit, depends on entry
  br label %exit
exit:                           ; cfg: idom entry, ipdom end
  ret void
}
