; Relaxed atomics with a fence, as locks of OpenCL 1 use them, order what is beside them.
; analysis: shape

@shared = internal addrspace(3) global i32 undef

define spir_kernel void @k(ptr addrspace(1) %count, ptr addrspace(1) %in, i32 noundef %n) {
entry:
  %old = atomicrmw xchg ptr addrspace(1) %count, i32 1 monotonic ; shape: varying
  fence seq_cst
  %x = load i32, ptr addrspace(1) %in                            ; shape: varying
  %next = add i32 %x, 1                                          ; shape: varying
  store i32 %next, ptr addrspace(1) %in
  ret void
}
