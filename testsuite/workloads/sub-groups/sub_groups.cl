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

// c = a * b, n by n: a sub-group has four rows of 16 results; its work-items hold 16 elements of a's rows in turn.
LANES kernel void product_by_sub_groups(global const float *a, global const float *b, global float *c, int n) {
  int tiles = n / 16, tile = get_group_id(0) * get_num_sub_groups() + get_sub_group_id(), row = tile / tiles * 4;
  int lane = get_sub_group_local_id(), column = tile % tiles * 16 + lane;
  float4 sum = 0.0f;
  for (int k = 0; k < n; k += 16) {
    global const float *from = a + row * n + k + lane;
    float4 own = (float4)(from[0], from[n], from[2 * n], from[3 * n]);
    for (int i = 0; i < 16; ++i)
      sum += sub_group_broadcast(own, i) * b[(k + i) * n + column];
  }
  for (int r = 0; r < 4; ++r)
    c[(row + r) * n + column] = sum[r];
}

// The same through local memory: a work-group has a tile of 64 by 16 results, four of a column for each work-item.
__attribute__((reqd_work_group_size(16, 16, 1))) kernel void product_by_memory(global const float *a,
                                                                                global const float *b,
                                                                                global float *c, int n) {
  local float as[64][16], bs[16][16];
  int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), first = get_group_id(1) * 64;
  float4 sum = 0.0f;
  for (int k = 0; k < n; k += 16) {
    for (int r = 0; r < 4; ++r)
      as[4 * y + r][x] = a[(first + 4 * y + r) * n + k + x];
    bs[y][x] = b[(k + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; ++i)
      sum += (float4)(as[4 * y][i], as[4 * y + 1][i], as[4 * y + 2][i], as[4 * y + 3][i]) * bs[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int r = 0; r < 4; ++r)
    c[(first + 4 * y + r) * n + column] = sum[r];
}
