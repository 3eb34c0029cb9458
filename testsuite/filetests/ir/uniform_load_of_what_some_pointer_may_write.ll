; Under a lock something is written that a generic pointer leads to: local memory, global memory and the lock itself, but no constant.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

@shared = internal addrspace(3) global i32 undef
@table = internal addrspace(1) constant i32 7

define spir_kernel void @k(ptr addrspace(1) noalias %lock, ptr addrspace(1) noalias %in, ptr addrspace(4) %generic) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)                            ; shape: varying
  br label %try
try:                                                                  ; shape: divergent loop
  %old = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 acquire acquire ; shape: varying
  %free = extractvalue { i32, i1 } %old, 1                            ; shape: varying
  br i1 %free, label %held, label %try                                ; shape: divergent
held:                                                                 ; shape: join
  store i32 1, ptr addrspace(4) %generic
  %global = load i32, ptr addrspace(1) %in                            ; shape: varying
  %local = load i32, ptr addrspace(3) @shared                         ; shape: varying
  %constant = load i32, ptr addrspace(1) @table                       ; shape: uniform
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  ret void
}
