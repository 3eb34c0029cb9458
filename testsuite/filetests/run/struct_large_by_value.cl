// test: run args
// run: large global=3 local=1 (p=int[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40], k=39, out=zeros:3) -> out=[40,39,38]
typedef struct { int v[40]; } wide;
kernel void large(wide p, int k, global int *out) {
  int i = get_global_id(0);
  out[i] = p.v[k - i];
}
