// Work that stands behind a comparison of an id with what the group knows: the work-items that have none are left out of the
// loops, whatever the limit is, and all others are in.
// test: run
// width: any
// options: -cl-std=CL2.0
// run: line global=24 local=12 (out=zeros:24, k=-2147483647) -> out=[20268,20268,20268,20268,20268,18220,18220,18220,18220,17964,18220,18220,20268,20268,20268,20268,20268,18220,18220,18220,18220,17964,18220,18220]
// run: line global=19 local=8 (out=zeros:19, k=-2147483647) -> out=[20268,20268,20268,20268,20268,18220,18220,18220,20268,20268,20268,20268,20268,18220,18220,18220,20268,20268,20268]
// run: line global=24 local=12 (out=zeros:24, k=-1) -> out=[20268,20268,20268,20268,20268,18220,18220,18220,18220,17964,18220,18220,20268,20268,20268,20268,20268,18220,18220,18220,18220,17964,18220,18220]
// run: line global=19 local=8 (out=zeros:19, k=-1) -> out=[20268,20268,20268,20268,20268,18220,18220,18220,20268,20268,20268,20268,20268,18220,18220,18220,20268,20268,20268]
// run: line global=24 local=12 (out=zeros:24, k=0) -> out=[3354,19724,19724,19724,19724,17676,17676,17676,17676,17420,17676,17676,3354,19724,19724,19724,19724,17676,17676,17676,17676,17420,17676,17676]
// run: line global=19 local=8 (out=zeros:19, k=0) -> out=[3354,19724,19724,19724,19724,17676,17676,17676,3354,19724,19724,19724,19724,17676,17676,17676,3354,19724,19724]
// run: line global=24 local=12 (out=zeros:24, k=1) -> out=[18467,3354,19724,19724,19724,17676,17676,17676,17676,17420,17676,17676,19491,3354,19724,19724,19724,17676,17676,17676,17676,17420,17676,17676]
// run: line global=19 local=8 (out=zeros:19, k=1) -> out=[18467,3354,19724,19724,19724,17676,17676,17676,19491,3354,19724,19724,19724,17676,17676,17676,19491,3354,19724]
// run: line global=24 local=12 (out=zeros:24, k=5) -> out=[27171,31267,26659,22755,18659,1370,17740,17740,17740,17484,17740,17740,27683,31779,27683,23779,19683,1370,17740,17740,17740,17484,17740,17740]
// run: line global=19 local=8 (out=zeros:19, k=5) -> out=[27171,31267,26659,22755,18659,1370,17740,17740,27683,31779,27683,23779,19683,1370,17740,17740,27683,31779,27683]
// run: line global=24 local=12 (out=zeros:24, k=11) -> out=[27171,31267,27171,31395,27299,29347,25251,29347,24739,20707,16611,1370,27683,31779,27683,31907,27811,29859,25763,29859,25763,21731,17635,1370]
// run: line global=19 local=8 (out=zeros:19, k=11) -> out=[27171,31267,27171,31395,27299,29347,25251,29347,26659,30755,26659,31907,27811,29859,25763,29859,27683,31779,27683]
// run: line global=24 local=12 (out=zeros:24, k=100) -> out=[27171,31267,27171,31395,27299,29347,25251,29347,25251,29347,25251,29347,27171,31267,27171,31395,27299,29347,25251,29347,25251,29347,25251,29347]
// run: line global=19 local=8 (out=zeros:19, k=100) -> out=[27171,31267,27171,31395,27299,29347,25251,29347,27171,31267,27171,31395,27299,29347,25251,29347,27171,31267,27171]
// run: plane global=8,3,2 local=4,3,2 (out=zeros:48, k=1, m=3) -> out=[45,33,33,1,45,33,33,1,34,34,2,0,34,34,2,0,34,2,2,0,34,2,2,0,45,33,33,1,45,33,33,1,50,50,18,16,50,50,18,16,34,2,2,0,34,2,2,0]
// run: plane global=8,3,2 local=4,3,2 (out=zeros:48, k=0, m=0) -> out=[4,0,0,0,4,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,20,16,16,16,20,16,16,16,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]
// run: plane global=8,3,2 local=4,3,2 (out=zeros:48, k=-5, m=2) -> out=[38,34,0,0,38,34,0,0,34,2,0,0,34,2,0,0,2,2,0,0,2,2,0,0,38,34,0,0,38,34,0,0,34,2,0,0,34,2,0,0,2,2,0,0,2,2,0,0]
// run: plane global=8,3,2 local=4,3,2 (out=zeros:48, k=2, m=9) -> out=[45,41,33,33,45,41,33,33,33,33,33,33,33,33,33,33,34,34,34,34,34,34,34,34,45,41,33,33,45,41,33,33,33,33,33,33,33,33,33,33,50,50,50,50,50,50,50,50]
kernel void line(global int *out, int k) {
  local int bits[16];
  int l = get_local_id(0);
  size_t g = get_global_id(0);
  bits[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < k) bits[l] |= 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l <= k) bits[l] |= 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (k < l) bits[l] |= 4;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l >= k) bits[l] |= 8;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == k) bits[l] |= 16;
  barrier(CLK_LOCAL_MEM_FENCE);
  if ((uint)l < (uint)k) bits[l] |= 32;
  barrier(CLK_LOCAL_MEM_FENCE);
  if ((uint)l > (uint)k - 3u) bits[l] |= 64;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l > 2 && l < k) bits[l] |= 128;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!(l < k || l == 9)) bits[l] |= 256;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (g + 3 < (ulong)k) bits[l] |= 512;
  barrier(CLK_LOCAL_MEM_FENCE);
  if ((long)g >= k) bits[l] |= 1024;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (5 - l > 0) bits[l] |= 2048;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < k) if (l & 1) bits[l] |= 4096;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l + 1 < k - 1) bits[l] |= 8192;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l != k) bits[l] |= 16384;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = bits[l];
}

kernel void plane(global int *out, int k, int m) {
  local int bits[32];
  int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
  int l = get_local_linear_id();
  bits[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (y < k) bits[l] |= 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x < m && y >= k) bits[l] |= 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x == 0 && y == 0) bits[l] |= 4;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (y * 4 + x < k) bits[l] |= 8;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (z >= 1 && y == k) bits[l] |= 16;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x + y < m) bits[l] |= 32;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_linear_id()] = bits[l];
}
