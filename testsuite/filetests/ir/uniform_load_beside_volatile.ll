; A volatile load can wait for what others have written: plain loads beside it, of what somebody writes, are not the same.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)        ; shape: varying
  %id = trunc i64 %g to i32                       ; shape: varying
  br label %wait
wait:                                             ; shape: divergent loop
  %flag = load volatile i32, ptr addrspace(1) %in ; shape: varying
  %set = icmp ne i32 %flag, 0                     ; shape: varying
  br i1 %set, label %on, label %wait              ; shape: divergent
on:                                               ; shape: join
  %x = load i32, ptr addrspace(1) %out            ; shape: varying
  %next = add i32 %x, 1                           ; shape: varying
  store i32 %next, ptr addrspace(1) %out
  ret void
}
