; Two returns: the branch before them has no immediate post-dominator, and everything behind it depends on it.
; analysis: cfg

define void @k(i1 %c) {
entry:                                ; cfg: ipdom end
  br i1 %c, label %early, label %late ; cfg: influences late end early
early:                                ; cfg: idom entry, ipdom end, depends on entry
  ret void
late:                                 ; cfg: idom entry, ipdom end, depends on entry
  br label %end
end:                                  ; cfg: idom late, ipdom end, depends on entry
  ret void
}
