// The last work-item alone divides, by the group's size, and what comes of it is an index: no other lane's is taken for it.
// test: run
// width: any
// run: last global=64 local=64 (in=range:64, out=zeros:64) -> out=[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]
// run: last global=16 local=16 (in=[8,128,2,10,11,2,10,171,1,1,6,199,9,6,10,3], out=zeros:16) -> out=[9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9]
kernel void last(global const int *in, global int *out) {
  local int all[64];
  local int one;
  int l = get_local_id(0);
  int n = get_local_size(0);
  all[l] = in[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  int next = all[(uint)(l + 1) % (uint)n] | 1;
  if (l == n - 1)
    one = next;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = one;
}
