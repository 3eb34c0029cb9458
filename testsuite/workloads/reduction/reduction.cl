// The sum of many numbers: each work-item adds up its share, each work-group its work-items in local memory.

kernel void sum(global const float *numbers, int count, global float *sums, local float *tile) {
  int local_id = get_local_id(0);
  float own = 0.0f;
  for (int i = get_global_id(0); i < count; i += get_global_size(0))
    own += numbers[i];
  tile[local_id] = own;
  for (int width = get_local_size(0) / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (local_id < width)
      tile[local_id] += tile[local_id + width];
  }
  if (local_id == 0)
    sums[get_group_id(0)] = tile[0];
}

// Numbers from 0 to 1 that look like noise: the bits of the index, mixed.
kernel void noise(global float *numbers) {
  uint index = get_global_id(0);
  uint bits = index * 2654435761u;
  bits = (bits ^ (bits >> 15)) * 2246822519u;
  bits = (bits ^ (bits >> 13)) * 3266489917u;
  bits ^= bits >> 16;
  numbers[index] = (float)(bits >> 8) / 16777216.0f;
}
