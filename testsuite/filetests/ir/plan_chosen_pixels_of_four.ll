; Pixels of four bytes that are mixed: LLVM widens no loop that computes with vectors, so that W = 1 is one pixel at a time.
; analysis: plan
; width: chosen

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %out) {
; plan: width 16 along rows of a run of groups, cycles for each work-item: 5.3 at 1, 3.1 at 4, 2.7 at 8, 2.6 at 16
entry:                                                         ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)                     ; plan: strided 1
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %a, i64 %x    ; plan: strided 4
  %va = load <4 x i8>, ptr addrspace(1) %pa                    ; plan: consecutive
  %pb = getelementptr <4 x i8>, ptr addrspace(1) %b, i64 %x    ; plan: strided 4
  %vb = load <4 x i8>, ptr addrspace(1) %pb                    ; plan: consecutive
  %wa = zext <4 x i8> %va to <4 x i32>                         ; plan: vector
  %wb = zext <4 x i8> %vb to <4 x i32>                         ; plan: vector
  %three = mul <4 x i32> %wa, <i32 3, i32 3, i32 3, i32 3>     ; plan: vector
  %sum = add <4 x i32> %three, %wb                             ; plan: vector
  %quarter = lshr <4 x i32> %sum, <i32 2, i32 2, i32 2, i32 2> ; plan: vector
  %mixed = trunc <4 x i32> %quarter to <4 x i8>                ; plan: vector
  %po = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 %x  ; plan: strided 4
  store <4 x i8> %mixed, ptr addrspace(1) %po                  ; plan: consecutive
  ret void
}
