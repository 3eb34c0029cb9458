/* The extensions that devices report: each function is found by its name and does what it is for, and wrong values give the
   errors of its specification. */
#include "client.h"
#include <CL/cl_ext.h>

/* cl_ext_buffer_device_address, which older headers do not have. */
#define DEVICE_PRIVATE_ADDRESS 0x5000
#define DEVICE_ADDRESS 0x5001
#define DEVICE_POINTERS 0x5002
typedef cl_int(CL_API_CALL *set_device_pointer)(cl_kernel, cl_uint, cl_ulong);

/* Headers call the extension's twin of a function of OpenCL 2.1 deprecated. */
typedef cl_int(CL_API_CALL *kernel_sub_groups)(cl_kernel, cl_device_id, cl_uint, size_t, const void *, size_t, void *, size_t *);

#define FIND(name) name##_fn name = (name##_fn)clGetExtensionFunctionAddressForPlatform(platform, #name); TRUE(name)

/* Queues with all hints, as the extension for older versions makes them too; a hint changes no result. */
static void queues(cl_kernel add) {
  reported("cl_khr_create_command_queue"), reported("cl_khr_priority_hints"), reported("cl_khr_throttle_hints");
  FIND(clCreateCommandQueueWithPropertiesKHR);
  for (int hint = 1; hint <= 4; hint *= 2) {
    cl_queue_properties_khr list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_PRIORITY_KHR, hint,
                                      CL_QUEUE_THROTTLE_KHR, hint, 0};
    cl_queue_properties_khr told[16];
    size_t size, three = 3;
    cl_command_queue q = clCreateCommandQueueWithPropertiesKHR(context, device, list, &error);
    OK(error);
    OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, sizeof told, told, &size));
    EQ(size, sizeof list);
    EQ(memcmp(told, list, size), 0);
    int values[3] = {1, 2, 3};
    cl_mem b = new_buffer(sizeof values);
    OK(clEnqueueWriteBuffer(q, b, CL_FALSE, 0, sizeof values, values, 0, NULL, NULL));
    OK(clSetKernelArg(add, 0, sizeof b, &b));
    OK(clEnqueueNDRangeKernel(q, add, 1, NULL, &three, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    EQ(values[2], 4);
    OK(clReleaseMemObject(b)); OK(clReleaseCommandQueue(q));
    list[3] = 3;
    EQ((intptr_t)clCreateCommandQueueWithPropertiesKHR(context, device, list, &error), 0);
    EQ(error, CL_INVALID_VALUE);
    list[3] = hint, list[5] = 8;
    EQ((intptr_t)clCreateCommandQueueWithPropertiesKHR(context, device, list, &error), 0);
    EQ(error, CL_INVALID_VALUE);
  }
}

