; LLVM 22.1.8's SPIR-V back end leaves out ZeroExtend where unsigned pixels are read and written: they are taken for signed ones.
;   llc-22 -mtriple=spirv64-unknown-unknown -O0 -filetype=obj signs_of_pixels.ll -o signs_of_pixels.spv && spirv-dis signs_of_pixels.spv | grep OpImage
; Found: OpImageRead and OpImageWrite without image operands
target triple = "spirv64-unknown-unknown"
define spir_kernel void @k(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %in, target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 1) %out, <2 x i32> %at) {
  %pixel = call spir_func <4 x i32> @_Z12read_imageui14ocl_image2d_roDv2_i(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %in, <2 x i32> %at)
  call spir_func void @_Z13write_imageui14ocl_image2d_woDv2_iDv4_j(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 1) %out, <2 x i32> %at, <4 x i32> %pixel)
  ret void
}
declare spir_func <4 x i32> @_Z12read_imageui14ocl_image2d_roDv2_i(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0), <2 x i32>)
declare spir_func void @_Z13write_imageui14ocl_image2d_woDv2_iDv4_j(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 1), <2 x i32>, <4 x i32>)
