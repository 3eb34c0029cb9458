; What atomics return is each one's own, and so is what is loaded atomically.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)                            ; shape: varying
  %id = trunc i64 %g to i32                                           ; shape: varying
  %old = atomicrmw add ptr addrspace(1) %out, i32 1 monotonic         ; shape: varying
  %pair = cmpxchg ptr addrspace(1) %out, i32 0, i32 1 seq_cst seq_cst ; shape: varying
  %was = extractvalue { i32, i1 } %pair, 0                            ; shape: varying
  %now = load atomic i32, ptr addrspace(1) %out monotonic, align 4    ; shape: varying
  %first = icmp eq i32 %old, 0                                        ; shape: varying
  br i1 %first, label %yes, label %end                                ; shape: divergent
yes:
  br label %end
end:                                                                  ; shape: join
  %who = phi i32 [ 0, %entry ], [ 1, %yes ]                           ; shape: varying
  ret void
}
