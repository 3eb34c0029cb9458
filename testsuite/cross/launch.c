// Runs work-group functions on a processor that is not this one, under an emulator of its instructions.
//
// In: a job, a file of numbers and bytes that `testsuite/src/cross.rs` writes: shared objects of kernels, launches, arguments. Out: a
// file with the contents of all buffers after each launch, one behind the other, and then what the launch prints: records, and the
// formats that they point to, each with its address. Nothing of the runtime is here: arguments and contexts
// are laid out as `compiler/binary/src/abi.rs` says. One thread runs all groups, on a stack whose place is known.
//
// What is wrong is said on standard error, with exit code 1. Files are trusted: the test has made them.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { ALIGNMENT = 128, RANGES = 128, STACK = 64 << 20, PRINTED = 1 << 20 };
enum { BUFFER, VALUE, LOCAL, NIL, IMAGE };

// Context in abi.rs.
struct context {
  uint64_t num_groups[3], global_offset[3], local_size[3];
  void *print_buffer;
  uint32_t *print_position;
  uint32_t print_capacity, print_dropped;
  void *variables;
  uint32_t work_dim, failed;
  uint8_t reserved[16];
  uint32_t abi, reserved2;
  uint64_t global_size[3];
};
_Static_assert(offsetof(struct context, variables) == 96 && offsetof(struct context, abi) == 128, "the context of abi.rs");

// KernelConstants in abi.rs.
struct constants {
  uint32_t abi, width;
  uint64_t scratch_fixed, scratch_per_item, local_size[3];
};

// MemoryRanges in abi.rs.
struct ranges {
  uint64_t local[2], stack[2], scratch[2];
};

// ImageData in abi.rs: an address, which in a job counts from the first pixel, and what does not depend on where the pixels are.
struct image {
  void *pixels;
  uint32_t rest[12];
};

typedef void (*entry)(void **args, struct context *context, uint64_t x, uint64_t y, uint64_t z, uint64_t n, void *scratch);

// PRINT_SIZE_SHIFT and PRINT_FORMAT_POINTER in abi.rs.
enum { PRINT_SIZE_SHIFT = 8, PRINT_FORMAT_POINTER = 1 << 1 };

static FILE *job, *results;
static char *stack;

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "launch: %s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
  exit(1);
}

static void read_to(void *place, uint64_t bytes) {
  if (bytes && fread(place, 1, bytes, job) != bytes)
    fail("the job ends too early", NULL);
}

static uint64_t number(void) {
  uint64_t value;
  read_to(&value, sizeof value);
  return value;
}

static void numbers(uint64_t *place) {
  for (int d = 0; d < 3; d++)
    place[d] = number();
}

static void *block(uint64_t bytes) {
  void *memory = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
  if (!memory)
    fail("there is no memory", NULL);
  return memory;
}

static char *text(void) {
  uint64_t bytes = number();
  char *text = block(bytes + 1);
  read_to(text, bytes);
  text[bytes] = 0;
  return text;
}

static void *symbol(void *library, const char *start, const char *kernel) {
  char name[512];
  snprintf(name, sizeof name, "%s%s", start, kernel);
  void *found = dlsym(library, name);
  if (!found)
    fail("the object has no such symbol", name);
  return found;
}

static void write_out(const void *data, uint64_t bytes) {
  if (bytes && fwrite(data, 1, bytes, results) != bytes)
    fail("the results are not written", NULL);
}

static void write_number(uint64_t number) { write_out(&number, sizeof number); }

// The format of a record that points to one; null if it has it in itself.
static const char *format_of(const char *record, uint32_t *size) {
  uint32_t word;
  memcpy(&word, record, sizeof word);
  *size = word >> PRINT_SIZE_SHIFT;
  if (*size < sizeof word)
    fail("a printed record has no size", NULL);
  const char *format = NULL;
  if (word & PRINT_FORMAT_POINTER)
    memcpy(&format, record + sizeof word, sizeof format);
  return format;
}

static void write_printed(const struct context *context) {
  const char *records = context->print_buffer;
  uint32_t used = *context->print_position, size;
  if (context->print_dropped)
    fail("what is printed finds no room", NULL);
  uint64_t formats = 0;
  for (uint32_t at = 0; at < used; at += size)
    formats += format_of(records + at, &size) != NULL;
  write_number(used);
  write_out(records, used);
  write_number(formats);
  for (uint32_t at = 0; at < used; at += size) {
    const char *format = format_of(records + at, &size);
    if (!format)
      continue;
    write_number((uintptr_t)format);
    write_number(strlen(format));
    write_out(format, strlen(format));
  }
}

