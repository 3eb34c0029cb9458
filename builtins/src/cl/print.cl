// What a call of printf comes down to on the device: room in the launch's print buffer, taken atomically, and copies of
// strings into it. The compiler writes the functions that make the records.

// Where records are: 32-bit devices may have a memory of its own for what is private.
#if __SIZEOF_POINTER__ == 4
#define MEMORY __global
#else
#define MEMORY __private
#endif

// The layout of oxcl_binary::abi::PrintBlock; with 32 bits the fields of Context32 in between.
typedef struct PrintBlock {
  MEMORY uchar *buffer;
  MEMORY atomic_uint *position;
  uint capacity;
#if __SIZEOF_POINTER__ == 4
  uint others[3];
#endif
  atomic_uint dropped;
} PrintBlock;

// Room for a record of so many bytes; null where there is none, or nowhere to print to.
MEMORY uchar *oxcl_print_reserve(MEMORY PrintBlock *block, uint bytes) {
  if (!block->buffer)
    return 0;
  uint at = __opencl_atomic_load(block->position, memory_order_relaxed, memory_scope_all_svm_devices);
  do {
    if (at > block->capacity || bytes > block->capacity - at) {
      __opencl_atomic_fetch_add(&block->dropped, 1, memory_order_relaxed, memory_scope_all_svm_devices);
      return 0;
    }
  } while (!__opencl_atomic_compare_exchange_weak(block->position, &at, at + bytes, memory_order_relaxed,
                                                  memory_order_relaxed, memory_scope_all_svm_devices));
  return block->buffer + at;
}

// Bytes of a string with its end; a null pointer is printed as most libraries do.
uint oxcl_print_length(const __constant uchar *text) {
  if (!text)
    return sizeof "(null)";
  uint length = 1;
  while (*text++)
    ++length;
  return length;
}

// Copies a string with its end; gives the place behind it.
MEMORY uchar *oxcl_print_string(MEMORY uchar *to, const __constant uchar *text) {
  if (!text) {
    // Without a constant of its own, which would have to be linked into every program that prints.
    to[0] = '(', to[1] = 'n', to[2] = 'u', to[3] = 'l', to[4] = 'l', to[5] = ')', to[6] = 0;
    return to + sizeof "(null)";
  }
  do {
    *to++ = *text;
  } while (*text++);
  return to;
}
