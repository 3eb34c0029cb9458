; Under a lock memory is filled and added to: both write what they name, and nothing else.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)

define spir_kernel void @k(ptr addrspace(1) noalias %lock, ptr addrspace(1) noalias %filled, ptr addrspace(1) noalias %counted, ptr addrspace(1) noalias %swapped, ptr addrspace(1) noalias %kept) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)                            ; shape: varying
  br label %try
try:                                                                  ; shape: divergent loop
  %old = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 acquire acquire ; shape: varying
  %free = extractvalue { i32, i1 } %old, 1                            ; shape: varying
  br i1 %free, label %held, label %try                                ; shape: divergent
held:                                                                 ; shape: join
  call void @llvm.memset.p1.i64(ptr addrspace(1) %filled, i8 0, i64 16, i1 false)
  %count = atomicrmw add ptr addrspace(1) %counted, i32 1 monotonic   ; shape: varying
  %swap = cmpxchg ptr addrspace(1) %swapped, i32 0, i32 1 monotonic monotonic ; shape: varying
  %a = load i32, ptr addrspace(1) %filled                             ; shape: varying
  %b = load i32, ptr addrspace(1) %counted                            ; shape: varying
  %c = load i32, ptr addrspace(1) %swapped                            ; shape: varying
  %d = load i32, ptr addrspace(1) %kept                               ; shape: uniform
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  ret void
}
