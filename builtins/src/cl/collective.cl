// Work-group functions (OpenCL C 3.0, section 6.15.16): all work-items of a group meet, and each gets the answer.
//
// Values go through local memory that the compiler gives, eight bytes for each work-item that a group can have. One
// work-item combines them, in an order that the number of work-items fixes, so results are the same however the group is run.

#include "combine.h"
#include "group.h"

void OVERLOAD barrier(cl_mem_fence_flags flags);
__local void *oxcl_collective_memory(void);

// Gives all work-items what the first one makes of everybody's values: halves are combined element by element, so that vectors do it,
// until one is left.
#define REDUCE(name, type, result, combine)                                                                            \
  OVERLOAD result name(type x) {                                                                                       \
    __local type *all = oxcl_collective_memory();                                                                      \
    size_t own = item_number();                                                                                        \
    all[own] = x;                                                                                                      \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    if (own == 0) {                                                                                                    \
      for (size_t count = item_count(); count > 1;) {                                                                  \
        size_t left = count - count / 2;                                                                               \
        for (size_t i = 0; i < count / 2; ++i)                                                                         \
          all[i] = combine(all[i], all[left + i]);                                                                     \
        count = left;                                                                                                  \
      }                                                                                                                \
    }                                                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    type answer = all[0];                                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    return (result)answer;                                                                                             \
  }

#define SCAN_INCLUSIVE(name, type, combine)                                                                            \
  OVERLOAD type name(type x) {                                                                                         \
    __local type *all = oxcl_collective_memory();                                                                      \
    size_t own = item_number();                                                                                        \
    all[own] = x;                                                                                                      \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    if (own == 0) {                                                                                                    \
      type so_far = all[0];                                                                                            \
      size_t count = item_count();                                                                                     \
      for (size_t i = 1; i < count; ++i)                                                                               \
        all[i] = so_far = combine(so_far, all[i]);                                                                     \
    }                                                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    type answer = all[own];                                                                                            \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    return answer;                                                                                                     \
  }

#define SCAN_EXCLUSIVE(name, type, combine, identity)                                                                  \
  OVERLOAD type name(type x) {                                                                                         \
    __local type *all = oxcl_collective_memory();                                                                      \
    size_t own = item_number();                                                                                        \
    all[own] = x;                                                                                                      \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    if (own == 0) {                                                                                                    \
      type so_far = identity;                                                                                          \
      size_t count = item_count();                                                                                     \
      for (size_t i = 0; i < count; ++i) {                                                                             \
        type next = combine(so_far, all[i]);                                                                           \
        all[i] = so_far;                                                                                               \
        so_far = next;                                                                                                 \
      }                                                                                                                \
    }                                                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    type answer = all[own];                                                                                            \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    return answer;                                                                                                     \
  }

#define BROADCAST_FROM(type, from)                                                                                     \
  {                                                                                                                    \
    __local type *all = oxcl_collective_memory();                                                                      \
    if (item_number() == (from))                                                                                       \
      all[0] = x;                                                                                                      \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    type answer = all[0];                                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    return answer;                                                                                                     \
  }

#define BROADCAST(type)                                                                                                \
  OVERLOAD type work_group_broadcast(type x, size_t i) BROADCAST_FROM(type, i)                                         \
  OVERLOAD type work_group_broadcast(type x, size_t i, size_t j)                                                       \
    BROADCAST_FROM(type, j * get_local_size(0) + i)                                                                    \
  OVERLOAD type work_group_broadcast(type x, size_t i, size_t j, size_t k)                                             \
    BROADCAST_FROM(type, (k * get_local_size(1) + j) * get_local_size(0) + i)

#define COLLECTIVES(type, least, most)                                                                                 \
  BROADCAST(type)                                                                                                      \
  REDUCE(work_group_reduce_add, type, type, ADD)                                                                       \
  REDUCE(work_group_reduce_min, type, type, MIN)                                                                       \
  REDUCE(work_group_reduce_max, type, type, MAX)                                                                       \
  SCAN_INCLUSIVE(work_group_scan_inclusive_add, type, ADD)                                                             \
  SCAN_INCLUSIVE(work_group_scan_inclusive_min, type, MIN)                                                             \
  SCAN_INCLUSIVE(work_group_scan_inclusive_max, type, MAX)                                                             \
  SCAN_EXCLUSIVE(work_group_scan_exclusive_add, type, ADD, 0)                                                          \
  SCAN_EXCLUSIVE(work_group_scan_exclusive_min, type, MIN, most)                                                       \
  SCAN_EXCLUSIVE(work_group_scan_exclusive_max, type, MAX, least)

REDUCE(work_group_all, int, int, LOGICAL_AND)
REDUCE(work_group_any, int, int, LOGICAL_OR)
COLLECTIVES(int, INT_MIN, INT_MAX)
COLLECTIVES(uint, 0, UINT_MAX)
COLLECTIVES(long, LONG_MIN, LONG_MAX)
COLLECTIVES(ulong, 0, ULONG_MAX)
COLLECTIVES(float, -INFINITY, INFINITY)
COLLECTIVES(double, -INFINITY, INFINITY)
COLLECTIVES(half, -(half)INFINITY, (half)INFINITY)

// cl_khr_work_group_uniform_arithmetic.
#define COMBINED(type, name, combine, identity)                                                                        \
  REDUCE(work_group_reduce_##name, type, type, combine)                                                                \
  SCAN_INCLUSIVE(work_group_scan_inclusive_##name, type, combine)                                                      \
  SCAN_EXCLUSIVE(work_group_scan_exclusive_##name, type, combine, identity)
#define COMBINED_INTEGERS(type)                                                                                        \
  COMBINED(type, mul, MUL, 1)                                                                                          \
  COMBINED(type, and, AND, (type)-1)                                                                                   \
  COMBINED(type, or, OR, 0)                                                                                            \
  COMBINED(type, xor, XOR, 0)
COMBINED_INTEGERS(int)
COMBINED_INTEGERS(uint)
COMBINED_INTEGERS(long)
COMBINED_INTEGERS(ulong)
COMBINED(float, mul, MUL, 1)
COMBINED(double, mul, MUL, 1)
COMBINED(half, mul, MUL, 1)
COMBINED(int, logical_and, LOGICAL_AND, 1)
COMBINED(int, logical_or, LOGICAL_OR, 0)
COMBINED(int, logical_xor, LOGICAL_XOR, 0)
