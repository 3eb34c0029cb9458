// A PHI node of a block that all lanes run, used behind a divergent branch, in blocks that other lanes come to by another way.
// test: run
// width: any
// run: k global=32 local=16 (in=[9,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5], out=all:0:32, n=5) -> out=[5,14,120,800,5,6,40,1968,5,6,5,52,5,8,5,12,5,14,120,800,5,6,40,1968,5,6,5,52,5,8,5,12]
// run: k global=32 local=16 (in=[1,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5], out=all:7:32, n=5) -> out=[5,5,5,5,5,5,7,7,7,7,5,5,5,5,5,5,5,5,5,5,5,5,7,7,7,7,5,5,5,5,5,5]
// run: k global=32 local=16 (in=[9,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5], out=all:0:32, n=0) -> out=[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]
kernel void k(global const int *in, global int *out, int n) {
  int l = get_local_id(0), x = n;
  if (in[0] > 3) {
    int i = 0;
    while (i < n && in[l] > i) i += 2;
    for (int k = 0; k < l % 4; k++) x = (x ^ i) << (in[l] & 3);
  } else if (in[l] > 5) return;
  out[get_global_id(0)] = x;
}
