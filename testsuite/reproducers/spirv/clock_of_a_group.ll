; LLVM 22.1.8's SPIR-V back end reads the clock of a work-group in that scope, as cl_khr_kernel_clock has it; the validator takes those
; of the device and of the sub-group only.
;   llc-22 -mtriple=spirv64-unknown-unknown -O0 --spirv-ext=+SPV_KHR_shader_clock -filetype=obj clock_of_a_group.ll -o clock_of_a_group.spv && spirv-val clock_of_a_group.spv
; Found: "Scope must be Subgroup or Device"
target triple = "spirv64-unknown-unknown"
define spir_kernel void @k(ptr addrspace(1) %out) {
  %ticks = call spir_func i64 @_Z21clock_read_work_groupv()
  store i64 %ticks, ptr addrspace(1) %out
  ret void
}
declare spir_func i64 @_Z21clock_read_work_groupv()
