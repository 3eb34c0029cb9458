; A loop that only some work-items run, with a bound for all: they run it together, and differ from the others where they meet.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)         ; shape: varying
  %id = trunc i64 %g to i32                        ; shape: varying
  %some = icmp ult i32 %id, 7                      ; shape: varying
  br i1 %some, label %loop, label %join            ; shape: divergent
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]     ; shape: uniform
  %next = add nsw i32 %i, 1                        ; shape: uniform
  %more = icmp slt i32 %next, %n                   ; shape: uniform
  br i1 %more, label %loop, label %behind          ; shape: uniform
behind:
  %last = phi i32 [ %i, %loop ]                    ; shape: uniform
  br label %join
join:                                              ; shape: join
  %met = phi i32 [ 0, %entry ], [ %last, %behind ] ; shape: varying
  store i32 %met, ptr addrspace(1) %out
  ret void
}
