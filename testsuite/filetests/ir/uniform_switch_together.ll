; All take the same case.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)      ; shape: varying
  %id = trunc i64 %g to i32                     ; shape: varying
  switch i32 %n, label %join [                  ; shape: uniform
    i32 1, label %one
    i32 2, label %two
  ]
one:
  br label %two
two:
  %fell = phi i32 [ 1, %one ], [ 2, %entry ]    ; shape: uniform
  br label %join
join:
  %met = phi i32 [ %fell, %two ], [ 0, %entry ] ; shape: uniform
  store i32 %met, ptr addrspace(1) %out
  ret void
}
