; Where the cases of a divergent switch meet, work-items differ; two cases of one value do not make it differ.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)                     ; shape: varying
  %id = trunc i64 %g to i32                                    ; shape: varying
  switch i32 %id, label %other [                               ; shape: divergent
    i32 1, label %one
    i32 2, label %join
    i32 3, label %join
  ]
one:
  br label %join
other:
  br label %last
join:                                                          ; shape: join
  %met = phi i32 [ 5, %one ], [ 6, %entry ], [ 6, %entry ]     ; shape: varying
  %same = phi i32 [ %n, %one ], [ %n, %entry ], [ %n, %entry ] ; shape: uniform
  br label %last
last:                                                          ; shape: join
  %all = phi i32 [ %same, %join ], [ 0, %other ]               ; shape: varying
  store i32 %all, ptr addrspace(1) %out
  ret void
}
