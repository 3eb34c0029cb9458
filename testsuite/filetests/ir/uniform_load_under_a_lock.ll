; What is loaded under a lock is different for each holder if any of them writes there; what nobody writes is not.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

@shared = internal addrspace(3) global i32 undef
@table = internal addrspace(2) constant i32 7

define spir_kernel void @k(ptr addrspace(1) noalias %lock, ptr addrspace(1) noalias %in, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)                            ; shape: varying
  %id = trunc i64 %g to i32                                           ; shape: varying
  br label %try
try:                                                                  ; shape: divergent loop
  %old = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 acquire acquire ; shape: varying
  %free = extractvalue { i32, i1 } %old, 1                            ; shape: varying
  br i1 %free, label %held, label %try                                ; shape: divergent
held:                                                                 ; shape: join
  %x = load i32, ptr addrspace(1) %in                                 ; shape: varying
  %next = add i32 %x, 1                                               ; shape: varying
  store i32 %next, ptr addrspace(1) %in
  %l = load i32, ptr addrspace(3) @shared                             ; shape: uniform
  %c = load i32, ptr addrspace(2) @table                              ; shape: uniform
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  ret void
}
