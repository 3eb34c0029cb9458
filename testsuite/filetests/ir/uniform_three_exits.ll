; Three exits of different kinds into two blocks: by bound, by what all see alike, by what each sees alone.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)             ; shape: varying
  %id = trunc i64 %g to i32                            ; shape: varying
  br label %head
head:                                                  ; shape: divergent loop
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]        ; shape: uniform
  %more = icmp slt i32 %i, %n                          ; shape: uniform
  br i1 %more, label %a, label %left                   ; shape: uniform
a:
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %i ; shape: uniform
  %x = load i32, ptr addrspace(1) %p                   ; shape: uniform
  %stop = icmp slt i32 %x, 0                           ; shape: uniform
  br i1 %stop, label %left, label %b                   ; shape: uniform
b:
  %hit = icmp eq i32 %x, %id                           ; shape: varying
  br i1 %hit, label %right, label %latch               ; shape: divergent
latch:
  %next = add nsw i32 %i, 1                            ; shape: uniform
  br label %head
left:
  %how = phi i32 [ 1, %head ], [ 2, %a ]               ; shape: uniform
  br label %end
right:                                                 ; shape: join
  %found = phi i32 [ %x, %b ]                          ; shape: varying
  br label %end
end:                                                   ; shape: join
  %all = phi i32 [ %how, %left ], [ %found, %right ]   ; shape: varying
  store i32 %all, ptr addrspace(1) %out
  ret void
}
