; Lanes are told apart by branches of two ways.
; step: prepare
; analysis: regions
; width: 4

define void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  switch i32 %n, label %done [
    i32 10, label %one
    i32 20, label %two
    i32 300, label %one
  ]
one:
  store volatile i32 1, ptr addrspace(1) %out
  br label %done
two:
  store volatile i32 2, ptr addrspace(1) %out
  br label %done
done:
  ret void
}

; ---- after the steps:
; ; Function Attrs: nofree norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
; define void @k(ptr addrspace(1) %out, i32 %n) #0 {
; ; regions: kernel k: 1 region, 0 barriers, regular, width 4
; ; regions: region 0: entry NodeBlock LeafBlock3 LeafBlock1 two LeafBlock one done
; ; regions:   -> end
; entry:
;   %Pivot6 = icmp slt i32 %n, 20
;   br i1 %Pivot6, label %LeafBlock, label %NodeBlock
;
; NodeBlock:
;   %Pivot = icmp slt i32 %n, 300
;   br i1 %Pivot, label %LeafBlock1, label %LeafBlock3
;
; LeafBlock3:
;   %SwitchLeaf4 = icmp eq i32 %n, 300
;   br i1 %SwitchLeaf4, label %one, label %done
;
; LeafBlock1:
;   %SwitchLeaf2 = icmp eq i32 %n, 20
;   br i1 %SwitchLeaf2, label %two, label %done
;
; LeafBlock:
;   %SwitchLeaf = icmp eq i32 %n, 10
;   br i1 %SwitchLeaf, label %one, label %done
;
; one:
;   store volatile i32 1, ptr addrspace(1) %out, align 4
;   br label %done
;
; two:
;   store volatile i32 2, ptr addrspace(1) %out, align 4
;   br label %done
;
; done:
;   ret void
; }
