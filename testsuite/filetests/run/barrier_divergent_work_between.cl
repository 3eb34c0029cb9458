// Divergent loops and branches between barriers stay inside their region.
// test: run
// run: between global=8 local=4 (out=zeros:8)
kernel void between(global int *out) {
  local int tile[4];
  int g = get_global_id(0), l = get_local_id(0), v = 0;
  for (int i = 0; i < l; i++)
    v += i * g;
  if (l & 1)
    v = -v;
  tile[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  int n = g & 3;
  while (n-- > 0)
    v += tile[n];
  out[g] = v;
}
