/* Calls on programs and kernels: programs are built from source, from binaries, from objects and libraries, at once or in the
   background, rightly and wrongly; kernels are made, launched in every queue, and what they leave in memory is compared. */

static const char *const helper_source = "uint more(uint x) { return x + FACTOR; }\n";
static const char *const kernel_source =
    "uint more(uint x);\n"
    "kernel void set(global uint *p, uint v) { uint i = get_global_id(0); p[i] = v * FACTOR + i; }\n"
    "kernel void add(global uint *p, global const uint *o) { uint i = get_global_id(0); p[i] += more(o[i]); }\n"
    "kernel void turn(global uint *p, local uint *s) {\n"
    "  uint i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);\n"
    "  s[l] = p[i]; barrier(CLK_LOCAL_MEM_FENCE); p[i] = s[n - 1 - l] ^ FACTOR; }\n"
    "kernel void count(global const uint *o, global uint *p) { atomic_add(p, o[get_global_id(0)] * FACTOR); }\n"
    "kernel void grind(global uint *p, uint n) {\n"
    "  uint i = get_global_id(0), x = p[i]; for (uint k = 0; k < n; k++) x = more(x * 1664525u); p[i] = x; }\n";
enum { SET, ADD, TURN, COUNT, GRIND, KINDS };
static const char *const names[KINDS] = {"set", "add", "turn", "count", "grind"};

