; What is made of a vector's own elements: lanes have each element in a vector of its own. Floats keep their order.
; width: 8
; step: prepare
; analysis: access
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.umax.v3i32(<3 x i32>)
declare float @llvm.vector.reduce.fadd.v2f32(float, <2 x float>)

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %out) {
entry:
  %g = call spir_func i64 @_Z13get_global_idj(i32 0)
  %a.at = getelementptr <4 x i32>, ptr addrspace(1) %a, i64 %g
  %four = load <4 x i32>, ptr addrspace(1) %a.at
  %sum = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %four)
  %b.at = getelementptr <4 x i32>, ptr addrspace(1) %b, i64 %g
  %three = load <3 x i32>, ptr addrspace(1) %b.at
  %most = call i32 @llvm.vector.reduce.umax.v3i32(<3 x i32> %three)
  %c.at = getelementptr <2 x float>, ptr addrspace(1) %c, i64 %g
  %two = load <2 x float>, ptr addrspace(1) %c.at
  %floats = call float @llvm.vector.reduce.fadd.v2f32(float 0.0, <2 x float> %two)
  %whole = fptosi float %floats to i32
  %first = sub i32 %sum, %most
  %second = sub i32 %first, %whole
  %out.at = getelementptr i32, ptr addrspace(1) %out, i64 %g
  store i32 %second, ptr addrspace(1) %out.at
  ret void
}

; ---- after the steps:
; ; Function Attrs: memory(argmem: readwrite)
; define void @k(ptr addrspace(1) readonly captures(none) %a, ptr addrspace(1) readonly captures(none) %b, ptr addrspace(1) readonly captures(none) %c, ptr addrspace(1) writeonly captures(none) %out) #2 {
; ; access: %a read
; ; access: %b read
; ; access: %c read
; ; access: %out written
; entry:
;   %g = call i64 @_Z13get_global_idj(i32 0)
;   %a.at = getelementptr <4 x i32>, ptr addrspace(1) %a, i64 %g
;   %four = load <4 x i32>, ptr addrspace(1) %a.at, align 16
;   %element = extractelement <4 x i32> %four, i32 0
;   %element1 = extractelement <4 x i32> %four, i32 1
;   %element2 = extractelement <4 x i32> %four, i32 2
;   %element3 = extractelement <4 x i32> %four, i32 3
;   %both = add i32 %element, %element1
;   %both4 = add i32 %element2, %element3
;   %both5 = add i32 %both, %both4
;   %b.at = getelementptr <4 x i32>, ptr addrspace(1) %b, i64 %g
;   %three = load <3 x i32>, ptr addrspace(1) %b.at, align 16
;   %element6 = extractelement <3 x i32> %three, i32 0
;   %element7 = extractelement <3 x i32> %three, i32 1
;   %element8 = extractelement <3 x i32> %three, i32 2
;   %both9 = call i32 @llvm.umax.i32(i32 %element6, i32 %element7)
;   %both10 = call i32 @llvm.umax.i32(i32 %both9, i32 %element8)
;   %c.at = getelementptr <2 x float>, ptr addrspace(1) %c, i64 %g
;   %two = load <2 x float>, ptr addrspace(1) %c.at, align 8
;   %floats = call float @llvm.vector.reduce.fadd.v2f32(float 0.000000e+00, <2 x float> %two)
;   %whole = fptosi float %floats to i32
;   %first = sub i32 %both5, %both10
;   %second = sub i32 %first, %whole
;   %out.at = getelementptr i32, ptr addrspace(1) %out, i64 %g
;   store i32 %second, ptr addrspace(1) %out.at, align 4
;   ret void
; }
