// test: run
// run: pairs global=8 local=4 (out=zeros:8) -> out=[6,6.5,6,4.5,22,18.5,14,8.5]
typedef struct { int a; float b; } pair;
kernel void pairs(global float *out) {
  local pair tile[4];
  int l = get_local_id(0), g = get_global_id(0);
  tile[l].a = g;
  tile[l].b = l * 0.5f;
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int i = l; i < 4; i++)
    sum += tile[i].a;
  out[get_global_id(0)] = sum + tile[l].b;
}
