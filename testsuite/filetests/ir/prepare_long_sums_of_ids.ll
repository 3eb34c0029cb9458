; A sum that mentions an id in more places than are followed: the conversions stop inside of it, on either side.
; analysis: range
; step: prepare

define spir_kernel void @k(ptr addrspace(1) noundef align 4 %a, i32 noundef %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 noundef 0)
  %x = trunc i64 %id to i32
  %l1 = mul nsw i32 %x, %n
  %l2 = add nsw i32 %l1, %x
  %l3 = mul nsw i32 %l2, %n
  %l4 = add nsw i32 %l3, %x
  %l5 = mul nsw i32 %l4, %n
  %l6 = add nsw i32 %l5, %x
  %l7 = mul nsw i32 %l6, %n
  %l8 = add nsw i32 %l7, %x
  %left = sext i32 %l8 to i64
  %at = getelementptr inbounds float, ptr addrspace(1) %a, i64 %left
  store float 1.000000e+00, ptr addrspace(1) %at, align 4
  %r1 = sub nsw i32 %n, %x
  %r2 = sub nsw i32 %x, %r1
  %r3 = sub nsw i32 %x, %r2
  %r4 = sub nsw i32 %x, %r3
  %r5 = sub nsw i32 %x, %r4
  %r6 = sub nsw i32 %x, %r5
  %r7 = sub nsw i32 %x, %r6
  %r8 = sub nsw i32 %x, %r7
  %right = sext i32 %r8 to i64
  %to = getelementptr inbounds float, ptr addrspace(1) %a, i64 %right
  store float 2.000000e+00, ptr addrspace(1) %to, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32) memory(none)

