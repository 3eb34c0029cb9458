; An address in too few bits is computed again behind a barrier, and tested there as it would be before it. Not where a product decides.
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @behind(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %from) {
; plan: width 8 along rows of a group
; plan: block after.barrier: all lanes
entry:                                                   ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)               ; plan: strided 1
  %short = trunc i64 %x to i32                           ; plan: strided 1
  %sum = add i32 %short, %from                           ; plan: strided 1
  %i = sext i32 %sum to i64                              ; plan: vector
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i    ; plan: vector
  %v = load i32, ptr addrspace(1) %p                     ; plan: gather unless consecutive
  %square = mul i32 %sum, %short                         ; plan: vector
  %far = sext i32 %square to i64                         ; plan: vector
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %far  ; plan: vector
  %next = getelementptr i32, ptr addrspace(1) %p, i64 64 ; plan: vector
  call void @_Z7barrierj(i32 1) convergent
  store i32 %v, ptr addrspace(1) %next                   ; plan: scatter unless consecutive
  store i32 %v, ptr addrspace(1) %q                      ; plan: scatter
  ret void
}
