// Global ids of 2^31 and more, in a group that has both kinds too: cut to 32 bits they change their sign, as unsigned only from
// 2^32 on. Code for small ids must not be taken, by whatever engine, width and local size.
// test: run
// bits: 64, global ids have 64 bits
// run: cut global=8 local=8 offset=2147483644 (out=zeros:8) -> out=[2147483644,2147483645,2147483646,2147483647,-2147483648,-2147483647,-2147483646,-2147483645]
// run: cut global=8 local=4 offset=2147483644 (out=zeros:8) -> out=[2147483644,2147483645,2147483646,2147483647,-2147483648,-2147483647,-2147483646,-2147483645]
// run: cut global=4 local=4 offset=6442450944 (out=zeros:4) -> out=[-2147483648,-2147483647,-2147483646,-2147483645]
// run: next global=4 local=4 offset=4294967293 (out=zeros:4) -> out=[4294967294,4294967295,0,1]
// run: next global=4 local=4 offset=2147483645 (out=zeros:4) -> out=[2147483646,2147483647,2147483648,2147483649]
// run: indexed global=8 local=8 offset=4294967296 (in=[1,2,3,4,5,6,7,8], out=zeros:8) -> out=[8,7,6,5,4,3,2,1]
// run: rows global=4,2 local=4,1 offset=0,2147483647 (out=zeros:8) -> out=[2147483647,2147483647,2147483647,2147483647,-2147483648,-2147483648,-2147483648,-2147483648]
// run: guarded global=8 local=8 offset=2147483640 (out=zeros:8, n=5) -> out=[0,0,0,0,0,0,0,0]
kernel void cut(global long *out) {
  int i = get_global_id(0);
  out[get_global_id(0) - get_global_offset(0)] = i;
}
kernel void next(global ulong *out) {
  uint i = get_global_id(0);
  out[get_global_id(0) - get_global_offset(0)] = i + 1;
}
// 2^32 less are the right indices again.
kernel void indexed(global const int *in, global int *out) {
  local int t[8];
  int i = get_global_id(0), l = get_local_id(0);
  t[l] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = t[7 - l];
}
kernel void rows(global long *out) {
  int y = get_global_id(1);
  out[get_global_id(0) + (get_global_id(1) - get_global_offset(1)) * get_global_size(0)] = y;
}
kernel void guarded(global int *out, int n) {
  int i = get_global_id(0);
  if (i < n && i >= 0) out[i] = 1;
}
