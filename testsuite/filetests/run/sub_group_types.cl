// Every type that values of sub-groups have, by sums, extremes, products and bits; of the last sub-group only half is there.
// test: run
// options: -cl-std=CL3.0
// bits: 64, so many kernels take minutes to schedule for processors
// width: 1
// run: chars global=10 local=10 (in=random:10:11, out=zeros:10)
// run: uchars global=10 local=10 (in=random:10:12, out=zeros:10)
// run: shorts global=10 local=10 (in=random:10:13, out=zeros:10)
// run: ushorts global=10 local=10 (in=random:10:14, out=zeros:10)
// run: ints global=10 local=10 (in=random:10:15, out=zeros:10)
// run: uints global=10 local=10 (in=random:10:16, out=zeros:10)
// run: longs global=10 local=10 (in=random:10:17, out=zeros:10)
// run: ulongs global=10 local=10 (in=random:10:18, out=zeros:10)
// run: halfs global=10 local=10 (in=random:10:21, out=zeros:20)
// run: floats global=10 local=10 (in=random:10:22, out=zeros:20)
// run: doubles global=10 local=10 (in=random:10:23, out=zeros:20)
// run: logical global=10 local=10 (in=random:10:31, out=zeros:20)
// run: vectors global=10 local=10 (in=random:10:32, out=zeros:10)
#ifndef cl_khr_subgroup_extended_types
#error
#endif
#ifndef cl_khr_subgroup_non_uniform_arithmetic
#error
#endif
#define SIZE4 __attribute__((intel_reqd_sub_group_size(4)))
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define TYPE(type)                                                                                                     \
  SIZE4 kernel void type##s(global const int *in, global int *out) {                                                   \
    int i = get_global_id(0);                                                                                          \
    type x = (type)in[i];                                                                                              \
    type all = sub_group_reduce_add(x) + sub_group_scan_inclusive_max(x) * (type)3 + sub_group_scan_exclusive_min(x);  \
    all ^= sub_group_non_uniform_scan_exclusive_xor(x) + sub_group_non_uniform_reduce_mul((type)(x | 1));              \
    all += sub_group_non_uniform_reduce_and(x);                                                                        \
    all += sub_group_clustered_reduce_xor(x, 2) + sub_group_shuffle(x, 1) + sub_group_broadcast(x, 1);                 \
    out[i] = (int)all ^ (int)((ulong)all >> 32);                                                                       \
  }
TYPE(char) TYPE(uchar) TYPE(short) TYPE(ushort) TYPE(int) TYPE(uint) TYPE(long) TYPE(ulong)
#define FLOAT(type)                                                                                                    \
  SIZE4 kernel void type##s(global const int *in, global int *out) {                                                   \
    int i = get_global_id(0);                                                                                          \
    type x = (type)(in[i] & 31) / (type)4;                                                                             \
    out[2 * i] = (int)(sub_group_reduce_add(x) * (type)4);                                                             \
    type some = sub_group_scan_inclusive_add(x) - sub_group_scan_exclusive_add(x) + sub_group_reduce_min(x);           \
    some += sub_group_non_uniform_reduce_max(x) + sub_group_clustered_reduce_min(x, 2);                                \
    out[2 * i + 1] = (int)(some * (type)4);                                                                            \
  }
FLOAT(half) FLOAT(float) FLOAT(double)
SIZE4 kernel void logical(global const int *in, global int *out) {
  int i = get_global_id(0);
  out[2 * i] = sub_group_non_uniform_reduce_logical_and(in[i] & 3);
  out[2 * i + 1] = sub_group_non_uniform_scan_exclusive_logical_xor(in[i] & 1);
}
SIZE4 kernel void vectors(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i];
  int3 three = sub_group_broadcast((int3)(x, x + 1, x + 2), 1);
  char16 many = sub_group_broadcast((char16)(char)x, 0);
  double8 eight = sub_group_broadcast((double8)(double)(x & 255), 1);
  out[i] = three.x + 3 * three.z + many.sf + (int)eight.s7;
}
