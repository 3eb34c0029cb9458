// test: run
// memories: one
// options: -cl-std=CL2.0
// run: gen global=8 local=4 (out=zeros:8) -> out=[3,2,2,0,7,6,6,4]
int get(int *p) { return *p; }
kernel void gen(global int *out) {
  local int tile[4];
  int g = get_global_id(0), l = get_local_id(0), mine = 2 + (g & ~3);
  tile[l] = g;
  barrier(CLK_LOCAL_MEM_FENCE);
  int *a = &mine, *b = &tile[3 - l];
  out[g] = get(l == 2 ? a : b);
}
