// Sub-groups whose work-items may be the lanes of a vector: values of lanes that the data names, in numbers of every size; sums whose
// order shows; operations behind branches and in loops that lanes leave in different rounds; ends of rows and of groups.
// test: run
// options: -cl-std=CL3.0
// bits: 64, so many kernels take minutes to schedule for processors
// width: any
// run: moved8 global=32 local=16 (in=random:32:42, out=zeros:32)
// run: moved16 global=64 local=32 (in=random:64:43, out=zeros:64)
// run: sums8 global=40 local=20 (in=random:40:46, out=zeros:160)
// run: sums32 global=100 local=50 (in=random:100:48, out=zeros:400)
// run: uneven4 global=14 local=7 (in=random:14:49, out=zeros:14)
// run: uneven4 global=3 local=1 (in=random:3:49, out=zeros:3)
// run: uneven16 global=48 local=48 (in=random:48:51, out=zeros:48)
// run: tiles8 global=32 local=16 (in=random:32:53, out=zeros:32)
// run: blocks16 global=32 local=32 (in=range:160, out=zeros:160)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define SIZE(n) __attribute__((intel_reqd_sub_group_size(n)))

#define MOVED(n)                                                                                                       \
  SIZE(n) kernel void moved##n(global const int *in, global int *out) {                                                \
    int i = get_global_id(0), x = in[i];                                                                               \
    uint from = (uint)x >> 3, own = get_sub_group_local_id();                                                          \
    float4 four = (float4)(x & 255, x >> 8 & 255, x >> 16 & 255, 3);                                                   \
    uint sum = sub_group_shuffle((char)x, from) + 3 * sub_group_shuffle((ushort)x, from);                              \
    sum += 5 * sub_group_shuffle(x, from) + 7 * (uint)(sub_group_shuffle((ulong)(uint)x * 0x100000001ul, from) >> 20); \
    sum += 11 * (uint)sub_group_shuffle((float)(x & 0xffff), from) + 13 * (uint)sub_group_shuffle((double)(x & 0xfff), from); \
    sum += 17 * (uint)sub_group_shuffle((half)(x & 255), from);                                                        \
    sum += 19 * (uint)dot(sub_group_broadcast(four, (uint)get_global_id(1) + 2), (float4)(1, 2, 3, 4));                \
    sum += 23 * sub_group_shuffle_xor(x, 1u) + 29 * sub_group_rotate(x, 3) + 31 * sub_group_clustered_rotate(x, 1, 2u); \
    sum += 37 * (own >= 2 ? sub_group_shuffle_up(x, 2u) : sub_group_shuffle(x, own));                                  \
    out[i] = (int)sum;                                                                                                 \
  }
#define SUMS(n)                                                                                                        \
  SIZE(n) kernel void sums##n(global const int *in, global float *out) {                                               \
    int i = get_global_id(0);                                                                                          \
    float x = (float)in[i] * 1e-3f;                                                                                    \
    out[4 * i] = sub_group_reduce_add(x) + (float)sub_group_reduce_max((char)in[i]);                                   \
    out[4 * i + 1] = sub_group_scan_inclusive_add(x) - sub_group_scan_exclusive_min(x * x);                            \
    out[4 * i + 2] = sub_group_scan_exclusive_add(x);                                                                  \
    out[4 * i + 3] = sub_group_clustered_reduce_add(x, 2) * sub_group_clustered_reduce_mul((double)(in[i] & 3) + 0.1, 4); \
  }
#define UNEVEN(n)                                                                                                      \
  SIZE(n) kernel void uneven##n(global const int *in, global int *out) {                                               \
    int i = get_global_id(1) * get_global_size(0) + get_global_id(0), x = in[i], sum = 0;                              \
    if (x & 1)                                                                                                         \
      sum = sub_group_non_uniform_reduce_add(x) + (int)sub_group_ballot_bit_count(sub_group_ballot(x & 2));            \
    else if (x & 2)                                                                                                    \
      sum = (int)(1000 * sub_group_non_uniform_scan_inclusive_add((float)(x & 255) * 0.1f));                           \
    for (int round = 0; round < (x & 7); ++round) {                                                                    \
      sum += sub_group_broadcast_first(x) ^ sub_group_non_uniform_scan_exclusive_max(x >> round);                      \
      if (sub_group_elect() && (x & 64))                                                                               \
        break;                                                                                                         \
      sum += sub_group_non_uniform_any(round > (x >> 4 & 3)) ? 1 : 5;                                                  \
    }                                                                                                                  \
    out[i] = sum + 3 * sub_group_all(x != 1) + sub_group_non_uniform_all_equal(x >> 16);                               \
  }
MOVED(8)
MOVED(16)
SUMS(8)
SUMS(32)
UNEVEN(4)
UNEVEN(16)

// Sub-groups beside barriers of the group and local memory.
#define TILES(n)                                                                                                       \
  SIZE(n) kernel void tiles##n(global const int *in, global int *out) {                                                \
    local int parts[32];                                                                                               \
    int i = get_global_id(0), all = sub_group_reduce_add(in[i] & 1023);                                                \
    if (get_sub_group_local_id() == 0)                                                                                 \
      parts[get_sub_group_id()] = all;                                                                                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    int sum = 0;                                                                                                       \
    for (uint k = 0; k < get_num_sub_groups(); ++k)                                                                    \
      sum += parts[k] * (int)(k + 1);                                                                                  \
    local int tile[64];                                                                                                \
    tile[get_local_id(0)] = in[i];                                                                                     \
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);                                                                            \
    uint first = get_sub_group_id() * n;                                                                               \
    out[i] = sum + tile[first + n - 1 - get_sub_group_local_id()];                                                     \
  }
#define BLOCKS(n)                                                                                                      \
  SIZE(n) kernel void blocks##n(global uint *in, global uint *out) {                                                   \
    uint first = 5 * (get_group_id(0) * get_local_size(0) + get_sub_group_id() * n);                                   \
    uint4 four = intel_sub_group_block_read4(in + first);                                                              \
    intel_sub_group_block_write4(out + first, four.wzyx);                                                              \
    intel_sub_group_block_write(out + first + 4 * n, intel_sub_group_block_read(in + first + 4 * n) + four.x);         \
  }
TILES(8)
BLOCKS(16)
