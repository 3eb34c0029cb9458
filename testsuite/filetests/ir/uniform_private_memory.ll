; Each work-item has private variables of its own, whatever was stored into them; pointers to them differ.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)             ; shape: varying
  %id = trunc i64 %g to i32                            ; shape: varying
  %own = alloca [4 x i32]                              ; shape: varying
  store i32 %n, ptr %own
  %x = load i32, ptr %own                              ; shape: varying
  %p = getelementptr [4 x i32], ptr %own, i32 0, i32 2 ; shape: varying
  %y = load i32, ptr %p                                ; shape: varying
  %number = ptrtoint ptr %own to i64                   ; shape: varying
  %c = icmp sgt i32 %n, 1                              ; shape: uniform
  %either = select i1 %c, ptr %own, ptr %p             ; shape: varying
  %z = load i32, ptr %either                           ; shape: varying
  ret void
}
