/* What a device says of shared virtual memory holds. */
#include "client.h"
#include <CL/cl_ext.h>
#include <unistd.h>

int main(void) {
  alarm(60);
  open_device();
  cl_device_svm_capabilities svm = 0;
  OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
  cl_bitfield usm = 0;
  char extensions[8192] = "";
  OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
  if (strstr(extensions, "cl_intel_unified_shared_memory"))
    OK(clGetDeviceInfo(device, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, sizeof usm, &usm, NULL));
  if (!svm) {
    EQ(usm, 0);
    TRUE(!clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0));
    cl_kernel k = clCreateKernel(new_program("kernel void f(global int *x) { x[get_global_id(0)] = 7; }"), "f", &error);
    OK(error);
    int x;
    EQ(clSetKernelArgSVMPointer(k, 0, &x), CL_INVALID_OPERATION);
    return 0;
  }
  cl_command_queue q = new_queue(0);
  int *pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  TRUE(pointer);
  cl_kernel k = clCreateKernel(new_program("kernel void f(global int *x) { x[get_global_id(0)] = 7; }"), "f", &error);
  OK(error);
  size_t items = 16;
  OK(clSetKernelArgSVMPointer(k, 0, pointer));
  OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
  OK(clFinish(q));
  OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, pointer, 64, 0, NULL, NULL));
  EQ(pointer[15], 7);
  return 0;
}
