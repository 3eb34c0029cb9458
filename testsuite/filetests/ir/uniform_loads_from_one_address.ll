; Loads from one address of global, local and constant memory: all see the same between barriers. From addresses of their own
; they do not.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

@shared = internal addrspace(3) global i32 undef
@table = internal addrspace(2) constant i32 7

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)              ; shape: varying
  %id = trunc i64 %g to i32                             ; shape: varying
  %a = load i32, ptr addrspace(1) %in                   ; shape: uniform
  %b = load i32, ptr addrspace(3) @shared               ; shape: uniform
  %c = load i32, ptr addrspace(2) @table                ; shape: uniform
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %a  ; shape: uniform
  %d = load i32, ptr addrspace(1) %p                    ; shape: uniform
  %q = getelementptr i32, ptr addrspace(1) %in, i32 %id ; shape: varying
  %e = load i32, ptr addrspace(1) %q                    ; shape: varying
  ret void
}
