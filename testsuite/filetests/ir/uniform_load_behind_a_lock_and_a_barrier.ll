; A barrier orders the whole group: a load from local memory behind it is the same for all, whatever went on before. Global
; memory may be written by other groups at any time, but only what is ordered by atomics between the same barriers counts.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

@shared = internal addrspace(3) global i32 undef

define spir_kernel void @k(ptr addrspace(1) %lock, ptr addrspace(1) %in, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)                            ; shape: varying
  %id = trunc i64 %g to i32                                           ; shape: varying
  br label %try
try:                                                                  ; shape: divergent loop
  %old = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 acquire acquire ; shape: varying
  %free = extractvalue { i32, i1 } %old, 1                            ; shape: varying
  br i1 %free, label %held, label %try                                ; shape: divergent
held:                                                                 ; shape: join
  %x = load i32, ptr addrspace(3) @shared                             ; shape: varying
  %next = add i32 %x, 1                                               ; shape: varying
  store i32 %next, ptr addrspace(3) @shared
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  call void @_Z7barrierj(i32 1)
  %y = load i32, ptr addrspace(3) @shared                             ; shape: uniform
  %z = load i32, ptr addrspace(1) %in                                 ; shape: uniform
  ret void
}
