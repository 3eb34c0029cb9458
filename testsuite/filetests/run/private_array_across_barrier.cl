// A private array, indexed by a variable, lives across a barrier.
// test: run regions
// run: arrays global=8 local=4 (out=zeros:8, k=2)
kernel void arrays(global int *out, int k) {
  local int tile[4];
  int mine[5];
  int l = get_local_id(0), g = get_global_id(0);
  for (int i = 0; i < 5; i++)
    mine[i] = g * 10 + i;
  tile[l] = mine[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  mine[(k + l) % 5] += tile[3 - l];
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (int i = 0; i < 5; i++)
    sum += mine[i] * (i + 1);
  out[g] = sum;
}
