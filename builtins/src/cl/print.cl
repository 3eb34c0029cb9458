// What a call of printf comes down to on the device: room in the launch's print buffer, taken atomically, and copies of
// strings into it. The compiler writes the functions that make the records.

// The layout of oxcl_binary::abi::PrintBlock.
typedef struct PrintBlock {
  __private uchar *buffer;
  __private atomic_uint *position;
  uint capacity;
  atomic_uint dropped;
} PrintBlock;

// Room for a record of so many bytes; null where there is none, or nowhere to print to.
__private uchar *oxcl_print_reserve(__private PrintBlock *block, uint bytes) {
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

// Bytes of a string with its end.
uint oxcl_print_length(const __constant uchar *text) {
  uint length = 1;
  while (*text++)
    ++length;
  return length;
}

// Copies a string with its end; gives the place behind it.
__private uchar *oxcl_print_string(__private uchar *to, const __constant uchar *text) {
  do {
    *to++ = *text;
  } while (*text++);
  return to;
}
