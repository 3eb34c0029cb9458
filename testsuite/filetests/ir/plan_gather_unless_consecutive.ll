; Indices that are parts of ids: mostly the lanes' elements lie one behind the other, and a test finds out. Not where a product or
; memory decides, nor where several parts of an address differ. What is computed again behind a barrier is tested there.
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n, i64 %m) {
; plan: width 8 along rows of a run of groups
entry:                                                      ; plan: all lanes
  %x = call i64 @_Z13get_global_idj(i32 0)                  ; plan: strided 1
  %rest = urem i64 %x, %n                                   ; plan: vector
  %quotient = udiv i64 %x, %n                               ; plan: vector
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %rest    ; plan: vector
  %v = load i32, ptr addrspace(1) %p                        ; plan: gather unless consecutive
  %row = mul i64 %quotient, %m                              ; plan: vector
  %cell = add i64 %row, %rest                               ; plan: vector
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %cell    ; plan: vector
  store i32 %v, ptr addrspace(1) %q                         ; plan: scatter unless consecutive
  %product = mul i64 %x, %x                                 ; plan: vector
  %r = getelementptr i32, ptr addrspace(1) %a, i64 %product ; plan: vector
  %w = load i32, ptr addrspace(1) %r                        ; plan: gather
  %index = sext i32 %w to i64                               ; plan: vector
  %s = getelementptr i32, ptr addrspace(1) %a, i64 %index   ; plan: vector
  %y = load i32, ptr addrspace(1) %s                        ; plan: gather
  %t = getelementptr i32, ptr addrspace(1) %p, i64 %rest    ; plan: vector
  store i32 %y, ptr addrspace(1) %t                         ; plan: scatter
  %u = getelementptr i8, ptr addrspace(1) %b, i64 %rest     ; plan: vector
  store i32 %y, ptr addrspace(1) %u                         ; plan: scatter
  ret void
}

define void @behind(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %from) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %short = trunc i64 %x to i32
  %sum = add i32 %short, %from
  %i = sext i32 %sum to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p
  %square = mul i32 %sum, %short
  %far = sext i32 %square to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %far
  %next = getelementptr i32, ptr addrspace(1) %p, i64 64
  call void @_Z7barrierj(i32 1) convergent
  store i32 %v, ptr addrspace(1) %next
  store i32 %v, ptr addrspace(1) %q
  ret void
}
