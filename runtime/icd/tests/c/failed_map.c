/* A map that failed leaves no mapping behind, and a mapping that nobody could get counts no longer. */
#include "client.h"
#include <unistd.h>

static cl_uint mappings(cl_mem object) {
  cl_uint count;
  OK(clGetMemObjectInfo(object, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
  return count;
}

int main(void) {
  alarm(60);
  open_device();
  cl_command_queue q = new_queue(0);
  cl_mem b = new_buffer(4096);
  cl_event gate = clCreateUserEvent(context, &error);
  OK(error);
  OK(clSetUserEventStatus(gate, -7));
  for (int i = 0; i < 100; i++) {
    TRUE(!clEnqueueMapBuffer(q, b, CL_TRUE, CL_MAP_READ, 0, 64, 1, &gate, NULL, &error));
    EQ(error, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EQ(mappings(b), 0);
  }
  /* One that is not waited for has a pointer, and is unmapped with it. */
  cl_event failed;
  void *pointer = clEnqueueMapBuffer(q, b, CL_FALSE, CL_MAP_WRITE, 0, 64, 1, &gate, &failed, &error);
  OK(error);
  TRUE(pointer);
  EQ(mappings(b), 1);
  EQ(clWaitForEvents(1, &failed), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  OK(clEnqueueUnmapMemObject(q, b, pointer, 0, NULL, NULL));
  OK(clFinish(q));
  EQ(mappings(b), 0);
  /* The buffer is as usable as before. */
  pointer = clEnqueueMapBuffer(q, b, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &error);
  OK(error);
  EQ(mappings(b), 1);
  OK(clEnqueueUnmapMemObject(q, b, pointer, 0, NULL, NULL));
  OK(clFinish(q));
  EQ(mappings(b), 0);
  OK(clReleaseMemObject(b));
  return 0;
}
