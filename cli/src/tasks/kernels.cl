// The kernels of `oxcl bench tasks`. Each counts its runs, so that a run too many or too few, or one before its turn,
// shows in the result.

kernel void increment(global const uint *from, global uint *to) { to[0] = from[0] + 1; }

kernel void work(global const float *input, global uint *to, uint elements, uint uneven) {
  size_t group = get_group_id(0);
  uint rounds = uneven ? (uint)group + 1 : 1;
  float sum = 0;
  for (uint round = 0; round < rounds; round++)
    for (uint i = 0; i < elements; i++) sum = mad(sum, 0.999f, input[i]);
  to[group] += 1;
  to[get_num_groups(0) + group] = as_uint(sum);
}

kernel void empty(void) {}
