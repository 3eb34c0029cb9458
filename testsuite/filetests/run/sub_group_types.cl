// Every type that values of sub-groups have, by sums, extremes, products and bits, and of the device's own size.
// test: run
// options: -cl-std=CL3.0
// bits: 64, the size is another one on processors
// width: any
// run: integers global=48 local=24 (in=random:48:11, out=zeros:384)
// run: floats global=48 local=24 (in=random:48:12, out=zeros:384)
// run: vectors global=48 local=24 (in=random:48:13, out=zeros:48)
#ifndef cl_khr_subgroup_extended_types
#error
#endif
#ifndef cl_khr_subgroup_non_uniform_arithmetic
#error
#endif
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define TYPE(type, at)                                                                                                 \
  {                                                                                                                    \
    type x = (type)in[i];                                                                                              \
    type all = sub_group_reduce_add(x) + sub_group_scan_inclusive_max(x) * (type)3 + sub_group_scan_exclusive_min(x);  \
    if (in[i] & 1)                                                                                                     \
      all ^= sub_group_non_uniform_scan_exclusive_xor(x) + sub_group_non_uniform_reduce_mul((type)(x | 1));            \
    else                                                                                                               \
      all += sub_group_non_uniform_reduce_and(x) | sub_group_non_uniform_scan_inclusive_or(x);                         \
    all += sub_group_clustered_reduce_xor(x, 2) + sub_group_shuffle(x, 1) + sub_group_broadcast(x, 2);                 \
    out[8 * i + at] = (int)all ^ (int)((ulong)all >> 32);                                                              \
  }
kernel void integers(global const int *in, global int *out) {
  int i = get_global_id(0);
  TYPE(char, 0)
  TYPE(uchar, 1)
  TYPE(short, 2)
  TYPE(ushort, 3)
  TYPE(int, 4)
  TYPE(uint, 5)
  TYPE(long, 6)
  TYPE(ulong, 7)
}
#define FLOAT(type, at)                                                                                                \
  {                                                                                                                    \
    type x = (type)(in[i] & 31) / (type)4;                                                                             \
    out[8 * i + at] = (int)(sub_group_reduce_add(x) * (type)4);                                                        \
    type some = sub_group_scan_inclusive_add(x) - sub_group_scan_exclusive_add(x) + sub_group_reduce_min(x);           \
    if (in[i] & 1)                                                                                                     \
      some += sub_group_non_uniform_reduce_max(x) + sub_group_clustered_reduce_min(x, 2);                              \
    out[8 * i + at + 1] = (int)(some * (type)4);                                                                       \
  }
kernel void floats(global const int *in, global int *out) {
  int i = get_global_id(0);
  FLOAT(half, 0)
  FLOAT(float, 2)
  FLOAT(double, 4)
  out[8 * i + 6] = sub_group_non_uniform_reduce_logical_and(in[i] & 3);
  out[8 * i + 7] = sub_group_non_uniform_scan_exclusive_logical_xor(in[i] & 1);
}
kernel void vectors(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i];
  int3 three = sub_group_broadcast((int3)(x, x + 1, x + 2), 1);
  char16 many = sub_group_broadcast((char16)(char)x, 2);
  double8 eight = sub_group_broadcast((double8)(double)(x & 255), 3);
  out[i] = three.x + 3 * three.z + many.sf + (int)eight.s7;
}
