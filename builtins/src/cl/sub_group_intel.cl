// Shuffles and block reads and writes of cl_intel_subgroups, cl_intel_subgroups_char, _short and _long, in global and
// (cl_intel_subgroup_local_block_io) local memory.

#include "sub_group.h"

#define SHUFFLES(type)                                                                                                 \
  HELPER type from_lane(type x, uint lane) { return oxcl_lanes_take_##type(x, lane); }                                 \
  OVERLOAD type intel_sub_group_shuffle(type x, uint lane) { return from_lane(x, lane); }                              \
  OVERLOAD type intel_sub_group_shuffle_xor(type x, uint value) { return from_lane(x, own_lane() ^ value); }           \
  OVERLOAD type intel_sub_group_shuffle_down(type current, type next, uint delta) {                                    \
    uint lane = own_lane() + delta;                                                                                    \
    type near = from_lane(current, lane), far = from_lane(next, lane);                                                 \
    return lane < SIZE ? near : far;                                                                                   \
  }                                                                                                                    \
  OVERLOAD type intel_sub_group_shuffle_up(type previous, type current, uint delta) {                                  \
    uint lane = own_lane() - delta;                                                                                    \
    type near = from_lane(current, lane), far = from_lane(previous, lane);                                             \
    return delta <= own_lane() ? near : far;                                                                           \
  }

#define BROADCAST(type)                                                                                                \
  OVERLOAD type intel_sub_group_broadcast(type x, uint lane) { return oxcl_lanes_pick_##type(x, lane); }

#define COMBINED(type, name)                                                                                           \
  OVERLOAD type intel_sub_group_reduce_##name(type x) { return oxcl_lanes_reduce_##name##_##type(x, SIZE); }           \
  OVERLOAD type intel_sub_group_scan_inclusive_##name(type x) { return oxcl_lanes_inclusive_##name##_##type(x); }      \
  OVERLOAD type intel_sub_group_scan_exclusive_##name(type x) { return oxcl_lanes_exclusive_##name##_##type(x); }

#define SMALL(type)                                                                                                    \
  SHUFFLES(type)                                                                                                       \
  FOR_VECTORS_OF(SHUFFLES, type)                                                                                       \
  BROADCAST(type)                                                                                                      \
  FOR_VECTORS_OF(BROADCAST, type)                                                                                      \
  COMBINED(type, add)                                                                                          \
  COMBINED(type, min)                                                                                \
  COMBINED(type, max)

#define WIDE(type)                                                                                                     \
  SHUFFLES(type)                                                                                                       \
  FOR_VECTORS_OF(SHUFFLES, type)

SMALL(char)
SMALL(uchar)
SMALL(short)
SMALL(ushort)
WIDE(int)
WIDE(uint)
WIDE(long)
WIDE(ulong)
WIDE(float)
SHUFFLES(half)
SHUFFLES(double)

// Component k of a work-item's vector is element k * size + its lane of the block.
#define ONE(space, type, name)                                                                                         \
  OVERLOAD type intel_sub_group_block_read##name(const space type *block) { return block[own_lane()]; }                \
  OVERLOAD void intel_sub_group_block_write##name(space type *block, type x) { block[own_lane()] = x; }
#define SEVERAL(space, type, name, count)                                                                              \
  OVERLOAD type##count intel_sub_group_block_read##name##count(const space type *block) {                              \
    type##count x;                                                                                                     \
    _Pragma("unroll") for (uint k = 0; k < count; ++k) x[k] = block[k * SIZE + own_lane()];                            \
    return x;                                                                                                          \
  }                                                                                                                    \
  OVERLOAD void intel_sub_group_block_write##name##count(space type *block, type##count x) {                           \
    _Pragma("unroll") for (uint k = 0; k < count; ++k) block[k * SIZE + own_lane()] = x[k];                            \
  }
#define BLOCKS(space, type, name)                                                                                      \
  ONE(space, type, name)                                                                                               \
  SEVERAL(space, type, name, 2)                                                                                        \
  SEVERAL(space, type, name, 4)                                                                                        \
  SEVERAL(space, type, name, 8)
#define ALL_BLOCKS(space)                                                                                              \
  BLOCKS(space, uint, )                                                                                                \
  BLOCKS(space, uint, _ui)                                                                                             \
  BLOCKS(space, ulong, _ul)                                                                                            \
  BLOCKS(space, ushort, _us)                                                                                           \
  SEVERAL(space, ushort, _us, 16)                                                                                      \
  BLOCKS(space, uchar, _uc)                                                                                            \
  SEVERAL(space, uchar, _uc, 16)

ALL_BLOCKS(__global)
ALL_BLOCKS(__local)
