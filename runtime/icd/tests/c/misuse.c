/* Everything that C can get wrong without a crash being its own fault: NULL, wild, foreign and released handles, wrong
   sizes, wrong values; and the errors of features that the device does not have. */
#include "client.h"

int main(void) {
  open_device();
  cl_command_queue q = new_queue(0);
  cl_mem b = new_buffer(64);
  char bytes[64];
  size_t size, three[3] = {0, 0, 0};

  /* Handles that are none. */
  void *wild[] = {NULL, (void *)1, (void *)0xdeadbeef0000, bytes, (char *)b + 8, (char *)b + 64, context, device};
  cl_event not_events[] = {(cl_event)b, (cl_event)bytes};
  for (int i = 0; i < 2; i++)
    EQ(clEnqueueReadBuffer(q, b, CL_TRUE, 0, 4, bytes, 1, &not_events[i], NULL), CL_INVALID_EVENT_WAIT_LIST);
  EQ(clEnqueueReadBuffer(q, b, CL_TRUE, 0, 4, bytes, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
  for (unsigned i = 0; i < sizeof wild / sizeof *wild; i++)
    if (wild[i] != (void *)b) EQ(clEnqueueReadBuffer(q, (cl_mem)wild[i], CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
  EQ(clEnqueueReadBuffer((cl_command_queue)b, b, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
  EQ(clRetainContext((cl_context)q), CL_INVALID_CONTEXT);
  EQ(clReleaseProgram((cl_program)q), CL_INVALID_PROGRAM);
  EQ(clReleaseKernel((cl_kernel)q), CL_INVALID_KERNEL);
  EQ(clReleaseEvent((cl_event)q), CL_INVALID_EVENT);
  EQ(clFinish((cl_command_queue)context), CL_INVALID_COMMAND_QUEUE);
  cl_device_id devices[2] = {device, (cl_device_id)bytes};
  clCreateContext(NULL, 2, devices, NULL, NULL, &error);
  EQ(error, CL_INVALID_DEVICE);

  /* Released handles. */
  cl_mem gone = new_buffer(16);
  OK(clRetainMemObject(gone)); OK(clReleaseMemObject(gone)); OK(clReleaseMemObject(gone));
  EQ(clReleaseMemObject(gone), CL_INVALID_MEM_OBJECT);
  EQ(clGetMemObjectInfo(gone, CL_MEM_SIZE, sizeof size, &size, NULL), CL_INVALID_MEM_OBJECT);

  /* Sizes and values. */
  EQ(clEnqueueReadBuffer(q, b, CL_TRUE, 60, 8, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
  EQ(clEnqueueReadBuffer(q, b, CL_TRUE, SIZE_MAX, 8, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
  EQ(clEnqueueWriteBuffer(q, b, CL_TRUE, 0, 8, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
  EQ(clEnqueueFillBuffer(q, b, bytes, 3, 0, 6, 0, NULL, NULL), CL_INVALID_VALUE);
  EQ(clEnqueueReadBufferRect(q, b, CL_TRUE, three, three, three, 0, 0, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
  EQ(clGetMemObjectInfo(b, CL_MEM_SIZE, 4, &size, NULL), CL_INVALID_VALUE);
  EQ(clGetMemObjectInfo(b, 0, 8, &size, NULL), CL_INVALID_VALUE);
  EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL), CL_INVALID_VALUE);
  EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, devices, NULL), CL_DEVICE_NOT_FOUND);
  EQ(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
  EQ(clCreateBuffer(context, 0, 0, NULL, &error) != NULL, 0); EQ(error, CL_INVALID_BUFFER_SIZE);
  clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 8, NULL, &error); EQ(error, CL_INVALID_HOST_PTR);
  clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 8, NULL, &error); EQ(error, CL_INVALID_VALUE);
  cl_buffer_region odd = {4, 8};
  clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &error); EQ(error, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  cl_context_properties wrong[] = {CL_CONTEXT_PLATFORM, 12345, 0};
  clCreateContext(wrong, 1, &device, NULL, NULL, &error); EQ(error, CL_INVALID_PLATFORM);
  cl_mem hidden = clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, 64, NULL, &error);
  OK(error);
  EQ(clEnqueueReadBuffer(q, hidden, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);

  /* Absent features. */
  clCreatePipe(context, 0, 4, 4, NULL, &error); EQ(error, CL_INVALID_OPERATION);
  clCreateProgramWithIL(context, bytes, 4, &error); EQ(error, CL_INVALID_VALUE);
  cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  clCreateCommandQueueWithProperties(context, device, on_device, &error); EQ(error, CL_INVALID_QUEUE_PROPERTIES);
  EQ((intptr_t)clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchFunction"), 0);
  TRUE(clGetExtensionFunctionAddressForPlatform(platform, "clHostMemAllocINTEL"));

  /* Shared virtual memory. */
  char *svm = clSVMAlloc(context, CL_MEM_READ_WRITE, 256, 64);
  TRUE(svm);
  EQ((intptr_t)svm % 64, 0);
  EQ((intptr_t)clSVMAlloc(context, 0, 0, 0), 0);
  EQ((intptr_t)clSVMAlloc(context, 0, 16, 3), 0);
  OK(clEnqueueSVMMemFill(q, svm, "ab", 2, 256, 0, NULL, NULL));
  OK(clEnqueueSVMMemcpy(q, CL_TRUE, bytes, svm + 2, 8, 0, NULL, NULL));
  TRUE(!memcmp(bytes, "abababab", 8));
  EQ(clEnqueueSVMMemcpy(q, CL_TRUE, svm, svm + 1, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
  clSVMFree(context, svm);
  clSVMFree(context, NULL);

  OK(clReleaseMemObject(hidden)); OK(clReleaseMemObject(b)); OK(clReleaseCommandQueue(q)); OK(clReleaseContext(context));
  return 0;
}
