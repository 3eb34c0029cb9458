; LLVM 22.1.8's SPIR-V back end makes integers wider without a sign where the result has one, and with one where it has none;
; and takes integers that saturate for unsigned where the result is signed.
;   llc-22 -mtriple=spirv64-unknown-unknown -O0 -filetype=obj signs_of_conversions.ll -o - | spirv-dis | grep Conv
; Found: OpUConvert of the int, OpSConvert of the uchar, OpSatConvertUToS of the int that becomes a char.
target triple = "spirv64-unknown-unknown"
define spir_kernel void @k(ptr addrspace(1) %out, i32 %x, i8 %y) {
  %a = call spir_func i64 @_Z12convert_longi(i32 %x)
  %b = call spir_func i64 @_Z13convert_ulongh(i8 %y)
  %c = call spir_func i8 @_Z16convert_char_sati(i32 %x)
  store volatile i64 %a, ptr addrspace(1) %out
  store volatile i64 %b, ptr addrspace(1) %out
  store volatile i8 %c, ptr addrspace(1) %out
  ret void
}
declare spir_func i64 @_Z12convert_longi(i32)
declare spir_func i64 @_Z13convert_ulongh(i8)
declare spir_func i8 @_Z16convert_char_sati(i32)