/* The suggested size divides the global one, is not more than a group may have, and is taken. */
static void local_size(cl_command_queue q, cl_kernel add) {
  reported("cl_khr_suggested_local_work_size");
  FIND(clGetKernelSuggestedLocalWorkSizeKHR);
  size_t global[] = {1 << 12, 6, 5}, local[3] = {0}, most;
  cl_mem b = new_buffer(4);
  OK(clSetKernelArg(add, 0, sizeof b, &b));
  OK(clGetKernelWorkGroupInfo(add, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
  OK(clGetKernelSuggestedLocalWorkSizeKHR(q, add, 3, NULL, global, local));
  for (int d = 0; d < 3; d++) TRUE(local[d] && global[d] % local[d] == 0);
  TRUE(local[0] * local[1] * local[2] <= most);
  OK(clGetKernelSuggestedLocalWorkSizeKHR(q, add, 1, NULL, global, local));
  size_t zero = 0;
  EQ(clGetKernelSuggestedLocalWorkSizeKHR(q, add, 4, NULL, global, local), CL_INVALID_WORK_DIMENSION);
  EQ(clGetKernelSuggestedLocalWorkSizeKHR(q, add, 1, NULL, NULL, local), CL_INVALID_GLOBAL_WORK_SIZE);
  EQ(clGetKernelSuggestedLocalWorkSizeKHR(q, add, 1, NULL, &zero, local), CL_INVALID_GLOBAL_WORK_SIZE);
  EQ(clGetKernelSuggestedLocalWorkSizeKHR(q, add, 1, NULL, global, NULL), CL_INVALID_VALUE);
  EQ(clGetKernelSuggestedLocalWorkSizeKHR(q, NULL, 1, NULL, global, local), CL_INVALID_KERNEL);
  EQ(clGetKernelSuggestedLocalWorkSizeKHR(NULL, add, 1, NULL, global, local), CL_INVALID_COMMAND_QUEUE);
  OK(clReleaseMemObject(b));
  cl_kernel unset = clCreateKernel(new_program("kernel void k(global int *p) { *p = 1; }"), "k", &error);
  OK(error);
  EQ(clGetKernelSuggestedLocalWorkSizeKHR(q, unset, 1, NULL, global, local), CL_INVALID_KERNEL_ARGS);
}

/* A device is the same one in every query, and in every process of this machine. */
static void identity(void) {
  reported("cl_khr_device_uuid");
  cl_uchar one[CL_UUID_SIZE_KHR], again[CL_UUID_SIZE_KHR], driver[CL_UUID_SIZE_KHR], none[CL_UUID_SIZE_KHR] = {0};
  cl_bool valid = CL_TRUE;
  OK(clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, sizeof one, one, NULL));
  OK(clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, sizeof again, again, NULL));
  OK(clGetDeviceInfo(device, CL_DRIVER_UUID_KHR, sizeof driver, driver, NULL));
  OK(clGetDeviceInfo(device, CL_DEVICE_LUID_VALID_KHR, sizeof valid, &valid, NULL));
  EQ(memcmp(one, again, sizeof one), 0);
  TRUE(memcmp(one, none, sizeof one) && memcmp(driver, none, sizeof driver));
  EQ(valid, CL_FALSE);
  EQ(clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, sizeof one - 1, one, NULL), CL_INVALID_VALUE);
}

