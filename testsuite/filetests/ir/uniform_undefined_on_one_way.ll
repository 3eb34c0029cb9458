; A variable that only some have set: those who have not must not overwrite it, so it is each one's own. Where all go the same
; way, it is not.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)            ; shape: varying
  %id = trunc i64 %g to i32                           ; shape: varying
  %some = icmp ult i32 %id, 7                         ; shape: varying
  br i1 %some, label %set, label %join                ; shape: divergent
set:
  %x = load i32, ptr addrspace(1) %in                 ; shape: uniform
  br label %join
join:                                                 ; shape: join
  %mine = phi i32 [ %x, %set ], [ undef, %entry ]     ; shape: varying
  %all = icmp sgt i32 %n, 7                           ; shape: uniform
  br i1 %all, label %set.all, label %end              ; shape: uniform
set.all:
  %y = load i32, ptr addrspace(1) %in                 ; shape: uniform
  br label %end
end:
  %ours = phi i32 [ %y, %set.all ], [ poison, %join ] ; shape: uniform
  store i32 %mine, ptr addrspace(1) %out
  ret void
}
