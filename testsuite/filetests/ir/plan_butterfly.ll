; Lanes that exchange places by bits that all share: one vector where the first lane's place is a multiple of W. Not where the bits
; differ among lanes, the number does not grow by one, or what is accessed is not what the index counts.
; analysis: plan
; width: 8

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %s) {
; plan: width 8 along rows of a group
entry:                                                     ; plan: all lanes
  %l = call i64 @_Z12get_local_idj(i32 0)                  ; plan: strided 1
  %x = trunc i64 %l to i32                                 ; plan: strided 1
  %i = xor i32 %x, %s                                      ; plan: vector
  %at = zext i32 %i to i64                                 ; plan: vector
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at     ; plan: vector
  %v = load i32, ptr addrspace(1) %p                       ; plan: butterfly
  %j = xor i64 %l, 5                                       ; plan: vector
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j      ; plan: vector
  %r = getelementptr i8, ptr addrspace(1) %q, i64 64       ; plan: vector
  store i32 %v, ptr addrspace(1) %r                        ; plan: butterfly
  %own = xor i32 %x, %v                                    ; plan: vector
  %own.at = zext i32 %own to i64                           ; plan: vector
  %t = getelementptr i32, ptr addrspace(1) %a, i64 %own.at ; plan: vector
  %w = load i32, ptr addrspace(1) %t                       ; plan: gather unless consecutive
  %twice = shl i64 %l, 1                                   ; plan: strided 2
  %even = xor i64 %twice, 2                                ; plan: vector
  %u = getelementptr i32, ptr addrspace(1) %a, i64 %even   ; plan: vector
  %y = load i32, ptr addrspace(1) %u                       ; plan: gather unless consecutive
  %sum = add i32 %w, %y                                    ; plan: vector
  %byte = getelementptr i8, ptr addrspace(1) %b, i64 %j    ; plan: vector
  store i32 %sum, ptr addrspace(1) %byte                   ; plan: scatter
  ret void
}
