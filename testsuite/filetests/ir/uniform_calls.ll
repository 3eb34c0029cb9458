; A function of its arguments is as they are; of one that reads memory, is not known, or may be a barrier of its own kind,
; nothing is said.
; analysis: shape
; kernel: k

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i32 @unknown(i32) memory(none)
declare i32 @together(i32) convergent memory(none)
declare i32 @llvm.umax.i32(i32, i32)
declare ptr @llvm.frameaddress.p0(i32)

define i32 @square(i32 %x) memory(none) {
  %y = mul i32 %x, %x
  ret i32 %y
}
define i32 @nested(i32 %x) memory(none) {
  %y = call i32 @square(i32 %x)
  ret i32 %y
}
define i32 @calls.unknown(i32 %x) memory(none) {
  %y = call i32 @unknown(i32 %x)
  ret i32 %y
}
define i32 @reads(ptr addrspace(1) %p) memory(argmem: read) {
  %y = load i32, ptr addrspace(1) %p
  ret i32 %y
}

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)         ; shape: varying
  %id = trunc i64 %g to i32                        ; shape: varying
  %a = call i32 @square(i32 %n)                    ; shape: uniform
  %b = call i32 @square(i32 %id)                   ; shape: varying
  %c = call i32 @reads(ptr addrspace(1) %in)       ; shape: varying
  %d = call i32 @unknown(i32 %n)                   ; shape: varying
  %e = call i32 @calls.unknown(i32 %n)             ; shape: varying
  %f = call i32 @llvm.umax.i32(i32 %n, i32 3)      ; shape: uniform
  %g.max = call i32 @llvm.umax.i32(i32 %id, i32 3) ; shape: varying
  %h = call ptr @llvm.frameaddress.p0(i32 0)       ; shape: varying
  %i = call i32 @together(i32 %n)                  ; shape: varying
  %j = call i32 @nested(i32 %n)                    ; shape: uniform
  ret void
}
