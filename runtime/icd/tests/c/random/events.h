/* Calls on queues and events: waits, markers, barriers, gates, queries, chains that fail, objects that several threads meddle with. */

static void call_finish(struct world *w, struct rng *r, int context) {
  finish(w, r, some_queue(w, r, context));
}

static void call_queue(struct world *w, struct rng *r, int context) {
  int number = context * QUEUES + below(r, QUEUES), waits = one_in(r, 2);
  struct queue *q = &w->queues[number];
  if (!q->handle) {
    WANT(clFinish(NULL), CL_INVALID_COMMAND_QUEUE);
    return;
  }
  if (waits) finish(w, r, number);
  else detach(w, number);
  GOOD(clReleaseCommandQueue(q->handle));
  *q = (struct queue){0};
}

static void call_wait(struct world *w, struct rng *r, int context) {
  cl_event list[ROOTS];
  cl_uint count = 0;
  for (int i = 0; i < ROOTS; i++) {
    struct mark *m = &w->roots[context][i].writer;
    if (m->queue != NONE && one_in(r, 2)) list[count++] = event_of(w, m);
  }
  before_waiting(w, r);
  if (!count) WANT(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
  else GOOD(clWaitForEvents(count, list));
  for (cl_uint i = 0; i < count; i++) {
    cl_int status;
    GOOD(clGetEventInfo(list[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    WANT(status, CL_COMPLETE);
  }
}

static void call_marker(struct world *w, struct rng *r, int context) {
  int number = some_queue(w, r, context), waits = one_in(r, 2);
  struct queue *q = &w->queues[number];
  cl_event marker, again;
  if (waits) GOOD(clEnqueueMarker(q->handle, &marker));
  else GOOD(clEnqueueMarkerWithWaitList(q->handle, 0, NULL, &marker));
  q->at++;
  GOOD(clEnqueueMarkerWithWaitList(q->handle, 1, &marker, &again));
  q->at++;
  if (one_in(r, 3)) {
    w->expected++;
    GOOD(clSetEventCallback(marker, CL_COMPLETE, on_event, w));
  }
  if (waits) {
    before_waiting(w, r);
    GOOD(clWaitForEvents(1, &again));
    settle(w, number);
  }
  GOOD(clReleaseEvent(marker));
  GOOD(clReleaseEvent(again));
}

static void call_barrier(struct world *w, struct rng *r, int context) {
  int number = some_queue(w, r, context);
  struct queue *q = &w->queues[number];
  cl_event event, *out = wanted(w, r, number, &event);
  if (out) GOOD(clEnqueueBarrierWithWaitList(q->handle, 0, NULL, out));
  else GOOD(clEnqueueBarrier(q->handle));
  q->barrier = ++q->at;
  if (event) GOOD(clReleaseEvent(event));
}

static void call_gate(struct world *w, struct rng *r, int context) {
  (void)context;
  if (!w->gate_count) return;
  cl_event gate = w->gates[--w->gate_count];
  cl_int status;
  GOOD(clGetEventInfo(gate, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  WANT(status, CL_SUBMITTED);
  WANT(clSetUserEventStatus(gate, 1), CL_INVALID_VALUE);
  if (one_in(r, 2)) {
    hand_over(gate, CL_COMPLETE, below(r, 3000));
    return;
  }
  GOOD(clSetUserEventStatus(gate, CL_COMPLETE));
  WANT(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
  GOOD(clReleaseEvent(gate));
}

static void CL_CALLBACK on_failure(cl_event event, cl_int status, void *data) {
  (void)event;
  HOLDS(status < 0);
  __atomic_fetch_add(&((struct world *)data)->called, 1, __ATOMIC_SEQ_CST);
}

/* Commands that wait for an event that fails fail with it, change nothing, and others of the queue run. */
static void call_failure(struct world *w, struct rng *r, int context) {
  struct view v;
  if (!some_view(w, r, context, &v) || !v.handle) return;
  part_from_maps(w, r, context, v.root, 1);
  finish_all(w, r);
  int number = some_queue(w, r, context), length = 1 + below(r, 5);
  cl_command_queue q = w->queues[number].handle;
  cl_int error, status = -1 - (cl_int)below(r, 2000), got;
  cl_event user = clCreateUserEvent(w->contexts[context], &error), chain[6] = {user};
  GOOD(error);
  byte *host = need(v.size);
  random_bytes(r, host, v.size);
  for (int i = 1; i <= length; i++) {
    switch (below(r, 4)) {
    case 0: GOOD(clEnqueueWriteBuffer(q, v.handle, CL_FALSE, 0, v.size, host, 1, &chain[i - 1], &chain[i])); break;
    case 1: GOOD(clEnqueueFillBuffer(q, v.handle, host, 1, 0, v.size, 1, &chain[i - 1], &chain[i])); break;
    case 2: GOOD(clEnqueueMarkerWithWaitList(q, 1, &chain[i - 1], &chain[i])); break;
    case 3: GOOD(clEnqueueReadBuffer(q, v.handle, CL_FALSE, 0, v.size, host, 1, &chain[i - 1], &chain[i])); break;
    }
    if (one_in(r, 3)) {
      w->expected++;
      GOOD(clSetEventCallback(chain[i], CL_COMPLETE, on_failure, w));
    }
  }
  GOOD(clFlush(q));
  GOOD(clRetainEvent(user));
  hand_over(user, status, below(r, 500));
  if (one_in(r, 2)) WANT(clWaitForEvents(length, chain + 1), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  GOOD(clFinish(q));
  for (int i = 0; i <= length; i++) {
    GOOD(clGetEventInfo(chain[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof got, &got, NULL));
    if (i) HOLDS(got < 0);
    else WANT(got, status);
    GOOD(clReleaseEvent(chain[i]));
  }
  settle(w, number);
  /* Where a device has memory of its own, what a command that failed was to overwrite is lost (docs/memory.md). */
  for (int i = 0; i < device_count; i++)
    if (!shares[i]) {
      write_bytes(w, r, context, (struct view){v.root, v.root->handle, NULL, 0, v.root->size}, 0, v.root->size);
      free(host);
      return;
    }
  GOOD(clEnqueueReadBuffer(q, v.handle, CL_TRUE, 0, v.size, host, 0, NULL, NULL));
  if (memcmp(host, v.root->model + v.at, v.size)) fail(__FILE__, __LINE__, "a command that failed has changed memory");
  free(host);
}

static void call_query(struct world *w, struct rng *r, int context) {
  int number = some_queue(w, r, context);
  struct queue *q = &w->queues[number];
  struct mark *m = &w->roots[context][below(r, ROOTS)].writer;
  cl_context of;
  cl_uint value;
  char text[4096];
  GOOD(clGetCommandQueueInfo(q->handle, CL_QUEUE_CONTEXT, sizeof of, &of, NULL));
  HOLDS(of == w->contexts[context]);
  GOOD(clGetCommandQueueInfo(q->handle, CL_QUEUE_REFERENCE_COUNT, sizeof value, &value, NULL));
  WANT(value, q->references);
  GOOD(clGetContextInfo(w->contexts[context], CL_CONTEXT_NUM_DEVICES, sizeof value, &value, NULL));
  WANT(value, device_count);
  GOOD(clGetDeviceInfo(devices[below(r, device_count)], CL_DEVICE_NAME + below(r, 6), sizeof text, text, NULL));
  if (m->queue >= 0 && m->event && w->queues[m->queue].profiles) {
    cl_ulong times[4];
    cl_event event = m->event;
    GOOD(clRetainEvent(event));
    before_waiting(w, r);
    GOOD(clWaitForEvents(1, &event));
    for (int i = 0; i < 4; i++) GOOD(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof *times, &times[i], NULL));
    HOLDS(times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
    GOOD(clReleaseEvent(event));
  }
}

/* A context goes with everything in it, and a new one comes in its place. */
static void CL_CALLBACK on_context(cl_context context, void *data) {
  (void)context;
  __atomic_fetch_add((int *)data, 1, __ATOMIC_SEQ_CST);
}
static void CL_CALLBACK on_report(const char *text, const void *bytes, size_t size, void *data) {
  (void)bytes, (void)size, (void)data;
  HOLDS(strlen(text) > 0);
}
static void open_context(struct world *w, struct rng *r, int context) {
  cl_int error = CL_SUCCESS;
  cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  if (context == 0) {
    GOOD(clRetainContext(common));
    w->contexts[0] = common;
    return;
  }
  w->contexts[context] = clCreateContext(one_in(r, 2) ? list : NULL, device_count, devices, one_in(r, 2) ? on_report : NULL, NULL, &error);
  GOOD(error);
  if (one_in(r, 2)) {
    w->expected++;
    GOOD(clSetContextDestructorCallback(w->contexts[context], on_context, &w->called));
  }
}
static void close_context(struct world *w, struct rng *r, int context) {
  for (int i = 0; i < ROOTS; i++)
    if (w->roots[context][i].kind) release_root(w, r, context, &w->roots[context][i]);
  for (int i = 0; i < KERNELS; i++) {
    struct kernel *k = &w->kernels[context][i];
    for (; k->references; k->references--) GOOD(clReleaseKernel(k->handle));
    *k = (struct kernel){0};
  }
  for (int i = 0; i < PROGRAMS; i++) release_program(&w->programs[context][i]);
  int waits = one_in(r, 2);
  if (!waits) before_waiting(w, r);
  for (int i = context * QUEUES; i < (context + 1) * QUEUES; i++) {
    struct queue *q = &w->queues[i];
    if (!q->handle) continue;
    if (waits) finish(w, r, i);
    else detach(w, i);
    GOOD(clReleaseCommandQueue(q->handle));
    *q = (struct queue){0};
  }
  GOOD(clReleaseContext(w->contexts[context]));
  w->contexts[context] = NULL;
}
static void call_context(struct world *w, struct rng *r, int context) {
  (void)context;
  close_context(w, r, 1);
  open_context(w, r, 1);
}

/* Objects that all threads use and replace: what a call on one says is success, or that it is gone. Nobody changes memory by
   them, as a handle that was released may be somebody else's object before long. */
static struct { cl_mem memory; cl_event event; cl_command_queue queue; } loose;

static void call_meddle(struct world *w, struct rng *r, int context) {
  (void)context;
  cl_int error;
  byte host[64];
  size_t size;
  cl_int status;
  cl_mem memory = __atomic_load_n(&loose.memory, __ATOMIC_SEQ_CST);
  cl_event event = __atomic_load_n(&loose.event, __ATOMIC_SEQ_CST), mine = NULL;
  cl_command_queue queue = __atomic_load_n(&loose.queue, __ATOMIC_SEQ_CST);
  switch (below(r, 6)) {
  case 0:
    memory = clCreateBuffer(common, CL_MEM_READ_WRITE, 4096, NULL, &error);
    GOOD(error);
    memory = __atomic_exchange_n(&loose.memory, memory, __ATOMIC_SEQ_CST);
    if (memory) GOOD(clReleaseMemObject(memory));
    break;
  case 1:
    if (!queue) break;
    error = clEnqueueMarkerWithWaitList(queue, 0, NULL, &mine);
    if (error) { WANT(error, CL_INVALID_COMMAND_QUEUE); break; }
    mine = __atomic_exchange_n(&loose.event, mine, __ATOMIC_SEQ_CST);
    if (mine) GOOD(clReleaseEvent(mine));
    break;
  case 2:
    queue = clCreateCommandQueue(common, devices[0], one_in(r, 2) ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
    GOOD(error);
    queue = __atomic_exchange_n(&loose.queue, queue, __ATOMIC_SEQ_CST);
    if (queue) GOOD(clReleaseCommandQueue(queue));
    break;
  case 3:
    ONE_OF(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL), CL_SUCCESS, CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT, CL_INVALID_CONTEXT);
    break;
  case 4:
    ONE_OF(clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL), CL_SUCCESS, CL_INVALID_MEM_OBJECT);
    ONE_OF(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS, CL_INVALID_EVENT);
    break;
  case 5:
    before_waiting(w, r);
    ONE_OF(clFlush(queue), CL_SUCCESS, CL_INVALID_COMMAND_QUEUE);
    ONE_OF(clEnqueueMarkerWithWaitList(queue, event ? 1 : 0, event ? &event : NULL, NULL), CL_SUCCESS, CL_INVALID_COMMAND_QUEUE, CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT);
    break;
  }
}
