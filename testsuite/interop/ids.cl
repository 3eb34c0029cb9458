// Every work-item writes what it is told about itself: seven facts for each dimension, then the number of dimensions.
#define FACTS(d)                             \
  mine[d * 7 + 0] = get_global_id(d);        \
  mine[d * 7 + 1] = get_local_id(d);         \
  mine[d * 7 + 2] = get_group_id(d);         \
  mine[d * 7 + 3] = get_local_size(d);       \
  mine[d * 7 + 4] = get_num_groups(d);       \
  mine[d * 7 + 5] = get_global_size(d);      \
  mine[d * 7 + 6] = get_global_offset(d);

kernel void ids(global ulong *out) {
  size_t x = get_global_id(0) - get_global_offset(0);
  size_t y = get_global_id(1) - get_global_offset(1);
  size_t z = get_global_id(2) - get_global_offset(2);
  global ulong *mine = out + ((z * get_global_size(1) + y) * get_global_size(0) + x) * 22;
  FACTS(0)
  FACTS(1)
  FACTS(2)
  mine[21] = get_work_dim();
}
