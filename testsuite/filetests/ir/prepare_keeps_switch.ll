; At W = 1 a switch stays one.
; step: prepare
; analysis: regions

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
; ; regions: kernel k: 1 region, 0 barriers, regular, width 1
; ; regions: region 0: entry two one done
; ; regions:   -> end
; entry:
;   switch i32 %n, label %done [
;     i32 10, label %one
;     i32 20, label %two
;     i32 300, label %one
;   ]
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