static void CL_CALLBACK on_built(cl_program program, void *data) {
  cl_uint count;
  GOOD(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
  HOLDS(count > 0);
  __atomic_store_n((int *)data, 1, __ATOMIC_SEQ_CST);
}
static void await(int *done) {
  while (!__atomic_load_n(done, __ATOMIC_SEQ_CST)) nap(200);
}

static cl_program with_source(cl_context context, const char *first, const char *second) {
  const char *texts[2] = {first, second};
  cl_int error;
  cl_program program = clCreateProgramWithSource(context, second ? 2 : 1, texts, NULL, &error);
  GOOD(error);
  return program;
}

/* What a program was built to, as a program of its own. */
static cl_program by_binaries(cl_context context, cl_program program) {
  size_t sizes[DEVICES];
  byte *binaries[DEVICES];
  cl_int error, each[DEVICES];
  GOOD(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
  for (int i = 0; i < device_count; i++) binaries[i] = need(sizes[i]);
  GOOD(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL));
  cl_program again = clCreateProgramWithBinary(context, device_count, devices, sizes, (const byte **)binaries, each, &error);
  GOOD(error);
  /* A binary that was cut off is refused. */
  size_t cut[DEVICES];
  for (int i = 0; i < device_count; i++) cut[i] = sizes[i] / 2;
  WANT(clCreateProgramWithBinary(context, device_count, devices, cut, (const byte **)binaries, each, &error) != NULL, 0);
  WANT(error, CL_INVALID_BINARY);
  for (int i = 0; i < device_count; i++) free(binaries[i]);
  return again;
}

static void build(cl_program program, const char *options, int background) {
  int done = 0;
  GOOD(clBuildProgram(program, 0, NULL, options, background ? on_built : NULL, background ? &done : NULL));
  if (background) {
    /* The second build is refused while the first is under way, or fails or passes once it is over. */
    cl_int error;
    cl_kernel early = clCreateKernel(program, "set", &error);
    if (early) GOOD(clReleaseKernel(early));
    GOOD(error);
    await(&done);
  }
}

static void release_program(struct program *p) {
  for (; p->references; p->references--) GOOD(clReleaseProgram(p->handle));
  *p = (struct program){0};
}

static void call_program(struct world *w, struct rng *r, int context) {
  struct program *p = &w->programs[context][below(r, PROGRAMS)];
  unsigned kind = below(r, 7), factor = one_in(r, 30) ? below(r, 1000) + 10 : 1 + below(r, 3);
  cl_context c = w->contexts[context];
  char options[64];
  cl_int error;
  snprintf(options, sizeof options, "-DFACTOR=%u%s", factor, one_in(r, 6) ? " -cl-opt-disable" : "");
  if (p->handle) release_program(p);
  switch (kind) {
  default:
    p->handle = with_source(c, helper_source, kernel_source);
    build(p->handle, options, kind == 1);
    break;
  case 2: {
    cl_program source = with_source(c, helper_source, kernel_source);
    build(source, options, 0);
    p->handle = by_binaries(c, source);
    GOOD(clReleaseProgram(source));
    build(p->handle, "", one_in(r, 2));
    break;
  }
  case 3: case 4: {
    /* Two objects, one of them in a library or not, linked at once or in the background. */
    cl_program parts[2] = {with_source(c, helper_source, NULL), with_source(c, kernel_source, NULL)};
    int done = 0, background = one_in(r, 2);
    for (int i = 0; i < 2; i++) GOOD(clCompileProgram(parts[i], 0, NULL, options, 0, NULL, NULL, NULL, NULL));
    if (kind == 4) {
      cl_program library = clLinkProgram(c, 0, NULL, "-create-library", 1, parts, NULL, NULL, &error);
      GOOD(error);
      GOOD(clReleaseProgram(parts[0]));
      parts[0] = library;
    }
    p->handle = clLinkProgram(c, 0, NULL, "", 2, parts, background ? on_built : NULL, background ? &done : NULL, &error);
    GOOD(error);
    if (background) await(&done);
    for (int i = 0; i < 2; i++) GOOD(clReleaseProgram(parts[i]));
    break;
  }
  case 5: {
    /* Wrong in one way or the other, and then right. */
    static const char *const wrong[] = {"kernel void f(global int *p) { *p = missing; }", "kernel void f(", "#error no\n"};
    cl_program bad = with_source(c, wrong[below(r, 3)], NULL);
    WANT(clBuildProgram(bad, 0, NULL, options, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    size_t length;
    GOOD(clGetProgramBuildInfo(bad, devices[0], CL_PROGRAM_BUILD_LOG, 0, NULL, &length));
    HOLDS(length > 1);
    cl_kernel none = clCreateKernel(bad, "f", &error);
    HOLDS(!none);
    WANT(error, CL_INVALID_PROGRAM_EXECUTABLE);
    GOOD(clReleaseProgram(bad));
    p->handle = with_source(c, helper_source, kernel_source);
    WANT(clBuildProgram(p->handle, 0, NULL, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    build(p->handle, options, 0);
    break;
  }
  case 6: {
    /* A header by its name; the program goes while it is built. */
    cl_program header = with_source(c, helper_source, NULL), object = with_source(c, "#include \"more.h\"\nkernel void f(global uint *p) { *p = more(1); }", NULL);
    const char *name = "more.h";
    int done = 0;
    GOOD(clCompileProgram(object, 0, NULL, options, 1, &header, &name, on_built, &done));
    GOOD(clReleaseProgram(header));
    GOOD(clReleaseProgram(object));
    await(&done);
    p->handle = with_source(c, helper_source, kernel_source);
    build(p->handle, options, 1);
    break;
  }
  }
  p->factor = factor;
  p->references = 1;
  size_t kernels;
  GOOD(clGetProgramInfo(p->handle, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
  WANT(kernels, KINDS);
}

static void call_kernel(struct world *w, struct rng *r, int context) {
  struct kernel *k = &w->kernels[context][below(r, KERNELS)];
  struct program *p = &w->programs[context][below(r, PROGRAMS)];
  unsigned which = below(r, KINDS);
  cl_int error;
  if (!p->handle) {
    HOLDS(!clCreateKernel(NULL, names[which], &error));
    WANT(error, CL_INVALID_PROGRAM);
    return;
  }
  for (; k->references; k->references--) GOOD(clReleaseKernel(k->handle));
  if (one_in(r, 5)) {
    cl_kernel all[KINDS], last;
    cl_uint count;
    WANT(clCreateKernelsInProgram(p->handle, KINDS - 1, all, &count), CL_INVALID_VALUE);
    GOOD(clCreateKernelsInProgram(p->handle, KINDS, all, &count));
    WANT(count, KINDS);
    char name[16];
    which = KINDS;
    last = all[below(r, KINDS)];
    GOOD(clGetKernelInfo(last, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
    for (unsigned i = 0; i < KINDS; i++) {
      if (!strcmp(name, names[i])) which = i;
      if (all[i] != last) GOOD(clReleaseKernel(all[i]));
    }
    HOLDS(which < KINDS);
    k->handle = last;
  } else {
    k->handle = clCreateKernel(p->handle, names[which], &error);
    GOOD(error);
  }
  *k = (struct kernel){k->handle, which, 1, p->factor};
  /* The program has a kernel: it is not built again. */
  if (one_in(r, 4)) WANT(clBuildProgram(p->handle, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
  if (one_in(r, 4)) {
    cl_kernel twin = clCloneKernel(k->handle, &error);
    GOOD(error);
    GOOD(clReleaseKernel(k->handle));
    k->handle = twin;
  }
}

static void set_memory(cl_kernel k, int index, const struct view *v) {
  if (v->shared && v->root->unified) GOOD(set_unified(k, index, v->shared));
  else if (v->shared) GOOD(clSetKernelArgSVMPointer(k, index, v->shared));
  else GOOD(clSetKernelArg(k, index, sizeof v->handle, &v->handle));
}

static void launch(struct world *w, struct rng *r, int context, struct kernel *k, int times) {
  struct view v[2];
  int memories = k->which == ADD || k->which == COUNT ? 2 : 1;
  for (int i = 0; i < memories; i++)
    if (!some_view(w, r, context, &v[i])) return;
  int overlap = memories == 2 && v[0].root == v[1].root && v[0].at < v[1].at + v[1].size && v[1].at < v[0].at + v[0].size;
  if (overlap) return;
  /* The first is written; of `count` the first parameter is the one that is read. */
  part_from_maps(w, r, context, v[0].root, 1);
  if (memories == 2) part_from_maps(w, r, context, v[1].root, 0);
  int number = queue_for(w, r, context, v, memories);
  if (number == NONE) return;
  struct queue *q = &w->queues[number];
  size_t items = v[0].size / 4, most = group_size[q->device];
  if (memories == 2) items = k->which == COUNT ? v[1].size / 4 : least(items, v[1].size / 4);
  if (!items) return;
  size_t all = items, first = 0;
  if (times > 1 && items > 512) items = 512;
  if (one_in(r, 3)) items = 1 + below(r, items);
  if (most < 1024 && items > 4096) items = 4096; /* Slow executors. */
  size_t local = (size_t)1 << below(r, 8);
  while (items % local || local > most) local /= 2;
  if (one_in(r, 4)) first = below(r, all - items + 1);
  int chosen = k->which == TURN || one_in(r, 2);
  cl_uint value = (cl_uint)next(r), rounds = times > 1 ? 100 + below(r, 300) : one_in(r, 8) ? below(r, 3000) : below(r, 20);
  switch (k->which) {
  case SET: set_memory(k->handle, 0, &v[0]); GOOD(clSetKernelArg(k->handle, 1, 4, &value)); break;
  case ADD: set_memory(k->handle, 0, &v[0]); set_memory(k->handle, 1, &v[1]); break;
  case TURN: set_memory(k->handle, 0, &v[0]); GOOD(clSetKernelArg(k->handle, 1, local * 4, NULL)); break;
  case COUNT: set_memory(k->handle, 0, &v[1]); set_memory(k->handle, 1, &v[0]); break;
  case GRIND: set_memory(k->handle, 0, &v[0]); GOOD(clSetKernelArg(k->handle, 1, 4, &rounds)); break;
  }
  struct use uses[2] = {{v[0].root, 1}, {memories == 2 ? v[1].root : NULL, 0}};
  int count = memories == 2 && v[0].root != v[1].root ? 2 : 1;
  for (int n = 0; n < times; n++) {
    cl_event list[LIST], event, *out = wanted(w, r, number, &event);
    cl_uint waits = gather(w, r, number, uses, count, list);
    GOOD(clEnqueueNDRangeKernel(q->handle, k->handle, 1, first ? &first : NULL, &items, chosen ? &local : NULL, waits, waits ? list : NULL, out));
    enqueued_plain(w, r, number, uses, count, event);
  }
  /* A kernel keeps neither its arguments nor its memory. */
  if (one_in(r, 12)) {
    for (; k->references; k->references--) GOOD(clReleaseKernel(k->handle));
    int which = k->which;
    unsigned factor = k->factor;
    *k = (struct kernel){.which = which, .factor = factor};
  }
  cl_uint *p = (cl_uint *)(v[0].root->model + v[0].at), *o = memories == 2 ? (cl_uint *)(v[1].root->model + v[1].at) : NULL;
  cl_uint f = k->factor;
  for (int n = 0; n < times; n++) for (size_t i = first; i < first + items; i++) switch (k->which) {
    case SET: p[i] = value * f + (cl_uint)i; break;
    case ADD: p[i] += o[i] + f; break;
    case COUNT: p[0] += o[i] * f; break;
    case GRIND: for (cl_uint round = 0; round < rounds; round++) p[i] = p[i] * 1664525u + f; break;
    case TURN: if ((i - first) % local < (local + 1) / 2) {
      size_t j = i + local - 1 - 2 * ((i - first) % local);
      cl_uint a = p[i] ^ f, b = p[j] ^ f;
      p[i] = b, p[j] = a;
    } break;
  }
}

static void call_launch(struct world *w, struct rng *r, int context) {
  struct kernel *k = &w->kernels[context][below(r, KERNELS)];
  size_t one = 1;
  if (k->handle) {
    launch(w, r, context, k, 1);
  } else {
    int number = some_queue(w, r, context);
    WANT(clEnqueueNDRangeKernel(w->queues[number].handle, NULL, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);
  }
}

/* As often as makes better code pay, which comes while the kernel is launched. */
static void call_hot(struct world *w, struct rng *r, int context) {
  struct kernel *k = &w->kernels[context][below(r, KERNELS)];
  int pauses = below(r, 4);
  for (int i = 0; k->handle && i <= pauses; i++) {
    launch(w, r, context, k, 5 + below(r, 25));
    if (i) nap(below(r, 20000));
  }
}
