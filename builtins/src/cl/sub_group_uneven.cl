// Reductions and scans among those work-items of a sub-group that come by (cl_khr_subgroup_non_uniform_arithmetic).

#include "sub_group.h"

#define NAMED(type, name, combine, identity)                                                                           \
  COMBINERS(name##_##type, type, combine, identity)                                                                    \
  REDUCES(sub_group_non_uniform_reduce_##name, name##_##type, type)                                                    \
  SCAN(sub_group_non_uniform_scan_inclusive_##name, inclusive_, name##_##type, type)                                   \
  SCAN(sub_group_non_uniform_scan_exclusive_##name, exclusive_, name##_##type, type)

#include "sub_group_uneven.inc"
