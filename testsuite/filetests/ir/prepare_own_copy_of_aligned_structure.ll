; A structure passed by value that the kernel writes: the work-item's own copy is aligned as the parameter is, not as its type needs.
; step: prepare
; analysis: regions
; kernel: k

%aligned = type { [8 x float] }

define spir_kernel void @k(ptr byval(%aligned) align 16 %p, i64 %i) {
entry:
  %at = getelementptr inbounds float, ptr %p, i64 %i
  store volatile float 1.000000e+00, ptr %at, align 4
  %four = load volatile <4 x float>, ptr %p, align 16
  ret void
}

; ---- after the steps:
; ; Function Attrs: nofree norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
; define void @k(ptr readonly byval(%aligned) align 16 captures(none) %p, i64 %i) #0 {
; ; regions: kernel k: 1 region, 0 barriers, regular, width 1
; ; regions: region 0: entry
; ; regions:   -> end
; entry:
;   %own = alloca %aligned, align 16
;   call void @llvm.memcpy.p0.p0.i64(ptr align 16 %own, ptr align 16 %p, i64 32, i1 false)
;   %at = getelementptr inbounds float, ptr %own, i64 %i
;   store volatile float 1.000000e+00, ptr %at, align 4
;   %four = load volatile <4 x float>, ptr %own, align 16
;   ret void
; }
