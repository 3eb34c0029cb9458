/* Calls on memory: buffers, parts of buffers and shared memory are made, written, read, filled, copied, mapped, given to native
   kernels and released, and what is in them is compared with the model. */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void unmap(struct world *w, struct rng *r, int context, struct root *root, int index);

/* Commands on memory that host and device address alike; that of the extension has functions of its own. */
static cl_int copy_shared(cl_command_queue q, const struct root *root, cl_bool blocking, void *to, const void *from, size_t size, cl_uint waits, cl_event *list, cl_event *out) {
  return (root->unified ? copy_unified : (clEnqueueMemcpyINTEL_fn)clEnqueueSVMMemcpy)(q, blocking, to, from, size, waits, list, out);
}
static cl_int fill_shared(cl_command_queue q, const struct root *root, void *to, const void *pattern, size_t unit, size_t size, cl_uint waits, cl_event *list, cl_event *out) {
  return (root->unified ? fill_unified : (clEnqueueMemFillINTEL_fn)clEnqueueSVMMemFill)(q, to, pattern, unit, size, waits, list, out);
}

/* The host's memory in place of a buffer's goes when nothing can use it any more, which is what such functions are for. */
static void CL_CALLBACK on_host_gone(cl_mem object, void *host) {
  (void)object;
  free(host);
}
static void CL_CALLBACK on_gone(cl_mem object, void *data) {
  (void)object;
  __atomic_fetch_add((int *)data, 1, __ATOMIC_SEQ_CST);
}

static void release_root(struct world *w, struct rng *r, int context, struct root *root) {
  while (root->map_count) unmap(w, r, context, root, 0);
  for (int i = 0; i < 2; i++)
    for (; root->parts[i].references; root->parts[i].references--) GOOD(clReleaseMemObject(root->parts[i].handle));
  if (root->kind == BUFFER) {
    for (; root->references; root->references--) GOOD(clReleaseMemObject(root->handle));
  } else if (root->kind == SHARED) {
    int number = some_queue(w, r, context);
    if (root->unified) {
      finish_all(w, r);
      WANT((one_in(r, 2) ? free_now : free_behind)(w->contexts[context], root->shared + 1), CL_INVALID_VALUE);
      GOOD((one_in(r, 2) ? free_now : free_behind)(w->contexts[context], root->shared));
    } else if (one_in(r, 2) && shares[w->queues[number].device]) {
      /* Freed in its turn, by a command behind all that use it. */
      struct use use = {root, 1};
      cl_event list[LIST], event, *out = wanted(w, r, number, &event);
      cl_uint waits = gather(w, r, number, &use, 1, list);
      void *pointer = root->shared;
      GOOD(clEnqueueSVMFree(w->queues[number].handle, 1, &pointer, NULL, NULL, waits, waits ? list : NULL, out));
      enqueued_plain(w, r, number, &use, 1, event);
    } else {
      finish_all(w, r);
      clSVMFree(w->contexts[context], root->shared);
    }
  }
  forget(&root->writer);
  while (root->reader_count) forget(&root->readers[--root->reader_count]);
  free(root->model);
  *root = (struct root){.writer = {NULL, NONE, 0}};
}

/* The whole, or one of its parts, where the memory is there and nobody writes into a mapping of it. */
static int some_view(struct world *w, struct rng *r, int context, struct view *v) {
  struct root *root = &w->roots[context][below(r, ROOTS)];
  unsigned part = below(r, 4);
  if (root->kind == EMPTY) return 0;
  *v = (struct view){root, root->handle, root->shared, 0, root->size};
  if (root->kind == BUFFER && part < 2 && root->parts[part].references)
    *v = (struct view){root, root->parts[part].handle, NULL, root->parts[part].at, root->parts[part].size};
  return 1;
}
/* A queue whose device can have the memory. */
static int queue_for(struct world *w, struct rng *r, int context, struct view *v, int count) {
  int number = some_queue(w, r, context);
  for (int i = 0; i < count; i++)
    if (v[i].shared && !shares[w->queues[number].device]) return NONE;
  return number;
}
/* Mappings that a command must not meet. */
static void part_from_maps(struct world *w, struct rng *r, int context, struct root *root, int writes) {
  for (int i = root->map_count - 1; i >= 0; i--)
    if (writes || root->maps[i].writes) unmap(w, r, context, root, i);
}