static void launch(void *variables) {
  char *path = text(), *kernel = text();
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail("the object is not loaded", dlerror());
  struct constants *constants = symbol(library, "oxcl_meta_", kernel);
  entry run = (entry)symbol(library, "oxcl_wg_", kernel);
  uint32_t printed = 0;
  struct context context = {.print_buffer = block(PRINTED), .print_position = &printed, .print_capacity = PRINTED,
                            .variables = variables, .work_dim = (uint32_t)number(), .abi = 1};
  if (constants->abi != context.abi)
    fail("the object has another launch interface", NULL);
  numbers(context.num_groups);
  numbers(context.global_offset);
  numbers(context.local_size);
  numbers(context.global_size);

  uint64_t clears = number(), count = number(), automatic = number(), local_bytes = 0;
  void **args = block((count + automatic) * sizeof *args);
  uint64_t *locals = block((count + automatic) * sizeof *locals), *sizes = block(count * sizeof *sizes);
  void **contents = block(count * sizeof *contents);
  for (uint64_t i = 0; i < count + automatic; i++) {
    uint64_t kind = i < count ? number() : LOCAL, bytes = kind == NIL ? 0 : number();
    void **cell = block(kind == VALUE ? bytes : sizeof *cell);
    args[i] = cell;
    locals[i] = UINT64_MAX;
    if (i < count)
      sizes[i] = UINT64_MAX;
    if (kind == VALUE) {
      read_to(cell, bytes);
    } else if (kind == BUFFER || kind == IMAGE) {
      *cell = contents[i] = block(bytes);
      read_to(*cell, bytes);
      sizes[i] = bytes;
      if (kind == IMAGE) {
        uint64_t levels = number();
        struct image *image = block(levels * sizeof *image);
        read_to(image, levels * sizeof *image);
        for (uint64_t level = 0; level < levels; level++)
          image[level].pixels = (char *)contents[i] + (uintptr_t)image[level].pixels;
        *cell = image;
      }
    } else if (kind == LOCAL) {
      // Empty blocks get memory too, so that no two share an address.
      locals[i] = local_bytes;
      local_bytes += (bytes + !bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    } else {
      *cell = NULL;
    }
  }
  char *local = block(local_bytes);
  for (uint64_t i = 0; i < count + automatic; i++)
    if (locals[i] != UINT64_MAX)
      *(void **)args[i] = local + locals[i];
  // Where local memory is zero at first, a call is for one group.
  uint64_t calls = clears ? context.num_groups[0] : 1, groups = clears ? 1 : context.num_groups[0];

  uint64_t items = context.local_size[0] * context.local_size[1] * context.local_size[2];
  uint64_t width = constants->width ? constants->width : 1;
  uint64_t scratch_bytes = (items + width - 1) / width * width * constants->scratch_per_item + constants->scratch_fixed;
  char *scratch = block(scratch_bytes);
  if (constants->scratch_fixed >= RANGES) {
    struct ranges ranges = {{(uintptr_t)local, (uintptr_t)local + local_bytes},
                            {(uintptr_t)stack, (uintptr_t)stack + STACK},
                            {(uintptr_t)scratch, (uintptr_t)scratch + scratch_bytes}};
    memcpy(scratch, &ranges, sizeof ranges);
  }
  for (uint64_t z = 0; z < context.num_groups[2]; z++)
    for (uint64_t y = 0; y < context.num_groups[1]; y++)
      for (uint64_t x = 0; x < calls; x++) {
        if (clears)
          memset(local, 0, local_bytes);
        run(args, &context, x, y, z, groups, scratch);
      }
  if (context.failed)
    fail("the kernel cannot go on", kernel);
  for (uint64_t i = 0; i < count; i++)
    if (sizes[i] != UINT64_MAX)
      write_out(contents[i], sizes[i]);
  write_printed(&context);
}

static void *run_job(void *unused) {
  (void)unused;
  uint64_t sve_bits = number(), flushes = number();
  if (sve_bits && (uint64_t)(prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) * 8 != sve_bits)
    fail("this processor has SVE registers of another length", NULL);
  if (flushes) {
    // Subnormal numbers are zeros: bit 24 for float and double, bit 19 for half.
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control |= 1u << 24 | 1u << 19;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
  }
  uint64_t bytes = number();
  char *variables = block(bytes);
  read_to(variables, bytes);
  for (uint64_t pointers = number(); pointers; pointers--) {
    uint64_t offset = number(), target = (uintptr_t)variables + number();
    memcpy(variables + offset, &target, sizeof target);
  }
  for (uint64_t launches = number(); launches; launches--)
    launch(variables);
  return NULL;
}

int main(int count, char **words) {
  if (count != 3)
    fail("usage", "launch JOB RESULTS");
  job = fopen(words[1], "rb");
  results = fopen(words[2], "wb");
  if (!job || !results)
    fail("a file is not opened", NULL);
  stack = aligned_alloc(65536, STACK);
  pthread_attr_t attributes;
  pthread_t thread;
  if (!stack || pthread_attr_init(&attributes) || pthread_attr_setstack(&attributes, stack, STACK) ||
      pthread_create(&thread, &attributes, run_job, NULL) || pthread_join(thread, NULL))
    fail("there is no thread", NULL);
  if (fclose(results))
    fail("the results are not written", NULL);
  return 0;
}
