// The work-item functions and barriers of the reference executor (OpenCL C 3.0, sections 6.15.1 and 6.15.9). A kernel
// that runs there is an ordinary function on a thread of its own, and all it knows of its place is the current item.

#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

// The layout of oxcl_binary::abi::RefItem.
typedef struct RefItem {
  uint abi;
  uint work_dim;
  ulong local_id[3];
  ulong group_id[3];
  ulong num_groups[3];
  ulong global_offset[3];
  ulong local_size[3];
  ulong global_size[3];
  ulong sub_group_size;
  void (*barrier)(const __private struct RefItem *item, uint flags);
  __private void *executor;
  __private void *print;
  __global void *program_variables;
  void (*meet)(const __private struct RefItem *item, uint number);
  __private char *cells;
  ulong met;
  MemoryRanges ranges;
} RefItem;

// The calling thread's item. Defined where the kernel is compiled, as OpenCL C has no thread-local variables.
const __private RefItem *oxcl_ref_current_item(void);

// What the compiler's functions behind printf ask for.
__private void *oxcl_print_block(void) { return oxcl_ref_current_item()->print; }

// Constant while the item runs.
__constant MemoryRanges *oxcl_memory_ranges(void) {
  return (__constant MemoryRanges *)(ulong)&oxcl_ref_current_item()->ranges;
}

#define FIELD(field, d, otherwise) (d < 3 ? (size_t)oxcl_ref_current_item()->field[d] : (size_t)(otherwise))

OVERLOAD uint get_work_dim(void) { return oxcl_ref_current_item()->work_dim; }
OVERLOAD size_t get_local_id(uint d) { return FIELD(local_id, d, 0); }
OVERLOAD size_t get_group_id(uint d) { return FIELD(group_id, d, 0); }
OVERLOAD size_t get_num_groups(uint d) { return FIELD(num_groups, d, 1); }
OVERLOAD size_t get_global_offset(uint d) { return FIELD(global_offset, d, 0); }
OVERLOAD size_t get_global_size(uint d) { return FIELD(global_size, d, 1); }
OVERLOAD size_t get_enqueued_local_size(uint d) { return FIELD(local_size, d, 1); }

// The last group of a dimension may be smaller than the others.
OVERLOAD size_t get_local_size(uint d) {
  size_t enqueued = get_enqueued_local_size(d);
  size_t rest = get_global_size(d) - get_group_id(d) * enqueued;
  return rest < enqueued ? rest : enqueued;
}

OVERLOAD size_t get_global_id(uint d) {
  return get_global_offset(d) + get_group_id(d) * get_enqueued_local_size(d) + get_local_id(d);
}

OVERLOAD size_t get_global_linear_id(void) {
  size_t x = get_global_id(0) - get_global_offset(0);
  size_t y = get_global_id(1) - get_global_offset(1);
  size_t z = get_global_id(2) - get_global_offset(2);
  return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

OVERLOAD size_t get_local_linear_id(void) {
  return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}

// Sub-groups (see sub_group.h). Cells of so many bytes follow those of fewer bytes: there are 2^k - 1 bytes of these for each
// work-item, of which there may be up to 127 more than there are, for alignment.
__private void *oxcl_sub_group_cell(uint bytes) {
  size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);
  size_t room = (items + 127) & ~(size_t)127;
  return oxcl_ref_current_item()->cells + (bytes - 1) * room + bytes * get_local_linear_id();
}
void oxcl_sub_group_meet_at(uint number) {
  const __private RefItem *item = oxcl_ref_current_item();
  item->meet(item, number);
}
size_t oxcl_sub_group_lane(void) {
  return get_local_linear_id() & (oxcl_ref_current_item()->sub_group_size - 1);
}
size_t oxcl_sub_group_number(void) { return get_local_linear_id() / oxcl_ref_current_item()->sub_group_size; }
ulong oxcl_sub_group_lead(void) {
  const __private RefItem *item = oxcl_ref_current_item();
  ulong own = 1ul << (get_local_linear_id() & (item->sub_group_size - 1));
  return item->met & (own - 1) ? 0 : item->met;
}

OVERLOAD void barrier(cl_mem_fence_flags flags) {
  const __private RefItem *item = oxcl_ref_current_item();
  item->barrier(item, flags);
}
OVERLOAD void work_group_barrier(cl_mem_fence_flags flags) { barrier(flags); }
OVERLOAD void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
  (void)scope;
  barrier(flags);
}
