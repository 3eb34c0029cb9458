// What the functions of sub-groups are made of (OpenCL C 3.0, section 6.15.19): where a work-item is, and a few operations among
// those of its sub-group who come by together, its *lanes*.
//
// A sub-group is so many consecutive work-items of a group, counted by linear ids; the last one of a group may be short.
// The compiler makes the operations itself where the work-items of a sub-group run as the lanes of a vector. Else they are what
// `sub_group_lanes.cl` says. Numbers are combined in the same order in both.

#include "group.h"

// The size of all sub-groups but the last: a power of two, at most 64. Known when a kernel is compiled.
__attribute__((const)) uint oxcl_sub_group_size(void);
// The place of the calling work-item in its sub-group, and the sub-group's number in the group.
__attribute__((const)) size_t oxcl_sub_group_lane(void);
__attribute__((const)) size_t oxcl_sub_group_number(void);
// Returns when all work-items of the sub-group that can come here are here.
void oxcl_sub_group_meet(void);

size_t OVERLOAD get_local_linear_id(void);
size_t OVERLOAD get_enqueued_local_size(uint dimension);

#define SIZE oxcl_sub_group_size()

HELPER uint own_lane(void) { return (uint)oxcl_sub_group_lane(); }
HELPER ulong lanes_below(uint count) { return count == 0 ? 0 : ~0ul >> (64 - count); }
HELPER bool is_in(ulong lanes, uint lane) { return lanes >> lane & 1; }
HELPER uint first_of(ulong lanes) { return (uint)__builtin_ctzl(lanes); }

// `M(type)` for each type of one element.
#define FOR_INTEGERS(M) M(char) M(uchar) M(short) M(ushort) M(int) M(uint) M(long) M(ulong)
#define FOR_FLOATS(M) M(half) M(float) M(double)
#define FOR_SCALARS(M) FOR_INTEGERS(M) FOR_FLOATS(M)
#define FOR_VECTORS_OF(M, type) M(type##2) M(type##3) M(type##4) M(type##8) M(type##16)

// The limits of a type, by its name.
#define LEAST_char CHAR_MIN
#define MOST_char CHAR_MAX
#define LEAST_uchar 0
#define MOST_uchar UCHAR_MAX
#define LEAST_short SHRT_MIN
#define MOST_short SHRT_MAX
#define LEAST_ushort 0
#define MOST_ushort USHRT_MAX
#define LEAST_int INT_MIN
#define MOST_int INT_MAX
#define LEAST_uint 0
#define MOST_uint UINT_MAX
#define LEAST_long LONG_MIN
#define MOST_long LONG_MAX
#define LEAST_ulong 0
#define MOST_ulong ULONG_MAX
#define LEAST_half -(half)INFINITY
#define MOST_half (half)INFINITY
#define LEAST_float -INFINITY
#define MOST_float INFINITY
#define LEAST_double -INFINITY
#define MOST_double INFINITY

// `M(type, name, combine, identity)` for each way in which two numbers of a type become one.
#define FOR_ARITHMETIC_OF(M, type)                                                                                     \
  M(type, add, ADD, 0)                                                                                                 \
  M(type, mul, MUL, 1)                                                                                                 \
  M(type, min, MIN, MOST_##type)                                                                                       \
  M(type, max, MAX, LEAST_##type)
#define FOR_BITS_OF(M, type)                                                                                           \
  M(type, and, AND, (type)-1)                                                                                          \
  M(type, or, OR, 0)                                                                                                   \
  M(type, xor, XOR, 0)
#define FOR_LOGICAL(M)                                                                                                 \
  M(int, logical_and, LOGICAL_AND, 1)                                                                                  \
  M(int, logical_or, LOGICAL_OR, 0)                                                                                    \
  M(int, logical_xor, LOGICAL_XOR, 0)
#define ARITHMETIC_OF(type) FOR_ARITHMETIC_OF(NAMED, type)
#define BITS_OF(type) FOR_BITS_OF(NAMED, type)
// All of them, by a macro NAMED.
#define FOR_ALL_NAMED FOR_SCALARS(ARITHMETIC_OF) FOR_INTEGERS(BITS_OF) FOR_LOGICAL(NAMED)

// The operations. `votes`: a bit for each lane whose predicate is not 0. `pick`: what lane `lane` has, where all name the same one.
// `take`: the same where each names its own. Of lanes that do not exist or do not come by anything may be given.
ulong oxcl_lanes_votes(int predicate);
#define DECLARED(type)                                                                                                 \
  type oxcl_lanes_pick_##type(type x, uint lane);                                                                      \
  type oxcl_lanes_take_##type(type x, uint lane);
#define DECLARED_ALL(type) DECLARED(type) FOR_VECTORS_OF(DECLARED, type)
FOR_SCALARS(DECLARED_ALL)
// `reduce`: the numbers of each `size` lanes, a constant power of two, as one; `inclusive`: those up to the own one; `exclusive`:
// those before.
#define NAMED(type, name, combine, identity)                                                                           \
  type oxcl_lanes_reduce_##name##_##type(type x, uint size);                                                           \
  type oxcl_lanes_inclusive_##name##_##type(type x);                                                                   \
  type oxcl_lanes_exclusive_##name##_##type(type x);
FOR_ALL_NAMED
#undef NAMED
