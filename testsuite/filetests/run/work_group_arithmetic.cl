// Products, bits and truth values of a work-group (cl_khr_work_group_uniform_arithmetic).
// test: run
// options: -cl-std=CL3.0
// run: all global=10 local=10 (in=[3,-1,4,1,-5,9,2,6,5,3], out=zeros:100) -> out=[97200,3,1,0,3,0,9,0,0,1,97200,-3,3,0,-1,3,9,0,0,0,97200,-12,-3,0,-1,-4,9,0,0,0,97200,-12,-12,0,-1,-8,9,0,0,1,97200,60,-12,0,-1,-7,9,0,0,0,97200,540,60,0,-1,2,9,0,0,1,97200,1080,540,0,-1,11,9,0,1,1,97200,6480,1080,0,-1,9,9,0,1,1,97200,32400,6480,0,-1,15,9,0,1,0,97200,97200,32400,0,-1,10,9,0,1,1]
// run: all global=10 local=5 (in=[3,-1,4,1,-5,9,2,6,5,3], out=zeros:100) -> out=[60,3,1,0,3,0,2,0,0,1,60,-3,3,0,-1,3,2,0,0,0,60,-12,-3,0,-1,-4,2,0,0,0,60,-12,-12,0,-1,-8,2,0,0,1,60,60,-12,0,-1,-7,2,0,0,0,1620,9,1,0,9,0,11,1,0,1,1620,18,9,0,11,9,11,1,1,1,1620,108,18,0,15,11,11,1,1,1,1620,540,108,0,15,13,11,1,1,0,1620,1620,540,0,15,8,11,1,1,1]
// run: all global=64 local=32 (in=random:64:3, out=zeros:640)
// run: types global=24 local=8 (in=random:24:4, out=zeros:24)
#ifndef cl_khr_work_group_uniform_arithmetic
#error
#endif

kernel void all(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i];
  global int *own = out + 10 * i;
  own[0] = work_group_reduce_mul(x);
  own[1] = work_group_scan_inclusive_mul(x);
  own[2] = work_group_scan_exclusive_mul(x);
  own[3] = work_group_reduce_and(x);
  own[4] = work_group_scan_inclusive_or(x);
  own[5] = work_group_scan_exclusive_xor(x);
  own[6] = work_group_reduce_xor(x);
  own[7] = work_group_reduce_logical_and(x > 0) != 0;
  own[8] = work_group_scan_exclusive_logical_or(x > 8) != 0;
  own[9] = work_group_scan_inclusive_logical_xor(x & 1) != 0;
}

kernel void types(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i];
  uint u = work_group_reduce_or((uint)x & 0xff) + work_group_scan_exclusive_and((uint)x);
  ulong l = work_group_reduce_mul((ulong)(uint)x | 1) ^ work_group_scan_inclusive_xor((ulong)x << 20);
  float f = work_group_reduce_mul((float)(x & 3) + 1.0f) + work_group_scan_exclusive_mul((float)(x & 1) + 1.0f);
  out[i] = (int)(u + (uint)l + (uint)(l >> 32) + (uint)f);
}
