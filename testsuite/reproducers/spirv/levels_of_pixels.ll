; LLVM 22.1.8's SPIR-V back end reads pixels of mipmaps from the first level, whatever level or gradients it is given, and writes
; the level for the pixel.
;   llc-22 -mtriple=spirv64-unknown-unknown -O0 -filetype=obj levels_of_pixels.ll -o levels_of_pixels.spv && spirv-dis levels_of_pixels.spv | grep OpImage
; Found: OpImageSampleExplicitLod with the level 0, and OpImageWrite with %level where the pixel belongs
target triple = "spirv64-unknown-unknown"
define spir_kernel void @k(target("spirv.Image", void, 0, 0, 0, 0, 0, 0, 0) %in, target("spirv.Sampler") %s, target("spirv.Image", void, 0, 0, 0, 0, 0, 0, 1) %out, float %lod, i32 %level) {
  %pixel = call spir_func <4 x float> @_Z11read_imagef14ocl_image1d_ro11ocl_samplerff(target("spirv.Image", void, 0, 0, 0, 0, 0, 0, 0) %in, target("spirv.Sampler") %s, float 0.5, float %lod)
  call spir_func void @_Z12write_imagef14ocl_image1d_woiiDv4_f(target("spirv.Image", void, 0, 0, 0, 0, 0, 0, 1) %out, i32 0, i32 %level, <4 x float> %pixel)
  ret void
}
declare spir_func <4 x float> @_Z11read_imagef14ocl_image1d_ro11ocl_samplerff(target("spirv.Image", void, 0, 0, 0, 0, 0, 0, 0), target("spirv.Sampler"), float, float)
declare spir_func void @_Z12write_imagef14ocl_image1d_woiiDv4_f(target("spirv.Image", void, 0, 0, 0, 0, 0, 0, 1), i32, i32, <4 x float>)
