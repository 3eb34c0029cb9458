; Coordinates that are computed as vectors and taken out again: the row is the same for all lanes, and pixels lie one behind the other but
; for the border. The vector that comes from memory stays one, as does what is stored.
; step: prepare
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare <2 x float> @llvm.floor.v2f32(<2 x float>)

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %moved, ptr addrspace(1) %out, i32 %width, i32 %dx, i32 %dy) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %xi = trunc i64 %x to i32
  %yi = trunc i64 %y to i32
  %a = insertelement <2 x i32> poison, i32 %xi, i32 0
  %at = insertelement <2 x i32> %a, i32 %yi, i32 1
  %d = insertelement <2 x i32> poison, i32 %dx, i32 0
  %by = insertelement <2 x i32> %d, i32 %dy, i32 1
  %there = add <2 x i32> %at, %by
  %tx = extractelement <2 x i32> %there, i64 0
  %ty = extractelement <2 x i32> %there, i64 1
  %low = call i32 @llvm.smax.i32(i32 %tx, i32 0)
  %col = call i32 @llvm.smin.i32(i32 %low, i32 %width)
  %row = mul i32 %ty, %width
  %place = add i32 %row, %col
  %wide = sext i32 %place to i64
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %wide
  %v = load i32, ptr addrspace(1) %p
  %floats = sitofp <2 x i32> %at to <2 x float>
  %half = fmul <2 x float> %floats, splat (float 5.000000e-01)
  %whole = call <2 x float> @llvm.floor.v2f32(<2 x float> %half)
  %fy = extractelement <2 x float> %whole, i64 1
  %m = getelementptr <2 x i32>, ptr addrspace(1) %moved, i64 %x
  %from = load <2 x i32>, ptr addrspace(1) %m
  %both = add <2 x i32> %from, %by
  %bx = extractelement <2 x i32> %both, i64 0
  %sum = add i32 %v, %bx
  %f = fptosi float %fy to i32
  %all = add i32 %sum, %f
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %x
  store i32 %all, ptr addrspace(1) %q
  ret void
}

; ---- after the steps:
; ; Function Attrs: memory(argmem: readwrite)
; define void @k(ptr addrspace(1) readonly captures(none) %in, ptr addrspace(1) readonly captures(none) %moved, ptr addrspace(1) writeonly captures(none) %out, i32 %width, i32 %dx, i32 %dy) #2 {
; ; plan: width 8 along rows of a run of groups
; entry:                                                          ; plan: all lanes
;   %x = call i64 @_Z13get_global_idj(i32 0)                      ; plan: strided 1
;   %y = call i64 @_Z13get_global_idj(i32 1)                      ; plan: uniform
;   %xi = trunc i64 %x to i32                                     ; plan: strided 1
;   %yi = trunc i64 %y to i32                                     ; plan: uniform
;   %d = insertelement <2 x i32> poison, i32 %dx, i32 0           ; plan: uniform
;   %by = insertelement <2 x i32> %d, i32 %dy, i32 1              ; plan: uniform
;   %there1 = add i32 %xi, %dx                                    ; plan: strided 1
;   %there2 = add i32 %yi, %dy                                    ; plan: uniform
;   %low = call i32 @llvm.smax.i32(i32 %there1, i32 0)            ; plan: vector
;   %col = call i32 @llvm.smin.i32(i32 %low, i32 %width)          ; plan: vector
;   %row = mul i32 %there2, %width                                ; plan: uniform
;   %place = add i32 %row, %col                                   ; plan: vector
;   %wide = sext i32 %place to i64                                ; plan: vector
;   %p = getelementptr i32, ptr addrspace(1) %in, i64 %wide       ; plan: vector
;   %v = load i32, ptr addrspace(1) %p, align 4                   ; plan: gather unless consecutive
;   %floats3 = sitofp i32 %yi to float                            ; plan: uniform
;   %half4 = fmul float %floats3, 5.000000e-01                    ; plan: uniform
;   %whole5 = call float @llvm.floor.f32(float %half4)            ; plan: once
;   %m = getelementptr <2 x i32>, ptr addrspace(1) %moved, i64 %x ; plan: strided 8
;   %from = load <2 x i32>, ptr addrspace(1) %m, align 8          ; plan: consecutive
;   %both = add <2 x i32> %from, %by                              ; plan: vector
;   %bx = extractelement <2 x i32> %both, i64 0                   ; plan: vector
;   %sum = add i32 %v, %bx                                        ; plan: vector
;   %f = fptosi float %whole5 to i32                              ; plan: uniform
;   %all = add i32 %sum, %f                                       ; plan: vector
;   %q = getelementptr i32, ptr addrspace(1) %out, i64 %x         ; plan: strided 4
;   store i32 %all, ptr addrspace(1) %q, align 4                  ; plan: consecutive
;   ret void
; }
