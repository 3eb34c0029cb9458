/* Calls that are wrong, with the error that the specification gives each: one thing is wrong at a time, everything else is an
   object of the program, in whatever state it is. Nothing may change by them. */

static void *no_object(struct world *w, struct rng *r, int context, const void *right) {
  static char bytes[64];
  static __thread cl_event gone;
  if (!gone) {
    cl_int error;
    gone = clCreateUserEvent(common, &error);
    GOOD(error);
    GOOD(clSetUserEventStatus(gone, CL_COMPLETE));
    GOOD(clReleaseEvent(gone));
  }
  (void)context;
  void *all[] = {NULL, (void *)1, (void *)(uintptr_t)0xdeadbeef0000, bytes, platform, devices[0], (char *)right + 8, (char *)right + 1};
  void *one = all[below(r, sizeof all / sizeof *all)];
  (void)w;
  return one;
}

static void wrong_handles(struct world *w, struct rng *r, int context) {
  int number = some_queue(w, r, context);
  cl_command_queue q = w->queues[number].handle;
  void *no = no_object(w, r, context, q);
  byte b[16];
  size_t one = 1;
  cl_int error;
  cl_uint value;
  cl_mem memory = w->roots[context][0].handle;
  switch (below(r, 20)) {
  case 0: WANT(clFinish(no), CL_INVALID_COMMAND_QUEUE); break;
  case 1: WANT(clFlush((cl_command_queue)w->contexts[context]), CL_INVALID_COMMAND_QUEUE); break;
  case 2: WANT(clReleaseMemObject(no), CL_INVALID_MEM_OBJECT); break;
  case 3: WANT(clReleaseEvent(no), CL_INVALID_EVENT); break;
  case 4: WANT(clReleaseKernel((cl_kernel)q), CL_INVALID_KERNEL); break;
  case 5: WANT(clReleaseProgram((cl_program)q), CL_INVALID_PROGRAM); break;
  case 6: WANT(clReleaseContext((cl_context)q), CL_INVALID_CONTEXT); break;
  case 7: WANT(clEnqueueReadBuffer(q, no, CL_TRUE, 0, 1, b, 0, NULL, NULL), CL_INVALID_MEM_OBJECT); break;
  case 8: WANT(clEnqueueFillBuffer(no, memory, b, 1, 0, 1, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE); break;
  case 9: WANT(clEnqueueMarkerWithWaitList(q, 1, (cl_event *)&no, NULL), CL_INVALID_EVENT_WAIT_LIST); break;
  case 10: WANT(clEnqueueMarkerWithWaitList(q, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST); break;
  case 11: WANT(clWaitForEvents(1, (cl_event *)&no), CL_INVALID_EVENT); break;
  case 12: WANT(clSetUserEventStatus(no, CL_COMPLETE), CL_INVALID_EVENT); break;
  case 13: WANT(clRetainCommandQueue(no), CL_INVALID_COMMAND_QUEUE); break;
  case 14: HOLDS(!clCreateBuffer(no, 0, 16, NULL, &error)); WANT(error, CL_INVALID_CONTEXT); break;
  case 15: HOLDS(!clCreateUserEvent(no, &error)); WANT(error, CL_INVALID_CONTEXT); break;
  case 16: HOLDS(!clCreateCommandQueueWithProperties(w->contexts[context], no == devices[0] ? NULL : no, NULL, &error)); WANT(error, CL_INVALID_DEVICE); break;
  case 17: WANT(clGetKernelInfo(no, CL_KERNEL_NUM_ARGS, sizeof value, &value, NULL), CL_INVALID_KERNEL); break;
  case 18: WANT(clSetKernelArg(no, 0, 4, b), CL_INVALID_KERNEL); break;
  case 19: WANT(clEnqueueNDRangeKernel(q, no, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL); break;
  }
}

static void wrong_values(struct world *w, struct rng *r, int context) {
  struct root *root = &w->roots[context][below(r, ROOTS)];
  int number = some_queue(w, r, context);
  cl_command_queue q = w->queues[number].handle;
  unsigned kind = below(r, 22);
  if (root->kind != BUFFER) return;
  cl_mem b = root->handle;
  byte bytes[64] = {0};
  size_t size = root->size, zero[3] = {0, 0, 0}, ones[3] = {1, 1, 1}, far[3] = {size, 0, 0};
  cl_int error;
  cl_buffer_region odd = {4, 8}, beyond = {0, size + 1}, empty = {0, 0};
  cl_event event = clCreateUserEvent(w->contexts[!context], &error);
  GOOD(error);
  switch (kind) {
  case 0: WANT(clEnqueueReadBuffer(q, b, CL_TRUE, size, 1, bytes, 0, NULL, NULL), CL_INVALID_VALUE); break;
  case 1: WANT(clEnqueueReadBuffer(q, b, CL_TRUE, SIZE_MAX - 1, 4, bytes, 0, NULL, NULL), CL_INVALID_VALUE); break;
  case 2: WANT(clEnqueueWriteBuffer(q, b, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE); break;
  case 3: WANT(clEnqueueWriteBuffer(q, b, CL_TRUE, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_VALUE); break;
  case 4: WANT(clEnqueueFillBuffer(q, b, bytes, 3, 0, 6, 0, NULL, NULL), CL_INVALID_VALUE); break;
  case 5: WANT(clEnqueueFillBuffer(q, b, bytes, 8, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE); break;
  case 6: WANT(clEnqueueFillBuffer(q, b, NULL, 4, 0, 8, 0, NULL, NULL), CL_INVALID_VALUE); break;
  case 7: WANT(clEnqueueCopyBuffer(q, b, b, 0, size, 4, 0, NULL, NULL), CL_INVALID_VALUE); break;
  case 8: WANT(clEnqueueCopyBuffer(q, b, b, 0, 2, 4, 0, NULL, NULL), CL_MEM_COPY_OVERLAP); break;
  case 9: WANT(clEnqueueReadBufferRect(q, b, CL_TRUE, zero, zero, zero, 0, 0, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_VALUE); break;
  case 10: WANT(clEnqueueReadBufferRect(q, b, CL_TRUE, far, zero, ones, 0, 0, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_VALUE); break;
  case 11: WANT(clEnqueueReadBufferRect(q, b, CL_TRUE, zero, zero, (size_t[]){4, 2, 1}, 3, 0, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_VALUE); break;
  case 12: HOLDS(!clEnqueueMapBuffer(q, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, 0, NULL, NULL, &error)); WANT(error, CL_INVALID_VALUE); break;
  case 13: HOLDS(!clEnqueueMapBuffer(q, b, CL_TRUE, CL_MAP_READ, size, 4, 0, NULL, NULL, &error)); WANT(error, CL_INVALID_VALUE); break;
  case 14: WANT(clEnqueueUnmapMemObject(q, b, bytes, 0, NULL, NULL), CL_INVALID_VALUE); break;
  case 15: HOLDS(!clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &error)); WANT(error, CL_MISALIGNED_SUB_BUFFER_OFFSET); break;
  case 16: HOLDS(!clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &beyond, &error)); WANT(error, CL_INVALID_VALUE); break;
  case 17: HOLDS(!clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, &error)); WANT(error, CL_INVALID_BUFFER_SIZE); break;
  case 18: WANT(clEnqueueReadBuffer(q, b, CL_TRUE, 0, 1, bytes, 1, &event, NULL), CL_INVALID_CONTEXT); break;
  case 19: WANT(clEnqueueMigrateMemObjects(q, 1, &b, 1 << 5, 0, NULL, NULL), CL_INVALID_VALUE); break;
  case 20: WANT(clGetMemObjectInfo(b, CL_MEM_SIZE, 4, bytes, NULL), CL_INVALID_VALUE); break;
  case 21: WANT(clSetEventCallback(event, 99, on_event, NULL), CL_INVALID_VALUE); break;
  }
  GOOD(clReleaseEvent(event));
  struct root *other = &w->roots[!context][0];
  if (other->kind == BUFFER) WANT(clEnqueueReadBuffer(q, other->handle, CL_TRUE, 0, 1, bytes, 0, NULL, NULL), CL_INVALID_CONTEXT);
}

static void wrong_launches(struct world *w, struct rng *r, int context) {
  struct kernel *k = &w->kernels[context][below(r, KERNELS)];
  int number = some_queue(w, r, context);
  cl_command_queue q = w->queues[number].handle, elsewhere = w->queues[!context * QUEUES].handle;
  unsigned kind = below(r, 10);
  if (!k->handle) return;
  size_t items = 64, three[3] = {1, 1, 1}, none = 0, huge = (size_t)1 << 30;
  cl_uint value = 0;
  cl_int error;
  cl_kernel fresh = clCloneKernel(k->handle, &error);
  GOOD(error);
  int memory = k->which == COUNT ? 1 : 0;
  switch (kind) {
  case 0: WANT(clSetKernelArg(fresh, 2, 4, &value), CL_INVALID_ARG_INDEX); break;
  case 1: WANT(clSetKernelArg(fresh, memory, 4, &value), CL_INVALID_ARG_SIZE); break;
  case 2: WANT(clSetKernelArg(fresh, memory, sizeof q, &q), CL_INVALID_MEM_OBJECT); break;
  case 3: WANT(clEnqueueNDRangeKernel(q, fresh, 0, NULL, &items, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION); break;
  case 4: WANT(clEnqueueNDRangeKernel(q, fresh, 4, NULL, three, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION); break;
  case 5: WANT(clEnqueueNDRangeKernel(q, fresh, 1, NULL, &items, &none, 0, NULL, NULL), CL_INVALID_WORK_ITEM_SIZE); break;
  case 6: WANT(clEnqueueNDRangeKernel(q, fresh, 1, NULL, &items, &huge, 0, NULL, NULL), CL_INVALID_WORK_ITEM_SIZE); break;
  case 7: if (elsewhere) WANT(clEnqueueNDRangeKernel(elsewhere, fresh, 1, NULL, &items, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT); break;
  case 8: ONE_OF(clEnqueueNDRangeKernel(q, fresh, 1, NULL, &items, NULL, 0, (cl_event *)three, NULL), CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_KERNEL_ARGS); break;
  /* Local memory of no bytes may be asked for since OpenCL 3.1. */
  case 9: if (k->which == TURN) GOOD(clSetKernelArg(fresh, 1, 0, NULL));
          else if (k->which == SET || k->which == GRIND) WANT(clSetKernelArg(fresh, 1, 8, three), CL_INVALID_ARG_SIZE);
          break;
  }
  GOOD(clReleaseKernel(fresh));
  /* A kernel whose arguments are not set is not launched. */
  struct program *p = &w->programs[context][below(r, PROGRAMS)];
  if (!p->handle) return;
  fresh = clCreateKernel(p->handle, names[below(r, KINDS)], &error);
  GOOD(error);
  WANT(clEnqueueNDRangeKernel(q, fresh, 1, NULL, &items, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
  GOOD(clReleaseKernel(fresh));
  HOLDS(!clCreateKernel(p->handle, "nothing", &error));
  WANT(error, CL_INVALID_KERNEL_NAME);
  HOLDS(!clCreateKernel(p->handle, NULL, &error));
  WANT(error, CL_INVALID_VALUE);
}