static void random_bytes(struct rng *r, byte *p, size_t size) {
  for (size_t i = 0; i < size; i++) p[i] = i % 8 ? p[i - 1] * 5 + 1 : (byte)next(r);
}

static void write_bytes(struct world *w, struct rng *r, int context, struct view v, size_t offset, size_t size) {
  part_from_maps(w, r, context, v.root, 1);
  int number = queue_for(w, r, context, &v, 1), blocking = one_in(r, 4);
  if (number == NONE) return;
  byte *host = need(size);
  random_bytes(r, host, size);
  struct use use = {v.root, 1};
  cl_event list[LIST], event, *out = wanted(w, r, number, &event);
  cl_uint waits = gather(w, r, number, &use, 1, list);
  cl_event *given = waits ? list : NULL;
  if (blocking) before_waiting(w, r);
  cl_command_queue q = w->queues[number].handle;
  if (v.shared) GOOD(copy_shared(q, v.root, blocking, v.shared + offset, host, size, waits, given, out));
  else GOOD(clEnqueueWriteBuffer(q, v.handle, blocking, offset, size, host, waits, given, out));
  memcpy(v.root->model + v.at + offset, host, size);
  struct mark m = enqueued(w, r, number, &use, 1, event);
  if (!blocking) {
    keep(w, r, m, host, NULL, size);
  } else {
    forget(&m);
    free(host);
  }
}

static void call_write(struct world *w, struct rng *r, int context) {
  struct view v;
  if (!some_view(w, r, context, &v)) return;
  size_t size = 1 + below(r, v.size), offset = below(r, v.size - size + 1);
  write_bytes(w, r, context, v, offset, size);
}

static void call_make(struct world *w, struct rng *r, int context) {
  struct root *root = &w->roots[context][below(r, ROOTS)];
  unsigned kind = below(r, 8), bits = below(r, 9);
  if (root->kind) release_root(w, r, context, root);
  size_t size = (size_t)256 << bits;
  if (one_in(r, 40)) size = 1 << 20;
  cl_int error = CL_SUCCESS;
  byte *host = NULL;
  cl_mem_flags flags = 0;
  *root = (struct root){.size = size, .references = 1, .writer = {NULL, NONE, 0}};
  root->model = need(size);
  if (kind == 7 && shares[0]) {
    unsigned which = below(r, 3);
    root->kind = SHARED;
    root->unified = 1;
    if (which == 0) root->shared = host_alloc(w->contexts[context], NULL, size, 0, &error);
    if (which == 1) root->shared = device_alloc(w->contexts[context], devices[0], NULL, size, 0, &error);
    if (which == 2) root->shared = shared_alloc(w->contexts[context], NULL, NULL, size, 0, &error);
    GOOD(error);
    HOLDS(root->shared);
  } else if (kind < 2 && shares[0]) {
    root->kind = SHARED;
    root->shared = clSVMAlloc(w->contexts[context], CL_MEM_READ_WRITE | (kind ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0), size, 0);
    HOLDS(root->shared);
  } else {
    if (kind == 3) flags = CL_MEM_USE_HOST_PTR;
    if (kind == 4) flags = CL_MEM_COPY_HOST_PTR;
    if (kind == 5) flags = CL_MEM_ALLOC_HOST_PTR;
    if (kind == 3 || kind == 4) {
      HOLDS(!posix_memalign((void **)&host, 128, size));
      random_bytes(r, host, size);
      memcpy(root->model, host, size);
    }
    root->kind = BUFFER;
    root->handle = clCreateBuffer(w->contexts[context], CL_MEM_READ_WRITE | flags, size, host, &error);
    GOOD(error);
    if (kind == 3) GOOD(clSetMemObjectDestructorCallback(root->handle, on_host_gone, host));
    if (kind == 4) free(host);
    for (int i = 0; i < 2; i++)
      if (one_in(r, 4)) {
        GOOD(clSetMemObjectDestructorCallback(root->handle, on_gone, &w->called));
        w->expected++;
      }
  }
  if (!host) write_bytes(w, r, context, (struct view){root, root->handle, root->shared, 0, size}, 0, size);
}

