// test: run regions
// run: sort global=32 local=32 (data=random:32:11) 
kernel void sort(global int *data) {
  local int tile[32];
  int l = get_local_id(0);
  tile[l] = data[l];
  for (int k = 2; k <= 32; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int p = l ^ j;
      if (p > l) {
        int a = tile[l], b = tile[p];
        if ((a > b) == ((l & k) == 0)) {
          tile[l] = b;
          tile[p] = a;
        }
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  data[l] = tile[l];
}