/* Unified shared memory of each kind: kernels and commands use it, queries know it, also by a pointer into it. */
static void unified(cl_command_queue q, cl_kernel add) {
  reported("cl_intel_unified_shared_memory");
  FIND(clHostMemAllocINTEL); FIND(clDeviceMemAllocINTEL); FIND(clSharedMemAllocINTEL); FIND(clMemFreeINTEL);
  FIND(clMemBlockingFreeINTEL); FIND(clGetMemAllocInfoINTEL); FIND(clSetKernelArgMemPointerINTEL);
  FIND(clEnqueueMemFillINTEL); FIND(clEnqueueMemcpyINTEL); FIND(clEnqueueMigrateMemINTEL); FIND(clEnqueueMemAdviseINTEL);
  size_t count = 64, bytes = count * sizeof(int);
  for (int kind = 0; kind < 3; kind++) {
    int *all = kind == 0   ? clHostMemAllocINTEL(context, NULL, bytes, 0, &error)
               : kind == 1 ? clDeviceMemAllocINTEL(context, device, NULL, bytes, 256, &error)
                           : clSharedMemAllocINTEL(context, device, NULL, bytes, 64, &error);
    OK(error);
    TRUE(all);
    if (kind == 1) EQ((intptr_t)all % 256, 0);
    cl_unified_shared_memory_type_intel type;
    void *base;
    size_t size;
    cl_device_id of;
    OK(clGetMemAllocInfoINTEL(context, all + 1, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    EQ(type, CL_MEM_TYPE_HOST_INTEL + kind);
    OK(clGetMemAllocInfoINTEL(context, all + 1, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof base, &base, NULL));
    EQ((intptr_t)base, (intptr_t)all);
    OK(clGetMemAllocInfoINTEL(context, all, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, NULL));
    EQ(size, bytes);
    OK(clGetMemAllocInfoINTEL(context, all, CL_MEM_ALLOC_DEVICE_INTEL, sizeof of, &of, NULL));
    EQ((intptr_t)of, kind == 0 ? 0 : (intptr_t)device);
    int seven = 7, out[64];
    OK(clEnqueueMemFillINTEL(q, all, &seven, sizeof seven, bytes, 0, NULL, NULL));
    OK(clEnqueueMigrateMemINTEL(q, all, bytes, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    OK(clEnqueueMemAdviseINTEL(q, all, bytes, 0, 0, NULL, NULL));
    OK(clSetKernelArgMemPointerINTEL(add, 0, all + 1));
    size_t rest = count - 1;
    cl_event done;
    cl_command_type command;
    OK(clEnqueueNDRangeKernel(q, add, 1, NULL, &rest, NULL, 0, NULL, NULL));
    OK(clEnqueueMemcpyINTEL(q, CL_TRUE, out, all, bytes, 0, NULL, &done));
    EQ(out[0], 7); EQ(out[1], 8); EQ(out[63], 8);
    OK(clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof command, &command, NULL));
    EQ(command, CL_COMMAND_MEMCPY_INTEL);
    OK(clReleaseEvent(done));
    EQ(clGetMemAllocInfoINTEL(context, all, 0, sizeof size, &size, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMemcpyINTEL(q, CL_TRUE, all, all + 1, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    EQ(clEnqueueMemFillINTEL(q, NULL, &seven, sizeof seven, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    if (kind == 1) { OK(clMemBlockingFreeINTEL(context, all)); } else { OK(clMemFreeINTEL(context, all)); }
    EQ(clMemFreeINTEL(context, all), CL_INVALID_VALUE);
    OK(clGetMemAllocInfoINTEL(context, all, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    EQ(type, CL_MEM_TYPE_UNKNOWN_INTEL);
  }
  OK(clMemFreeINTEL(context, NULL));
  EQ((intptr_t)clHostMemAllocINTEL(context, NULL, 0, 0, &error), 0);
  EQ(error, CL_INVALID_BUFFER_SIZE);
  EQ((intptr_t)clHostMemAllocINTEL(context, NULL, 64, 3, &error), 0);
  EQ(error, CL_INVALID_VALUE);
  EQ((intptr_t)clDeviceMemAllocINTEL(context, NULL, NULL, 64, 0, &error), 0);
  EQ(error, CL_INVALID_DEVICE);
}

/* A buffer's address on the device, given to a kernel as such. */
static void device_address(cl_command_queue q, cl_kernel add) {
  reported("cl_ext_buffer_device_address");
  set_device_pointer set =
      (set_device_pointer)clGetExtensionFunctionAddressForPlatform(platform, "clSetKernelArgDevicePointerEXT");
  TRUE(set);
  cl_mem_properties with[] = {DEVICE_PRIVATE_ADDRESS, CL_TRUE, 0}, wrong[] = {DEVICE_ADDRESS, CL_TRUE, 0};
  cl_mem b = clCreateBufferWithProperties(context, with, CL_MEM_READ_WRITE, 64, NULL, &error), plain = new_buffer(64);
  OK(error);
  EQ((intptr_t)clCreateBufferWithProperties(context, wrong, CL_MEM_READ_WRITE, 64, NULL, &error), 0);
  EQ(error, CL_INVALID_PROPERTY);
  cl_ulong address = 0;
  OK(clGetMemObjectInfo(b, DEVICE_ADDRESS, sizeof address, &address, NULL));
  TRUE(address);
  EQ(clGetMemObjectInfo(plain, DEVICE_ADDRESS, sizeof address, &address, NULL), CL_INVALID_OPERATION);
  int zero = 0, values[16];
  size_t eight = 8;
  OK(clEnqueueFillBuffer(q, b, &zero, sizeof zero, 0, 64, 0, NULL, NULL));
  OK(set(add, 0, address + 32));
  OK(clSetKernelExecInfo(add, DEVICE_POINTERS, sizeof address, &address));
  OK(clEnqueueNDRangeKernel(q, add, 1, NULL, &eight, NULL, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, 64, values, 0, NULL, NULL));
  for (int i = 0; i < 16; i++) EQ(values[i], i >= 8);
  EQ(set(add, 1, address), CL_INVALID_ARG_INDEX);
  EQ(set(NULL, 0, address), CL_INVALID_KERNEL);
  OK(clReleaseMemObject(b)); OK(clReleaseMemObject(plain));
}

/* Shared virtual memory: what the other programs do not use of it. */
static void shared_virtual(cl_command_queue q) {
  char *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, 128, 0);
  TRUE(memory);
  const void *pointers[] = {memory, memory + 64};
  size_t sizes[] = {0, 64}, much[] = {0, 65};
  OK(clEnqueueSVMMigrateMem(q, 2, pointers, sizes, 0, 0, NULL, NULL));
  OK(clEnqueueSVMMigrateMem(q, 2, pointers, NULL, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
  EQ(clEnqueueSVMMigrateMem(q, 2, pointers, much, 0, 0, NULL, NULL), CL_INVALID_VALUE);
  EQ(clEnqueueSVMMigrateMem(q, 0, pointers, sizes, 0, 0, NULL, NULL), CL_INVALID_VALUE);
  OK(clEnqueueSVMFree(q, 1, (void **)pointers, NULL, NULL, 0, NULL, NULL));
  OK(clFinish(q));
}

/* What the device reports of the language, kernels see by its macro, and its numbers tell how much of it there is. */
static void language(void) {
  static const char *const extensions[] = {"cl_khr_fp16", "cl_khr_fp64", "cl_khr_expect_assume", "cl_khr_extended_bit_ops",
                                           "cl_khr_integer_dot_product", "cl_khr_kernel_clock", "cl_ext_float_atomics",
                                           "cl_khr_extended_async_copies"};
  /* Khronos' suite refuses devices that report names of cl_khr_ that its list does not have: macros alone tell of these. */
  static const char *const unlisted[] = {"cl_khr_work_group_uniform_arithmetic", "cl_khr_async_work_group_copy_fence"};
  static char source[1 << 14];
  char *end = source;
  for (unsigned i = 0; i < sizeof extensions / sizeof *extensions; i++) {
    reported(extensions[i]);
    end += sprintf(end, "#ifndef %s\n#error %s\n#endif\n", extensions[i], extensions[i]);
  }
  static char names[1 << 14];
  OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
  for (unsigned i = 0; i < sizeof unlisted / sizeof *unlisted; i++) {
    TRUE(!strstr(names, unlisted[i]));
    end += sprintf(end, "#ifndef %s\n#error %s\n#endif\n", unlisted[i], unlisted[i]);
  }
  cl_name_version features[128];
  size_t size;
  OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof features, features, &size));
  TRUE(size / sizeof *features > 20);
  for (unsigned i = 0; i < size / sizeof *features; i++)
    end += sprintf(end, "#ifndef %s\n#error %s\n#endif\n", features[i].name, features[i].name);
  sprintf(end, "kernel void k(global int *p) { *p = 1; }");
  const char *text = source;
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
  OK(error);
  OK(clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL));
  OK(clReleaseProgram(program));

  static const struct { cl_device_info name; cl_bitfield value; } numbers[] = {
      {0x1073, 3}, {0x1076, 3}, {0x4231, 0x70007}, {0x4232, 0x70007}, {0x4233, 0x70007}};
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    cl_bitfield told = 0;
    OK(clGetDeviceInfo(device, numbers[i].name, sizeof told, &told, NULL));
    EQ(told, numbers[i].value);
  }
  cl_bool accelerated[6];
  OK(clGetDeviceInfo(device, 0x1074, sizeof accelerated, accelerated, NULL));
  OK(clGetDeviceInfo(device, 0x1075, sizeof accelerated, accelerated, NULL));
  cl_device_fp_config half = 0;
  OK(clGetDeviceInfo(device, CL_DEVICE_HALF_FP_CONFIG, sizeof half, &half, NULL));
  TRUE((half & (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM)) ==
       (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM));
}

/* Names with versions are the names without, of the platform and of the device; the loader's way to the platform is there. */
static void versions(void) {
  reported("cl_khr_extended_versioning"), reported("cl_khr_icd");
  cl_name_version list[128];
  static char names[1 << 14], told[1 << 14];
  for (int of_device = 0; of_device < 2; of_device++) {
    size_t size;
    if (of_device) {
      OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
      OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    } else {
      OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
      OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof names, names, NULL));
    }
    char *end = told;
    for (unsigned i = 0; i < size / sizeof *list; i++) {
      end += sprintf(end, i ? " %s" : "%s", list[i].name);
      TRUE(CL_VERSION_MAJOR(list[i].version));
    }
    EQ(strcmp(told, names), 0);
  }
  FIND(clIcdGetPlatformIDsKHR);
  cl_platform_id all[8];
  cl_uint count = 0;
  OK(clIcdGetPlatformIDsKHR(8, all, &count));
  EQ(count, 1);
  OK(clGetPlatformInfo(all[0], CL_PLATFORM_ICD_SUFFIX_KHR, sizeof names, names, NULL));
  EQ(strcmp(names, "OXCL"), 0);
}

/* What modules of SPIR-V may ask for: names and numbers, each once. */
static void modules(void) {
  reported("cl_khr_il_program"), reported("cl_khr_spirv_queries"), reported("cl_khr_spirv_linkonce_odr");
  reported("cl_khr_spirv_no_integer_wrap_decoration"), reported("cl_intel_spirv_subgroups");
  static const struct { cl_device_info name; const char *const wanted[3]; } lists[] = {
      {0x12B9 /* CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR */, {"OpenCL.std"}},
      {0x12BA /* CL_DEVICE_SPIRV_EXTENSIONS_KHR */,
       {"SPV_KHR_linkonce_odr", "SPV_KHR_no_integer_wrap_decoration", "SPV_INTEL_subgroups"}}};
  for (int l = 0; l < 2; l++) {
    const char *names[64];
    size_t size;
    OK(clGetDeviceInfo(device, lists[l].name, sizeof names, names, &size));
    for (int w = 0; w < 3 && lists[l].wanted[w]; w++) {
      int found = 0;
      for (unsigned i = 0; i < size / sizeof *names; i++) found += !strcmp(names[i], lists[l].wanted[w]);
      EQ(found, 1);
    }
  }
  cl_uint capabilities[256];
  size_t size;
  OK(clGetDeviceInfo(device, 0x12BB /* CL_DEVICE_SPIRV_CAPABILITIES_KHR */, sizeof capabilities, capabilities, &size));
  static const cl_uint wanted[] = {4 /* Addresses */, 5 /* Linkage */, 6 /* Kernel */, 9 /* Float16 */, 11 /* Int64 */,
                                   5568 /* SubgroupShuffleINTEL */};
  for (unsigned w = 0; w < sizeof wanted / sizeof *wanted; w++) {
    int found = 0;
    for (unsigned i = 0; i < size / sizeof *capabilities; i++) found += capabilities[i] == wanted[w];
    EQ(found, 1);
  }
}

/* What a kernel prints goes to the context's function, whole and in the order of its calls. */
static char printed[4096];
static size_t printed_bytes;

static void CL_CALLBACK print(const char *text, size_t length, size_t complete, void *data) {
  TRUE(complete);
  EQ((intptr_t)data, (intptr_t)&printed_bytes);
  TRUE(printed_bytes + length <= sizeof printed);
  memcpy(printed + printed_bytes, text, length);
  printed_bytes += length;
}

static void CL_CALLBACK told(const char *text, const void *own, size_t bytes, void *data) {}

static void print_function(void) {
  reported("cl_arm_printf");
  cl_context_properties with[] = {CL_PRINTF_CALLBACK_ARM, (cl_context_properties)(intptr_t)print, CL_PRINTF_BUFFERSIZE_ARM, 4096,
                                  CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  cl_context_properties back[8];
  size_t size, one = 1;
  cl_context before = context;
  for (int way = 0; way < 2; way++) {
    printed_bytes = 0;
    context = way ? clCreateContextFromType(with, CL_DEVICE_TYPE_ALL, told, &printed_bytes, &error)
                  : clCreateContext(with, 1, &device, told, &printed_bytes, &error);
    OK(error);
    OK(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof back, back, &size));
    EQ(size, sizeof with);
    EQ(memcmp(back, with, size), 0);
    cl_program program = new_program("kernel void say(int n) { for (int i = 0; i < n; i++) printf(\"%d of %s\\n\", i, \"all\"); }");
    cl_kernel say = clCreateKernel(program, "say", &error);
    OK(error);
    cl_command_queue q = new_queue(0);
    int n = 3;
    OK(clSetKernelArg(say, 0, sizeof n, &n));
    OK(clEnqueueNDRangeKernel(q, say, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFinish(q));
    EQ(printed_bytes, 27);
    EQ(memcmp(printed, "0 of all\n1 of all\n2 of all\n", 27), 0);
    OK(clReleaseCommandQueue(q)); OK(clReleaseKernel(say)); OK(clReleaseProgram(program)); OK(clReleaseContext(context));
  }
  context = before;
  with[2] = CL_PRINTF_CALLBACK_ARM;
  EQ((intptr_t)clCreateContext(with, 1, &device, NULL, NULL, &error), 0);
  EQ(error, CL_INVALID_PROPERTY);
}

/* The size of a kernel's sub-groups, asked for and chosen; sub-groups of local sizes and back; and code that agrees. */
static void sub_groups(cl_command_queue q) {
  reported("cl_intel_required_subgroup_size"), reported("cl_intel_subgroups");
  kernel_sub_groups clGetKernelSubGroupInfoKHR =
      (kernel_sub_groups)clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSubGroupInfoKHR");
  TRUE(clGetKernelSubGroupInfoKHR);
  cl_bool independent = CL_TRUE;
  OK(clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, sizeof independent, &independent, NULL));
  EQ(independent, CL_FALSE);
  size_t sizes[8], bytes, most_items, told, count, local[3];
  OK(clGetDeviceInfo(device, 0x4108 /* CL_DEVICE_SUB_GROUP_SIZES_INTEL */, sizeof sizes, sizes, &bytes));
  EQ(bytes, 5 * sizeof *sizes);
  EQ(sizes[0], 4); EQ(sizes[4], 64);
  cl_uint most = 0;
  OK(clGetDeviceInfo(device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof most, &most, NULL));
  cl_program program = new_program(
      "__attribute__((intel_reqd_sub_group_size(16))) kernel void asked(global uint *p) { p[0] = get_max_sub_group_size(); }"
      "kernel void chosen(global uint *p) { p[0] = get_max_sub_group_size(); p[1] = sub_group_reduce_add(1); }");
  for (int k = 0; k < 2; k++) {
    cl_kernel kernel = clCreateKernel(program, k ? "chosen" : "asked", &error);
    OK(error);
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most_items, &most_items, NULL));
    size_t group[] = {10, 3, 2};
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group, group, sizeof told, &told, NULL));
    if (!k) EQ(told, 16);
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof group, group, sizeof count, &count, NULL));
    EQ(count, (60 + told - 1) / told);
    count = 3;
    OK(clGetKernelSubGroupInfoKHR(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count, &count, sizeof local, local, NULL));
    EQ(local[0], 3 * told); EQ(local[1], 1); EQ(local[2], 1);
    count = most_items;
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count, &count, sizeof local, local, NULL));
    EQ(local[0], 0);
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof count, &count, NULL));
    EQ(count, (most_items + told - 1) / told);
    TRUE(count <= most);
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, sizeof count, &count, NULL));
    EQ(count, 0);
    OK(clGetKernelSubGroupInfo(kernel, device, 0x410A /* CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL */, 0, NULL, sizeof count, &count, NULL));
    EQ(count, k ? 0 : 16);
    cl_ulong spilled = 1;
    OK(clGetKernelWorkGroupInfo(kernel, device, 0x4109 /* CL_KERNEL_SPILL_MEM_SIZE_INTEL */, sizeof spilled, &spilled, NULL));
    EQ(spilled, 0);
    EQ(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 0, NULL, sizeof count, &count, NULL), CL_INVALID_VALUE);
    EQ(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 7, group, sizeof count, &count, NULL), CL_INVALID_VALUE);
    EQ(clGetKernelSubGroupInfo(kernel, device, 1, 0, NULL, sizeof count, &count, NULL), CL_INVALID_VALUE);
    cl_uint values[2] = {0};
    cl_mem b = new_buffer(sizeof values);
    OK(clSetKernelArg(kernel, 0, sizeof b, &b));
    OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &told, &told, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    EQ(values[0], told);
    if (k) EQ(values[1], told);
    OK(clReleaseMemObject(b)); OK(clReleaseKernel(kernel));
  }
  EQ(clGetKernelSubGroupInfo(NULL, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof count, &count, NULL), CL_INVALID_KERNEL);
  OK(clReleaseProgram(program));
}

int main(void) {
  open_device();
  language();
  versions();
  modules();
  cl_program program = new_program("kernel void add(global int *p) { p[get_global_id(0)] += 1; }");
  cl_kernel add = clCreateKernel(program, "add", &error);
  OK(error);
  cl_command_queue q = new_queue(0);
  queues(add);
  local_size(q, add);
  sub_groups(q);
  identity();
  print_function();
  unified(q, add);
  device_address(q, add);
  shared_virtual(q);
  EQ((intptr_t)clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchFunctionEXT"), 0);
  /* The compiler may be given up at any time; the next build has another one. */
  OK(clUnloadPlatformCompiler(platform));
  OK(clReleaseProgram(new_program("kernel void again(global int *p) { *p = 2; }")));
  OK(clReleaseKernel(add)); OK(clReleaseProgram(program));
  OK(clReleaseCommandQueue(q)); OK(clReleaseContext(context));
  return 0;
}
