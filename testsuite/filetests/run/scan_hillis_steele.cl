// Two barriers in one loop body.
// test: run regions
// run: scan global=32 local=16 (data=int[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2]) -> data=[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32]
kernel void scan(global int *data) {
  local int tile[16];
  int l = get_local_id(0);
  tile[l] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < 16; d *= 2) {
    int v = tile[l];
    if (l >= d)
      v += tile[l - d];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  data[get_global_id(0)] = tile[l];
}
