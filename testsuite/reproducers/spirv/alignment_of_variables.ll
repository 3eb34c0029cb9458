; LLVM 22.1.8's SPIR-V back end keeps the alignments of functions' variables in eight bits with a sign.
;   llc-22 -mtriple=spirv64-unknown-unknown -O0 -filetype=obj alignment_of_variables.ll -o - | spirv-dis | grep Alignment
; Found: "OpDecorate %a Alignment 4294967168" and "OpDecorate %b Alignment 0".
target triple = "spirv64-unknown-unknown"
define spir_kernel void @k(i32 %n) {
  %a = alloca i32, align 128
  %b = alloca i32, align 256
  store i32 %n, ptr %a
  store i32 %n, ptr %b
  ret void
}
