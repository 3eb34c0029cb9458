// Reductions and scans of sub-groups in uniform flow (OpenCL C 3.0, section 6.15.19.4, cl_khr_subgroup_extended_types).

#include "sub_group.h"

#define COMBINED(type, name, combine, identity)                                                                      \
  COMBINERS(name##_##type, type, combine, identity)                                                                    \
  REDUCES(sub_group_reduce_##name, name##_##type, type)                                                                \
  SCAN(sub_group_scan_inclusive_##name, inclusive_, name##_##type, type)                                               \
  SCAN(sub_group_scan_exclusive_##name, exclusive_, name##_##type, type)

#define ALL(type)                                                                                                      \
  COMBINED(type, add, ADD, 0)                                                                                        \
  COMBINED(type, min, MIN, MOST_##type)                                                                              \
  COMBINED(type, max, MAX, LEAST_##type)

FOR_SCALARS(ALL)
