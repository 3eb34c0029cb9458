; Relaxed atomics, as counters use them, order no other access: a load beside them is the same for all.
; analysis: shape

@shared = internal addrspace(3) global i32 undef

define spir_kernel void @k(ptr addrspace(1) %count, ptr addrspace(1) %in, i32 noundef %n) {
entry:
  %old = atomicrmw add ptr addrspace(1) %count, i32 1 monotonic ; shape: varying
  %x = load i32, ptr addrspace(1) %in                           ; shape: uniform
  store i32 %x, ptr addrspace(1) %count
  ret void
}