static void call_part(struct world *w, struct rng *r, int context) {
  struct root *root = &w->roots[context][below(r, ROOTS)];
  int i = below(r, 2);
  struct part *part = &root->parts[i];
  if (root->kind != BUFFER) return;
  if (part->references) {
    GOOD(clReleaseMemObject(part->handle));
    part->references--;
    return;
  }
  size_t half = root->size / 2, from = below(r, half / 128) * 128;
  cl_buffer_region region = {i * half + from, 4 + below(r, (half - from) / 4) * 4};
  cl_int error;
  part->handle = clCreateSubBuffer(root->handle, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
  GOOD(error);
  *part = (struct part){part->handle, region.origin, region.size, 1};
}

static void call_read(struct world *w, struct rng *r, int context) {
  struct view v;
  if (!some_view(w, r, context, &v)) return;
  part_from_maps(w, r, context, v.root, 0);
  int number = queue_for(w, r, context, &v, 1), blocking = one_in(r, 3);
  if (number == NONE) return;
  size_t size = 1 + below(r, v.size), offset = below(r, v.size - size + 1);
  struct use use = {v.root, 0};
  cl_event list[LIST], event, *out = wanted(w, r, number, &event);
  cl_uint waits = gather(w, r, number, &use, 1, list);
  cl_event *given = waits ? list : NULL;
  byte *host = need(size), *expected = need(size);
  memcpy(expected, v.root->model + v.at + offset, size);
  if (blocking) before_waiting(w, r);
  cl_command_queue q = w->queues[number].handle;
  if (v.shared) GOOD(copy_shared(q, v.root, blocking, host, v.shared + offset, size, waits, given, out));
  else GOOD(clEnqueueReadBuffer(q, v.handle, blocking, offset, size, host, waits, given, out));
  struct mark m = enqueued(w, r, number, &use, 1, event);
  struct pending now = {m, host, expected, size};
  if (!blocking) {
    keep(w, r, m, host, expected, size);
  } else {
    compare(&now);
    forget(&m);
  }
}

static void call_fill(struct world *w, struct rng *r, int context) {
  struct view v;
  if (!some_view(w, r, context, &v)) return;
  part_from_maps(w, r, context, v.root, 1);
  int number = queue_for(w, r, context, &v, 1);
  if (number == NONE) return;
  size_t unit = (size_t)1 << below(r, 8), units = v.size / unit;
  if (!units) return;
  size_t count = 1 + below(r, units), first = below(r, units - count + 1);
  byte pattern[128];
  random_bytes(r, pattern, unit);
  struct use use = {v.root, 1};
  cl_event list[LIST], event, *out = wanted(w, r, number, &event);
  cl_uint waits = gather(w, r, number, &use, 1, list);
  cl_event *given = waits ? list : NULL;
  cl_command_queue q = w->queues[number].handle;
  if (v.shared) GOOD(fill_shared(q, v.root, v.shared + first * unit, pattern, unit, count * unit, waits, given, out));
  else GOOD(clEnqueueFillBuffer(q, v.handle, pattern, unit, first * unit, count * unit, waits, given, out));
  for (size_t i = first; i < first + count; i++) memcpy(v.root->model + v.at + i * unit, pattern, unit);
  enqueued_plain(w, r, number, &use, 1, event);
}

/* Between any two pieces; between a buffer and shared memory as a read or a write, whose host pointer the shared memory is. */
static void call_copy(struct world *w, struct rng *r, int context) {
  struct view v[2];
  if (!some_view(w, r, context, &v[0]) || !some_view(w, r, context, &v[1])) return;
  part_from_maps(w, r, context, v[0].root, 0);
  part_from_maps(w, r, context, v[1].root, 1);
  int number = queue_for(w, r, context, v, 2);
  if (number == NONE) return;
  size_t size = 1 + below(r, least(v[0].size, v[1].size)), from = below(r, v[0].size - size + 1), to = below(r, v[1].size - size + 1);
  struct use uses[2] = {{v[1].root, 1}, {v[0].root, 0}};
  int same = v[0].root == v[1].root;
  size_t source = v[0].at + from, target = v[1].at + to;
  if (same && source < target + size && target < source + size) {
    cl_command_queue q = w->queues[number].handle;
    if (v[0].shared) WANT(clEnqueueSVMMemcpy(q, CL_FALSE, v[1].shared + to, v[0].shared + from, size, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    else WANT(clEnqueueCopyBuffer(q, v[0].handle, v[1].handle, from, to, size, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    return;
  }
  cl_event list[LIST], event, *out = wanted(w, r, number, &event);
  cl_uint waits = gather(w, r, number, uses, same ? 1 : 2, list);
  cl_event *given = waits ? list : NULL;
  cl_command_queue q = w->queues[number].handle;
  if (v[0].shared && v[1].shared) GOOD(copy_shared(q, v[1].root, CL_FALSE, v[1].shared + to, v[0].shared + from, size, waits, given, out));
  else if (v[0].shared) GOOD(clEnqueueWriteBuffer(q, v[1].handle, CL_FALSE, to, size, v[0].shared + from, waits, given, out));
  else if (v[1].shared) GOOD(clEnqueueReadBuffer(q, v[0].handle, CL_FALSE, from, size, v[1].shared + to, waits, given, out));
  else GOOD(clEnqueueCopyBuffer(q, v[0].handle, v[1].handle, from, to, size, waits, given, out));
  memmove(v[1].root->model + target, v[0].root->model + source, size);
  enqueued_plain(w, r, number, uses, same ? 1 : 2, event);
}

/* A rectangle of a buffer and one of the host's memory or of another buffer. */
static void call_rectangle(struct world *w, struct rng *r, int context) {
  struct view v, other;
  int kind = below(r, 3);
  if (!some_view(w, r, context, &v) || !v.handle) return;
  if (kind == 2 && (!some_view(w, r, context, &other) || !other.handle || other.root == v.root)) return;
  part_from_maps(w, r, context, v.root, kind != 0);
  if (kind == 2) part_from_maps(w, r, context, other.root, 0);
  int number = queue_for(w, r, context, &v, 1);
  if (number == NONE) return;
  size_t width = 1 + below(r, 9), height = 1 + below(r, 5), depth = 1 + below(r, 3);
  size_t pitch = width + below(r, 4), slice = pitch * height + below(r, 2) * pitch;
  size_t x = below(r, 2), y = below(r, 2), z = below(r, 2);
  size_t end = (z + depth - 1) * slice + (y + height - 1) * pitch + x + width;
  if (end > v.size || (kind == 2 && end > other.size) || x + width > pitch) return;
  size_t origin[3] = {x, y, z}, zero[3] = {0, 0, 0}, region[3] = {width, height, depth}, bytes = width * height * depth;
  byte *host = need(bytes), *expected = kind == 0 ? need(bytes) : NULL;
  random_bytes(r, host, bytes);
  struct use uses[2] = {{v.root, kind != 0}, {kind == 2 ? other.root : NULL, 0}};
  cl_event list[LIST], event, *out = wanted(w, r, number, &event);
  cl_uint waits = gather(w, r, number, uses, kind == 2 ? 2 : 1, list);
  cl_event *given = waits ? list : NULL;
  cl_command_queue q = w->queues[number].handle;
  if (kind == 0) GOOD(clEnqueueReadBufferRect(q, v.handle, CL_FALSE, origin, zero, region, pitch, slice, width, width * height, host, waits, given, out));
  if (kind == 1) GOOD(clEnqueueWriteBufferRect(q, v.handle, CL_FALSE, origin, zero, region, pitch, slice, width, width * height, host, waits, given, out));
  if (kind == 2) GOOD(clEnqueueCopyBufferRect(q, other.handle, v.handle, origin, origin, region, pitch, slice, pitch, slice, waits, given, out));
  for (size_t k = 0; k < depth; k++)
    for (size_t j = 0; j < height; j++) {
      size_t at = (z + k) * slice + (y + j) * pitch + x;
      byte *ours = v.root->model + v.at + at, *packed = (kind ? host : expected) + (k * height + j) * width;
      if (kind == 0) memcpy(packed, ours, width);
      if (kind == 1) memcpy(ours, packed, width);
      if (kind == 2) memcpy(ours, other.root->model + other.at + at, width);
    }
  struct mark m = enqueued(w, r, number, uses, kind == 2 ? 2 : 1, event);
  keep(w, r, m, host, expected, bytes);
}

/* Ends a mapping: what was mapped to read is compared, what was mapped to be written is written. */
static void unmap(struct world *w, struct rng *r, int context, struct root *root, int index) {
  struct map m = root->maps[index];
  root->maps[index] = root->maps[--root->map_count];
  before_waiting(w, r);
  if (m.ready.event) GOOD(clWaitForEvents(1, &m.ready.event));
  if (m.writes < 2 && memcmp(m.pointer, root->model + m.at, m.size)) fail(__FILE__, __LINE__, "mapped bytes differ");
  if (m.writes) {
    random_bytes(r, m.pointer, m.size);
    memcpy(root->model + m.at, m.pointer, m.size);
  }
  int number = one_in(r, 2) && w->queues[m.queue].handle ? m.queue : some_queue(w, r, context);
  struct use use = {root, m.writes != 0};
  if (root->kind == SHARED && !shares[w->queues[number].device]) {
    /* Host and device share the memory: without the command nothing is missing. */
    forget(&m.ready);
    return;
  }
  cl_event list[LIST], event, *out = wanted(w, r, number, &event);
  cl_uint waits = gather(w, r, number, &use, 1, list);
  cl_event *given = waits ? list : NULL;
  cl_command_queue q = w->queues[number].handle;
  if (root->kind == SHARED) GOOD(clEnqueueSVMUnmap(q, m.pointer, waits, given, out));
  else GOOD(clEnqueueUnmapMemObject(q, root->handle, m.pointer, waits, given, out));
  enqueued_plain(w, r, number, &use, 1, event);
  forget(&m.ready);
}

static void call_map(struct world *w, struct rng *r, int context) {
  struct root *root = &w->roots[context][below(r, ROOTS)];
  int writes = below(r, 3), blocking = one_in(r, 3), how = below(r, 3);
  if (!root->kind || root->unified) return;
  if (root->map_count && how) {
    unmap(w, r, context, root, below(r, root->map_count));
    return;
  }
  part_from_maps(w, r, context, root, writes);
  struct view v = {root, root->handle, root->shared, 0, root->size};
  int number = queue_for(w, r, context, &v, 1);
  if (number == NONE || root->map_count == 2) return;
  size_t size = 1 + below(r, root->size), offset = below(r, root->size - size + 1);
  if (v.shared) offset = 0;
  for (int i = 0; i < root->map_count; i++)
    if (v.shared || root->maps[i].at == offset) return; /* Which of two mappings an unmap ends would not be told apart. */
  cl_map_flags flags = writes == 0 ? CL_MAP_READ : writes == 1 ? (one_in(r, 2) ? CL_MAP_WRITE : CL_MAP_READ | CL_MAP_WRITE) : CL_MAP_WRITE_INVALIDATE_REGION;
  struct use use = {root, writes != 0};
  cl_event list[LIST], event = NULL;
  cl_uint waits = gather(w, r, number, &use, 1, list);
  cl_event *given = waits ? list : NULL;
  if (blocking) before_waiting(w, r);
  cl_int error = CL_SUCCESS;
  byte *pointer = root->shared;
  if (v.shared) GOOD(clEnqueueSVMMap(w->queues[number].handle, blocking, flags, pointer, size, waits, given, &event));
  else pointer = clEnqueueMapBuffer(w->queues[number].handle, root->handle, blocking, flags, offset, size, waits, given, &event, &error);
  GOOD(error);
  HOLDS(pointer);
  struct mark m = enqueued(w, r, number, &use, 1, event);
  root->maps[root->map_count++] = (struct map){pointer, offset, size, writes, number, m};
  cl_uint maps;
  if (!v.shared) {
    GOOD(clGetMemObjectInfo(root->handle, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
    WANT(maps, root->map_count);
  }
}

static void call_migrate(struct world *w, struct rng *r, int context) {
  struct view v;
  if (!some_view(w, r, context, &v)) return;
  part_from_maps(w, r, context, v.root, 1);
  int number = queue_for(w, r, context, &v, 1);
  if (number == NONE) return;
  struct use use = {v.root, 1};
  cl_event list[LIST], event, *out = wanted(w, r, number, &event);
  cl_uint waits = gather(w, r, number, &use, 1, list);
  cl_mem_migration_flags flags = one_in(r, 2) ? CL_MIGRATE_MEM_OBJECT_HOST : 0;
  const void *pointer = v.shared;
  cl_command_queue q = w->queues[number].handle;
  if (v.root->unified && one_in(r, 2)) GOOD(advise_unified(q, v.shared + v.size / 2, v.size / 2, 0, waits, waits ? list : NULL, out));
  else if (v.root->unified) GOOD(migrate_unified(q, v.shared, v.size, flags, waits, waits ? list : NULL, out));
  else if (v.shared) GOOD(clEnqueueSVMMigrateMem(q, 1, &pointer, NULL, flags, waits, waits ? list : NULL, out));
  else GOOD(clEnqueueMigrateMemObjects(q, 1, &v.handle, flags, waits, waits ? list : NULL, out));
  enqueued_plain(w, r, number, &use, 1, event);
}

/* What is known of any byte of unified memory, in its context and in the other one; and what cannot be asked for. */
static void call_ask(struct world *w, struct rng *r, int context) {
  struct root *root = &w->roots[context][below(r, ROOTS)];
  size_t at = below(r, 1 << 16), size = 0, wrong = below(r, 4);
  void *base = NULL;
  cl_uint type = 0;
  cl_int error = CL_SUCCESS;
  if (root->unified) {
    byte *inside = root->shared + at % root->size;
    GOOD(ask_unified(w->contexts[context], inside, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof base, &base, NULL));
    GOOD(ask_unified(w->contexts[context], inside, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, NULL));
    GOOD(ask_unified(w->contexts[context], inside, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    HOLDS(base == root->shared && size == root->size && type != CL_MEM_TYPE_UNKNOWN_INTEL);
    GOOD(ask_unified(w->contexts[!context], inside, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    HOLDS(type == CL_MEM_TYPE_UNKNOWN_INTEL);
    WANT(free_now(w->contexts[!context], root->shared), CL_INVALID_VALUE);
    return;
  }
  if (!shares[0]) return;
  cl_mem_properties_intel twice[] = {CL_MEM_ALLOC_FLAGS_INTEL, 0, CL_MEM_ALLOC_FLAGS_INTEL, 0, 0}, placed[] = {CL_MEM_ALLOC_FLAGS_INTEL, 2, 0};
  if (wrong == 0) HOLDS(!host_alloc(w->contexts[context], twice, 64, 0, &error) && error == CL_INVALID_PROPERTY);
  if (wrong == 1) HOLDS(!device_alloc(w->contexts[context], devices[0], placed, 64, 0, &error) && error == CL_INVALID_PROPERTY);
  if (wrong == 2) HOLDS(!shared_alloc(w->contexts[context], NULL, NULL, 64, 48, &error) && error == CL_INVALID_VALUE);
  if (wrong == 3) HOLDS(!host_alloc(w->contexts[context], NULL, 0, 0, &error) && error == CL_INVALID_BUFFER_SIZE);
}

struct native { byte *bytes; size_t size; byte change; };
static void CL_CALLBACK change(void *args) {
  struct native *n = args;
  for (size_t i = 0; i < n->size; i++) n->bytes[i] ^= n->change;
}
static void call_native(struct world *w, struct rng *r, int context) {
  struct view v;
  if (!some_view(w, r, context, &v) || !v.handle) return;
  part_from_maps(w, r, context, v.root, 1);
  int number = queue_for(w, r, context, &v, 1);
  if (number == NONE || !runs_native[w->queues[number].device]) return;
  struct native args = {NULL, 1 + below(r, v.size), (byte)next(r)};
  const void *place = &args.bytes;
  struct use use = {v.root, 1};
  cl_event list[LIST], event, *out = wanted(w, r, number, &event);
  cl_uint waits = gather(w, r, number, &use, 1, list);
  GOOD(clEnqueueNativeKernel(w->queues[number].handle, change, &args, sizeof args, 1, &v.handle, &place, waits, waits ? list : NULL, out));
  for (size_t i = 0; i < args.size; i++) v.root->model[v.at + i] ^= args.change;
  enqueued_plain(w, r, number, &use, 1, event);
}

static void call_retain(struct world *w, struct rng *r, int context) {
  struct root *root = &w->roots[context][below(r, ROOTS)];
  cl_uint references;
  size_t size;
  int more = one_in(r, 2);
  if (root->kind != BUFFER) return;
  if (more && root->references < 5) { GOOD(clRetainMemObject(root->handle)); root->references++; }
  else if (root->references > 1) { GOOD(clReleaseMemObject(root->handle)); root->references--; }
  GOOD(clGetMemObjectInfo(root->handle, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL));
  WANT(references, root->references);
  GOOD(clGetMemObjectInfo(root->handle, CL_MEM_SIZE, sizeof size, &size, NULL));
  WANT(size, root->size);
}

static void call_release(struct world *w, struct rng *r, int context) {
  struct root *root = &w->roots[context][below(r, ROOTS)];
  if (root->kind) release_root(w, r, context, root);
}
