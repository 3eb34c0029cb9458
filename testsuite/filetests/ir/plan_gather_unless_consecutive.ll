; Indices that are parts of ids: mostly the lanes' elements lie one behind the other, and a test finds out. Not where a product or
; memory decides, nor where several parts of an address differ.
; analysis: plan
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

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
