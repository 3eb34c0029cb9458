// Each 32-bit atomic once, in global and in local memory; the results do not depend on the order.
// test: run
// run: kinds global=16 local=4 (out=int[0,0,100,100,-5,65535,0,0,0,0]) -> out=[120,-120,0,100,15,65535,65535,0,16,7]
// run: kinds_local global=16 local=16 (out=int[0,0,100,100,-5,65535,0,0,0,0]) -> out=[120,-120,0,100,15,65535,65535,0,16,7]
#ifndef cl_khr_global_int32_base_atomics
#error
#endif
#ifndef cl_khr_global_int32_extended_atomics
#error
#endif
#ifndef cl_khr_local_int32_base_atomics
#error
#endif
#ifndef cl_khr_local_int32_extended_atomics
#error
#endif
kernel void kinds(global int *out) {
  int g = get_global_id(0);
  atomic_add(&out[0], g);
  atomic_sub(&out[1], g);
  atomic_min(&out[2], g);
  atomic_max(&out[3], g);
  atomic_max(&out[4], g);
  atomic_or(&out[5], 1 << g);
  atomic_xor(&out[6], 1 << g);
  atomic_and(&out[7], g);
  atomic_inc(&out[8]);
  atomic_cmpxchg(&out[9], 0, 7);
}
kernel void kinds_local(global int *out) {
  local int own[10];
  int g = get_local_id(0);
  if (g < 10)
    own[g] = out[g];
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&own[0], g);
  atomic_sub(&own[1], g);
  atomic_min(&own[2], g);
  atomic_max(&own[3], g);
  atomic_max(&own[4], g);
  atomic_or(&own[5], 1 << g);
  atomic_xor(&own[6], 1 << g);
  atomic_and(&own[7], g);
  atomic_inc(&own[8]);
  atomic_cmpxchg(&own[9], 0, 7);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (g < 10)
    out[g] = own[g];
}
