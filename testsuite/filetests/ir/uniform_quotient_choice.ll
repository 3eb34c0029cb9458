; What is chosen by a frozen divisor is the quotient of all, where it is chosen beside a quotient.
; analysis: shape

define spir_kernel void @k(ptr addrspace(1) %out, i32 noundef %n, i32 noundef %m) {
entry:
  %sum = add nsw i32 %n, 1                 ; shape: uniform
  %divisor = freeze i32 %sum               ; shape: uniform
  %is.zero = icmp eq i32 %divisor, 0       ; shape: uniform
  %is.minus = icmp eq i32 %divisor, -1     ; shape: uniform
  %special = or i1 %is.zero, %is.minus     ; shape: uniform
  %safe = select i1 %special, i32 1, i32 %divisor ; shape: uniform
  %negated = sub i32 0, %m                 ; shape: uniform
  %divided = sdiv i32 %m, %safe            ; shape: uniform
  %quotient = select i1 %is.minus, i32 %negated, i32 %divided ; shape: uniform
  store i32 %quotient, ptr addrspace(1) %out, align 4
  ret void
}
