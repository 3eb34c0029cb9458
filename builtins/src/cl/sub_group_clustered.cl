// Reductions in clusters of a sub-group (cl_khr_subgroup_clustered_reduce).

#include "sub_group.h"

#define NAMED(type, name, combine, identity)                                                                           \
  OVERLOAD type sub_group_clustered_reduce_##name(type x, uint size) {                                                 \
    return oxcl_lanes_reduce_##name##_##type(x, size < SIZE ? size : SIZE);                                            \
  }

FOR_ALL_NAMED
