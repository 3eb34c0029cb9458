// Reductions and scans among those work-items of a sub-group that come by (cl_khr_subgroup_non_uniform_arithmetic).

#include "sub_group.h"

#define NAMED(type, name, combine, identity)                                                                           \
  OVERLOAD type sub_group_non_uniform_reduce_##name(type x) { return oxcl_lanes_reduce_##name##_##type(x, SIZE); }     \
  OVERLOAD type sub_group_non_uniform_scan_inclusive_##name(type x) { return oxcl_lanes_inclusive_##name##_##type(x); } \
  OVERLOAD type sub_group_non_uniform_scan_exclusive_##name(type x) { return oxcl_lanes_exclusive_##name##_##type(x); }

FOR_ALL_NAMED
