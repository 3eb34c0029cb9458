// A sum and a matrix product by sub-groups, and the same through local memory, to compare.

#define GROUP 256
#define LANES __attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(GROUP, 1, 1)))

// Numbers from 0 to 1 that look like noise: the bits of the index, mixed.
kernel void noise(global float *numbers) {
  uint index = get_global_id(0);
  uint bits = index * 2654435761u;
  bits = (bits ^ (bits >> 15)) * 2246822519u;
  bits = (bits ^ (bits >> 13)) * 3266489917u;
  bits ^= bits >> 16;
  numbers[index] = (float)(bits >> 8) / 16777216.0f;
}

// Each work-group adds up as many numbers as it has work-items: its sub-groups theirs, then the first one their sums.
LANES kernel void sum_by_sub_groups(global const float *numbers, global float *sums) {
  local float parts[GROUP / 16];
  float all = sub_group_reduce_add(numbers[get_global_id(0)]);
  if (get_sub_group_local_id() == 0)
    parts[get_sub_group_id()] = all;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_sub_group_id() == 0) {
    all = sub_group_reduce_add(parts[get_sub_group_local_id()]);
    if (get_sub_group_local_id() == 0)
      sums[get_group_id(0)] = all;
  }
}

__attribute__((reqd_work_group_size(GROUP, 1, 1))) kernel void sum_by_memory(global const float *numbers,
                                                                              global float *sums) {
  local float tile[GROUP];
  int l = get_local_id(0);
  tile[l] = numbers[get_global_id(0)];
  for (int width = GROUP / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < width)
      tile[l] += tile[l + width];
  }
  if (l == 0)
    sums[get_group_id(0)] = tile[0];
}

// c = a * b, n by n: a sub-group has a row of 16 results; its work-items hold 16 elements of a's row in turn.
LANES kernel void product_by_sub_groups(global const float *a, global const float *b, global float *c, int n) {
  int tiles = n / 16, tile = get_group_id(0) * get_num_sub_groups() + get_sub_group_id(), row = tile / tiles;
  int lane = get_sub_group_local_id(), column = tile % tiles * 16 + lane;
  float sum = 0.0f;
  for (int k = 0; k < n; k += 16) {
    float own = a[row * n + k + lane];
    for (int i = 0; i < 16; ++i)
      sum += sub_group_broadcast(own, i) * b[(k + i) * n + column];
  }
  c[row * n + column] = sum;
}

__attribute__((reqd_work_group_size(16, 16, 1))) kernel void product_by_memory(global const float *a,
                                                                                global const float *b,
                                                                                global float *c, int n) {
  local float as[16][16], bs[16][16];
  int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (int k = 0; k < n; k += 16) {
    as[y][x] = a[row * n + k + x];
    bs[y][x] = b[(k + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; ++i)
      sum += as[y][i] * bs[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
