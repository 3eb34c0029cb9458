; LLVM 22.1.8's SPIR-V back end writes a null of an event, used twice, with the type a second time, as an operand.
;   llc-22 -mtriple=spirv64-unknown-unknown -O0 -filetype=obj null_event.ll -o null_event.spv && spirv-val null_event.spv
; Found: "Invalid instruction OpConstantNull starting at word ...: expected no more operands after 3 words, but stated word count is 4."
target triple = "spirv64-unknown-unknown"
define spir_kernel void @k(ptr addrspace(3) %to, ptr addrspace(1) %from) {
  %event = call spir_func target("spirv.Event") @_Z21async_work_group_copyPU3AS3iPU3AS1Kim9ocl_event(ptr addrspace(3) %to, ptr addrspace(1) %from, i64 4, target("spirv.Event") zeroinitializer)
  %again = call spir_func target("spirv.Event") @_Z21async_work_group_copyPU3AS3iPU3AS1Kim9ocl_event(ptr addrspace(3) %to, ptr addrspace(1) %from, i64 4, target("spirv.Event") zeroinitializer)
  ret void
}
declare spir_func target("spirv.Event") @_Z21async_work_group_copyPU3AS3iPU3AS1Kim9ocl_event(ptr addrspace(3), ptr addrspace(1), i64, target("spirv.Event"))
