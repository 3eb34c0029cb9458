// Each 32-bit atomic once; the results do not depend on the order.
// test: run
// run: kinds global=16 local=4 (out=int[0,0,100,100,-5,65535,0,0,0,0]) -> out=[120,-120,0,100,15,65535,65535,0,16,7]
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
