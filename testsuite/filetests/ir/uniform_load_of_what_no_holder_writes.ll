; Under a lock one argument is written: what is loaded from it differs, and from any that may be the same memory, but not from another
; that `restrict` keeps apart.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) noalias %lock, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %apart, ptr addrspace(1) %any, ptr addrspace(4) %generic) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)                            ; shape: varying
  br label %try
try:                                                                  ; shape: divergent loop
  %old = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 acquire acquire ; shape: varying
  %free = extractvalue { i32, i1 } %old, 1                            ; shape: varying
  br i1 %free, label %held, label %try                                ; shape: divergent
held:                                                                 ; shape: join
  %own = alloca i32                                                   ; shape: varying
  store i32 5, ptr %own
  store i32 1, ptr addrspace(1) %in
  %same = load i32, ptr addrspace(1) %in                              ; shape: varying
  %other = load i32, ptr addrspace(1) %apart                          ; shape: uniform
  %unknown = load i32, ptr addrspace(1) %any                          ; shape: varying
  %anywhere = load i32, ptr addrspace(4) %generic                     ; shape: varying
  %always = load i32, ptr addrspace(1) %in, !invariant.load !0        ; shape: uniform
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  ret void
}

!0 = !{}
