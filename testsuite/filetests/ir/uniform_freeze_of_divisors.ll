; What is frozen for a division alone is no source of divergence: where it is not defined, the quotient is not either.
; analysis: shape

declare i64 @_Z14get_num_groupsj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %out, i32 noundef %n, i32 noundef %m) {
entry:
  %groups = call i64 @_Z14get_num_groupsj(i32 0) ; shape: uniform
  %sum = add nsw i32 %n, 1                 ; shape: uniform
  %product = mul nsw i32 %m, 3             ; shape: uniform
  %divisor = freeze i32 %sum               ; shape: uniform
  %dividend = freeze i32 %product          ; shape: uniform
  %is.zero = icmp eq i32 %divisor, 0       ; shape: uniform
  %is.min = icmp eq i32 %dividend, -2147483648 ; shape: uniform
  %is.minus = icmp eq i32 %divisor, -1     ; shape: uniform
  %overflows = and i1 %is.min, %is.minus   ; shape: uniform
  %traps = or i1 %is.zero, %overflows      ; shape: uniform
  %safe = select i1 %traps, i32 1, i32 %divisor ; shape: uniform
  %quotient = sdiv i32 %dividend, %safe    ; shape: uniform
  %frozen = freeze i64 %groups             ; shape: uniform
  %rest = urem i64 100, %frozen            ; shape: uniform
  %other = freeze i32 %sum                 ; shape: varying
  %part = udiv i32 100, %other             ; shape: varying
  %asked = icmp eq i32 %other, 7           ; shape: varying
  %chosen = select i1 %asked, i32 1, i32 2 ; shape: varying
  store i32 %chosen, ptr addrspace(1) %out, align 4
  ret void
}
