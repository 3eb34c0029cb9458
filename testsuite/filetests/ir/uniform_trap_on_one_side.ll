; One side of a divergent branch never ends: nothing meets.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0) ; shape: varying
  %id = trunc i64 %g to i32                ; shape: varying
  %bad = icmp eq i32 %id, 9                ; shape: varying
  br i1 %bad, label %trap, label %good     ; shape: divergent
trap:
  unreachable
good:
  %kept = phi i32 [ %n, %entry ]           ; shape: uniform
  store i32 %kept, ptr addrspace(1) %out
  ret void
}
