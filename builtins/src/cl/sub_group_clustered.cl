// Reductions in clusters of a sub-group (cl_khr_subgroup_clustered_reduce).

#include "sub_group.h"

#define NAMED(type, name, combine, identity)                                                                           \
  COMBINERS(name##_##type, type, combine, identity)                                                                    \
  OVERLOAD type sub_group_clustered_reduce_##name(type x, uint size) {                                                 \
    PUT(type, x)                                                                                                       \
    LEAD(type, oxcl_sub_group_row_reduce_##name##_##type(row, lanes, size < SIZE ? size : SIZE);)                      \
    return *cell;                                                                                                      \
  }

#include "sub_group_uneven.inc"
