// A layer of the OpenCL loader that writes the name of each kernel that is launched to the standard error: programs that fall back on the
// CPU in silence show by it what ran on a device, whichever library it is.
//
//     cc -shared -fPIC -O1 -o liblaunches.so testsuite/peers/launches.c
//     OPENCL_LAYERS=$PWD/liblaunches.so PROGRAM 2>&1 | grep '^launch '
//
// A launch that is refused has its error behind the name. Loaders that read OPENCL_LAYERS: Khronos', ocl-icd from 2.3 on.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <stdio.h>
#include <string.h>

static struct _cl_icd_dispatch mine;
static const struct _cl_icd_dispatch *below;

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
                                 const size_t *local, cl_uint count, const cl_event *events, cl_event *event) {
  cl_int result = below->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, events, event);
  char name[256] = "?";
  below->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
  if (result == CL_SUCCESS)
    fprintf(stderr, "launch %s\n", name);
  else
    fprintf(stderr, "launch %s error %d\n", name, result);
  return result;
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value, size_t *needed) {
  static const char name[] = "launches";
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  const void *from = what == CL_LAYER_API_VERSION ? (const void *)&version : what == CL_LAYER_NAME ? name : NULL;
  size_t bytes = what == CL_LAYER_API_VERSION ? sizeof version : sizeof name;
  if (!from || (value && size < bytes))
    return CL_INVALID_VALUE;
  if (value)
    memcpy(value, from, bytes);
  if (needed)
    *needed = bytes;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target, cl_uint *own, const cl_icd_dispatch **layer) {
  if (!target || !own || !layer || count < sizeof mine / sizeof(void *))
    return CL_INVALID_VALUE;
  below = target;
  mine = *target;
  mine.clEnqueueNDRangeKernel = launch;
  *own = sizeof mine / sizeof(void *);
  *layer = &mine;
  return CL_SUCCESS;
}
