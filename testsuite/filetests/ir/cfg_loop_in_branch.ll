; A loop inside one way of a branch: what is in the loop depends on the branch as well as on its own exit, the join does not.
; analysis: cfg

define void @k(i1 %c, i32 %n) {
entry:                                     ; cfg: ipdom join
  br i1 %c, label %header, label %other    ; cfg: influences other header leave
header:                                    ; cfg: idom entry, ipdom leave, loop header depth 1, depends on entry header, back to header
  %i = phi i32 [ 0, %entry ], [ %next, %header ]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %header, label %leave ; cfg: influences header
leave:                                     ; cfg: idom header, ipdom join, depends on entry
  br label %join
other:                                     ; cfg: idom entry, ipdom join, depends on entry
  br label %join
join:                                      ; cfg: idom entry, ipdom end
  ret void
}
