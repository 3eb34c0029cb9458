; Under a lock a function is called that may write anywhere.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)
declare void @other()

define spir_kernel void @k(ptr addrspace(1) noalias %lock, ptr addrspace(1) noalias %in) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)                            ; shape: varying
  br label %try
try:                                                                  ; shape: divergent loop
  %old = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 acquire acquire ; shape: varying
  %free = extractvalue { i32, i1 } %old, 1                            ; shape: varying
  br i1 %free, label %held, label %try                                ; shape: divergent
held:                                                                 ; shape: join
  call void @other()
  %a = load i32, ptr addrspace(1) %in                                 ; shape: varying
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  ret void
}
