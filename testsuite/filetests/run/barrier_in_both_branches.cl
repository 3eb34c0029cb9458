// test: run regions
// run: both global=8 local=4 (out=zeros:8, flag=1)
// run: both global=8 local=4 (out=zeros:8, flag=0)
kernel void both(global int *out, int flag) {
  local int tile[4];
  int g = get_global_id(0), l = get_local_id(0), v = g;
  if (flag > 0) {
    tile[l] = g;
    barrier(CLK_LOCAL_MEM_FENCE);
    v += tile[3 - l];
  } else {
    tile[l] = -g;
    barrier(CLK_LOCAL_MEM_FENCE);
    v -= tile[(l + 1) & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    v *= 2;
  }
  out[g] = v;
}
