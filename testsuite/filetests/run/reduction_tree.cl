// The tree reduction of every tutorial: a barrier in a uniform loop.
// test: run regions
// run: reduce global=64 local=16 (in=range:64, out=zeros:4, scratch=local:64) -> out=[120,376,632,888]
// run: reduce global=256 local=256 (in=range:256, out=zeros:1, scratch=local:1024) -> out=[32640]
// run: reduce global=3 local=1 (in=[5,6,7], out=zeros:3, scratch=local:4) -> out=[5,6,7]
kernel void reduce(global const int *in, global int *out, local int *scratch) {
  size_t l = get_local_id(0);
  scratch[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (l < s)
      scratch[l] += scratch[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    out[get_group_id(0)] = scratch[0];
}
