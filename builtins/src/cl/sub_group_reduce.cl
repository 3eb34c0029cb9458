// Reductions and scans of sub-groups in uniform flow (OpenCL C 3.0, section 6.15.19.4, cl_khr_subgroup_extended_types).

#include "sub_group.h"

#define COMBINED(type, name)                                                                                           \
  OVERLOAD type sub_group_reduce_##name(type x) { return oxcl_lanes_reduce_##name##_##type(x, SIZE); }                 \
  OVERLOAD type sub_group_scan_inclusive_##name(type x) { return oxcl_lanes_inclusive_##name##_##type(x); }            \
  OVERLOAD type sub_group_scan_exclusive_##name(type x) { return oxcl_lanes_exclusive_##name##_##type(x); }
#define ALL(type) COMBINED(type, add) COMBINED(type, min) COMBINED(type, max)

FOR_SCALARS(ALL)
