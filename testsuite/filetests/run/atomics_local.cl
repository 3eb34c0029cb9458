// test: run
// run: count global=32 local=16 (in=range:32, out=zeros:2) -> out=[45,120]
kernel void count(global const int *in, global int *out) {
  local int sum;
  if (get_local_id(0) == 0)
    sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (in[get_global_id(0)] % 3 == 0)
    atomic_add(&sum, in[get_global_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    out[get_group_id(0)] = sum;
}
