; Work-items part, meet again, and go through an irreducible cycle together: they also leave it by one of two exits together.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)               ; shape: varying
  %c = icmp ult i64 %g, 3                                ; shape: varying
  br label %head
head:
  %round = phi i32 [ 0, %entry ], [ %round.next, %exit ] ; shape: uniform
  br i1 %c, label %then, label %join                     ; shape: divergent
then:
  store i32 7, ptr addrspace(1) %in
  br label %join
join:                                                    ; shape: join
  %some = icmp ult i32 %n, 7                             ; shape: uniform
  br i1 %some, label %a, label %b                        ; shape: uniform
a:
  %i = phi i32 [ 0, %join ], [ %i.b, %b ]                ; shape: uniform
  %i.a = add i32 %i, 1                                   ; shape: uniform
  %early = icmp eq i32 %i.a, 100                         ; shape: uniform
  br i1 %early, label %exit, label %b                    ; shape: uniform
b:
  %j = phi i32 [ 5, %join ], [ %i.a, %a ]                ; shape: uniform
  %i.b = add i32 %j, 1                                   ; shape: uniform
  %more = icmp slt i32 %i.b, %n                          ; shape: uniform
  br i1 %more, label %a, label %other                    ; shape: uniform
other:
  br label %exit
exit:
  %last = phi i32 [ %i.b, %other ], [ 3, %a ]            ; shape: uniform
  store i32 %last, ptr addrspace(1) %out
  %round.next = add i32 %round, %last                    ; shape: uniform
  %again = icmp slt i32 %round.next, 9                   ; shape: uniform
  br i1 %again, label %head, label %end                  ; shape: uniform
end:
  ret void
}
