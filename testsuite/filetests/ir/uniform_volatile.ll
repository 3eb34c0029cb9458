; A volatile load may see what changes between work-items.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)        ; shape: varying
  %id = trunc i64 %g to i32                       ; shape: varying
  %flag = load volatile i32, ptr addrspace(1) %in ; shape: varying
  %set = icmp ne i32 %flag, 0                     ; shape: varying
  br i1 %set, label %yes, label %end              ; shape: divergent
yes:
  br label %end
end:                                              ; shape: join
  %seen = phi i32 [ 0, %entry ], [ 1, %yes ]      ; shape: varying
  ret void
}
